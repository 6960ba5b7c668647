"""Microscaled products: every pair of formats, each scale or none, storage as bytes, scales of sixteen, against exact sums."""

import pytest
import torch
import triton
import triton.language as tl

FORMATS = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"]
STORED = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "bf16": torch.bfloat16, "fp16": torch.float16}


def operand(kind, rows, columns, packed, raw=False):
    """What is stored, and what it means before scaling; two numbers of 4 bits lie in one byte along dimension `packed`, the first low."""
    if kind == "e2m1":
        codes = torch.randint(0, 16, (rows, columns))
        table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
        low, high = codes.unflatten(packed, (-1, 2)).unbind(packed + 1)
        return (low | high << 4).to(torch.uint8), table[codes & 7] * torch.where(codes >= 8, -1.0, 1.0)
    stored = (torch.randint(-8, 9, (rows, columns)) / 4).to(STORED[kind])
    bits = stored.view({1: torch.uint8, 2: torch.int16}[stored.itemsize])
    if raw:
        return bits if stored.itemsize == 1 else bits.view(torch.uint16), stored.double()
    return stored, stored.double()


@triton.jit
def plane(ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def scaled_kernel(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                  A: tl.constexpr, B: tl.constexpr, G: tl.constexpr, ACC: tl.constexpr):  # fmt: skip
    a = plane(a_ptr, M, K // 2 if A == "e2m1" else K)
    b = plane(b_ptr, K // 2 if B == "e2m1" else K, N)
    a_scale = None if a_scale_ptr is None else plane(a_scale_ptr, M, K // G)
    b_scale = None if b_scale_ptr is None else plane(b_scale_ptr, N, K // G)
    if ACC:
        c = tl.dot_scaled(a, a_scale, A, b, b_scale, B, acc=plane(c_ptr, M, N))
    else:
        c = tl.dot_scaled(a, a_scale, A, b, b_scale, B)
    tl.static_assert(c.dtype == tl.float32)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


def factor(scale, group):
    if scale is None:
        return 1
    exact = torch.exp2(scale.double() - 127) if scale.dtype == torch.uint8 else scale.double()
    return exact.repeat_interleave(group, 1)


def check(kinds, shape, scaled=(True, True), raw=False, group=32, acc=False, warps=4, make=None):
    M, N, K = shape
    torch.manual_seed(M + N + K)
    a, left = operand(kinds[0], M, K, 1, raw)
    b, right = operand(kinds[1], K, N, 0, raw)
    make = make or (lambda rows: torch.randint(125, 130, (rows, K // group)).to(torch.uint8))
    scales = [make(rows) if wanted else None for rows, wanted in zip((M, N), scaled)]
    c = torch.randint(-9, 9, (M, N)).float() if acc else torch.zeros(M, N)
    factors = [factor(scale, group) for scale in scales]
    right = right if scales[1] is None else right * factors[1].T
    expected = (left * factors[0]) @ right + (c.double() if acc else 0)
    scaled_kernel[(1,)](a, scales[0], b, scales[1], c, M, N, K, *kinds, group, acc, num_warps=warps)
    torch.testing.assert_close(c.double(), expected, rtol=2e-3, atol=1e-2)


@pytest.mark.parametrize("right", FORMATS)
@pytest.mark.parametrize("left", FORMATS)
def test_pairs(left, right):
    check((left, right), (32, 32, 64))


@pytest.mark.parametrize("scaled", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize(
    "kinds", [("e2m1", "e2m1"), ("e4m3", "bf16"), ("e5m2", "e4m3"), ("fp16", "e2m1"), ("bf16", "bf16")]
)
def test_without_scales(kinds, scaled):
    check(kinds, (64, 32, 64), scaled)


@pytest.mark.parametrize("kinds", [("e4m3", "e5m2"), ("bf16", "e4m3"), ("e5m2", "fp16")])
def test_stored_as_bits(kinds):
    check(kinds, (32, 64, 64), raw=True)


@pytest.mark.parametrize(
    "shape, warps", [((16, 16, 32), 1), ((128, 64, 128), 4), ((64, 128, 64), 8), ((128, 16, 256), 4)]
)
@pytest.mark.parametrize("acc", [False, True])
@pytest.mark.parametrize("kinds", [("e2m1", "e4m3"), ("e4m3", "e4m3"), ("bf16", "e2m1")])
def test_shapes(kinds, acc, shape, warps):
    check(kinds, shape, acc=acc, warps=warps)


@pytest.mark.parametrize("kinds", [("e2m1", "e2m1"), ("e4m3", "e2m1")])
def test_scales_of_sixteen(kinds):
    """Scales that are floats of 8 bits, one for sixteen elements."""
    check(kinds, (32, 32, 64), group=16, make=lambda rows: torch.rand(rows, 4).add(0.5).to(torch.float8_e4m3fn))


def test_a_scale_that_is_not_a_number():
    M = N = 32
    K = 64
    a, b = torch.ones(M, K).to(STORED["e4m3"]), torch.ones(K, N).to(STORED["e4m3"])
    scale = torch.full((M, 2), 127, dtype=torch.uint8)
    scale[3, 1] = 255
    c = torch.zeros(M, N)
    scaled_kernel[(1,)](a, scale, b, None, c, M, N, K, "e4m3", "e4m3", 32, False)
    assert c[3].isnan().all() and (c[torch.arange(M) != 3] == K).all()


@triton.jit
def loop_kernel(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, A: tl.constexpr, B: tl.constexpr):  # fmt: skip
    PA: tl.constexpr = 2 if A == "e2m1" else 1
    PB: tl.constexpr = 2 if B == "e2m1" else 1
    m, n, g = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK // 32)
    ka, kb = tl.arange(0, BK // PA), tl.arange(0, BK // PB)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * (K // PA) + (k // PA + ka)[None, :])
        b = tl.load(b_ptr + (k // PB + kb)[:, None] * N + n[None, :])
        a_scale = tl.load(a_scale_ptr + m[:, None] * (K // 32) + (k // 32 + g)[None, :])
        b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + (k // 32 + g)[None, :])
        acc = tl.dot_scaled(a, a_scale, A, b, b_scale, B, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def cube(ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(
        ptr
        + tl.arange(0, B)[:, None, None] * M * N
        + tl.arange(0, M)[None, :, None] * N
        + tl.arange(0, N)[None, None, :]
    )


@triton.jit
def batched_kernel(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, S: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, A: tl.constexpr, B: tl.constexpr):  # fmt: skip
    a = cube(a_ptr, S, M, K // 2 if A == "e2m1" else K)
    b = cube(b_ptr, S, K // 2 if B == "e2m1" else K, N)
    a_scale, b_scale = cube(a_scale_ptr, S, M, K // 32), cube(b_scale_ptr, S, N, K // 32)
    c = tl.dot_scaled(a, a_scale, A, b, b_scale, B)
    m, n = tl.arange(0, M)[None, :, None], tl.arange(0, N)[None, None, :]
    tl.store(c_ptr + tl.arange(0, S)[:, None, None] * M * N + m * N + n, c)


@pytest.mark.parametrize("kinds", [("e4m3", "e4m3"), ("e2m1", "e5m2"), ("bf16", "e2m1")])
def test_batches(kinds):
    S, M, N, K = 2, 16, 32, 64
    torch.manual_seed(8)
    a, left = zip(*(operand(kinds[0], M, K, 1) for _ in range(S)))
    b, right = zip(*(operand(kinds[1], K, N, 0) for _ in range(S)))
    scales = [torch.randint(125, 130, (S, rows, K // 32)).to(torch.uint8) for rows in (M, N)]
    c = torch.zeros(S, M, N)
    stacked = [torch.stack([each.view(torch.uint8) for each in side]).view(side[0].dtype) for side in (a, b)]
    batched_kernel[(1,)](stacked[0], scales[0], stacked[1], scales[1], c, S, M, N, K, *kinds)
    for each in range(S):
        expected = (left[each] * factor(scales[0][each], 32)) @ (right[each] * factor(scales[1][each], 32).T)
        torch.testing.assert_close(c[each].double(), expected, rtol=2e-3, atol=5e-2)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("shape", [(128, 64, 512, 128), (64, 64, 256, 64), (128, 64, 256, 64), (128, 32, 64, 32)])
@pytest.mark.parametrize(
    "kinds", [("e4m3", "e4m3"), ("e2m1", "e2m1"), ("bf16", "e2m1"), ("e5m2", "e2m1"), ("e2m1", "e4m3")]
)
def test_loops(kinds, shape, stages):
    M, N, K, BK = shape
    torch.manual_seed(5)
    a, left = operand(kinds[0], M, K, 1)
    b, right = operand(kinds[1], K, N, 0)
    scales = [torch.randint(125, 130, (rows, K // 32)).to(torch.uint8) for rows in (M, N)]
    c = torch.zeros(M, N)
    loop_kernel[(1,)](a, scales[0], b, scales[1], c, K, M, N, BK, *kinds, num_stages=stages)
    expected = (left * factor(scales[0], 32)) @ (right * factor(scales[1], 32).T)
    torch.testing.assert_close(c.double(), expected, rtol=2e-3, atol=5e-2)


@triton.jit
def packed_kernel(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, LEFT: tl.constexpr, RIGHT: tl.constexpr):  # fmt: skip
    a = plane(a_ptr, M, K // 2) if LEFT else plane(a_ptr, M // 2, K)
    b = plane(b_ptr, K // 2, N) if RIGHT else plane(b_ptr, K, N // 2)
    a_scale, b_scale = plane(a_scale_ptr, M, K // 32), plane(b_scale_ptr, N, K // 32)
    c = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", lhs_k_pack=LEFT, rhs_k_pack=RIGHT)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@pytest.mark.parametrize("left, right", [(False, True), (True, False), (False, False)])
def test_packed_along_rows_and_columns(left, right):
    M, N, K = 128, 64, 128
    torch.manual_seed(6)
    a, lhs = operand("e2m1", M, K, 1 if left else 0)
    b, rhs = operand("e2m1", K, N, 0 if right else 1)
    scales = [torch.randint(125, 130, (rows, K // 32)).to(torch.uint8) for rows in (M, N)]
    c = torch.zeros(M, N)
    packed_kernel[(1,)](a, scales[0], b, scales[1], c, M, N, K, left, right)
    expected = (lhs * factor(scales[0], 32)) @ (rhs * factor(scales[1], 32).T)
    torch.testing.assert_close(c.double(), expected, rtol=2e-3, atol=5e-2)


@triton.jit
def batch_kernel(a_ptr, b_ptr, c_ptr, S: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, S * M * K)).reshape(S, M, K)
    b = tl.load(b_ptr + tl.arange(0, S * K * N)).reshape(S, K, N)
    c = tl.dot_scaled(a, None, "bf16", b, None, "bf16")
    tl.store(c_ptr + tl.arange(0, S * M * N), c.reshape(S * M * N))


def test_batches_without_scales():
    a, b = torch.randint(-4, 5, (4, 16, 32)).bfloat16(), torch.randint(-4, 5, (4, 32, 16)).bfloat16()
    c = torch.zeros(4, 16, 16)
    batch_kernel[(1,)](a, b, c, 4, 16, 16, 32)
    assert torch.equal(c, a.float() @ b.float())
