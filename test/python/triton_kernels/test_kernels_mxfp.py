"""MX formats: kernels and twins agree to the bit, rounding by hand, extremes."""

import pytest
import torch
import triton
import triton.language as tl
from triton_kernels.numerics_details.mxfp import (
    MXFP_BLOCK_SIZE,
    DequantScaleRoundingMode,
    downcast_to_mxfp,
    downcast_to_mxfp_torch,
    get_max_quant_val,
    quantize_mxfp8_fn,
    upcast_from_mxfp,
    upcast_from_mxfp_torch,
)
from triton_kernels.testing import assert_equal

TYPES = [torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2]


def same(left, right):
    assert left.shape == right.shape and left.stride() == right.stride() and left.dtype == right.dtype
    assert torch.equal(left.contiguous().view(torch.uint8), right.contiguous().view(torch.uint8))


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("source", [torch.float16, torch.bfloat16, torch.float32])
def test_twins(type, source, device):
    mode = DequantScaleRoundingMode(int(source == torch.bfloat16))
    torch.manual_seed(0)
    for shape, axis in (((3, 70), 1), ((2, 66, 5), -2), ((34,), 0)):
        x = (torch.randn(shape) * torch.exp2(torch.randint(-9, 9, shape))).to(source).to(device)
        values, scales = downcast_to_mxfp(x, type, axis, DEQUANT_SCALE_ROUNDING_MODE=mode)
        for got, expected in zip((values, scales), downcast_to_mxfp_torch(x, type, axis, mode)):
            same(got, expected)
        assert values.stride(axis) == 1 and scales.shape[axis] == (x.shape[axis] + 31) // 32
        for target in (torch.float16, torch.float32)[:: 1 if axis == 1 else 2]:
            real = upcast_from_mxfp(values, scales, target, axis)
            same(real, upcast_from_mxfp_torch(values, scales, target, axis))
            assert real.is_contiguous() and real.shape == x.shape


def test_rounding_of_e2m1(device):
    x = torch.zeros(32, device=device)
    x[:12] = torch.tensor([6.0, 0.25, 0.75, -1.25, 1.75, 2.5, 3.5, 5.0, -5.1, -0.2, 0.26, 1.3])
    values, scales = downcast_to_mxfp(x, torch.uint8, 0)
    assert scales.tolist() == [127]
    real = upcast_from_mxfp(values, scales, torch.float32, 0)
    assert real[:12].tolist() == [6.0, 0.0, 1.0, -1.0, 2.0, 2.0, 4.0, 4.0, -6.0, 0.0, 0.5, 1.5]


def test_scales_up_and_down(device):
    x = torch.zeros(32, device=device)
    x[0], x[1] = 7.0, 1.0
    for mode, code, largest in (("ROUND_UP", 128, 8.0), ("ROUND_DOWN", 127, 6.0)):
        values, scales = downcast_to_mxfp(x, torch.uint8, 0, DequantScaleRoundingMode[mode])
        assert scales.tolist() == [code]
        assert upcast_from_mxfp(values, scales, torch.float32, 0)[:2].tolist() == [largest, 1.0]


@pytest.mark.parametrize("type", TYPES)
def test_extremes(type, device):
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.full((64,), torch.finfo(dtype).max, dtype=dtype, device=device)
        x[32:] = torch.finfo(dtype).smallest_normal
        real = upcast_from_mxfp(*downcast_to_mxfp(x, type, 0), dtype, 0)
        assert torch.isfinite(real).all() and (real > 0).all()
    values, scales = downcast_to_mxfp(torch.zeros(32, device=device), type, 0)
    assert scales.item() == 0 and (upcast_from_mxfp(values, scales, torch.float32, 0) == 0).all()
    nan = upcast_from_mxfp(values, torch.full_like(scales, 255), torch.bfloat16, 0)
    assert nan.isnan().all()


def test_errors():
    with pytest.raises(ValueError, match="even"):
        downcast_to_mxfp(torch.zeros(3, 7), torch.uint8, 1)
    with pytest.raises(ValueError, match="have shape"):
        upcast_from_mxfp(torch.zeros(3, 32, dtype=torch.uint8), torch.zeros(3, 1, dtype=torch.uint8), torch.float32, 1)
    with pytest.raises(ValueError):
        downcast_to_mxfp(torch.zeros(3, 8, dtype=torch.int32), torch.uint8, 1)
    assert [get_max_quant_val(type) for type in TYPES] == [6.0, 448.0, 57344.0]
    assert get_max_quant_val(tl.float8e5) == 57344.0 and MXFP_BLOCK_SIZE.value == 32


@triton.jit
def quantize_kernel(X, Values, Scales, n, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    mask = tl.arange(0, N)[None, :] < n
    values, scales = quantize_mxfp8_fn(tl.load(X + at), mask)
    tl.store(Values + at, values)
    tl.store(Scales + tl.arange(0, M)[:, None] * (N // 32) + tl.arange(0, N // 32)[None, :], scales)


def test_as_an_epilogue(device):
    x = torch.randn(8, 64, device=device)
    values, scales = torch.empty_like(x, dtype=torch.float8_e4m3fn), torch.empty(8, 2, dtype=torch.uint8, device=device)
    quantize_kernel[(1,)](x, values, scales, 64, 8, 64)
    expected = downcast_to_mxfp_torch(x, torch.float8_e4m3fn, 1)
    same(values, expected[0])
    same(scales, expected[1])


@pytest.mark.parametrize("type", TYPES)
def test_nan_has_no_part_in_the_scale(type, device):
    x = torch.linspace(-5, 5, 64, device=device).reshape(2, 32)
    expected, of_rest = downcast_to_mxfp(x, type, 1)
    x[:, 7] = float("nan")
    for function in (downcast_to_mxfp, downcast_to_mxfp_torch):
        values, scales = function(x, type, 1)
        assert_equal(of_rest, scales)
        if type != torch.uint8:  # e2m1 has no NaN
            assert_equal(expected.float()[:, 8:], values.float()[:, 8:])
            assert_equal(torch.ones(2, dtype=torch.bool, device=device), values.float()[:, 7].isnan())


def test_modes_by_number(device):
    x = torch.linspace(-5, 5, 64, device=device).reshape(2, 32)
    for function in (downcast_to_mxfp, downcast_to_mxfp_torch):
        for mode in DequantScaleRoundingMode:
            assert_equal(function(x, torch.uint8, 1, mode)[1], function(x, torch.uint8, 1, mode.value)[1])
        with pytest.raises(ValueError):
            function(x, torch.uint8, 1, 7)
