"""Kernels of the CPU as libraries: what AOTInductor loads."""

import ctypes

import numpy as np
import pytest
import triton
import triton.language as tl

pytestmark = [pytest.mark.runs, pytest.mark.cpu_only]


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.exp(tl.load(x_ptr + offsets, mask=mask)) * factor, mask=mask)


@triton.jit
def in_turn(order_ptr, turn_ptr):
    """Each program waits for the one before it."""
    program = tl.program_id(0)
    while tl.atomic_add(turn_ptr, 0) != program:
        pass
    tl.store(order_ptr + program, program)
    tl.atomic_xchg(turn_ptr, program + 1)


@triton.jit
def sorted_rows(x_ptr, out_ptr, N: tl.constexpr):
    """Needs scratch memory."""
    rows = tl.program_id(0) * N + tl.arange(0, N)[:, None] * 0 + tl.arange(0, N)[None, :]
    tl.store(out_ptr + rows, tl.sort(tl.load(x_ptr + rows), dim=1))


def load(kernel, folder):
    """A function that launches the kernel's two libraries: (grid, threads, *parameters)."""
    for name in ("so", "launcher.so"):
        (folder / name).write_bytes(kernel.asm[name])
    code = getattr(ctypes.CDLL(str(folder / "so")), kernel.metadata.name)
    run = ctypes.CDLL(str(folder / "launcher.so")).run_from_nativert

    def slot(value):
        if isinstance(value, np.ndarray):
            return value.ctypes.data
        return None if value is None else ctypes.addressof(value)

    def launch(grid, threads, *parameters):
        run(*map(ctypes.c_uint32, grid), threads, (ctypes.c_void_p * len(parameters))(*map(slot, parameters)), code)

    return launch


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("ty", ["fp32", "fp64", "fp16", "bf16"])
def test_launch(ty, threads, tmp_path):
    types = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": ty, "BLOCK": "constexpr"}
    kernel = triton.compile(triton.compiler.ASTSource(scale, types, {"BLOCK": 64}))
    launch = load(kernel, tmp_path)
    x, out = np.linspace(-1, 1, 1000, dtype=np.float32), np.zeros(1000, np.float32)
    launch((16, 1, 1), threads, x, out, ctypes.c_int64(1000), ctypes.c_float(0.75), None)
    np.testing.assert_allclose(out, np.exp(x) * 0.75, rtol=1e-5)
    launch((0, 1, 1), threads, x, out, ctypes.c_int64(1000), ctypes.c_float(2), None)
    np.testing.assert_allclose(out, np.exp(x) * 0.75, rtol=1e-5)


def test_programs_that_wait(tmp_path):
    order, turn = np.full(50, -1, np.int32), np.zeros(1, np.int32)
    kernel = in_turn.warmup(order, turn, grid=(50,))
    assert kernel.metadata.waits_for_programs
    load(kernel, tmp_path)((50, 1, 1), 1, order, turn)
    assert order.tolist() == list(range(50)) and turn[0] == 50


def test_scratch_memory(tmp_path):
    x = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float32)
    out = np.zeros_like(x)
    kernel = sorted_rows.warmup(x, out, 64, grid=(8,))
    load(kernel, tmp_path)((8, 1, 1), 3, x, out, None)
    np.testing.assert_array_equal(out, np.sort(x, axis=1))


def test_descriptors_are_refused():
    @triton.jit
    def kernel(descriptor):
        descriptor.store([0, 0], tl.zeros([16, 16], tl.float32))

    compiled = triton.compile(triton.compiler.ASTSource(kernel, {"descriptor": "tensordesc<fp32[16, 16]>"}))
    with pytest.raises(RuntimeError, match="cannot be launched ahead of time: it takes a tensordesc"):
        compiled.asm["launcher.so"]
    assert compiled.asm.get("nothing") is None


def test_model_ahead_of_time(tmp_path, monkeypatch, plain_driver):
    """A model with a kernel of the user's, packaged and loaded again, for any batch."""
    torch = pytest.importorskip("torch")
    if not hasattr(pytest.importorskip("torch._inductor.codecache"), "CpuTritonKernelCache"):
        pytest.skip("AOTInductor of this torch launches no Triton kernels on the CPU")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(32, 64)

        def forward(self, x):
            y = self.linear(x)
            out = torch.empty_like(y)
            scale[(triton.cdiv(y.numel(), 128),)](y, out, y.numel(), 0.5, BLOCK=128)
            return out.sin()

    model, batch = Model().eval(), torch.export.Dim("batch", min=2, max=100)
    with torch.no_grad():
        program = torch.export.export(model, (torch.randn(8, 32),), dynamic_shapes={"x": {0: batch}}, strict=True)
        package = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "model.pt2"))
        packaged = torch._inductor.aoti_load_package(package)
        for rows in (8, 5, 33):
            x = torch.randn(rows, 32)
            torch.testing.assert_close(packaged(x), (model.linear(x).exp() * 0.5).sin())
