"""The functions written in the language itself: random numbers bit for bit, sorting, and shorthands, against numpy."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, INTS, TORCH, UINTS, reference, values

# Random numbers.

WORDS = {
    32: dict(multipliers=(0xD2511F53, 0xCD9E8D57), steps=(0x9E3779B9, 0xBB67AE85)),
    64: dict(multipliers=(0xD2E7470EE14C6C93, 0xCA5A826395121157), steps=(0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
}


def philox(key, counter, width, rounds=10):
    """The generator in Python's integers."""
    mask = (1 << width) - 1
    (a, b), (step_a, step_b) = WORDS[width]["multipliers"], WORDS[width]["steps"]
    c, (k0, k1) = [word & mask for word in counter], key
    for _ in range(rounds):
        x, y = a * c[0], b * c[2]
        c = [(y >> width) ^ c[1] ^ k0, y & mask, (x >> width) ^ c[3] ^ k1, x & mask]
        k0, k1 = (k0 + step_a) & mask, (k1 + step_b) & mask
    return c


def key32(seed):
    seed &= (1 << 64) - 1
    return seed & 0xFFFFFFFF, seed >> 32


@triton.jit
def randint4x_kernel(out, offsets, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, tl.load(offsets + r), ROUNDS)
    tl.store(out + r, a)
    tl.store(out + N + r, b)
    tl.store(out + 2 * N + r, c)
    tl.store(out + 3 * N + r, d)


@pytest.mark.parametrize("seed", [0, 1, 42, -5, 2**31 - 1, 2**40 + 3, 2**63 - 1])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
@pytest.mark.parametrize("rounds", [10, 6])
def test_randint4x_bits(seed, dtype, rounds):
    offsets = values(dtype, 64, 7)
    out = torch.zeros(256, dtype=torch.uint32)
    randint4x_kernel[(1,)](out, offsets, seed, rounds, 64)
    width = 32 if dtype != "int64" else 64
    words = [int(o) & ((1 << width) - 1) for o in offsets.tolist()]
    expected = [philox(key32(seed), (o, o >> 32, 0, 0), 32, rounds) for o in words]
    np.testing.assert_array_equal(out.numpy().reshape(4, 64).T, np.array(expected, dtype="uint32"))


@triton.jit
def philox64_kernel(out, counter, seed, N: tl.constexpr):
    r = tl.arange(0, N)
    c = tl.load(counter + r)
    a, b, d, e = tl.philox(seed, c, c + 1, c + 2, c + 3)
    tl.store(out + r, a)
    tl.store(out + N + r, e)


def test_philox_of_64_bits():
    counter = values("int64", 32, 3, low=0, high=2**62)
    out = torch.zeros(64, dtype=torch.uint64)
    philox64_kernel[(1,)](out, counter, 1234567, 32)
    expected = [philox((1234567, 0), (c, c + 1, c + 2, c + 3), 64) for c in counter.tolist()]
    np.testing.assert_array_equal(out.numpy()[:32], np.array([e[0] for e in expected], dtype="uint64"))
    np.testing.assert_array_equal(out.numpy()[32:], np.array([e[3] for e in expected], dtype="uint64"))


@triton.jit
def uniform_and_normal_kernel(uniform, normal, seed, N: tl.constexpr):
    r = tl.arange(0, N)
    tl.store(uniform + r, tl.rand(seed, r))
    tl.store(normal + r, tl.randn(seed, r))


def test_rand_and_randn():
    n = 4096
    uniform, normal = torch.zeros(n), torch.zeros(n)
    uniform_and_normal_kernel[(1,)](uniform, normal, 99, n)
    words = (
        np.array([philox(key32(99), (i, 0, 0, 0), 32)[:2] for i in range(n)], dtype="uint32")
        .view("int32")
        .T.astype("int64")
    )
    u = np.where(words < 0, -words - 1, words).astype("float32") * np.float32(4.6566127342e-10)
    np.testing.assert_array_equal(uniform.numpy(), u[0])
    assert 0 <= uniform.min() and uniform.max() < 1
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, u[0]).astype("float64")))
    np.testing.assert_allclose(normal.numpy(), radius * np.cos(6.283185307179586 * u[1]), rtol=1e-4, atol=1e-5)


# Sorting.


@triton.jit
def sort_kernel(x, out, DESCENDING: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), descending=DESCENDING))


@pytest.mark.parametrize("dtype", INTS + UINTS + FLOATS)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_dtypes(dtype, descending):
    x = values(dtype, 4 * 16, 5)
    out = torch.zeros_like(x)
    sort_kernel[(1,)](x, out, descending, 4, 16)
    expected = np.sort(reference(x).reshape(4, 16), axis=1)
    np.testing.assert_array_equal(reference(out).reshape(4, 16), expected[:, ::-1] if descending else expected)


@pytest.mark.parametrize("rows, n", [(1, 1), (8, 1), (1, 2), (2, 64), (1, 256)])
def test_sort_sizes(rows, n):
    x = values("float32", rows * n, rows + n)
    out = torch.zeros_like(x)
    sort_kernel[(1,)](x, out, False, rows, n)
    np.testing.assert_array_equal(out.numpy().reshape(rows, n), np.sort(x.numpy().reshape(rows, n), axis=1))


def test_sort_keeps_every_element():
    """Zeros of both signs and equal numbers are all there afterwards."""
    x = torch.tensor([0.0, -0.0, 1.0, -0.0, 0.0, 1.0, -1.0, -0.0] * 4)
    out = torch.zeros_like(x)
    sort_kernel[(1,)](x, out, False, 1, 32)
    np.testing.assert_array_equal(np.sort(out.numpy().view("int32")), np.sort(x.numpy().view("int32")))


@triton.jit
def topk_kernel(x, out, K: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    best = tl.topk(tl.load(x + rows * N + tl.arange(0, N)[None, :]), K)
    tl.static_assert(best.shape == [ROWS, K])
    tl.store(out + rows * K + tl.arange(0, K)[None, :], best)


@pytest.mark.parametrize("k", [1, 4, 16, 32])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint32"])
def test_topk(k, dtype):
    x = values(dtype, 4 * 32, 11)
    out = torch.zeros(4 * k, dtype=TORCH[dtype])
    topk_kernel[(1,)](x, out, k, 4, 32)
    np.testing.assert_array_equal(
        reference(out).reshape(4, k), np.sort(reference(x).reshape(4, 32), axis=1)[:, ::-1][:, :k]
    )


@triton.jit
def merge_kernel(x, out, N: tl.constexpr):
    r = tl.arange(0, N)
    tl.store(out + r, tl.bitonic_merge(tl.load(x + r), descending=True))


def test_bitonic_merge():
    x = values("float32", 64, 2)
    bitonic = torch.cat([x[:32].sort().values, x[32:].sort(descending=True).values])
    out = torch.zeros_like(x)
    merge_kernel[(1,)](bitonic, out, 64)
    np.testing.assert_array_equal(out.numpy(), np.sort(x.numpy())[::-1])


# Shorthands.


@triton.jit
def flip_kernel(x, out, DIM: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    tl.store(out + at, tl.flip(tl.load(x + at), DIM))


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, None])
def test_flip_keeps_bits(dim):
    x = values("float32", 2 * 4 * 8, 1)
    x[5], x[6], x[7] = float("nan"), float("inf"), -0.0
    out = torch.zeros_like(x)
    flip_kernel[(1,)](x, out, dim, 2, 4, 8)
    expected = np.flip(x.numpy().reshape(2, 4, 8), -1 if dim is None else dim)
    np.testing.assert_array_equal(out.numpy().view("int32").reshape(2, 4, 8), expected.view("int32"))


@triton.jit
def swizzle_kernel(out, I: tl.constexpr, J: tl.constexpr, G: tl.constexpr):
    i = tl.arange(0, I)[:, None]
    j = tl.arange(0, J)[None, :]
    a, b = tl.swizzle2d(i, j, I, J, G)
    tl.store(out + a * J + b, i * J + j)


def test_swizzle2d():
    out = torch.zeros((4, 4), dtype=torch.int32)
    swizzle_kernel[(1,)](out, 4, 4, 2)
    assert out.tolist() == [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]]


@triton.jit
def argmax_kernel(x, first, last, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(first, tl.argmax(v, 0))
    tl.store(last, tl.argmin(v, 0))


def test_ties_go_to_the_first():
    x = torch.tensor([1, 7, 3, 7, 0, 7, 0, 2], dtype=torch.int32)
    first, last = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    argmax_kernel[(1,)](x, first, last, 8)
    assert (first.item(), last.item()) == (1, 4)


@triton.jit
def softmax_kernel(x, out, ROWS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.softmax(tl.load(x + at), 1, keep_dims=True))


def test_softmax_does_not_overflow():
    x = values("float32", 8 * 64, 4) * 200
    out = torch.zeros_like(x)
    softmax_kernel[(1,)](x, out, 8, 64)
    np.testing.assert_allclose(
        out.reshape(8, 64).numpy(), torch.softmax(x.reshape(8, 64), 1).numpy(), rtol=1e-5, atol=1e-7
    )
