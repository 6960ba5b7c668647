"""The cases of test_hip_simulated.py, which runs them in a process whose GPU is simulated."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import hip

# The range of the arguments, and the units in the last place that the result may be off.
FUNCTIONS = {
    "sin": (-50, 50, 2), "cos": (-50, 50, 2), "tan": (-1.5, 1.5, 4), "asin": (-1, 1, 3), "acos": (-1, 1, 3), "atan": (-20, 20, 3), "sinh": (-8, 8, 3),
    "cosh": (-8, 8, 3), "tanh": (-4, 4, 3), "asinh": (-100, 100, 3), "acosh": (1, 50, 3), "atanh": (-0.99, 0.99, 3), "erf": (-3, 3, 3), "erfc": (-2, 8, 5),
    "expm1": (-3, 3, 3), "log": (0.001, 100, 3), "log1p": (-0.9, 10, 3), "log2": (0.001, 100, 3), "exp2": (-20, 20, 3), "rsqrt": (0.001, 100, 3),
}  # fmt: skip


@triton.jit
def apply(x_ptr, out_ptr, NAME: tl.constexpr):
    offsets = tl.arange(0, 128)
    function: tl.constexpr = getattr(hip.libdevice, NAME)
    tl.store(out_ptr + offsets, function(tl.load(x_ptr + offsets)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, dtype):
    low, high, limit = FUNCTIONS[name]
    x = torch.from_numpy(np.random.default_rng(len(name)).uniform(low, high, 128)).to(dtype)
    out = torch.empty_like(x)
    apply[(1,)](x, out, name, num_warps=1)
    expected = getattr(torch, name)(x.double()).to(dtype)
    spacing = np.abs(np.spacing(expected.numpy())).astype(np.float64)
    assert ((out.double() - expected.double()).abs().numpy() / spacing).max() <= limit


def test_special_values():
    values = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.0, -1.0, 1e-40]
    x = torch.tensor(values + [0.5] * 120, dtype=torch.float64)
    for name in ("tanh", "atan", "asinh", "cosh", "sinh", "erf", "erfc", "expm1", "asin", "log1p"):
        out = torch.empty_like(x)
        apply[(1,)](x, out, name, num_warps=1)
        expected = getattr(torch, name)(x)
        assert torch.allclose(out, expected, rtol=1e-15, atol=0, equal_nan=True), name
        zeros = expected == 0
        assert torch.equal(torch.signbit(out[zeros]), torch.signbit(expected[zeros])), name


@triton.jit
def angle(y_ptr, x_ptr, out_ptr):
    offsets = tl.arange(0, 64)
    tl.store(out_ptr + offsets, hip.libdevice.atan2(tl.load(y_ptr + offsets), tl.load(x_ptr + offsets)))


def test_angles():
    ends = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), 2.5, -0.25]
    y, x = (grid.reshape(-1).contiguous() for grid in torch.meshgrid(torch.tensor(ends).double(), torch.tensor(ends).double(), indexing="ij"))  # fmt: skip
    out = torch.empty_like(x)
    angle[(1,)](y, x, out, num_warps=1)
    assert torch.allclose(out, torch.atan2(y, x), rtol=1e-15, atol=0)
