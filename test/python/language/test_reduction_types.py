"""Reductions and scans of every dtype, rank and axis, with the values where orders and widths show, against numpy and Python's integers."""

import warnings

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, INTS, TORCH, UINTS, bits, ctas, is_float, random_bits, reference, values
from triton.compiler.kernel import max_shared_mem

# Shapes, warps, CTAs: one element, fewer than lanes, dimensions of one, as many as threads, many per thread.
SHAPES = [
    ((1, 1, 1), 4, 1),
    ((2, 1, 8), 1, 1),
    ((4, 16, 2), 2, 1),
    ((1, 128, 1), 16, 1),
    ((8, 8, 64), 8, 1),
    ((64, 4, 4), 4, 2),
]


@triton.jit
def load_3d(ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    return tl.load(ptr + i)


@triton.jit
def put(ptr, x):
    """Writes `x` densely; returns where what comes next goes."""
    x = tl.reshape(x, [x.numel])
    tl.store(ptr + tl.arange(0, x.numel), x)
    return ptr + x.numel


@triton.jit
def extremes_kernel(x_ptr, out_ptr, index_ptr, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    out_ptr = put(out_ptr, tl.max(x, AXIS, keep_dims=True))
    out_ptr = put(out_ptr, x.min(axis=AXIS, keep_dims=True))
    value, index = tl.max(x, AXIS, return_indices=True, keep_dims=True)
    out_ptr = put(out_ptr, value)
    index_ptr = put(index_ptr, index)
    value, index = tl.min(x, AXIS, return_indices=True, keep_dims=True)
    out_ptr = put(out_ptr, value)
    index_ptr = put(index_ptr, index)
    index_ptr = put(index_ptr, tl.argmax(x, AXIS, keep_dims=True))
    index_ptr = put(index_ptr, x.argmin(AXIS, keep_dims=True))


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", INTS + UINTS + FLOATS)
def test_extremes(dtype, axis, shape, warps, count):
    """The smallest and largest of a type and of many equal ones the first."""
    x = values(dtype, int(np.prod(shape)), 1)
    x[::3] = x[0]
    if not is_float(dtype):
        x.numpy()[1::7], x.numpy()[2::7] = np.iinfo(dtype).max, np.iinfo(dtype).min
    else:
        x[1::7], x[2::7] = float("inf"), float("-inf")
    array = reference(x).reshape(shape)
    high, low = array.max(axis).reshape(-1), array.min(axis).reshape(-1)
    first, last = array.argmax(axis).reshape(-1), array.argmin(axis).reshape(-1)
    out, index = torch.zeros(4 * high.size, dtype=TORCH[dtype]), torch.zeros(4 * high.size, dtype=torch.int32)
    extremes_kernel[(1,)](x, out, index, axis, *shape, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(reference(out), np.concatenate([high, low, high, low]))
    np.testing.assert_array_equal(index.numpy(), np.concatenate([first, last, first, last]))


@triton.jit
def sums_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    out_ptr = put(out_ptr, tl.sum(x, AXIS, keep_dims=True))
    out_ptr = put(out_ptr, tl.cumsum(x, AXIS))
    out_ptr = put(out_ptr, x.cumsum(AXIS, reverse=True))


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["bool"] + INTS + UINTS)
def test_integer_sums_wrap_in_the_type_of_the_sum(dtype, axis, shape, warps, count):
    x = values(dtype, int(np.prod(shape)), 2)
    kind = {"bool": "uint32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}.get(
        dtype, dtype
    )
    array = x.numpy().astype(kind).reshape(shape)
    backwards = np.flip(np.flip(array, axis).cumsum(axis, dtype=kind), axis)
    parts = [array.sum(axis, dtype=kind), array.cumsum(axis, dtype=kind), backwards]
    expected = np.concatenate([part.reshape(-1) for part in parts])
    out = torch.zeros(expected.size, dtype=TORCH[kind])
    sums_kernel[(1,)](x, out, axis, *shape, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(out.numpy(), expected)


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", FLOATS)
def test_float_sums(dtype, axis, shape, warps, count):
    """Of small whole numbers, which every type holds exactly whatever the order."""
    x = values("int32", int(np.prod(shape)), 3, -1, 1).to(TORCH[dtype])
    array = reference(x).astype("float64").reshape(shape)
    parts = [array.sum(axis), array.cumsum(axis), np.flip(np.flip(array, axis).cumsum(axis), axis)]
    expected = np.concatenate([part.reshape(-1) for part in parts])
    out = torch.zeros(expected.size, dtype=torch.float64)
    sums_kernel[(1,)](x, out, axis, *shape, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def bitwise_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    y = tl.xor_sum(x, AXIS, keep_dims=True)
    tl.static_assert(y.dtype == x.dtype)
    out_ptr = put(out_ptr, y)
    z = tl.reduce_or(x, AXIS, keep_dims=True)
    tl.static_assert(z.dtype == x.dtype)
    out_ptr = put(out_ptr, z)
    out_ptr = put(out_ptr, tl.xor_sum(x)[None])


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["bool"] + INTS + UINTS)
def test_bitwise_reductions(dtype, axis, shape, warps, count):
    x = random_bits(dtype, shape, 4)
    array = bits(x)
    parts = [np.bitwise_xor.reduce(array, axis), np.bitwise_or.reduce(array, axis), np.bitwise_xor.reduce(array, None)]
    expected = np.concatenate([part.reshape(-1) for part in parts])
    out = torch.zeros(expected.size, dtype=x.dtype)
    bitwise_kernel[(1,)](x, out, axis, *shape, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(bits(out), expected)


@triton.jit
def product_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    y = tl.cumprod(x, AXIS)
    tl.static_assert(y.dtype == tl.sum(x, AXIS).dtype)
    out_ptr = put(out_ptr, y)
    out_ptr = put(out_ptr, x.cumprod(axis=AXIS, reverse=True))


@pytest.mark.parametrize("shape, warps, count", [SHAPES[1], SHAPES[2], SHAPES[4]], ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", INTS + UINTS + FLOATS)
def test_products(dtype, axis, shape, warps, count):
    x = values("int32", int(np.prod(shape)), 5, 1, 127)
    x = (
        torch.from_numpy(np.where(x.numpy() % 2 == 0, 1, -1)).to(TORCH[dtype])
        if is_float(dtype)
        else x.to(TORCH[dtype])
    )
    kind = "float32" if dtype == "bfloat16" else dtype
    array = reference(x).astype(kind).reshape(shape)
    parts = [array.cumprod(axis, dtype=kind), np.flip(np.flip(array, axis).cumprod(axis, dtype=kind), axis)]
    expected = np.concatenate([part.reshape(-1) for part in parts])
    out = torch.zeros(expected.size, dtype=TORCH[kind])
    product_kernel[(1,)](x, out, axis, *shape, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def last(a, b, c, d):
    """Keeps what comes last, and where: neither commutes."""
    return c, d


@triton.jit
def compose(a1, b1, c1, a2, b2, c2):
    """First x -> a1 x + b1, then x -> a2 x + b2, modulo the width; and which ones were seen."""
    return a1 * a2, (b1 * a2).to(b1.dtype) + b2, c1 | c2


@triton.jit
def scans_kernel(x_ptr, y_ptr, out_ptr, seen_ptr, AXIS: tl.constexpr, REVERSE: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):  # fmt: skip
    x, y = load_3d(x_ptr, A, B, C), load_3d(y_ptr, A, B, C)
    a, b, c = tl.associative_scan((x, y, (x & 1) == 1), AXIS, compose, reverse=REVERSE)
    out_ptr = put(out_ptr, a)
    out_ptr = put(out_ptr, b)
    put(seen_ptr, c)
    d, e = tl.associative_scan((x, y), AXIS, last, reverse=REVERSE)
    out_ptr = put(out_ptr, d)
    out_ptr = put(out_ptr, e)


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("axis, reverse", [(0, False), (1, True), (2, False), (-1, True)])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64"])
def test_scans_that_do_not_commute(dtype, axis, reverse, shape, warps, count):
    x, y = values(dtype, int(np.prod(shape)), 6), values(dtype, int(np.prod(shape)), 7)
    a, b = x.numpy().reshape(shape), y.numpy().reshape(shape)
    a, b = (np.flip(a, axis), np.flip(b, axis)) if reverse else (a, b)
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    product, sum, seen = np.empty_like(a), np.empty_like(b), np.empty(a.shape, bool)
    p, s, t = np.ones_like(a[0]), np.zeros_like(b[0]), np.zeros(a[0].shape, bool)
    for i in range(len(a)):
        p, s, t = p * a[i], s * a[i] + b[i], t | (a[i] & 1 == 1)
        product[i], sum[i], seen[i] = p, s, t

    def back(array):
        array = np.moveaxis(array, 0, axis)
        return (np.flip(array, axis) if reverse else array).reshape(-1)

    out, seen_out = torch.zeros(4 * x.numel(), dtype=x.dtype), torch.zeros(x.numel(), dtype=torch.bool)
    scans_kernel[(1,)](x, y, out, seen_out, axis, reverse, *shape, num_warps=warps, num_ctas=ctas(count))
    expected = [back(product), back(sum), x.numpy(), y.numpy()]
    np.testing.assert_array_equal(out.numpy(), np.concatenate(expected))
    np.testing.assert_array_equal(seen_out.numpy(), back(seen))


@triton.jit
def mixed(byte1, wide1, double1, byte2, wide2, double2):
    return byte1 ^ byte2, wide1 + wide2, tl.minimum(double1, double2)


@triton.jit
def mixed_kernel(x_ptr, byte_ptr, wide_ptr, double_ptr, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):  # fmt: skip
    x = load_3d(x_ptr, A, B, C)
    b, w, d = tl.reduce((x.to(tl.int8), x.to(tl.int64) << 20, x.to(tl.float64)), AXIS, mixed, keep_dims=True)
    put(byte_ptr, b)
    put(wide_ptr, w)
    put(double_ptr, d)


@pytest.mark.parametrize("shape, warps, count", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_reductions_of_several_widths(axis, shape, warps, count):
    x = values("int32", int(np.prod(shape)), 8)
    array = x.numpy().reshape(shape)
    byte = np.bitwise_xor.reduce(array.astype("int8"), axis).reshape(-1)
    wide = (array.astype("int64") << 20).sum(axis).reshape(-1)
    outs = [torch.zeros(byte.size, dtype=kind) for kind in (torch.int8, torch.int64, torch.float64)]
    target = triton.runtime.driver.active.get_current_target()
    if target.backend == "hip" and max_shared_mem(0) < 17 * x.numel():
        pytest.skip("values that warps exchange do not fit in the LDS")
    mixed_kernel[(1,)](x, *outs, axis, *shape, num_warps=warps, num_ctas=ctas(count))
    for out, expected in zip(outs, (byte, wide, array.min(axis).reshape(-1).astype("float64"))):
        np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def all_axes_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    tl.store(out_ptr, tl.sum(x))
    tl.store(out_ptr + 1, tl.max(x, axis=None))
    tl.store(out_ptr + 2, x.min())
    tl.store(out_ptr + 3, tl.sum(tl.sum(tl.sum(x, 2), 1), 0))
    tl.store(out_ptr + 4, tl.sum(tl.sum(tl.sum(x, 0), 0), 0))
    every = tl.sum(x, axis=None, keep_dims=True)
    tl.static_assert(every.shape == [1, 1, 1])
    tl.store(out_ptr + 5, every.item())


@pytest.mark.parametrize("shape, warps, count", SHAPES + [((32, 32, 32), 4, 1), ((1, 1, 65536), 8, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32"])
def test_all_axes(dtype, shape, warps, count):
    x = values("int32", int(np.prod(shape)), 9, 0, 99).to(TORCH[dtype])
    out = torch.zeros(6, dtype=TORCH[dtype])
    all_axes_kernel[(1,)](x, out, *shape, num_warps=warps, num_ctas=ctas(count))
    array = x.numpy().astype("int64")
    total = int(array.sum())
    assert [int(v) for v in out.tolist()] == [total, int(array.max()), int(array.min()), total, total, total]


@triton.jit
def nan_kernel(x_ptr, out_ptr, index_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = load_3d(x_ptr, A, B, C)
    out_ptr = put(out_ptr, tl.max(x, 2))
    put(out_ptr, tl.min(x, 2))


@pytest.mark.parametrize("shape, warps, count", SHAPES[1:], ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_ignore_nan_unless_all_are(dtype, shape, warps, count):
    x = values(dtype, int(np.prod(shape)), 10)
    x[::2] = float("nan")
    x[: shape[2]] = float("nan")
    array = reference(x).reshape(shape)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        expected = np.concatenate([np.nanmax(array, 2).reshape(-1), np.nanmin(array, 2).reshape(-1)])
    out = torch.zeros(expected.size, dtype=TORCH[dtype])
    nan_kernel[(1,)](x, out, out, *shape, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(reference(out), expected)
