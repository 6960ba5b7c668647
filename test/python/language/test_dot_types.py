"""Products of every operand type, down to one row or column, in every number of dimensions and warps, against exact sums."""

import pytest
import torch
import triton
import triton.language as tl
from arrays import ctas

HALF, BRAIN, SINGLE, DOUBLE, BYTE = torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8
E4, E5 = torch.float8_e4m3fn, torch.float8_e5m2
TYPES = [HALF, BRAIN, SINGLE, DOUBLE, BYTE, E4, E5]
SUM = {DOUBLE: torch.float64, BYTE: torch.int32}


def whole(shape, dtype, seed):
    """Small whole numbers: every product and every sum of them is exact in every type."""
    return torch.randint(-4, 5, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def exact(a, b):
    return a.double() @ b.double()


@triton.jit
def plane(ptr, M: tl.constexpr, N: tl.constexpr):
    return ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FORM: tl.constexpr):
    SUM: tl.constexpr = c_ptr.dtype.element_ty
    if FORM == "transposed":
        a = tl.load(plane(a_ptr, K, M)).T
        b = tl.trans(tl.load(plane(b_ptr, N, K)))
    else:
        a, b = tl.load(plane(a_ptr, M, K)), tl.load(plane(b_ptr, K, N))
    if FORM == "added":
        c = tl.dot(a, b, tl.load(plane(c_ptr, M, N)), out_dtype=SUM)
    else:
        c = tl.dot(a, b, out_dtype=SUM)
    tl.static_assert(c.dtype == SUM)
    tl.store(plane(c_ptr, M, N), c)


SMALL = [(1, 1, 1), (1, 16, 1), (16, 1, 1), (2, 8, 1), (8, 2, 1), (4, 4, 4), (32, 8, 1), (1, 128, 8), (128, 1, 8)]


def check(a, b, form, M, N, K, warps, count=1):
    kind = SUM.get(a.dtype, torch.float32)
    c = whole((M, N), kind, 3) if form == "added" else torch.full((M, N), 77, dtype=kind)
    left, right = (a.T, b.T) if form == "transposed" else (a, b)
    expected = exact(left, right) + (c.double() if form == "added" else 0)
    dot_kernel[(1,)](a, b, c, M, N, K, form, num_warps=warps, num_ctas=ctas(count))
    assert torch.equal(c.double(), expected)


@pytest.mark.parametrize("form", ["plain", "transposed", "added"])
@pytest.mark.parametrize("M, N, warps", SMALL + [(16, 16, 16), (64, 64, 4), (256, 16, 8), (64, 128, 16)])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_small(dtype, M, N, warps, form):
    K = 16 if dtype.itemsize > 1 else 32
    a = whole((K, M) if form == "transposed" else (M, K), dtype, 1)
    b = whole((N, K) if form == "transposed" else (K, N), dtype, 2)
    check(a, b, form, M, N, K, warps)


@pytest.mark.parametrize("form", ["plain", "transposed", "added"])
@pytest.mark.parametrize("M, N, warps", [(1, 16, 1), (16, 16, 4), (64, 64, 4), (128, 128, 8)])
@pytest.mark.parametrize("dtype, K", [(torch.float32, 8), (torch.float64, 4), (torch.float64, 8)], ids=str)
def test_least_inner(dtype, K, M, N, warps, form):
    """Wide operands need as many bytes side by side as narrow ones, so fewer numbers."""
    a = whole((K, M) if form == "transposed" else (M, K), dtype, 1)
    b = whole((N, K) if form == "transposed" else (K, N), dtype, 2)
    check(a, b, form, M, N, K, warps)


@pytest.mark.parametrize("M, N, K, warps, count", [(64, 64, 128, 4, 1), (16, 8, 256, 2, 1), (128, 128, 64, 8, 2)])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_deep(dtype, M, N, K, warps, count):
    check(whole((M, K), dtype, 4), whole((K, N), dtype, 5), "added", M, N, K, warps, count)


@pytest.mark.parametrize("M, N, warps", [(16, 16, 4), (64, 64, 4), (1, 32, 1)])
@pytest.mark.parametrize("left, right", [(E4, E5), (E5, E4), (E4, E4), (E5, E5)], ids=str)
def test_pairs_of_bytes(left, right, M, N, warps):
    check(whole((M, 32), left, 6), whole((32, N), right, 7), "plain", M, N, 32, warps)


@triton.jit
def bounded_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(plane(a_ptr, M, K)).to(tl.float8e4b15)
    b = tl.load(plane(b_ptr, K, N)).to(tl.float8e4b15)
    tl.store(plane(c_ptr, M, N), tl.dot(a, b))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("M, N", [(16, 16), (64, 32)])
def test_bytes_of_bias_15(M, N):
    a, b = whole((M, 32), HALF, 8) / 4, whole((32, N), HALF, 9) / 4
    c = torch.zeros(M, N)
    bounded_kernel[(1,)](a, b, c, M, N, 32)
    assert torch.equal(c.double(), exact(a, b))


@triton.jit
def half_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a, b = tl.load(plane(a_ptr, M, K)), tl.load(plane(b_ptr, K, N))
    c = tl.dot(a, b, tl.load(plane(c_ptr, M, N)), out_dtype=tl.float16)
    tl.static_assert(c.dtype == tl.float16)
    tl.store(plane(c_ptr, M, N), c)


@pytest.mark.parametrize("M, N, warps", [(16, 16, 1), (64, 64, 4), (2, 16, 4), (128, 32, 8)])
@pytest.mark.parametrize("dtype", [HALF, E4, E5], ids=str)
def test_sums_of_sixteen_bits(dtype, M, N, warps):
    a, b, c = whole((M, 32), dtype, 10), whole((32, N), dtype, 11), whole((M, N), HALF, 12)
    expected = exact(a, b) + c.double()
    half_kernel[(1,)](a, b, c, M, N, 32, num_warps=warps)
    assert torch.equal(c.double(), expected)


@triton.jit
def batch_kernel(a_ptr, b_ptr, c_ptr, SHAPE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, B: tl.constexpr):  # fmt: skip
    SUM: tl.constexpr = c_ptr.dtype.element_ty
    a = tl.load(a_ptr + tl.arange(0, B * M * K)).reshape(SHAPE + (M, K))
    b = tl.load(b_ptr + tl.arange(0, B * K * N)).reshape(SHAPE + (K, N))
    c = tl.dot(a, b, out_dtype=SUM)
    tl.static_assert(c.shape == SHAPE + (M, N))
    tl.store(c_ptr + tl.arange(0, B * M * N), c.reshape(B * M * N))


@pytest.mark.parametrize(
    "shape, M, N, warps",
    [
        ((1,), 16, 16, 1),
        ((4,), 16, 16, 4),
        ((8,), 4, 8, 2),
        ((2, 2), 16, 16, 4),
        ((2, 1, 4), 8, 8, 8),
        ((2, 2, 2, 2), 16, 16, 4),
    ],
)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_batches(dtype, shape, M, N, warps):
    K = 16 if dtype.itemsize > 1 else 32
    a, b = whole((*shape, M, K), dtype, 13), whole((*shape, K, N), dtype, 14)
    c = torch.zeros(*shape, M, N, dtype=SUM.get(dtype, torch.float32))
    batch_kernel[(1,)](a, b, c, shape, M, N, K, c.numel() // (M * N), num_warps=warps)
    assert torch.equal(c.double(), exact(a, b))


@triton.jit
def chain_kernel(a_ptr, b_ptr, d_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr):
    a, b, d = tl.load(plane(a_ptr, M, K)), tl.load(plane(b_ptr, K, N)), tl.load(plane(d_ptr, N, P))
    c = tl.dot(a, b)
    c = (c - tl.sum(c, 1)[:, None]).to(a.dtype)
    tl.store(plane(out_ptr, M, P), tl.dot(c, d))


@pytest.mark.parametrize(
    "M, N, K, P, warps", [(16, 16, 16, 16, 1), (64, 32, 16, 64, 4), (32, 64, 32, 16, 8), (128, 16, 64, 32, 4)]
)
@pytest.mark.parametrize("dtype", [HALF, BRAIN, SINGLE], ids=str)
def test_chains(dtype, M, N, K, P, warps):
    a, b, d = whole((M, K), dtype, 15) / 4, whole((K, N), dtype, 16) / 4, whole((N, P), dtype, 17)
    c = exact(a, b)
    c = (c - c.sum(1, keepdim=True)).to(dtype)
    out = torch.zeros(M, P)
    chain_kernel[(1,)](a, b, d, out, M, N, K, P, num_warps=warps)
    torch.testing.assert_close(out.double(), exact(c, d), rtol=1e-2 if dtype != HALF else 2e-3, atol=4)


@triton.jit
def branch_kernel(a_ptr, b_ptr, c_ptr, flag, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a, b = tl.load(plane(a_ptr, M, K)), tl.load(plane(b_ptr, K, N))
    c = tl.zeros((M, N), tl.float32)
    if flag > 3:
        c = tl.dot(a, b, c)
    else:
        c = tl.dot(b.T.to(a.dtype), a.T, tl.zeros((N, M), tl.float32)).T
        c *= 2
    for i in range(trips):
        if i % 2 == 0:
            c = tl.dot(a, b, c)
        else:
            c -= i
    tl.store(plane(c_ptr, M, N), c)


@pytest.mark.parametrize("flag, trips", [(5, 0), (2, 3), (7, 4)])
@pytest.mark.parametrize("M, N, K, warps", [(16, 32, 16, 2), (64, 64, 32, 4)])
@pytest.mark.parametrize("dtype", [HALF, SINGLE, E5], ids=str)
def test_under_conditions(dtype, M, N, K, warps, flag, trips):
    K = max(K, 32) if dtype.itemsize == 1 else K
    a, b, c = whole((M, K), dtype, 18), whole((K, N), dtype, 19), torch.zeros(M, N)
    branch_kernel[(1,)](a, b, c, flag, trips, M, N, K, num_warps=warps)
    product = exact(a, b)
    expected = product * (1 if flag > 3 else 2)
    for i in range(trips):
        expected = expected + product if i % 2 == 0 else expected - i
    assert torch.equal(c.double(), expected)


@triton.jit
def same_kernel(a_ptr, c_ptr, M: tl.constexpr, K: tl.constexpr):
    a = tl.load(plane(a_ptr, M, K))
    c = tl.dot(a, a.T)
    d = tl.dot(a.T, a)
    tl.store(plane(c_ptr, M, M), c)
    tl.store(plane(c_ptr + M * M, K, K), d)


@pytest.mark.parametrize("M, K", [(16, 16), (64, 32), (32, 128)])
@pytest.mark.parametrize("dtype", [HALF, BRAIN, SINGLE, DOUBLE], ids=str)
def test_of_one_with_itself(dtype, M, K):
    a = whole((M, K), dtype, 20)
    c = torch.zeros(M * M + K * K, dtype=SUM.get(dtype, torch.float32))
    same_kernel[(1,)](a, c, M, K)
    assert torch.equal(c[: M * M].view(M, M).double(), exact(a, a.T))
    assert torch.equal(c[M * M :].view(K, K).double(), exact(a.T, a))
