"""What moves elements moves their bits: every dtype, from one element to many per thread, one warp to sixteen, one CTA to four."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import INTS, UINTS, bits, ctas, random_bits

DTYPES = ["bool"] + INTS + UINTS + ["float8_e5m2", "float8_e4m3fn", "float16", "bfloat16", "float32", "float64"]
# Shapes and warps: one element, fewer than lanes, a dimension of one, as many as threads, many per thread.
SHAPES = [
    ((1, 1, 1), 4, 1),
    ((2, 1, 4), 2, 1),
    ((4, 2, 16), 1, 1),
    ((2, 16, 8), 16, 1),
    ((8, 4, 128), 8, 1),
    ((4, 32, 16), 4, 2),
]


@triton.jit
def load_3d(ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return tl.load(ptr + index_3d(A, B, C))


@triton.jit
def index_3d(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]


@triton.jit
def put(ptr, PLACE: tl.constexpr, x):
    tl.store(ptr + PLACE * x.numel + tl.arange(0, x.numel), tl.reshape(x, [x.numel]))


@triton.jit
def permutations_kernel(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    put(out_ptr, 0, tl.permute(x, (0, 2, 1)))
    put(out_ptr, 1, tl.permute(x, 1, 0, 2))
    put(out_ptr, 2, x.permute(1, 2, 0))
    put(out_ptr, 3, tl.trans(x, 2, 0, 1))
    put(out_ptr, 4, tl.trans(x, (2, 1, 0)))
    put(out_ptr, 5, tl.trans(x))
    put(out_ptr, 6, tl.reshape(x, (C, A * B)).T)


def permutations(x, y):
    orders = [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 2, 1)]
    return [x.transpose(order) for order in orders] + [x.reshape(x.shape[2], -1).T]


@triton.jit
def flips_kernel(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    put(out_ptr, 0, tl.flip(x, 0))
    put(out_ptr, 1, tl.flip(x, 1))
    put(out_ptr, 2, x.flip(-1))
    put(out_ptr, 3, tl.flip(tl.flip(tl.ravel(x), 0).reshape(A, B, C), 1))


def flips(x, y):
    return [x[::-1], x[:, ::-1], x[:, :, ::-1], x.reshape(-1)[::-1].reshape(x.shape)[:, ::-1]]


@triton.jit
def joins_kernel(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    y = load_3d(y_ptr, A, B, C)
    j = tl.join(x, y)
    tl.static_assert(j.shape == [A, B, C, 2])
    put(out_ptr, 0, j)
    put(out_ptr, 1, tl.interleave(x, y))
    a, b = tl.split(tl.permute(j, (0, 3, 2, 1)).permute(0, 3, 2, 1))
    put(out_ptr, 2, tl.join(b, a))
    # Split along what was the first dimension.
    c, d = tl.split(tl.permute(tl.join(x, y), (3, 0, 1, 2)).reshape(2, A * B * C).T)
    put(out_ptr, 3, tl.interleave(d, c))
    # Joined with a scalar's worth: broadcast first.
    put(out_ptr, 4, tl.join(x, tl.broadcast_to(y, (A, B, C))))


def joins(x, y):
    stack = np.stack([x, y], -1)
    return [stack, stack, np.stack([y, x], -1), np.stack([y, x], -1), stack]


@triton.jit
def selects_kernel(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    y = load_3d(y_ptr, A, B, C)
    i = index_3d(A, B, C)
    put(out_ptr, 0, tl.where(i % 3 == 0, x, y))
    put(out_ptr, 1, tl.where((tl.arange(0, C) % 2 == 0)[None, None, :], x, y))
    put(out_ptr, 2, tl.where((tl.arange(0, A) % 2 == 0)[:, None, None], x, y))
    # One row for all of a plane, from and to memory.
    row = tl.load(x_ptr + tl.arange(0, C))
    put(out_ptr, 3, tl.broadcast_to(row[None, None, :], (A, B, C)))
    plane = tl.load(y_ptr + tl.arange(0, A)[:, None] * C + tl.arange(0, C)[None, :])
    put(out_ptr, 4, tl.broadcast_to(tl.expand_dims(plane, 1), A, B, C))
    scalar = tl.load(x_ptr + (A * B * C - 1))
    put(out_ptr, 5, tl.broadcast_to(scalar, (A, B, C)))


def selects(x, y):
    i, (A, _, C) = np.arange(x.size).reshape(x.shape), x.shape
    return [
        np.where(i % 3 == 0, x, y),
        np.where(np.arange(C) % 2 == 0, x, y),
        np.where((np.arange(A) % 2 == 0)[:, None, None], x, y),
        np.broadcast_to(x.reshape(-1)[:C], x.shape),
        np.broadcast_to(y.reshape(-1)[: A * C].reshape(A, 1, C), x.shape),
        np.broadcast_to(x.reshape(-1)[-1], x.shape),
    ]


@triton.jit
def gathers_kernel(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    i = index_3d(A, B, C)
    put(out_ptr, 0, tl.gather(x, i * 7 % A, 0))
    put(out_ptr, 1, tl.gather(x, (i * 5 % B).to(tl.int64), 1))
    put(out_ptr, 2, x.gather(((i * 3 + 1) % C).to(tl.uint8), -1))
    put(out_ptr, 3, tl.gather(tl.ravel(x), tl.ravel((i * 11 + 2) % (A * B * C)), 0))


def gathers(x, y):
    i, (A, B, C) = np.arange(x.size).reshape(x.shape), x.shape
    return [
        np.take_along_axis(x, i * 7 % A, 0),
        np.take_along_axis(x, i * 5 % B, 1),
        np.take_along_axis(x, (i * 3 + 1) % C, 2),
        x.reshape(-1)[(i.reshape(-1) * 11 + 2) % x.size],
    ]


KERNELS = {
    "permutations": (permutations_kernel, permutations),
    "flips": (flips_kernel, flips),
    "joins": (joins_kernel, joins),
    "selects": (selects_kernel, selects),
    "gathers": (gathers_kernel, gathers),
}


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("family", KERNELS)
def test_movement(family, dtype, shape, warps, count):
    kernel, reference = KERNELS[family]
    x, y = random_bits(dtype, shape, 1), random_bits(dtype, shape, 2)
    expected = [part.reshape(-1) for part in reference(bits(x), bits(y))]
    out = torch.zeros(sum(part.size for part in expected), dtype=x.dtype)
    kernel[(1,)](x, y, out, *shape, num_warps=warps, num_ctas=ctas(count))
    start, found = 0, bits(out)
    for place, part in enumerate(expected):
        np.testing.assert_array_equal(found[start : start + part.size], part, f"part {place}")
        start += part.size


@triton.jit
def cat_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    both = tl.cat(tl.load(x_ptr + tl.arange(0, N)), tl.load(y_ptr + tl.arange(0, N)), can_reorder=True)
    tl.static_assert(both.shape == [2 * N])
    tl.store(out_ptr + tl.arange(0, 2 * N), both)


@pytest.mark.parametrize("n, warps", [(1, 4), (16, 1), (128, 4), (2048, 8)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float8_e5m2", "float16", "int32", "float64"])
def test_cat_holds_all_of_both(dtype, n, warps):
    x, y = random_bits(dtype, n, 3), random_bits(dtype, n, 4)
    out = torch.zeros(2 * n, dtype=x.dtype)
    cat_kernel[(1,)](x, y, out, n, num_warps=warps)
    np.testing.assert_array_equal(np.sort(bits(out)), np.sort(np.concatenate([bits(x), bits(y)])))


@triton.jit
def scalars_kernel(x_ptr, out_ptr):
    a, b = tl.load(x_ptr), tl.load(x_ptr + 1)
    pair = tl.join(a, b)
    tl.static_assert(pair.shape == [2])
    c, d = tl.split(pair)
    tl.static_assert(c.shape == [])
    tl.store(out_ptr + tl.arange(0, 2), tl.interleave(d, c))
    one = tl.expand_dims(c, 0)
    tl.store(out_ptr + 2 + tl.arange(0, 1), one)
    tl.store(out_ptr + 3, one.item())
    tl.store(out_ptr + 4, tl.reshape(d[None, None], ()))
    tl.store(out_ptr + 5 + tl.zeros((1, 1, 1), tl.int32), d[None][:, None][:, None, :])


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scalars_and_single_elements(dtype, warps):
    x = random_bits(dtype, 2, 5)
    out = torch.zeros(6, dtype=x.dtype)
    scalars_kernel[(1,)](x, out, num_warps=warps)
    a, b = bits(x)
    assert bits(out).tolist() == [b, a, a, a, b, b]


@triton.constexpr_function
def rotation(rank):
    return tuple((d + 1) % rank for d in range(rank))


@triton.jit
def hypercube_kernel(x_ptr, out_ptr, RANK: tl.constexpr, SHIFT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 2**RANK)).reshape([2] * RANK)
    for _ in tl.static_range(SHIFT):
        x = tl.permute(x, rotation(RANK))
    tl.store(out_ptr + tl.arange(0, 2**RANK), tl.ravel(x))


@pytest.mark.parametrize("dtype", ["int8", "float32", "int64"])
@pytest.mark.parametrize("rank, shift, warps", [(3, 1, 4), (6, 2, 1), (9, 4, 4), (13, 5, 8), (16, 7, 8)])
def test_hypercubes(rank, shift, warps, dtype):
    x = random_bits(dtype, 2**rank, 6)
    out = torch.zeros_like(x)
    hypercube_kernel[(1,)](x, out, rank, shift, num_warps=warps)
    order = [(d + shift) % rank for d in range(rank)]
    np.testing.assert_array_equal(bits(out), bits(x).reshape([2] * rank).transpose(order).reshape(-1))


@triton.jit
def halves_of_columns_kernel(x_ptr, pairs_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    tile = rows * N + tl.arange(0, N)[None, :]
    slope, offset = tl.split(tl.load(pairs_ptr + rows[:, :, None] * 2 + tl.arange(0, 2)[None, None, :]))
    tl.store(out_ptr + tile, tl.load(x_ptr + tile) * slope + offset)


@pytest.mark.parametrize("rows, n", [(4, 64), (64, 4), (64, 64)])
def test_halves_of_columns(rows, n):
    """Each half is one column, in the layout of the tile it meets: there its registers are copies of one another."""
    x, pairs = torch.arange(rows * n, dtype=torch.bfloat16) % 7, torch.arange(rows * 2, dtype=torch.bfloat16) % 5
    out = torch.zeros_like(x)
    halves_of_columns_kernel[(1,)](x, pairs, out, rows, n)
    slope, offset = pairs.reshape(rows, 2, 1).unbind(1)
    torch.testing.assert_close(out.reshape(rows, n), x.reshape(rows, n) * slope + offset, rtol=0, atol=0)
