"""Gluon's words for products with scales, run, and for those of gfx1250; dots of few rows: cases of test_hip_simulated.py."""

import os

import pytest
import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import amd

ARCH = os.environ["TRITON_SIMULATE"]
HAS_WMMA = ARCH == "gfx1250"
LANES = 32 if HAS_WMMA else 64
MFMA, WMMA = amd.AMDMFMALayout, amd.AMDWMMALayout
KINDS = ["e2m1", "e4m3", "e5m2"]
STORED = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}

if HAS_WMMA:
    LAYOUTS = [(WMMA(3, is_transposed, [2, 2], [16, 16, 128]), 0) for is_transposed in (True, False)]
    # Two tiles of a warp side by side: the second's scales are in the upper half of the wave.
    LAYOUTS += [(WMMA(3, True, [2, 2], [16, 16, 128], tiles_per_warp=[2, 2]), 0)]
else:
    LAYOUTS = [(MFMA(4, [32, 32, 64], True, [2, 2]), 1), (MFMA(4, [32, 32, 64], False, [2, 2]), 1)]
    LAYOUTS += [(MFMA(4, [16, 16, 128], True, [2, 2]), 1)]
    LAYOUTS += [(MFMA(4, [16, 16, 128], True, [2, 2], tiles_per_warp=[2, 2]), 1)]


def operand(kind, rows, columns):
    """What is stored, along K in pairs where it has 4 bits, and what it means."""
    if kind == "e2m1":
        codes = torch.randint(0, 16, (rows, columns))
        table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
        return (codes[:, ::2] | codes[:, 1::2] << 4).to(torch.uint8), table[codes & 7] * torch.where(codes >= 8, -1, 1)
    stored = (torch.randint(-8, 9, (rows, columns)) / 4).to(STORED[kind])
    return stored.view(torch.uint8), stored.double()


@gluon.jit
def plane(ptr, M: gl.constexpr, N: gl.constexpr, LANES: gl.constexpr):
    blocked: gl.constexpr = gl.BlockedLayout([1, 1], [LANES // 8, 8], [4, 1], [1, 0])
    rows = gl.arange(0, M, gl.SliceLayout(1, blocked))[:, None]
    columns = gl.arange(0, N, gl.SliceLayout(0, blocked))[None, :]
    return gl.load(ptr + rows * N + columns)


@gluon.jit
def scaled_kernel(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, SIZE: gl.constexpr, KA: gl.constexpr, KB: gl.constexpr,
                  G: gl.constexpr, A: gl.constexpr, B: gl.constexpr, SUM: gl.constexpr, USE: gl.constexpr, LANES: gl.constexpr):  # fmt: skip
    left: gl.constexpr = gl.DotOperandLayout(0, SUM, 16)
    right: gl.constexpr = gl.DotOperandLayout(1, SUM, 16)
    a = gl.convert_layout(plane(a_ptr, SIZE, KA, LANES), left)
    b = gl.convert_layout(gl.permute(plane(b_ptr, SIZE, KB, LANES), [1, 0]), right)
    acc = gl.full([SIZE, SIZE], 1.0, gl.float32, SUM)
    if a_scale_ptr is None:
        a_scale = None
    elif USE:
        a_scale = gl.convert_layout(
            plane(a_scale_ptr, SIZE, G, LANES), amd.cdna4.get_mfma_scale_layout(left, [SIZE, G])
        )
    else:
        a_scale = gl.convert_layout(
            plane(a_scale_ptr, SIZE, G, LANES), amd.gfx1250.get_wmma_scale_layout(left, [SIZE, G])
        )
    if USE:
        b_scale = gl.convert_layout(
            plane(b_scale_ptr, SIZE, G, LANES), amd.cdna4.get_mfma_scale_layout(right, [SIZE, G])
        )
        c = amd.cdna4.mfma_scaled(a, a_scale, A, b, b_scale, B, acc)
    else:
        b_scale = gl.convert_layout(
            plane(b_scale_ptr, SIZE, G, LANES), amd.gfx1250.get_wmma_scale_layout(right, [SIZE, G])
        )
        c = amd.gfx1250.wmma_scaled(a, a_scale, A, b, b_scale, B, acc)
    rows = gl.arange(0, SIZE, gl.SliceLayout(1, SUM))[:, None]
    columns = gl.arange(0, SIZE, gl.SliceLayout(0, SUM))[None, :]
    gl.store(c_ptr + rows * SIZE + columns, c)


@pytest.mark.parametrize("layout, use", LAYOUTS)
@pytest.mark.parametrize("kinds", [(a, b) for a in KINDS for b in KINDS])
@pytest.mark.parametrize("has_scale", [True, False])
def test_scaled(layout, use, kinds, has_scale):
    torch.manual_seed(3)
    size, depth = 128, 256
    (a, left), (b, right) = (operand(kind, size, depth) for kind in kinds)
    scales = [torch.randint(124, 131, (size, depth // 32)).to(torch.uint8) for _ in range(2)]
    factors = [torch.exp2(scale.double() - 127).repeat_interleave(32, 1) for scale in scales]
    expected = 1 + (left * factors[0] if has_scale else left) @ (right * factors[1]).T
    c = torch.zeros(size, size)
    scaled_kernel[(1,)](
        a, b, scales[0] if has_scale else None, scales[1], c, size, a.shape[1], b.shape[1], depth // 32,
        *kinds, layout, use, LANES, num_warps=4,
    )  # fmt: skip
    torch.testing.assert_close(c.double(), expected, rtol=1e-6, atol=1e-6)


@gluon.jit
def product_kernel(a_ptr, b_ptr, c_ptr, K: gl.constexpr, W: gl.constexpr, SUM: gl.constexpr, LANES: gl.constexpr):
    a = gl.convert_layout(plane(a_ptr, 64, K, LANES), gl.DotOperandLayout(0, SUM, W))
    b = gl.convert_layout(plane(b_ptr, K, 64, LANES), gl.DotOperandLayout(1, SUM, W))
    sums: gl.constexpr = gl.int32 if a.dtype == gl.int8 else gl.float32
    c = amd.gfx1250.wmma(a, b, gl.zeros([64, 64], sums, SUM))
    rows = gl.arange(0, 64, gl.SliceLayout(1, SUM))[:, None]
    columns = gl.arange(0, 64, gl.SliceLayout(0, SUM))[None, :]
    gl.store(c_ptr + rows * 64 + columns, c)


@pytest.mark.skipif(not HAS_WMMA, reason="a word of gfx1250")
@pytest.mark.parametrize("dtype, depth, k, width", [
    (torch.float16, 64, 32, 8), (torch.bfloat16, 16, 32, 8), (torch.float32, 16, 4, 2), (torch.int8, 64, 64, 8),
    (torch.float8_e5m2, 128, 128, 16), (torch.float8_e4m3fn, 128, 64, 8),
])  # fmt: skip
@pytest.mark.parametrize("is_transposed", [True, False])
def test_products(dtype, depth, k, width, is_transposed):
    torch.manual_seed(0)
    a, b = torch.randint(-4, 5, (64, depth)).to(dtype), torch.randint(-4, 5, (depth, 64)).to(dtype)
    c = torch.zeros(64, 64, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    layout = WMMA(3, is_transposed, [2, 2], [16, 16, k])
    product_kernel[(1,)](a, b, c, depth, width, layout, LANES, num_warps=4)
    assert torch.equal(c.double(), a.double() @ b.double())


@gluon.jit
def upcast_kernel(x_ptr, scale_ptr, y_ptr, N: gl.constexpr, AXIS: gl.constexpr, OUT: gl.constexpr, LANES: gl.constexpr):
    x = plane(x_ptr, 64, N, LANES)
    if AXIS is None:
        layout: gl.constexpr = x.type.layout
    else:
        layout: gl.constexpr = gl.fp4_to_fp(x, OUT, AXIS).type.layout
    rows = gl.arange(0, 64, gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]
    y = amd.gfx1250.scaled_upcast(x, gl.load(scale_ptr + rows * 64 + columns), OUT, AXIS)
    gl.store(y_ptr + rows * 64 + columns, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("out", [gl.float16, gl.bfloat16])
def test_upcasts(kind, out):
    torch.manual_seed(1)
    x, meaning = operand(kind, 64, 64)
    scale = torch.randint(120, 134, (64, 64)).to(torch.uint8)
    scale[5, 7] = 255
    y = torch.zeros(64, 64, dtype=torch.float16 if out is gl.float16 else torch.bfloat16)
    given = x if kind == "e2m1" else x.view(STORED[kind])
    upcast_kernel[(1,)](given, scale, y, x.shape[1], 1 if kind == "e2m1" else None, out, LANES, num_warps=4)
    expected = (meaning * torch.exp2(scale.double() - 127)).to(y.dtype)
    expected[5, 7] = float("nan")
    assert torch.equal(y.nan_to_num(99), expected.nan_to_num(99)) and y[5, 7].isnan()


@triton.jit
def small_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@pytest.mark.parametrize("shape", [(4, 32, 16), (1, 64, 32), (32, 8, 64), (2, 2, 4), (16, 16, 2), (32, 32, 8)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int8])
def test_small_dots(shape, dtype):
    """By packed dots where rows or columns are few, by matrix instructions with zeros where K is little."""
    M, N, K = shape
    torch.manual_seed(2)
    a, b = torch.randint(-9, 10, (M, K)).to(dtype), torch.randint(-9, 10, (K, N)).to(dtype)
    c = torch.zeros(M, N, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    small_kernel[(1,)](a, b, c, M, N, K)
    assert torch.equal(c.double(), a.double() @ b.double())
