"""Reductions, scans, sorts and histograms, against numpy."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, INTS, TORCH, UINTS, is_float, reference, values

SHAPES = [(8, 16), (1, 64), (64, 1), (32, 32), (4, 128), (128, 4)]


@triton.jit
def load_2d(ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def reduce_kernel(x_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = load_2d(x_ptr, M, N)
    y = getattr(tl, OP)(x, AXIS)
    tl.store(out_ptr + tl.arange(0, N if AXIS == 0 else M), y)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", ["sum", "max", "min", "argmax", "argmin", "xor_sum"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"])
def test_reduce(op, dtype, axis, shape):
    if op == "xor_sum" and is_float(dtype):
        pytest.skip("xor_sum is for integers")
    x = values(dtype, shape[0] * shape[1], 1, *((-10, 10) if dtype != "uint8" else (0, 200)))
    array = reference(x).reshape(shape)
    names = {
        "sum": np.sum,
        "max": np.max,
        "min": np.min,
        "argmax": np.argmax,
        "argmin": np.argmin,
        "xor_sum": np.bitwise_xor.reduce,
    }
    expected = names[op](array.astype("float64") if is_float(dtype) and op == "sum" else array, axis=axis)
    out = torch.zeros(
        shape[1 - axis], dtype=torch.int64 if not is_float(dtype) or op.startswith("arg") else torch.float64
    )
    reduce_kernel[(1,)](x, out, op, axis, *shape)
    if op == "sum" and is_float(dtype):
        tolerance = {"float16": 2e-2, "bfloat16": 2e-1, "float32": 1e-5, "float64": 1e-12}[dtype]
        np.testing.assert_allclose(out.numpy(), expected, rtol=tolerance, atol=tolerance * 10)
    else:
        np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def reduce_types_kernel(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    e = x_ptr.dtype.element_ty
    if e.is_floating():
        tl.static_assert(tl.sum(x, 0).dtype == e)
        tl.static_assert(tl.max(x, 0).dtype == (tl.float64 if e == tl.float64 else tl.float32))
    elif e.primitive_bitwidth < 32:
        tl.static_assert(tl.sum(x, 0).dtype == (tl.int32 if e.is_int_signed() else tl.uint32))
        if e != tl.int1:
            tl.static_assert(tl.max(x, 0).dtype == tl.int32)
    else:
        tl.static_assert(tl.sum(x, 0).dtype == e)
    if e != tl.int1:
        value, index = tl.max(x, 0, return_indices=True)
        tl.static_assert(index.dtype == tl.int32)
        tl.static_assert(tl.argmin(x, 0).dtype == tl.int32)


@pytest.mark.parametrize("dtype", ["bool"] + INTS + UINTS + FLOATS)
def test_result_types(dtype):
    reduce_types_kernel[(1,)](values(dtype, 64, 2), 64)


@triton.jit
def full_reduce_kernel(x_ptr, out_ptr, KEEP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = load_2d(x_ptr, M, N)
    if KEEP:
        y = tl.sum(x, axis=None, keep_dims=True)
        tl.static_assert(y.shape == [1, 1])
        tl.store(out_ptr + tl.zeros((1, 1), tl.int32), y)
    else:
        tl.store(out_ptr, tl.sum(x))


@pytest.mark.parametrize("keep", [False, True])
def test_reduce_everything(keep):
    x = values("int32", 512, 3, -100, 100)
    out = torch.zeros(1, dtype=torch.int32)
    full_reduce_kernel[(1,)](x, out, keep, 16, 32)
    assert out.item() == x.sum().item()


@triton.jit
def nan_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.min(x, 0))


def test_max_ignores_nan_unless_all_are():
    x = values("float32", 64, 4)
    x[10] = float("nan")
    out = torch.zeros(2)
    nan_kernel[(1,)](x, out, 64)
    assert out.tolist() == [np.nanmax(x.numpy()), np.nanmin(x.numpy())]
    nan_kernel[(1,)](torch.full((64,), float("nan")), out, 64)
    assert np.isnan(out.numpy()).all()


@triton.jit
def welford(mean1, m21, weight1, mean2, m22, weight2):
    delta = mean2 - mean1
    weight = weight1 + weight2
    ratio = weight2 / weight
    return mean1 + delta * ratio, m21 + m22 + delta * delta * weight1 * ratio, weight


@triton.jit
def welford_kernel(x_ptr, mean_ptr, var_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = load_2d(x_ptr, M, N)
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.full(x.shape, 1.0, tl.float32)), AXIS, welford)
    offsets = tl.arange(0, N if AXIS == 0 else M)
    tl.store(mean_ptr + offsets, mean)
    tl.store(var_ptr + offsets, m2 / weight)


@pytest.mark.parametrize("axis", [0, 1])
def test_reduce_tuple_with_any_function(axis):
    x = values("float32", 16 * 64, 5)
    mean, var = torch.zeros((64, 16)[axis]), torch.zeros((64, 16)[axis])
    welford_kernel[(1,)](x, mean, var, axis, 16, 64)
    torch.testing.assert_close(mean, x.view(16, 64).mean(axis), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(var, x.view(16, 64).var(axis, unbiased=False), rtol=1e-4, atol=1e-6)


@triton.jit
def linear_recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scan_kernel(
    x_ptr, y_ptr, out_ptr, OP: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr
):
    x = load_2d(x_ptr, M, N)
    if OP == "cumsum":
        y = tl.cumsum(x, AXIS, reverse=REVERSE)
    elif OP == "cumprod":
        y = tl.cumprod(x, AXIS, reverse=REVERSE)
    else:
        _, y = tl.associative_scan((x, load_2d(y_ptr, M, N)), AXIS, linear_recurrence, reverse=REVERSE)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], y)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", ["cumsum", "cumprod", "recurrence"])
def test_scan(op, axis, reverse, shape):
    x = values("float32", shape[0] * shape[1], 6, 0.5, 1.2)
    y = values("float32", shape[0] * shape[1], 7)
    out = torch.zeros_like(x)
    scan_kernel[(1,)](x, y, out, op, axis, reverse, *shape)
    a, b = x.double().view(shape), y.double().view(shape)
    if reverse:
        a, b = a.flip(axis), b.flip(axis)
    if op == "cumsum":
        expected = a.cumsum(axis)
    elif op == "cumprod":
        expected = a.cumprod(axis)
    else:
        expected, carry = torch.empty_like(a), torch.zeros_like(a.select(axis, 0))
        for i in range(shape[axis]):
            carry = carry * a.select(axis, i) + b.select(axis, i)
            expected.select(axis, i).copy_(carry)
    if reverse:
        expected = expected.flip(axis)
    torch.testing.assert_close(out.view(shape).double(), expected, rtol=1e-4, atol=1e-4)


@triton.jit
def sort_kernel(x_ptr, out_ptr, K: tl.constexpr, DESCENDING: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = load_2d(x_ptr, M, N)
    if K is None:
        y = tl.sort(x, descending=DESCENDING)
        tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], y)
    else:
        y = tl.topk(x, K)
        tl.store(out_ptr + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], y)


@pytest.mark.parametrize("shape", [(1, 64), (8, 32), (4, 1), (16, 128), (2, 2)])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "int8", "bfloat16"])
def test_sort(dtype, descending, shape):
    x = values(dtype, shape[0] * shape[1], 8)
    out = torch.zeros_like(x)
    sort_kernel[(1,)](x, out, None, descending, *shape)
    expected = x.view(shape).sort(-1, descending=descending).values
    np.testing.assert_array_equal(reference(out).reshape(shape), reference(expected))


@pytest.mark.parametrize("k", [1, 2, 8, 32])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float16"])
def test_topk(dtype, k):
    x = values(dtype, 8 * 32, 9)
    out = torch.zeros(8 * k, dtype=TORCH[dtype])
    sort_kernel[(1,)](x, out, k, True, 8, 32)
    np.testing.assert_array_equal(out.numpy().reshape(8, k), x.view(8, 32).topk(k).values.numpy())


@triton.jit
def histogram_kernel(x_ptr, mask_ptr, out_ptr, MASKED: tl.constexpr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    if MASKED:
        counts = tl.histogram(x, BINS, mask=tl.load(mask_ptr + tl.arange(0, N)))
    else:
        counts = tl.histogram(x, BINS)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("n, bins", [(1024, 16), (64, 256), (8, 2)])
def test_histogram(n, bins, masked):
    x, mask = values("int32", n, 10, 0, bins - 1), values("bool", n, 11)
    out = torch.zeros(bins, dtype=torch.int32)
    histogram_kernel[(1,)](x, mask, out, masked, n, bins)
    expected = np.bincount(x[mask].numpy() if masked else x.numpy(), minlength=bins)
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def checked_add(a, b):
    tl.device_assert(a < 100, "too large to add")
    return a + b


@triton.jit
def checked_sum_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    total = tl.reduce(load_2d(x_ptr, M, N), AXIS, checked_add)
    tl.store(out_ptr + tl.arange(0, N if AXIS == 0 else M), total)


@pytest.mark.parametrize("axis", [0, 1])
def test_asserts_in_combine_functions(axis):
    x, out = torch.ones(8, 16, dtype=torch.int32), torch.zeros((16, 8)[axis], dtype=torch.int32)
    checked_sum_kernel[(1,)](x, out, axis, 8, 16, debug=True)
    assert out.tolist() == x.sum(axis).tolist()
    with pytest.raises(Exception, match="too large to add"):
        checked_sum_kernel[(1,)](x * 1000, out, axis, 8, 16, debug=True)
