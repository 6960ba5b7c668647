"""What kernels ask of NVIDIA GPUs by name: inline PTX with any number of outputs and elements per call, special registers, timers."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import bits, random_bits, values
from triton.language.extra import cuda


@pytest.fixture(autouse=True)
def needs_cuda():
    if triton.runtime.driver.active.get_current_target().backend != "cuda":
        pytest.skip("PTX is for NVIDIA GPUs")


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    z = tl.inline_asm_elementwise("add.u32 $0, $1, $2;", "=r,r,r", [tl.load(x_ptr + i), tl.load(y_ptr + i)], dtype=tl.int32, is_pure=True, pack=1)  # fmt: skip
    tl.store(out_ptr + i, z)


@pytest.mark.parametrize("n, warps", [(1, 4), (16, 1), (128, 4), (2048, 2)])
def test_two_inputs(n, warps):
    x, y = values("int32", n, 1), values("int32", n, 2)
    out = torch.zeros_like(x)
    add_kernel[(1,)](x, y, out, n, num_warps=warps)
    assert torch.equal(out, x + y)


@triton.jit
def bytes_kernel(x_ptr, out_ptr, N: tl.constexpr):
    """Four bytes in one register: each shifted right by three, its sign lost."""
    i = tl.arange(0, N)
    y = tl.inline_asm_elementwise("{.reg .b32 t; shr.b32 t, $1, 3; and.b32 $0, t, 0x1F1F1F1F;}", "=r,r", [tl.load(x_ptr + i)], dtype=tl.uint8, is_pure=True, pack=4)  # fmt: skip
    tl.store(out_ptr + i, y)


@pytest.mark.parametrize("n, warps", [(4, 4), (64, 1), (512, 4), (4096, 8)])
def test_packed_bytes(n, warps):
    x = random_bits("uint8", n, 3)
    out = torch.zeros_like(x)
    bytes_kernel[(1,)](x, out, n, num_warps=warps)
    np.testing.assert_array_equal(out.numpy(), x.numpy() >> 3)


@triton.jit
def several_kernel(x_ptr, y_ptr, difference_ptr, largest_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.inline_asm_elementwise(
        "sub.f32 $0, $2, $3; max.f32 $1, $2, $3;", "=f,=f,f,f", [tl.load(x_ptr + i), tl.load(y_ptr + i)],
        dtype=(tl.float32, tl.float32), is_pure=True, pack=1,
    )  # fmt: skip
    tl.store(difference_ptr + i, a)
    tl.store(largest_ptr + i, b)


@pytest.mark.parametrize("n", [32, 1024])
def test_several_outputs(n):
    x, y = values("float32", n, 4), values("float32", n, 5)
    a, b = torch.zeros(n), torch.zeros(n)
    several_kernel[(1,)](x, y, a, b, n)
    assert torch.equal(a, x - y) and torch.equal(b, torch.maximum(x, y))


@triton.jit
def mixed_kernel(x_ptr, y_ptr, wide_ptr, N: tl.constexpr):
    """Two halves in one register, and two floats in two: results of another width, two per call."""
    i = tl.arange(0, N)
    z = tl.inline_asm_elementwise(
        """{
        .reg .b16 low, high; .reg .f32 a, b;
        mov.b32 {low, high}, $2;
        cvt.f32.f16 a, low; cvt.f32.f16 b, high;
        add.f32 $0, a, $3; add.f32 $1, b, $4;
        }""",
        "=f,=f,r,f,f", [tl.load(x_ptr + i), tl.load(y_ptr + i)], dtype=tl.float32, is_pure=True, pack=2,
    )  # fmt: skip
    tl.store(wide_ptr + i, z)


@pytest.mark.parametrize("n, warps", [(2, 1), (256, 4), (1024, 4)])
def test_widths_per_call(n, warps):
    x, y, out = values("float16", n, 6), values("float32", n, 7), torch.zeros(n)
    mixed_kernel[(1,)](x, y, out, n, num_warps=warps)
    assert torch.equal(out, x.float() + y)


@triton.jit
def broadcast_kernel(x_ptr, out_ptr, s, M: tl.constexpr, N: tl.constexpr):
    rows = tl.load(x_ptr + tl.arange(0, M))[:, None]
    columns = tl.arange(0, N)[None, :]
    z = tl.inline_asm_elementwise("mad.lo.s32 $0, $1, $3, $2;", "=r,r,r,r", [rows, columns, s], dtype=tl.int32, is_pure=True, pack=1)  # fmt: skip
    tl.static_assert(z.shape == [M, N])
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], z)


def test_operands_are_broadcast():
    x, out = values("int32", 16, 8), torch.zeros(16, 32, dtype=torch.int32)
    broadcast_kernel[(1,)](x, out, 7, 16, 32)
    assert torch.equal(out, x[:, None] * 7 + torch.arange(32, dtype=torch.int32))


@triton.jit
def lane_kernel(out_ptr, N: tl.constexpr):
    lane = tl.inline_asm_elementwise("mov.u32 $0, %laneid;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    tl.static_assert(lane.shape == [])
    before = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    after = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    tl.store(out_ptr, (after > before).to(tl.int32))
    tl.store(out_ptr + 1, lane * 0 + 5)


def test_impure_calls_without_operands():
    out = torch.zeros(2, dtype=torch.int32)
    lane_kernel[(1,)](out, 32)
    assert out.tolist() == [1, 5]


@triton.jit
def pointer_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    y = tl.inline_asm_elementwise("ld.global.u32 $0, [$1];", "=r,l", [x_ptr + i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out_ptr + i, y)


def test_pointers_are_operands():
    x = values("int32", 128, 9)
    out = torch.zeros_like(x)
    pointer_kernel[(1,)](x, out, 128)
    assert torch.equal(out, x)


@triton.jit
def environment_kernel(sm_ptr, time_ptr, N: tl.constexpr):
    tl.store(sm_ptr + tl.program_id(0), cuda.smid())
    start = cuda.globaltimer()
    tl.debug_barrier()
    tl.store(time_ptr + tl.program_id(0), cuda.globaltimer() - start)
    tl.static_assert(cuda.num_threads() == 64)
    tl.static_assert(cuda.num_warps() == 2)
    cuda.gdc_wait()
    cuda.gdc_launch_dependents()


def test_where_and_when():
    if triton.runtime.driver.active.get_current_target().arch < 90:
        pytest.skip("dependent launches came with the H100")
    sm, time = torch.full((256,), -1, dtype=torch.int32), torch.full((256,), -1, dtype=torch.int64)
    environment_kernel[(256,)](sm, time, 32, num_warps=2)
    assert sm.min() >= 0 and len(set(sm.tolist())) > 1 and time.min() >= 0


@tl.core.extern
def largest(x, y, _semantic=None):
    kinds = {(tl.float32, tl.float32): ("__nv_fmaxf", tl.float32), (tl.int32, tl.int32): ("__nv_max", tl.int32)}
    return tl.core.extern_elementwise("", "", [x, y], kinds, is_pure=True, _semantic=_semantic)


@triton.jit
def wrapped_kernel(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M))[:, None]
    y = tl.load(y_ptr + tl.arange(0, N))[None, :]
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], largest(x, y))


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_functions_of_libraries(dtype):
    x, y = values(dtype, 8, 10), values(dtype, 16, 11)
    out = torch.zeros(8, 16, dtype=x.dtype)
    wrapped_kernel[(1,)](x, y, out, 8, 16)
    np.testing.assert_array_equal(bits(out), bits(torch.maximum(x[:, None], y[None, :])))
