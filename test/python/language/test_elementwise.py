"""Elementwise operators: every operator by every pair of dtypes, types by the promotion table, values against numpy."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, INTS, TORCH, UINTS, is_float, reference, values

ALL = ["bool"] + INTS + UINTS + FLOATS
N = 128


def promote(a, b, division=False):
    """Strong/strong promotion (semantics.md 8.4), or None where it is an error."""
    kinds = {a, b}
    for name in ("float64", "float32"):
        if name in kinds:
            return name
    if "float16" in kinds:
        return "float32" if division else "float16"
    if "bfloat16" in kinds:
        return "float32" if division or kinds != {"bfloat16"} else "bfloat16"
    width = {"bool": 1, **{k: int(k.lstrip("uint")) for k in INTS + UINTS}}
    signed = {k: k in INTS for k in ["bool"] + INTS + UINTS}
    if signed[a] == signed[b]:
        return a if width[a] >= width[b] else b
    if division:
        return None
    s, u = (a, b) if signed[a] else (b, a)
    return u if width[u] >= width[s] else s


@triton.jit
def binary_kernel(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    if OP == "+":
        z = x + y
    elif OP == "-":
        z = x - y
    elif OP == "*":
        z = x * y
    elif OP == "/":
        z = x / y
    elif OP == "//":
        z = x // y
    elif OP == "%":
        z = x % y
    elif OP == "&":
        z = x & y
    elif OP == "|":
        z = x | y
    elif OP == "^":
        z = x ^ y
    elif OP == "<":
        z = x < y
    elif OP == "<=":
        z = x <= y
    elif OP == ">":
        z = x > y
    elif OP == ">=":
        z = x >= y
    elif OP == "==":
        z = x == y
    else:
        z = x != y
    tl.static_assert(z.dtype == out_ptr.dtype.element_ty)
    tl.store(out_ptr + offsets, z)


def run(op, x, y, out_dtype):
    out = torch.zeros(N, dtype=TORCH[out_dtype])
    binary_kernel[(1,)](x, y, out, op, N)
    return out


def to_numpy(tensor, dtype):
    array = reference(tensor)
    return array.astype({"bfloat16": "float32", "bool": "bool"}.get(dtype, dtype))


@pytest.mark.parametrize("op", ["+", "-", "*"])
@pytest.mark.parametrize("a", ALL)
@pytest.mark.parametrize("b", ALL)
def test_arithmetic(op, a, b):
    result = promote(a, b)
    x, y = values(a, N, 1), values(b, N, 2)
    out = run(op, x, y, result)
    with np.errstate(all="ignore"):
        left, right = to_numpy(x, a), to_numpy(y, b)
        if result == "bool":
            expected = {"+": left ^ right, "-": left ^ right, "*": left & right}[op]
        else:
            wide = {"bfloat16": "float32"}.get(result, result)
            left, right = left.astype(wide), right.astype(wide)
            expected = {"+": left + right, "-": left - right, "*": left * right}[op]
    if is_float(result):
        tolerance = {"float16": 2e-3, "bfloat16": 2e-2}.get(result, 1e-6)
        np.testing.assert_allclose(
            reference(out).astype("float64"), expected.astype("float64"), rtol=tolerance, atol=tolerance
        )
    else:
        np.testing.assert_array_equal(reference(out), expected)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "uint32", "int64", "float16", "bfloat16", "float32", "float64"]
)
def test_comparison(op, dtype):
    x, y = values(dtype, N, 3), values(dtype, N, 4)
    y[::3] = x[::3]
    if is_float(dtype):
        x[5], y[6] = float("nan"), float("nan")
        x[7] = y[7] = float("inf")
    out = run(op, x, y, "bool")
    a, b = reference(x), reference(y)
    expected = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
    np.testing.assert_array_equal(out.numpy(), expected)


@pytest.mark.parametrize(
    "a, b", [("int32", "int32"), ("int8", "int64"), ("uint8", "uint32"), ("int64", "int64"), ("int16", "int16")]
)
@pytest.mark.parametrize("op", ["//", "%"])
def test_integer_division_truncates(op, a, b):
    x, y = values(a, N, 5), values(b, N, 6, low=1, high=100)
    if b in INTS:
        y[::2] = -y[::2]
    out = run(op, x, y, promote(a, b))
    left, right = [int(v) for v in x], [int(v) for v in y]
    quotient = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(left, right)]
    expected = quotient if op == "//" else [p - q * d for p, q, d in zip(left, quotient, right)]
    assert [int(v) for v in out] == expected


@pytest.mark.parametrize(
    "a, b",
    [
        ("int32", "int32"),
        ("float16", "float16"),
        ("bfloat16", "bfloat16"),
        ("float32", "int8"),
        ("int64", "int64"),
        ("float64", "float32"),
    ],
)
def test_true_division_is_floating(a, b):
    x, y = values(a, N, 7, 1, 100), values(b, N, 8, 1, 100)
    result = promote(a, b, division=True)
    result = result if is_float(result) else "float32"
    out = run("/", x, y, result)
    np.testing.assert_allclose(
        reference(out), reference(x).astype("float64") / reference(y).astype("float64"), rtol=1e-6
    )


def test_float_remainder_is_fmod():
    x, y = values("float32", N, 9, -50, 50), values("float32", N, 10, 1, 5)
    np.testing.assert_allclose(run("%", x, y, "float32"), np.fmod(x.numpy(), y.numpy()), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("op", ["&", "|", "^"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64"])
def test_bitwise(op, dtype):
    x, y = values(dtype, N, 11), values(dtype, N, 12)
    a, b = x.numpy(), y.numpy()
    np.testing.assert_array_equal(run(op, x, y, dtype).numpy(), {"&": a & b, "|": a | b, "^": a ^ b}[op])


@triton.jit
def shift_kernel(x_ptr, y_ptr, left_ptr, right_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    tl.store(left_ptr + offsets, x << y)
    tl.store(right_ptr + offsets, x >> y)


@pytest.mark.parametrize("dtype", INTS + ["uint8", "uint32"])
def test_shift(dtype):
    bits = int(dtype.lstrip("uint"))
    x, y = values(dtype, N, 13), values(dtype, N, 14, 0, bits - 1)
    left, right = torch.zeros_like(x), torch.zeros_like(x)
    shift_kernel[(1,)](x, y, left, right, N)
    np.testing.assert_array_equal(left.numpy(), x.numpy() << y.numpy())
    np.testing.assert_array_equal(right.numpy(), x.numpy() >> y.numpy())


@triton.jit
def far_shift_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    shift_kernel(x_ptr, y_ptr, out_ptr, out_ptr + N, N)
    for k in range(N):  # scalars
        x, y = tl.load(x_ptr + k), tl.load(y_ptr + k)
        tl.store(out_ptr + 2 * N + k, x << y)
        tl.store(out_ptr + 3 * N + k, x >> y)


@pytest.mark.parametrize("dtype", INTS + UINTS)
def test_shift_by_the_width_or_more(dtype):
    bits = int(dtype.lstrip("uint"))
    x, y = values(dtype, N, 13), values(dtype, N, 14, bits, 2 * bits - 1)
    out = torch.ones(4 * N, dtype=x.dtype)
    far_shift_kernel[(1,)](x, y, out, N)
    np.testing.assert_array_equal(out.numpy(), 0)


@triton.jit
def math_kernel(x_ptr, out_ptr, FN: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, getattr(tl, FN)(x))


REFERENCES = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "floor": np.floor,
    "ceil": np.ceil,
    "abs": np.abs,
    "erf": lambda x: torch.erf(torch.from_numpy(x)).numpy(),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("fn", sorted(REFERENCES))
def test_math(fn, dtype, device):
    positive = fn in ("log", "log2", "sqrt", "rsqrt")
    x = values(dtype, 1024, 15, 1e-3 if positive else -20, 80 if positive else 20)
    out = torch.zeros_like(x)
    math_kernel[(1,)](x, out, fn, 1024)
    expected = REFERENCES[fn](x.double().numpy())
    # 2 ulp of the result's own size
    spacing = np.spacing(np.abs(expected).astype(dtype)).astype("float64")
    error = np.abs(out.double().numpy() - expected) / np.maximum(spacing, np.finfo(dtype).tiny)
    limit = 2.5 if dtype == "float32" else 4
    if device == "cuda" and dtype == "float32" and fn in ("exp", "sigmoid"):
        # A power of two: its exponent is the argument times a constant, rounded, which costs an ulp for each unit of the argument.
        limit += np.abs(x.numpy())
    assert (error <= limit).all(), f"{fn}: {error.max()} ulp"


@pytest.mark.parametrize("fn", ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "erf", "floor", "ceil", "abs"])
def test_math_special_values(fn, vendor):
    special = [
        0.0,
        -0.0,
        float("inf"),
        -float("inf"),
        float("nan"),
        1e-45,
        -1e-45,
        3.4e38,
        -3.4e38,
        100.0,
        -100.0,
        1.0,
        -1.0,
        0.5,
        88.8,
        -110.0,
    ]
    x = torch.tensor(special, dtype=torch.float32)
    out = torch.zeros_like(x)
    math_kernel[(1,)](x, out, fn, 16)
    if vendor == "cuda" and fn == "sqrt":  # denormal numbers are taken for zeros there
        x[5:7] = 0
    with np.errstate(all="ignore"):
        expected = torch.from_numpy(np.asarray(REFERENCES[fn](x.double().numpy()))).float()
    if fn in ("sin", "cos"):  # huge arguments are reduced exactly or not at all
        out[7:9] = expected[7:9] = 0
    torch.testing.assert_close(out, expected, rtol=1e-6, atol=1e-37, equal_nan=True)


@triton.jit
def cast_kernel(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets).to(out_ptr.dtype.element_ty))


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_cast(source, target):
    x = values(source, N, 16) if not is_float(source) else values(source, N, 16, 0 if target in UINTS else -100, 100)
    x[0] = 0
    out = torch.zeros(N, dtype=TORCH[target])
    cast_kernel[(1,)](x, out, N)
    if source in UINTS or target in UINTS:  # torch lacks some of these conversions
        if target == "bool":
            expected = torch.from_numpy(reference(x) != 0)
        elif is_float(target):
            expected = torch.from_numpy(reference(x).astype("float64")).to(TORCH[target])
        else:
            with np.errstate(all="ignore"):
                expected = torch.from_numpy(reference(x).astype(target))
    else:
        expected = x.to(TORCH[target])
    if is_float(target):
        torch.testing.assert_close(
            out.double(), expected.double(), rtol=0 if target != "float16" else 1e-3, atol=0, equal_nan=True
        )
    else:
        np.testing.assert_array_equal(out.numpy(), expected.numpy())


@triton.jit
def weak_kernel(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    e = x_ptr.dtype.element_ty
    tl.static_assert((x + 1).dtype == (tl.int32 if e == tl.int1 else e))
    tl.static_assert((2 * x).dtype == (tl.int32 if e == tl.int1 else e))
    if e.is_floating():
        tl.static_assert((x * 0.5).dtype == e)
        tl.static_assert((x / 2).dtype == (tl.float64 if e == tl.float64 else tl.float32))
    else:
        tl.static_assert((x * 0.5).dtype == tl.float32)
        tl.static_assert((x + 1e300).dtype == tl.float64)
        tl.static_assert((x / 2).dtype == tl.float32)
    tl.static_assert((x < 1).dtype == tl.int1)


@pytest.mark.parametrize("dtype", ALL)
def test_literals_are_weak(dtype):
    weak_kernel[(1,)](values(dtype, N, 17), N)


@triton.jit
def where_kernel(c_ptr, x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    condition = tl.load(c_ptr + offsets)
    tl.store(out_ptr + offsets, tl.where(condition, tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)))


@pytest.mark.parametrize("dtype", ALL)
def test_where(dtype):
    condition, x, y = values("bool", N, 18), values(dtype, N, 19), values(dtype, N, 20)
    out = torch.zeros_like(x)
    where_kernel[(1,)](condition, x, y, out, N)
    np.testing.assert_array_equal(reference(out), np.where(condition.numpy(), reference(x), reference(y)))


@triton.jit
def extreme_kernel(x_ptr, y_ptr, min_ptr, max_ptr, NAN: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    policy: tl.constexpr = tl.PropagateNan.ALL if NAN else tl.PropagateNan.NONE
    tl.store(min_ptr + offsets, tl.minimum(x, y, propagate_nan=policy))
    tl.store(max_ptr + offsets, tl.maximum(x, y, propagate_nan=policy))


@pytest.mark.parametrize("propagate", [False, True])
@pytest.mark.parametrize("dtype", INTS + UINTS[:3] + FLOATS)
def test_minimum_maximum(dtype, propagate):
    x, y = values(dtype, N, 21), values(dtype, N, 22)
    if is_float(dtype):
        x[3] = y[4] = x[5] = y[5] = float("nan")
    low, high = torch.zeros_like(x), torch.zeros_like(x)
    extreme_kernel[(1,)](x, y, low, high, propagate, N)
    a, b = reference(x), reference(y)
    fns = (np.minimum, np.maximum) if propagate or not is_float(dtype) else (np.fmin, np.fmax)
    np.testing.assert_array_equal(reference(low), fns[0](a, b))
    np.testing.assert_array_equal(reference(high), fns[1](a, b))
