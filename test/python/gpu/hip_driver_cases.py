"""The cases of test_hip_driver.py, which runs them in a process of their own."""

import ctypes
import os
import re
import struct
import sys
from types import SimpleNamespace

import pytest
import torch
import triton
import triton.language as tl
from fake_driver import FakeDriver, arguments_of
from triton import knobs
from triton._C import libtriton
from triton.backends.amd import driver as amd
from triton.backends.compiler import GPUTarget
from triton.tools.tensor_descriptor import TensorDescriptor

FAKE = os.environ["FAKE_HIP"]


@pytest.fixture(scope="module")
def fake():
    knobs.amd.libhip_path = FAKE
    instance = FakeDriver(os.path.join(FAKE, "libamdhip64.so"))
    instance.library.fakeHipSetDevices(2, b"gfx942", 70051831)
    return instance


@pytest.fixture
def hip(fake):
    """The HIP driver active, on the fake's first device."""
    triton.runtime.driver.set_active(amd.HIPDriver())
    libtriton.cuda.set_current_device(0)
    fake.log()
    return fake


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def dot_kernel(x_ptr, out_ptr):
    rows = tl.arange(0, 64)
    x = tl.load(x_ptr + rows[:, None] * 64 + rows[None, :])
    tl.store(out_ptr + rows[:, None] * 64 + rows[None, :], tl.dot(x, x).to(tl.float16))


def test_the_target_is_the_devices(hip):
    driver = triton.runtime.driver.active
    assert driver.get_current_target() == GPUTarget("hip", "gfx942", 64)
    assert driver.get_current_device() == 0 and driver.get_current_stream(0) == 0
    properties = driver.utils.get_device_properties(1)
    assert properties["arch"] == "gfx942" and properties["warpSize"] == 64 and properties["max_shared_mem"] == 65536
    assert properties["multiprocessor_count"] == 304 and properties["sm_clock_rate"] == 2100000


def test_kernels_from_source_to_launch(hip):
    x, y, out = hip.tensor(), hip.tensor(), hip.tensor()
    for _ in range(3):  # cold, then warm
        compiled = add_kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, out, 100, BLOCK=32, num_warps=2)
        line = hip.log()[-1]
        assert line.startswith("launch add_kernel device=0 grid=4,1,1 block=128 shared=0 stream=0 args=")
        pointers = [struct.pack("<Q", tensor.address) for tensor in (x, y, out)]
        assert arguments_of(line) == [*pointers, struct.pack("<i", 100), bytes(8), bytes(8)]
    assert compiled.metadata.target == GPUTarget("hip", "gfx942", 64)
    assert compiled.asm["hsaco"][:4] == b"\x7fELF" and "gfx942" in compiled.asm["amdgcn"]
    assert compiled.n_regs > 0 and compiled.n_spills == 0 and isinstance(compiled.function, int)


def test_shared_memory_and_matrix_instructions(hip):
    compiled = dot_kernel[(1,)](hip.tensor(torch.float16, 8192), hip.tensor(torch.float16, 8192))
    assert f"shared={compiled.metadata.shared} " in hip.log()[-1]
    assert "v_mfma_f32" in compiled.asm["amdgcn"]


def test_options_of_hip(hip):
    x = hip.tensor()
    kernel = add_kernel[(2,)](x, x, x, 16, BLOCK=16, waves_per_eu=2, matrix_instr_nonkdim=16, kpack=2, launch_cooperative_grid=True)  # fmt: skip
    assert " cooperative args=" in hip.log()[-1]
    assert kernel.metadata.waves_per_eu == 2 and kernel.metadata.kpack == 2 and kernel.metadata.num_stages == 2


def test_each_device_has_its_kernel(hip):
    x = hip.tensor()
    for device in (0, 1, 0, 1):
        libtriton.cuda.set_current_device(device)
        add_kernel[(1,)](x, x, x, 7, BLOCK=16)
        assert f"device={device}" in hip.log()[-1]
    libtriton.cuda.set_current_device(0)


def test_what_is_refused(hip):
    x = hip.tensor()
    with pytest.raises(ValueError, match=r"Pointer argument \(at 1\) cannot be accessed from Triton \(cpu tensor\?\)"):
        add_kernel[(1,)](x, torch.zeros(16), x, 16, BLOCK=16)
    hip.library.fakeCudaFail(b"hipModuleLaunchKernel", 701)
    with pytest.raises(RuntimeError, match=r"Triton Error \[HIP\]: too many resources requested for launch"):
        add_kernel[(1,)](x, x, x, 16, BLOCK=16)
    with pytest.raises(triton.OutOfResources, match="threads, Required: 2048"):
        add_kernel[(1,)](x, x, x, 64, BLOCK=64, num_warps=32)
    with pytest.raises(RuntimeError, match=r"Triton Error \[HIP\]: device kernel image is invalid"):
        triton.runtime.driver.active.utils.load_binary("kernel", b"garbage", 0, 0)


def test_launches_through_graphs_on_request(hip):
    x = hip.tensor()
    for _ in range(200):
        kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=128)
    assert kernel.run.graph_launches == 0
    with knobs.amd.scope():
        knobs.amd.launch_graphs = True
        for _ in range(300):
            kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=256)
    assert kernel.run.graph_launches > 100 and " graph " in hip.log()[-1]


@triton.jit
def dot_loop(x_ptr, out_ptr, n):
    rows = tl.arange(0, 64)
    tile = rows[:, None] * 64 + rows[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for i in range(n):
        total += tl.dot(tl.load(x_ptr + tile + i * 4096), tl.load(x_ptr + tile))
    tl.store(out_ptr + tile, total.to(tl.float16))


def test_launches_go_by_the_knobs_of_now(hip):
    x = torch.zeros(1 << 17, dtype=torch.float16)  # whose size is known
    hip.library.fakeCudaPin(x.data_ptr(), x.nbytes)
    found = {}
    with knobs.amd.scope():
        for copies, buffers in [
            (False, True),
            (True, True),
            (False, True),
            (False, False),
            (True, True),
            (None, False),
        ]:
            knobs.amd.use_async_copy, knobs.amd.use_buffer_ops = copies, buffers
            for _ in range(5):  # cold, then warm
                kernel = dot_loop[(1,)](x, x, 16, num_stages=3)
                assert ("buffer_store" in kernel.asm["amdgcn"]) == buffers
                assert (re.search(r"buffer_load_.* lds", kernel.asm["amdgcn"]) is not None) == bool(copies)
                assert kernel is found.setdefault((copies, buffers), kernel), "compiled once"


@triton.jit
def shout(x_ptr):
    tl.device_print("value", tl.load(x_ptr))


def test_kernels_that_print_bring_a_buffer(hip, capfd):
    """Which is read when the stream has come to the function behind the kernel."""
    kernel = shout[(1,)](hip.tensor())
    assert kernel.metadata.writes_messages
    launched, queued = hip.log()[-2:]
    assert launched.startswith("launch shout ") and queued == "host function device=0 stream=0"
    (address,) = struct.unpack("<Q", arguments_of(launched)[-1])
    text = b"from %u\n"
    record = struct.pack("<IIII", 32, 1, len(text), 1) + text + struct.pack("<Q", 7)
    ctypes.memmove(address + 24, record, len(record))
    ctypes.c_uint64.from_address(address).value = len(record)
    assert capfd.readouterr().out == ""
    hip.library.cuStreamSynchronize(None)
    assert capfd.readouterr().out == "from 7\n"


@triton.jit
def copy_kernel(source, destination):
    destination.store([0, 0], source.load([0, 0]))


def test_descriptors_are_spelled_out(hip):
    tensors = [hip.tensor(torch.float16, 8192) for _ in range(2)]
    copy_kernel[(1,)](*(TensorDescriptor(tensor, [64, 64], [64, 1], [32, 64]) for tensor in tensors))
    arguments = arguments_of(hip.log()[-1])
    assert arguments[0] == struct.pack("<Q", tensors[0].address) and arguments[1] == struct.pack("<q", 64)


def test_launch_by_signature(hip):
    """`launch` takes the types of the code's arguments with every call, and needs no object of the kernel."""
    x = hip.tensor()
    kernel = add_kernel.warmup(x, x, x, 16, BLOCK=64, grid=(1,))
    kernel._init_handles()
    hip.log()
    utils, told = amd.HIPUtils(), []
    types = ["*fp32", "*fp32", "*fp32", "i32"]
    utils.launch(False, 8, 2, 1, 77, kernel.function, 0x1000, None, (4, 1, 0), "metadata", told.append, told.append, 64,
                 amd.annotate_arguments(types), utils.build_signature_metadata(types), (x, x, x, 16))  # fmt: skip
    (line,) = hip.log()
    assert line.startswith("launch add_kernel device=0 grid=8,2,1 block=256 shared=0 stream=77 args=")
    assert arguments_of(line)[3:] == [struct.pack("<i", 16), struct.pack("<Q", 0x1000), bytes(8)]
    assert told == ["metadata"] * 2


def test_which_driver_is_active(hip, monkeypatch):
    """By PyTorch's build, where the program uses PyTorch."""
    assert not amd.HIPDriver.is_active()
    cuda = SimpleNamespace(is_available=lambda: True)
    for version, expected in (("6.4.0", True), (None, False)):
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, version=SimpleNamespace(hip=version)))
        assert amd.HIPDriver.is_active() is expected
        assert triton.backends.backends["nvidia"].driver.is_active() is not expected


def test_c_source_of_a_launcher():
    source = amd.make_launcher({(1,)}, {"x": "*fp32", "n": "i32", "y": "fp32"}, 64)
    assert ", hipDeviceptr_t arg0, float arg1)" in source and "64 * num_warps" in source
    assert "hipModuleLaunchKernel(function" in source
