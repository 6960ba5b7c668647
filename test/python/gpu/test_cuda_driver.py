"""Launching on NVIDIA GPUs, against a driver library that records what it is asked: no GPU is needed."""

import ctypes
import os
import struct
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from fake_driver import FakeDriver, arguments_of
from places import BUILD
from triton import knobs
from triton._C import libtriton
from triton._C.libproton import proton as libproton
from triton.backends.nvidia import driver as nvidia
from triton.tools.tensor_descriptor import TensorDescriptor

FAKE = str(BUILD / "fake-cuda")

pytestmark = [
    pytest.mark.cpu_only,  # another driver was chosen, otherwise
    pytest.mark.skipif(
        torch.cuda.is_available() or not os.path.exists(os.path.join(FAKE, "libcuda.so.1")),
        reason="needs the fake driver, and no real one",
    ),
]

PTX = """.version 8.0
.target sm_80
.visible .entry kernel({})
{{ ret; }}
"""


@pytest.fixture(scope="module")
def fake():
    with knobs.nvidia.scope():
        knobs.nvidia.libcuda_path = FAKE
        instance = FakeDriver(os.path.join(FAKE, "libcuda.so.1"))
        instance.library.fakeCudaSetDevices(2, 90)
        nvidia.CudaUtils()
        assert libtriton.cuda.device_count() == 2
        yield instance


@pytest.fixture
def utils(fake):
    fake.log()
    return nvidia.CudaUtils()


SIZES = {
    "i1": 1,
    "u1": 1,
    "i8": 1,
    "u8": 1,
    "i16": 2,
    "fp16": 2,
    "bf16": 2,
    "i32": 4,
    "u32": 4,
    "fp32": 4,
    "nvTmaDesc": 128,
}


def make_kernel(utils, types, device=0, signature=None, **overrides):
    """(launcher, function) of a kernel whose code takes arguments of these types."""
    arguments, offset = [], 0
    for index, ty in enumerate(types):
        size = SIZES.get(ty, 8)
        offset = (offset + min(size, 64) - 1) // min(size, 64) * min(size, 64)
        arguments.append((f"a{index}", ty, offset, size))
        offset += size
    fields = dict(
        argument_bytes=offset, argument_layout=arguments, num_warps=4, num_ctas=1, shared=0, launch_cooperative_grid=False,
        launch_pdl=False, global_scratch_size=0, global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1,
        tensordesc_meta=[],
    )  # fmt: skip
    fields.update(overrides)
    parameters = [f".param .u{SIZES.get(ty, 8) * 8} p{i}" if ty != "nvTmaDesc" else f".param .align 64 .b8 p{i}[128]"
                  for i, ty in enumerate([*types, "i64", "i64"])]  # fmt: skip
    ptx = PTX.format(", ".join(parameters)).encode()
    _, function, *_ = utils.load_binary("kernel", ptx, fields["shared"], device)
    names = signature or {f"a{index}": ty for index, ty in enumerate(types)}
    return nvidia.CudaLauncher(SimpleNamespace(signature=names), SimpleNamespace(**fields)), function


def launch(kernel, *parameters, grid=(1, 1, 1), stream=0, enter=None, exit=None):
    launcher, function = kernel
    launcher(*grid, stream, function, (4, 1, 0), None, enter, exit, *parameters)


def test_arguments_are_packed_in_order(fake, utils):
    types = ["*fp32", "i32", "i64", "u8", "fp16", "fp32", "fp64", "u1", "i16", "bf16"]
    kernel = make_kernel(utils, types)
    fake.log()
    x = fake.tensor()
    launch(kernel, x, -5, 2**40, 200, 1.5, 0.25, -2.0, True, -3, 1.0, grid=(8, 2, 1), stream=77)
    (line,) = fake.log()
    assert line.startswith("launch kernel device=0 grid=8,2,1 block=128 shared=0 stream=77 args=")
    expected = [
        struct.pack("<Q", x.address), struct.pack("<i", -5), struct.pack("<q", 2**40), struct.pack("<B", 200), struct.pack("<e", 1.5),
        struct.pack("<f", 0.25), struct.pack("<d", -2.0), b"\x01", struct.pack("<h", -3), b"\x80\x3f", bytes(8), bytes(8),
    ]  # fmt: skip
    assert arguments_of(line) == expected


def test_constexprs_are_ignored(fake, utils):
    kernel = make_kernel(utils, ["i32"], signature={"n": "i32", "BLOCK": "constexpr"})
    fake.log()
    launch(kernel, 7, object())
    assert arguments_of(fake.log()[0])[0] == struct.pack("<i", 7)


def test_launch_attributes(fake, utils):
    kernel = make_kernel(
        utils, [], num_ctas=2, num_warps=8, shared=65536, launch_cooperative_grid=True, launch_pdl=True
    )
    fake.log()
    launch(kernel, grid=(3, 1, 1))
    assert fake.log() == [
        "launch kernel device=0 grid=6,1,1 block=256 shared=65536 stream=0 programmatic cooperative cluster=2 "
        "args=0000000000000000,0000000000000000"
    ]


def test_sixteen_blocks_in_a_cluster(fake, utils):
    kernel = make_kernel(utils, [], num_ctas=16)
    fake.log()
    launch(kernel)
    assert "grid=16,1,1" in fake.log()[0]


def test_an_empty_grid_launches_nothing(fake, utils):
    kernel = make_kernel(utils, [])
    fake.log()
    calls = []
    launch(kernel, grid=(0, 1, 1), enter=calls.append)
    assert fake.log() == [] and calls == []


def test_memory_of_the_host_is_refused(fake, utils):
    kernel = make_kernel(utils, ["i32", "*fp32"])
    on_host = torch.zeros(8)
    with pytest.raises(ValueError, match=r"Pointer argument \(at 1\) cannot be accessed from Triton \(cpu tensor\?\)"):
        launch(kernel, 1, on_host)
    with pytest.raises(ValueError, match=r"at 1\) cannot be accessed"):
        launch(kernel, 1, np.zeros(8, dtype=np.float32))
    fake.library.fakeCudaPin(on_host.data_ptr(), 32)
    fake.log()
    launch(kernel, 1, on_host)
    assert arguments_of(fake.log()[0])[1] == struct.pack("<Q", on_host.data_ptr())


def test_pointers_without_tensors(fake, utils):
    kernel = make_kernel(utils, ["*fp32", "*fp32"])
    fake.log()
    launch(kernel, None, 0x1234)
    assert arguments_of(fake.log()[0])[:2] == [bytes(8), struct.pack("<Q", 0x1234)]
    with pytest.raises(TypeError, match="Pointer argument must be either uint64 or have data_ptr method"):
        launch(kernel, 1.5, None)


def test_cuda_array_interface(fake, utils):
    address = fake.tensor().address

    class Array:
        __cuda_array_interface__ = {"data": (address, False), "typestr": "<f2", "shape": (4,), "version": 3}

    assert libtriton.native_specialize_impl(triton.backends.BaseBackend, Array(), False, True, True) == ("*fp16", "D")
    kernel = make_kernel(utils, ["*fp16"])
    fake.log()
    launch(kernel, Array())
    assert arguments_of(fake.log()[0])[0] == struct.pack("<Q", address)


def test_integers_out_of_range(fake, utils):
    kernel = make_kernel(utils, ["i32"])
    with pytest.raises(OverflowError):
        launch(kernel, 2**31)


def test_hooks_get_the_metadata(fake, utils):
    launcher, function = make_kernel(utils, [])
    calls = []
    launcher(
        1,
        1,
        1,
        0,
        function,
        (4, 1, 0),
        "metadata",
        lambda md: calls.append(("enter", md)),
        lambda md: calls.append(("exit", md)),
    )
    assert calls == [("enter", "metadata"), ("exit", "metadata")]


def test_a_refused_launch_raises(fake, utils):
    kernel = make_kernel(utils, [])
    fake.fail("cuLaunchKernelEx", 701)
    with pytest.raises(RuntimeError, match=r"Triton Error \[CUDA\]: too many resources requested for launch"):
        launch(kernel)
    launch(kernel)


def test_a_fresh_thread_launches(fake, utils):
    kernel = make_kernel(utils, [])
    fake.log()
    thread = threading.Thread(target=launch, args=(kernel,))
    thread.start()
    thread.join()
    assert len(fake.log()) == 1


def test_functions_of_two_devices(fake, utils):
    first, second = make_kernel(utils, [], device=0), make_kernel(utils, [], device=1)
    libtriton.cuda.set_current_device(0)
    fake.log()
    launch(first)
    launch(second)
    assert ["device=0" in line for line in fake.log()] == [True, False]
    assert libtriton.cuda.current_device() == 0


def test_scratch_comes_from_the_allocator(fake, utils):
    kernel = make_kernel(utils, [], global_scratch_size=100, global_scratch_align=128, num_ctas=2)
    previous = triton.runtime._allocation._allocator.get()
    triton.set_allocator(triton.runtime._allocation.NullAllocator())
    with pytest.raises(RuntimeError, match="no allocator was set"):
        launch(kernel, grid=(3, 2, 1))
    asked, scratch = [], fake.tensor()

    def allocate(size, align, stream):
        asked.append((size, align, stream))
        return scratch

    triton.set_allocator(allocate)
    fake.log()
    launch(kernel, grid=(3, 2, 1), stream=5)
    triton.set_allocator(previous)
    assert asked == [(3 * 2 * 2 * 100, 128, 5)]
    assert arguments_of(fake.log()[0]) == [struct.pack("<Q", scratch.address), bytes(8)]


def test_scratch_of_an_allocator_that_ignores_the_alignment(fake, utils):
    """As `torch.empty` on the host does: more is asked for, and the first aligned place in it is taken."""
    kernel = make_kernel(utils, [], global_scratch_size=100, global_scratch_align=128)
    asked, scratch = [], fake.tensor()

    class Shifted:
        def data_ptr(self):
            return scratch.address + 64 - scratch.address % 128

    def allocate(size, align, stream):
        asked.append((size, align))
        return Shifted()

    previous = triton.runtime._allocation._allocator.get()
    triton.set_allocator(allocate)
    fake.log()
    launch(kernel, grid=(3, 1, 1))
    triton.set_allocator(previous)
    assert asked == [(300, 128), (427, 128)]
    assert arguments_of(fake.log()[0])[0] == struct.pack("<Q", Shifted().data_ptr() + 64)


def test_descriptors_through_pointers(fake, utils):
    tensor = fake.tensor(torch.float16, 4096)
    descriptor = TensorDescriptor(tensor, [32, 64], [64, 1], [16, 16], padding="nan")
    types = ["*fp16", "i64", "i64", "i64", "i64", "u1", "u1", "i32", "i32", "i64", "i64", "i32"]
    kernel = make_kernel(utils, types, signature={"d": "tensordesc<fp16[16, 16]>", "n": "i32"})
    fake.log()
    launch(kernel, descriptor, 9)
    values = [struct.pack("<Q", tensor.address), *(struct.pack("<q", v) for v in (32, 64, 64, 1)), b"\x01", b"\x00",
              *(struct.pack("<i", v) for v in (32, 64)), *(struct.pack("<q", v) for v in (64, 1)), struct.pack("<i", 9)]  # fmt: skip
    assert arguments_of(fake.log()[0])[: len(values)] == values


def test_descriptors_through_tensor_maps(fake, utils):
    tensor = fake.tensor(torch.float16, 4096)
    descriptor = TensorDescriptor(tensor, [32, 64], [64, 1], [16, 16])
    meta = [{"swizzle": 1, "elem_size": 2, "elem_type": 6, "block_size": [16, 16], "fp4_padded": False}]
    types = ["nvTmaDesc", "i32", "i32", "i64", "i64"]
    kernel = make_kernel(utils, types, signature={"d": "tensordesc<fp16[16, 16]>"}, tensordesc_meta=meta)
    fake.log()
    launch(kernel, descriptor)
    encoded, launched = fake.log()
    assert encoded == "tensormap type=6 rank=2 shape=64,32 strides=128 box=16,16 swizzle=1 promotion=2 fill=0"
    assert arguments_of(launched)[0][:8] == struct.pack("<Q", tensor.address)
    assert arguments_of(launched)[1:3] == [struct.pack("<i", 32), struct.pack("<i", 64)]


MAP = {"swizzle": 1, "elem_size": 2, "elem_type": 10, "block_size": [16, 16], "fp4_padded": False}


def test_a_tensor_map_is_made_once(fake, utils):
    tensor = fake.tensor(torch.bfloat16, 8192)
    types = ["nvTmaDesc", "i32", "i32", "i64", "i64"]
    kernel = make_kernel(utils, types, signature={"d": "tensordesc<bf16[16, 16]>"}, tensordesc_meta=[MAP])
    fake.log()
    descriptor = TensorDescriptor(tensor, [32, 64], [64, 1], [16, 16])
    for _ in range(3):
        launch(kernel, descriptor)
    lines = fake.log()
    assert [line.split()[0] for line in lines] == ["tensormap", "launch", "launch", "launch"]
    assert "type=9" in lines[0] and arguments_of(lines[1]) == arguments_of(lines[3])  # bfloat16 as the driver counts
    descriptor.shape = [16, 64]  # descriptors may change
    launch(kernel, descriptor)
    assert fake.log()[0].startswith("tensormap type=9 rank=2 shape=64,16 ")
    launch(kernel, TensorDescriptor(tensor, [32, 64], [64, 1], [16, 16], padding="nan"))
    assert "fill=1" in fake.log()[0]


def test_descriptors_of_both_kinds_in_a_tuple(fake, utils):
    first, second = fake.tensor(torch.bfloat16, 8192), fake.tensor(torch.bfloat16, 8192)
    descriptors = [TensorDescriptor(tensor, [32, 64], [64, 1], [16, 16]) for tensor in (first, second)]
    types = ["i32", "*bf16", "i64", "i64", "i64", "i64", "i1", "i1", "i32", "i32", "i64", "i64", "nvTmaDesc", "i32", "i32", "i64", "i64"]  # fmt: skip
    signature = {"t": ("i32", "constexpr", "tensordesc<bf16[16, 16]>"), "d": "tensordesc<bf16[16, 16]>"}
    kernel = make_kernel(utils, types, signature=signature, tensordesc_meta=[None, MAP])
    fake.log()
    launch(kernel, (5, None, descriptors[0]), descriptors[1])
    arguments = arguments_of(fake.log()[-1])
    assert arguments[:2] == [struct.pack("<i", 5), struct.pack("<Q", first.address)]
    assert arguments[12][:8] == struct.pack("<Q", second.address) and arguments[13:15] == arguments[8:10]


def test_what_is_no_descriptor(fake, utils):
    types = ["nvTmaDesc", "i32", "i64"]
    kernel = make_kernel(
        utils, types, signature={"d": "tensordesc<bf16[16]>"}, tensordesc_meta=[MAP | {"block_size": [16]}]
    )
    with pytest.raises(TypeError, match="expected a tensor descriptor, got int"):
        launch(kernel, 5)
    tensor = fake.tensor(torch.bfloat16, 8192)
    with pytest.raises(ValueError, match="of 1 dimensions, got one whose shape has 2"):
        launch(kernel, TensorDescriptor(tensor, [32, 64], [64, 1], [16, 16]))
    with pytest.raises(OverflowError, match="8589934592 of a tensor descriptor does not fit in 32 bits"):
        launch(kernel, TensorDescriptor(tensor, [2**33], [1], [16]))
    with pytest.raises(ValueError, match="cannot be accessed from Triton"):
        launch(kernel, TensorDescriptor(torch.zeros(64, dtype=torch.bfloat16), [64], [1], [16]))
    with pytest.raises(ValueError, match="3 run-time arguments, but the code takes 4"):
        make_kernel(utils, [*types, "i32"], signature={"d": "tensordesc<bf16[16]>"}, tensordesc_meta=[MAP])


def test_tensor_maps_that_the_hardware_refuses(fake, utils):
    with pytest.raises(RuntimeError, match=r"strides \[7, 1\], box \[16, 16\]"):
        utils.fill_tma_descriptor(0x1000, 0, 2, 6, [16, 16], [32, 64], [7, 1], 0)
    tensor_map = utils.fill_tma_descriptor(0x1000, 0, 2, 6, [16, 16], [32, 64], [64, 1], 0)
    assert isinstance(tensor_map, nvidia.PyCUtensorMap) and tensor_map.tma_desc_cpu_ptr() % 128 == 0


def test_properties(utils):
    properties = utils.get_device_properties(0)
    assert properties["max_shared_mem"] == 232448 and properties["multiprocessor_count"] == 132
    assert properties["warpSize"] == 32 and properties["max_num_regs"] == 65536
    assert {"sm_clock_rate", "mem_clock_rate", "mem_bus_width"} <= set(properties)
    with pytest.raises(RuntimeError, match="there is no device 5: this machine has 2"):
        utils.get_device_properties(5)


def test_code_that_cannot_be_loaded(utils):
    with pytest.raises(
        RuntimeError, match=r"Triton Error \[CUDA\]: device kernel image is invalid.*ptxas fatal : not a module"
    ):
        utils.load_binary("kernel", b"garbage", 0, 0)
    with pytest.raises(RuntimeError, match="no kernel image is available"):
        utils.load_binary("kernel", PTX.format("").replace("sm_80", "sm_100a").encode(), 0, 0)


def test_print_buffer(fake, utils):
    libtriton.cuda.set_current_device(0)
    fake.log()  # the context, if this test is the first
    utils.set_printf_fifo_size(1 << 21)
    utils.set_printf_fifo_size(1 << 21)
    assert fake.log() == ["limit printf=2097152"]
    with pytest.raises(ValueError):
        utils.set_printf_fifo_size(-1)


def test_the_driver_without_torch_on_a_gpu(fake):
    driver = nvidia.CudaDriver()
    libtriton.cuda.set_current_device(1)
    assert driver.get_current_device() == 1 and driver.get_current_stream(1) == 0
    assert driver.get_current_target() == triton.backends.compiler.GPUTarget("cuda", 90, 32)
    libtriton.cuda.set_current_device(0)
    assert not nvidia.CudaDriver.is_active()


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@pytest.fixture
def cuda(fake):
    """The CUDA driver active, on the fake's first device."""
    libtriton.cuda.set_current_device(0)
    triton.runtime.driver.set_active(nvidia.CudaDriver())
    fake.log()
    yield fake
    triton.runtime.driver.reset_active()


def test_kernels_from_source_to_launch(cuda):
    x, y, out = cuda.tensor(), cuda.tensor(), cuda.tensor()
    for _ in range(2):  # cold, then warm
        compiled = add_kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, out, 100, BLOCK=32, num_warps=2)
        line = cuda.log()[-1]
        assert line.startswith("launch add_kernel device=0 grid=4,1,1 block=64 shared=0 stream=0 programmatic args=")
        pointers = [struct.pack("<Q", tensor.address) for tensor in (x, y, out)]
        assert arguments_of(line) == [*pointers, struct.pack("<i", 100), bytes(8), bytes(8)]
    assert compiled.metadata.target.arch == 90 and compiled.metadata.num_warps == 2
    assert ".target sm_90a" in compiled.asm["ptx"] and compiled.asm["cubin"][:4] == b"\x7fELF"
    assert compiled.n_regs > 0 and compiled.n_spills == 2 and isinstance(compiled.function, int)


@triton.jit
def copy_kernel(source, destination, B: tl.constexpr):
    destination.store([0, 0], source.load([0, 0]))


def test_kernels_with_descriptors_are_remembered(cuda, monkeypatch):
    tensors = [cuda.tensor(torch.float16, 8192) for _ in range(2)]
    descriptors = [TensorDescriptor(tensor, [64, 64], [64, 1], [32, 64]) for tensor in tensors]
    first = copy_kernel[(1,)](*descriptors, 1)
    lines = cuda.log()
    monkeypatch.setattr(type(copy_kernel), "_run_generally", None)  # a warm launch does without
    assert copy_kernel[(1,)](*descriptors, 1) is first
    (line,) = cuda.log()
    assert arguments_of(line) == arguments_of(lines[-1])
    with pytest.raises(TypeError):  # other blocks are another kernel
        copy_kernel[(1,)](*[TensorDescriptor(tensor, [64, 64], [64, 1], [16, 64]) for tensor in tensors], 1)


def test_each_device_has_its_kernel(cuda):
    x = cuda.tensor()
    for device in (0, 1, 0, 1):
        libtriton.cuda.set_current_device(device)
        add_kernel[(1,)](x, x, x, 7, BLOCK=16)
        assert f"device={device}" in cuda.log()[-1]
    assert set(add_kernel.device_caches) >= {0, 1}
    libtriton.cuda.set_current_device(0)


def test_too_much_of_something(cuda):
    x = cuda.tensor()
    kernel = add_kernel.warmup(x, x, x, 64, BLOCK=64, grid=(1,))
    kernel.metadata = kernel.metadata._replace(shared=300000)
    for _ in range(2):
        with pytest.raises(
            triton.OutOfResources, match="shared memory, Required: 300000, Hardware limit: 232448"
        ) as info:
            kernel._init_handles()
        if hasattr(info.value, "add_note"):
            (note,) = info.value.__notes__
            assert note.splitlines()[0].endswith("note: needed by this kernel") and "| def add_kernel(" in note
    with pytest.raises(triton.OutOfResources, match=f"threads, Required: {128 * 32}"):
        add_kernel[(1,)](x, x, x, 64, BLOCK=64, num_warps=128)


def test_tensors_of_the_host_are_refused_warm_and_cold(cuda):
    x, on_host = cuda.tensor(), torch.zeros(16)
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"Pointer argument \(at 1\) cannot be accessed from Triton \(cpu tensor\?\)"
        ):
            add_kernel[(1,)](x, on_host, x, 16, BLOCK=16)
        add_kernel[(1,)](x, x, x, 16, BLOCK=16)


def test_options_of_cuda(cuda):
    x = cuda.tensor()
    kernel = add_kernel[(2,)](x, x, x, 16, BLOCK=16, launch_pdl=True, launch_cooperative_grid=True, maxnreg=32)
    assert "programmatic cooperative" in cuda.log()[-1] and ".maxnreg 32" in kernel.asm["ptx"]
    with pytest.raises(KeyError, match="waves_per_eu was specified but unrecognised"):
        add_kernel[(2,)](x, x, x, 16, BLOCK=16, waves_per_eu=2)


def test_launches_overlap(cuda):
    x = cuda.tensor()
    add_kernel[(1,)](x, x, x, 16, BLOCK=16)  # whatever came before it on the stream
    for _ in range(3):  # cold, then warm
        kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=16)
        assert " programmatic " in cuda.log()[-1] and kernel.metadata.waits_at_entry
    ptx = kernel.asm["ptx"]
    assert ptx.index("griddepcontrol.wait") < ptx.index("ld.global")
    placed = add_kernel[(1,)](x, x, x, 16, BLOCK=16, launch_pdl=True)
    assert " programmatic " in cuda.log()[-1]
    assert "griddepcontrol" not in placed.asm["ptx"] and not placed.metadata.waits_at_entry
    add_kernel[(1,)](x, x, x, 16, BLOCK=16)
    assert "programmatic" not in cuda.log()[-1]  # the one before it may end before those ahead of it
    add_kernel[(1,)](x, x, x, 16, BLOCK=16)
    assert " programmatic " in cuda.log()[-1]


def test_launches_in_full_order_on_request(cuda):
    source = triton.compiler.ASTSource(add_kernel, {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(4,): 16})  # fmt: skip
    assert triton.compile(source).metadata.waits_at_entry
    with knobs.nvidia.scope():
        knobs.nvidia.overlap_launches = False
        kernel = triton.compile(source)
    assert not kernel.metadata.waits_at_entry and "griddepcontrol" not in kernel.asm["ptx"]
    x = cuda.tensor()
    kernel[(1, 1, 1)](x, x, x, 16, 16)
    assert "programmatic" not in cuda.log()[-1]


def test_replaced_code_overlaps_only_if_it_waits(cuda, tmp_path):
    x = cuda.tensor()
    kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=16)  # also whatever came before it on the stream
    ptx = tmp_path / "kernel.ptx"
    for text, waits in ((kernel.asm["ptx"], True), (kernel.asm["ptx"].replace("griddepcontrol.wait;", ""), False)):
        ptx.write_text(text)
        replaced = add_kernel[(1,)](x, x, x, 16, BLOCK=16, ir_override=str(ptx), num_stages=4 + waits)
        assert replaced.metadata.waits_at_entry == waits and (" programmatic " in cuda.log()[-1]) == waits
    cubin = tmp_path / "kernel.cubin"
    cubin.write_bytes(kernel.asm["cubin"])
    assert not add_kernel[(1,)](x, x, x, 16, BLOCK=16, ir_override=str(cubin)).metadata.waits_at_entry


def test_the_first_launch_during_a_capture(cuda):
    x = cuda.tensor()
    cuda.library.fakeCudaSetCapturing(True)
    try:
        for _ in range(3):
            add_kernel[(1,)](x, x, x, 48, BLOCK=32, num_warps=1)
    finally:
        cuda.library.fakeCudaSetCapturing(False)
    assert sum(line.startswith("launch add_kernel") for line in cuda.log()) == 3


def test_code_for_an_older_architecture_runs_here(cuda):
    x = cuda.tensor()
    kernel = add_kernel[(1,)](x, x, x, 17, BLOCK=16, arch="sm80")
    assert not kernel.metadata.waits_at_entry
    assert 'ttg.target = "cuda:80"' in kernel.asm["ttgir"] and ".target sm_90a" in kernel.asm["ptx"]
    assert cuda.log()[-1].startswith("launch add_kernel")
    with pytest.raises(ValueError, match="sm<digits>"):
        add_kernel[(1,)](x, x, x, 17, BLOCK=16, arch="gfx942")


def test_launches_through_graphs(cuda):
    x, y = cuda.tensor(), cuda.tensor()
    kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=256)
    for _ in range(300):
        add_kernel[(1,)](x, x, x, 16, BLOCK=256)
    through = kernel.run.graph_launches
    assert through > 100 and " graph " in cuda.log()[-1]
    add_kernel[(3,)](x, y, x, 32, BLOCK=256)
    change, launch = cuda.log()
    addresses = [struct.pack("<Q", tensor.data_ptr()).hex() for tensor in (x, y, x)]
    assert change == "change" and " graph " in launch and " grid=3,1,1 " in launch
    assert launch.split("args=")[1].startswith(",".join([*addresses, "20000000"]))
    with knobs.runtime.scope():  # a hook is to see launches of the kernel
        knobs.runtime.launch_enter_hook = lambda metadata: None
        add_kernel[(1,)](x, x, x, 16, BLOCK=256)
        assert " graph " not in cuda.log()[-1]
    kernel[(1, 1, 1)](x, x, x, 16, 256)  # and so is a client that launches by itself
    assert " graph " not in cuda.log()[-1]


def test_launches_without_graphs(cuda):
    x = cuda.tensor()
    with knobs.nvidia.scope():
        knobs.nvidia.launch_graphs = False
        for _ in range(200):
            kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=128)
    assert kernel.run.graph_launches == 0 and " graph " not in cuda.log()[-1]


def test_modules_are_unloaded(fake, utils):
    module, function, *_ = utils.load_binary("kernel", PTX.format("").encode(), 0, 1)
    fake.log()
    utils.unload_module(module)
    assert [line.split()[0] for line in fake.log()] == ["unload"]
    with pytest.raises(RuntimeError, match="no module that was loaded here"):
        utils.unload_module(module)


def test_what_programs_without_torch_ask(fake, utils):
    assert utils.get_device_capability(0) == (9, 0) and utils.get_default_stream(0) == 0
    utils.set_current_device(1)
    try:
        assert utils.get_current_device() == 1
    finally:
        utils.set_current_device(0)


def test_launch_by_signature(fake, utils):
    """`launch` takes the types of the code's arguments with every call, and needs no object of the kernel."""
    types = ["*fp32", ("i32", "constexpr", "fp16"), "constexpr", "fp64", "i1"]
    annotations, signature = nvidia.annotate_arguments(types), nvidia.make_kernel_signature(types)
    assert annotations[1].type == nvidia.ARG_TUPLE and annotations[1].nested_tuple[1].type == nvidia.ARG_CONSTEXPR
    assert annotations[0] == nvidia.PyKernelArg(nested_tuple=None, type=nvidia.ARG_KERNEL)
    assert isinstance(signature, bytes) and len(signature) == 5
    assert signature == utils.build_signature_metadata(["*i64", "i32", "fp16", "fp64", "i1"])
    _, function = make_kernel(utils, ["*fp32", "i32", "fp16", "fp64", "i1"])
    fake.log()
    x, told = fake.tensor(), []
    call = (8, 2, 1, 77, function, True, False, (8, 2, 4096), "metadata")
    arguments = (annotations, signature, (x, (7, object(), 1.5), object(), 2.5, True))
    utils.launch(*call, told.append, told.append, 0x1000, None, *arguments)
    (line,) = fake.log()
    assert line.startswith(
        "launch kernel device=0 grid=16,2,1 block=256 shared=4096 stream=77 cooperative cluster=2 args="
    )
    expected = [
        struct.pack("<Q", x.address),
        struct.pack("<i", 7),
        struct.pack("<e", 1.5),
        struct.pack("<d", 2.5),
        b"\x01",
    ]
    assert arguments_of(line)[:7] == [*expected, struct.pack("<Q", 0x1000), bytes(8)] and told == ["metadata"] * 2
    utils.launch(0, *call[1:], None, None, None, None, *arguments)
    assert fake.log() == []
    with pytest.raises(TypeError, match="the code takes 4 arguments, got 5"):
        utils.launch(*call, None, None, None, None, annotations, signature[:4], arguments[2])
    with pytest.raises(ValueError, match="'complex' is no type of a kernel's argument"):
        utils.build_signature_metadata(["complex"])


def test_descriptors_are_spelled_out():
    types = ["*fp32", ("i32", "tensordesc<fp16[16, 32]>")]
    parts = ["*fp16", "i64", "i64", "i64", "i64", "i1", "i1", "i32", "i32", "i64", "i64"]
    assert nvidia.expand_signature(types, None, "nvTmaDesc") == ["*fp32", ("i32", *parts)]
    assert nvidia.expand_signature(types, [{}], "nvTmaDesc") == [
        "*fp32",
        ("i32", "nvTmaDesc", "i32", "i32", "i64", "i64"),
    ]
    descriptor = TensorDescriptor(torch.zeros(4, 8), [4, 8], [8, 1], [2, 4])
    calls = []
    made = nvidia.wrap_handle_tensordesc_impl(
        lambda *arguments: calls.append(arguments), dict(zip("ab", types)), [{"k": 1}],
        lambda descriptor, metadata, arguments: [(descriptor, metadata, len(arguments))],
    )  # fmt: skip
    made("stream", 5, (7, descriptor))
    assert calls == [("stream", 5, (7, (descriptor, {"k": 1}, 3)))]
    assert nvidia.make_tensordesc_arg(descriptor, None) == nvidia.make_tensordesc_arg(descriptor, None, ())
    assert nvidia.decompose_descriptor(descriptor)[1:] == [4, 8, 8, 1, False, False, 4, 8, 8, 1]
    rounding = TensorDescriptor(torch.zeros(4, 8), [4, 8], [8, 1], [2, 4], round_f32_to_tf32=True)
    assert nvidia.decompose_descriptor(rounding)[1:] == [4, 8, 8, 1, False, True, 4, 8, 8, 1]


def test_metrics_are_read_by_the_driver(fake, utils):
    """Those in the device's memory; those of the host are read as they are, though there is a device."""
    launch(make_kernel(utils, ["i32"]), 1)  # with a context
    on_device, on_host = fake.library.fakeCudaAllocate(8), (ctypes.c_double * 2)(2.0, 3.0)
    ctypes.memmove(on_device, struct.pack("<q", 7), 8)
    metric = libproton.TensorMetric(on_device, libproton.metric_type_int64_index)
    assert metric._read() == 7
    fake.fail("cuMemcpyDtoHAsync", 719)
    with pytest.raises(RuntimeError, match="copying 8 bytes"):
        metric._read()
    assert libproton.TensorMetric(ctypes.addressof(on_host), libproton.metric_type_double_index, 2)._read() == [
        2.0,
        3.0,
    ]
    with pytest.raises(RuntimeError, match="no memory lies at address 0"):
        libproton.TensorMetric(0, libproton.metric_type_int64_index)._read()
