"""On a GPU, with PyTorch's tensors, streams and graphs: what the tests that copy their arrays over cannot see."""

import os
import subprocess
import sys
import textwrap
import threading

import pytest
import torch
import triton
import triton.language as tl
from triton import knobs
from triton.backends.nvidia import driver as nvidia

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
    pytest.mark.usefixtures("cuda_driver"),
]


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def fill_kernel(out_ptr, value, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), value)


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows, columns, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + rows[:, None] * K + k + ks[None, :])
        b = tl.load(b_ptr + (k + ks[:, None]) * N + columns[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total)


def random(n, dtype=torch.float32):
    return torch.randn(n, device="cuda").to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32])
@pytest.mark.parametrize("n", [1, 1000, 65536])
def test_add(dtype, n):
    x, y = random(n).mul(10).to(dtype), random(n).mul(10).to(dtype)
    out = torch.full_like(x, 77)
    for _ in range(3):  # cold, then warm
        out.fill_(77)
        add_kernel[(triton.cdiv(n, 512),)](x, y, out, n, BLOCK=512)
        torch.testing.assert_close(out, x + y)


def test_views_and_unaligned_pointers():
    memory = random(4099)
    out = torch.zeros(4099, device="cuda")
    for begin in (0, 1, 2, 3, 4, 0, 1):
        x = memory[begin : begin + 4000]
        add_kernel[(8,)](x, x, out[begin:], 4000, BLOCK=512)
        torch.testing.assert_close(out[begin : begin + 4000], 2 * x)


def test_the_current_stream_is_used():
    seen, stream = [], torch.cuda.Stream()
    hook = lambda metadata: seen.append(metadata.get()["stream"])
    x = random(64)
    knobs.runtime.launch_enter_hook.add(hook)
    try:
        with torch.cuda.stream(stream):
            add_kernel[(1,)](x, x, x, 64, BLOCK=64)
        add_kernel[(1,)](x, x, x, 64, BLOCK=64)
    finally:
        knobs.runtime.launch_enter_hook.remove(hook)
    assert seen == [stream.cuda_stream, torch.cuda.current_stream().cuda_stream]


def test_order_on_a_stream_of_ones_own():
    stream = torch.cuda.Stream()
    big, out = torch.randn(4096, 4096, device="cuda"), torch.zeros(1024, device="cuda")
    torch.cuda.synchronize()
    for value in range(5):
        with torch.cuda.stream(stream):
            for _ in range(5):
                big = big @ big * 1e-4  # keeps the stream busy
            fill_kernel[(1,)](out, float(value), BLOCK=1024)
            doubled = out * 2
        stream.synchronize()
        assert (doubled == 2 * value).all()


def test_graphs_capture_launches():
    x, y, out = random(1000), random(1000), torch.zeros(1000, device="cuda")
    add_kernel[(2,)](x, y, out, 1000, BLOCK=512)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            add_kernel[(2,)](out, y, out, 1000, BLOCK=512)
    out.copy_(x)
    graph.replay()
    torch.testing.assert_close(out, x + 3 * y, rtol=1e-5, atol=1e-5)


def test_threads_launch_at_once():
    x, y = random(4096), random(4096)
    results, errors = {}, []

    def work(index):
        try:
            out = torch.empty_like(x)
            for _ in range(50):
                add_kernel[(8,)](x, y, out, 4096, BLOCK=512)
            torch.cuda.synchronize()
            results[index] = out
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors and len(results) == 8
    for out in results.values():
        torch.testing.assert_close(out, x + y)


def test_memory_of_the_host():
    x, out = random(64), torch.zeros(64)
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"Pointer argument \(at 2\) cannot be accessed from Triton \(cpu tensor\?\)"
        ):
            add_kernel[(1,)](x, x, out, 64, BLOCK=64)
    pinned = torch.zeros(64).pin_memory()
    add_kernel[(1,)](x, x, pinned, 64, BLOCK=64)
    torch.cuda.synchronize()
    torch.testing.assert_close(pinned, 2 * x.cpu())


def test_arrays_of_other_libraries():
    x = random(64)

    class ByInterface:
        __cuda_array_interface__ = x.__cuda_array_interface__

    class ByCapsule:
        def __dlpack__(self, **kwargs):
            return x.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    for array in (ByInterface(), ByCapsule()):
        out = torch.zeros(64, device="cuda")
        add_kernel[(1,)](array, array, out, 64, BLOCK=64)
        torch.testing.assert_close(out, 2 * x)


def test_what_a_kernel_tells_of_itself():
    x = random(128, torch.float16)
    a, b, c = random(64 * 64, torch.float16), random(64 * 64, torch.float16), torch.zeros(64 * 64, device="cuda")
    kernel = product_kernel[(1,)](a, b, c, 64, 64, 64, 32)
    torch.testing.assert_close(c.view(64, 64), (a.view(64, 64) @ b.view(64, 64)).float(), rtol=1e-2, atol=1e-1)
    assert kernel.n_regs > 8 and kernel.n_spills == 0 and kernel.n_max_threads >= 128 and kernel.metadata.shared > 0
    assert {"ttir", "ttgir", "llir", "ptx", "cubin"} <= set(kernel.asm) and kernel.asm["cubin"][:4] == b"\x7fELF"
    assert isinstance(kernel.function, int) and isinstance(kernel.module, int)
    fill_kernel[(1,)](x, 1.0, BLOCK=128)
    kernel[(1, 1, 1)](a, b, c, 64, 64, 64, 32)  # a compiled kernel takes all parameters
    torch.cuda.synchronize()


def test_the_driver():
    driver = triton.runtime.driver.active
    major, minor = torch.cuda.get_device_capability()
    assert driver.get_current_target() == triton.backends.compiler.GPUTarget("cuda", 10 * major + minor, 32)
    properties, expected = driver.utils.get_device_properties(0), torch.cuda.get_device_properties(0)
    assert properties["multiprocessor_count"] == expected.multi_processor_count
    assert properties["max_shared_mem"] == expected.shared_memory_per_block_optin
    assert driver.get_active_torch_device().type == "cuda" and driver.get_device_interface() is torch.cuda
    assert nvidia.CudaDriver.is_active()


def test_too_much_of_something():
    a, b, c = (torch.zeros(256 * 1024, device="cuda", dtype=torch.float32) for _ in range(3))
    with pytest.raises(
        triton.OutOfResources, match="out of resource: shared memory, Required: [0-9]+, Hardware limit: [0-9]+"
    ):
        product_kernel[(1,)](a, b, c, 1024, 256, 256, 256, num_stages=5, num_warps=8)
    with pytest.raises(triton.OutOfResources, match=f"threads, Required: {128 * 32}"):
        fill_kernel[(1,)](c, 0.0, BLOCK=4096, num_warps=128)
    fill_kernel[(1,)](c, 3.0, BLOCK=4096)
    assert (c[:4096] == 3).all()


@pytest.mark.parametrize(
    "options",
    [{"launch_cooperative_grid": True}, {"launch_pdl": True}, {"maxnreg": 32}, {"num_warps": 1}, {"num_warps": 16}],
)
def test_options(options):
    x, out = random(4096), torch.zeros(4096, device="cuda")
    add_kernel[(4,)](x, x, out, 4096, BLOCK=1024, **options)
    torch.testing.assert_close(out, 2 * x)


@pytest.mark.skipif(torch.cuda.is_available() and torch.cuda.get_device_capability()[0] < 9, reason="clusters are new")
def test_clusters():
    x, out = random(4096), torch.zeros(4096, device="cuda")
    add_kernel[(4,)](x, x, out, 4096, BLOCK=1024, num_ctas=2)
    torch.testing.assert_close(out, 2 * x)


def test_benchmarks():
    x, out = random(1 << 20), torch.zeros(1 << 20, device="cuda")
    call = lambda: add_kernel[(1024,)](x, x, out, 1 << 20, BLOCK=1024)
    milliseconds = triton.testing.do_bench(call, warmup=5, rep=20, return_mode="median")
    assert 1e-3 < milliseconds < 1
    assert 1e-3 < triton.testing.do_bench_cudagraph(call, rep=10, return_mode="median") <= milliseconds * 2


def test_tuning():
    configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (256, 1024) for warps in (2, 4)]
    tuned = triton.autotune(configs, key=["n"])(add_kernel)
    x, out = random(1 << 18), torch.zeros(1 << 18, device="cuda")
    tuned[lambda meta: (triton.cdiv(1 << 18, meta["BLOCK"]),)](x, x, out, 1 << 18)
    torch.testing.assert_close(out, 2 * x)
    assert tuned.best_config in configs


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn])
@pytest.mark.parametrize("result", [torch.float16, torch.float8_e4m3fn])
def test_products_of_nvidia(dtype, result):
    from triton._C.libtriton import nvidia as native

    cublas = native.cublas.CublasLt(torch.empty(32 << 20, dtype=torch.int8, device="cuda"))
    a, b = (torch.randint(-3, 4, shape, device="cuda").float().to(dtype) for shape in ((128, 64), (256, 64)))
    c = torch.zeros(128, 256, dtype=result if dtype == torch.float8_e4m3fn else dtype, device="cuda")
    cublas.matmul(a, b, c)
    torch.testing.assert_close(c.float(), (a.float() @ b.float().T).to(c.dtype).float())


def test_devices_of_their_own():
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
    for index in (0, 1, 0):
        with torch.cuda.device(index):
            x = torch.randn(64, device="cuda")
            out = torch.zeros_like(x)
            add_kernel[(1,)](x, x, out, 64, BLOCK=64)
            torch.testing.assert_close(out, 2 * x)


def run_program(text, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_DEFAULT_BACKEND"} | variables
    command = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


PRELUDE = """
import pathlib, sys, tempfile
folder = tempfile.mkdtemp()
pathlib.Path(folder, "kernels.py").write_text('''
import triton, triton.language as tl
@triton.jit
def shout(x, n):
    i = tl.arange(0, 4)
    tl.device_print("value", tl.load(x + i))
    tl.device_assert(n < 5, "n is too large")

@triton.jit
def double(x, n):
    i = tl.arange(0, 4)
    tl.store(x + i, tl.load(x + i) + n + n)
''')
sys.path.insert(0, folder)
import torch, triton, kernels
x = torch.arange(4, device="cuda", dtype=torch.int32) * 10
"""


def test_print():
    done = run_program(PRELUDE + "kernels.shout[(2,)](x, 3); torch.cuda.synchronize()")
    lines = [line for line in done.stdout.splitlines() if "value" in line]
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("pid (1, 0, 0) idx (3) value") and line.endswith("30") for line in lines), done.stdout
    assert len(lines) == 8


def test_failed_assertions():
    done = run_program(PRELUDE + "kernels.shout[(1,)](x, 7, debug=True); torch.cuda.synchronize()")
    assert done.returncode != 0 and "n is too large" in done.stderr and "device-side assert" in done.stderr, done.stderr
    done = run_program(PRELUDE + "kernels.shout[(1,)](x, 7); torch.cuda.synchronize()")
    assert done.returncode == 0, done.stderr


def test_overflow_is_an_error_when_debugging():
    done = run_program(PRELUDE + "kernels.double[(1,)](x, 2**31 - 1, debug=True); torch.cuda.synchronize()")
    assert done.returncode != 0 and "overflow" in done.stderr and "device-side assert" in done.stderr, done.stderr
    done = run_program(PRELUDE + "kernels.double[(1,)](x, 2**31 - 1); print(x.tolist())")
    assert done.returncode == 0 and done.stdout == "[-2, 8, 18, 28]\n", done.stdout + done.stderr


def test_interpreted_kernels_see_tensors_of_the_device():
    done = run_program(PRELUDE + "kernels.double[(1,)](x[:], 3); print(x.device, x.tolist())", TRITON_INTERPRET="1")
    assert done.returncode == 0 and done.stdout == "cuda:0 [6, 16, 26, 36]\n", done.stdout + done.stderr


def test_pointers_in_memory():
    @triton.jit
    def gather_rows(rows_ptr, out_ptr, BLOCK: tl.constexpr):
        row = tl.load(rows_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
        tl.store(out_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.load(row + tl.arange(0, BLOCK)))

    rows = [random(128) for _ in range(5)]
    addresses = torch.tensor([row.data_ptr() for row in rows], device="cuda")
    out = torch.zeros(5, 128, device="cuda")
    gather_rows[(5,)](addresses, out, BLOCK=128)
    torch.testing.assert_close(out, torch.stack(rows), rtol=0, atol=0)


def test_forked_children_compile_but_do_not_launch():
    done = run_program(
        PRELUDE
        + """
kernels.shout[(1,)](x, 3)
torch.cuda.synchronize()
import os
child = os.fork()
if child == 0:
    from triton.backends.compiler import GPUTarget
    source = triton.compiler.ASTSource(kernels.shout, {"x": "*i32", "n": "i32"})
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32))
    good = ".target sm_80" in compiled.asm["ptx"]
    try:
        compiled._init_handles()
        good = False
    except RuntimeError as error:
        print("child:", error, flush=True)
    os._exit(0 if good else 1)
assert os.waitpid(child, 0)[1] == 0
kernels.shout[(1,)](x, 4)
torch.cuda.synchronize()
"""
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_code_is_unloaded_and_loaded_again():
    out, unloaded = torch.zeros(512, device="cuda"), []
    knobs.runtime.kernel_unload_hook.add(lambda *args: unloaded.append(args[2]))
    try:
        for value in range(3):
            compiled = fill_kernel[(1,)](out, float(value), BLOCK=512)
            assert (out == value).all()
            compiled.close()
    finally:
        knobs.runtime.kernel_unload_hook.calls.clear()
    assert unloaded == ["fill_kernel"] * 3


def test_launch_by_signature():
    x, y = random(1000), random(1000)
    out = torch.zeros_like(x)
    compiled = add_kernel.warmup(x, y, out, 1000, BLOCK=512, grid=(2,))
    compiled._init_handles()
    utils, types = nvidia.CudaUtils(), list(compiled.src.signature.values())
    metadata = compiled.metadata
    stream = torch.cuda.current_stream().cuda_stream
    utils.launch(
        2, 1, 1, stream, compiled.function, False, False, (metadata.num_warps, metadata.num_ctas, metadata.shared), None, None, None, None, None,
        nvidia.annotate_arguments(types), nvidia.make_kernel_signature(types), (x, y, out, 1000, 512),
    )  # fmt: skip
    torch.testing.assert_close(out, x + y)


def test_without_torch(tmp_path):
    """The driver's own library gives memory; nothing imports PyTorch."""
    script = tmp_path / "program.py"
    script.write_text(
        textwrap.dedent("""
        import ctypes, sys
        import triton, triton.language as tl

        @triton.jit
        def fill(out_ptr, value, BLOCK: tl.constexpr):
            tl.store(out_ptr + tl.arange(0, BLOCK), value)

        class Memory:
            dtype = "int32"
            def __init__(self, address):
                self.address = address
            def data_ptr(self):
                return self.address

        utils = triton.runtime.driver.active.utils
        utils.set_current_device(0)
        cuda = ctypes.CDLL("libcuda.so.1")
        address = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(address), 4 * 64) == 0
        for value in (7, 9):
            fill[(1,)](Memory(address.value), value, 64)
            out = (ctypes.c_int32 * 64)()
            assert cuda.cuMemcpyDtoH_v2(out, address, 4 * 64) == 0
            assert list(out) == [value] * 64
        assert "torch" not in sys.modules
        print("done", utils.get_device_capability(0) >= (7, 0), utils.get_default_stream(0))
        """)
    )
    environment = {name: text for name, text in os.environ.items() if name != "TRITON_DEFAULT_BACKEND"}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["done", "True", "0"], done.stderr
