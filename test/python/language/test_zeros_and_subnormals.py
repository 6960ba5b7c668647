"""The sign of zero, and numbers below the normal ones: computed as IEEE 754 says, wherever that is done."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, TORCH

N = 16
BITS = {"float16": torch.int16, "bfloat16": torch.int16, "float32": torch.int32, "float64": torch.int64}


def signs(tensor):
    """1 for numbers with the sign set, zeros among them."""
    assert not tensor.isnan().any()
    return (tensor.view(BITS[str(tensor.dtype).removeprefix("torch.")]) < 0).int().tolist()


def assert_same(out, expected):
    """Equal, and zeros of one sign."""
    assert torch.equal(out, expected) and signs(out) == signs(expected), (out, expected)


@triton.jit
def operator_kernel(x_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    if OP == "-x":
        y = -x
    elif OP == "-(-x)":
        y = -(-x)
    elif OP == "0 - x":
        y = 0 - x
    elif OP == "0.0 - x":
        y = 0.0 - x
    elif OP == "-0.0 - x":
        y = -0.0 - x
    elif OP == "x + 0.0":
        y = x + 0.0
    elif OP == "x + -0.0":
        y = x + -0.0
    elif OP == "x - 0.0":
        y = x - 0.0
    elif OP == "x * -1.0":
        y = x * -1.0
    elif OP == "x * 0.0":
        y = x * 0.0
    elif OP == "x * -0.0":
        y = x * -0.0
    elif OP == "abs":
        y = tl.abs(x)
    elif OP == "full":
        y = tl.full((N,), -0.0, x.dtype)
    elif OP == "where":
        y = tl.where(x > 0, x, -0.0)
    elif OP == "floor":
        y = tl.floor(x.to(tl.float32)).to(x.dtype)
    elif OP == "ceil":
        y = tl.ceil(x.to(tl.float32)).to(x.dtype)
    elif OP == "sqrt":
        y = tl.sqrt(tl.abs(x.to(tl.float32)) * 0.0 + x.to(tl.float32) * 0.0).to(x.dtype)
    tl.store(out_ptr + offsets, y)


REFERENCES = {
    "-x": lambda x: -x,
    "-(-x)": lambda x: x,
    "0 - x": lambda x: 0 - x,
    "0.0 - x": lambda x: 0.0 - x,
    "-0.0 - x": lambda x: -0.0 - x,
    "x + 0.0": lambda x: x + 0.0,
    "x + -0.0": lambda x: x + -0.0,
    "x - 0.0": lambda x: x - 0.0,
    "x * -1.0": lambda x: x * -1.0,
    "x * 0.0": lambda x: x * 0.0,
    "x * -0.0": lambda x: x * -0.0,
    "abs": torch.abs,
    "full": lambda x: torch.full_like(x, -0.0),
    "where": lambda x: torch.where(x > 0, x, torch.full_like(x, -0.0)),
    "floor": torch.floor,
    "ceil": torch.ceil,
    "sqrt": lambda x: x.abs() * 0.0 + x * 0.0,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", REFERENCES)
def test_sign_of_zero(op, dtype):
    x = torch.tensor([0.0, -0.0, 1.5, -1.5, 0.25, -0.25] + [0.0, -0.0] * 5, dtype=TORCH[dtype])
    out = torch.full_like(x, 7.0)
    operator_kernel[(1,)](x, out, op, N)
    assert_same(out, REFERENCES[op](x))


@triton.jit
def extremum_kernel(x_ptr, y_ptr, out_ptr, NAN: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    tl.store(out_ptr + offsets, tl.maximum(x, y, propagate_nan=NAN))
    tl.store(out_ptr + N + offsets, tl.minimum(x, y, propagate_nan=NAN))


@pytest.mark.parametrize("propagate_nan", [tl.PropagateNan.NONE, tl.PropagateNan.ALL])
@pytest.mark.parametrize("dtype", FLOATS)
def test_extrema_of_zeros(dtype, propagate_nan):
    """-0.0 is less than 0.0."""
    x = torch.tensor([0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 0.0, -0.0] * 2, dtype=TORCH[dtype])
    y = torch.tensor([0.0, 0.0, -0.0, -0.0, -0.0, 0.0, 2.0, -2.0] * 2, dtype=TORCH[dtype])
    out = torch.full((2 * N,), 7.0, dtype=TORCH[dtype])
    extremum_kernel[(1,)](x, y, out, propagate_nan, N)
    assert_same(out[:N], torch.tensor([0.0, 0.0, 0.0, -0.0, 1.0, 0.0, 2.0, -0.0] * 2, dtype=TORCH[dtype]))
    assert_same(out[N:], torch.tensor([0.0, -0.0, -0.0, -0.0, -0.0, -1.0, 0.0, -2.0] * 2, dtype=TORCH[dtype]))


@triton.jit
def negated(x, ZERO: tl.constexpr = -0.0):
    return x + ZERO


@triton.jit
def scalar_kernel(out_ptr, x, C: tl.constexpr):
    tl.store(out_ptr, -x)
    tl.store(out_ptr + 1, -0.0)
    zero = 0.0
    tl.store(out_ptr + 2, -zero)
    tl.store(out_ptr + 3, 0.0 * -1.0)
    tl.store(out_ptr + 4, C)
    tl.store(out_ptr + 5, -C)
    tl.store(out_ptr + 6, negated(-x))
    tl.store(out_ptr + 7, negated(-x, 0.0))
    tl.store(out_ptr + 8, x)
    total = -0.0
    for _ in range(3):
        total += -0.0
    tl.store(out_ptr + 9, total)
    tl.store(out_ptr + 10, tl.load(out_ptr + 1) if x == 0 else x)


@pytest.mark.parametrize("x", [0.0, -0.0])
@pytest.mark.parametrize("c", [0.0, -0.0])
def test_sign_of_zero_in_scalars(x, c):
    out = torch.full((11,), 7.0)
    scalar_kernel[(1,)](out, x, c)
    assert_same(out, torch.tensor([-x, -0.0, -0.0, -0.0, c, -c, -x + -0.0, -x + 0.0, x, -0.0, -0.0]))


@triton.jit
def function_kernel(x_ptr, out_ptr, FN: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    if FN == "exp":
        y = tl.exp(x)
    elif FN == "exp2":
        y = tl.exp2(x)
    elif FN == "log":
        y = tl.log(x)
    elif FN == "log2":
        y = tl.log2(x)
    elif FN == "sqrt":
        y = tl.sqrt(x)
    elif FN == "sqrt_rn":
        y = tl.sqrt_rn(x)
    elif FN == "rsqrt":
        y = tl.rsqrt(x)
    elif FN == "sin":
        y = tl.sin(x)
    elif FN == "half":
        y = x * 0.5
    elif FN == "sum":
        y = x + x
    tl.store(out_ptr + offsets, y)


FUNCTIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "sqrt_rn": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "half": lambda x: x * 0.5,
    "sum": lambda x: x + x,
}


def differences(out, exact):
    """How far floats are from what is exact, in units of the last place: that of the least normal number below those."""
    info = np.finfo(out.dtype)
    with np.errstate(all="ignore"):
        unit = np.maximum(np.exp2(np.floor(np.log2(np.abs(exact)))), float(info.smallest_normal)) * float(info.eps)
        return np.abs(out.astype(np.float64) - exact) / unit


@pytest.mark.runs
@pytest.mark.parametrize("fn", ["exp", "exp2"])
def test_small_powers(fn, device):
    """Down to where they round to zero."""
    count = 4096
    lowest, highest = {"exp": (-105.0, -86.0), "exp2": (-151.0, -125.0)}[fn]
    x = torch.linspace(lowest, highest, count)
    x[:8] = torch.tensor([-float("inf"), -1e30, -1000.0, -300.0, -252.5, -251.5, -176.0, -174.0])
    out = torch.full_like(x, 7.0)
    function_kernel[(1,)](x, out, fn, count)
    exact = FUNCTIONS[fn](x.double().numpy())
    if device == "cuda":  # the hardware's approximation, which takes numbers below the normal ones for zeros
        normal = exact >= np.finfo(np.float32).smallest_normal * 1.01
        # exp is 2 to the power of a rounded product, whose error grows with the argument.
        assert (differences(out.numpy(), exact)[normal] < {"exp": 128, "exp2": 8}[fn]).all()
        assert (out.numpy()[~normal] <= np.finfo(np.float32).smallest_normal * 1.02).all()
        return
    assert differences(out.numpy(), exact).max() < 2
    below = exact < 0.49 * 2.0**-149
    assert below.any() and not out.numpy()[below].any()
    assert (out.numpy()[(exact > 0.51 * 2.0**-149)] > 0).all()


@pytest.mark.runs
@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_subnormal_arguments(fn, dtype, device):
    if fn == "sqrt_rn" and dtype != "float32":
        pytest.skip("float32 only")
    info = np.finfo(dtype)
    if device == "cuda" and dtype == "float32":
        pytest.skip("approximations take subnormal arguments for zeros there")
    tiny, least = float(info.smallest_normal), float(info.smallest_subnormal)
    numbers = [least, 2 * least, 3 * least, tiny / 2, tiny / 3, tiny - least, tiny, tiny * 1.5] * 2
    x = torch.tensor(numbers, dtype=TORCH[dtype])
    out = torch.full_like(x, 7.0)
    function_kernel[(1,)](x, out, fn, N)
    exact = FUNCTIONS[fn](x.double().numpy())
    assert differences(out.numpy(), exact).max() <= 2


@pytest.mark.runs
@pytest.mark.parametrize("fn", ["exp", "exp2"])
def test_small_powers_of_doubles(fn):
    lowest = -746.0 if fn == "exp" else -1076.0
    x = torch.linspace(lowest, lowest * 0.9, 256, dtype=torch.float64)
    out = torch.full_like(x, 7.0)
    function_kernel[(1,)](x, out, fn, 256)
    exact = FUNCTIONS[fn](x.numpy())
    assert differences(out.numpy(), exact).max() <= 2 and (out.numpy()[exact > 2.0**-1073] > 0).all()
