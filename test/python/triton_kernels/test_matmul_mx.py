"""Products with MX operands and results: every format, every layout of weights and scales."""

import pytest
import torch
from moe import route
from triton_kernels.matmul_ogs import Epilogue, FnName, FnSpecs, PrecisionConfig, matmul_ogs, matmul_ogs_torch
from triton_kernels.matmul_ogs_details.opt_flags import (
    InapplicableConstraint,
    reset_opt_flags_constraints,
    update_opt_flags_constraints,
)
from triton_kernels.numerics_details.mxfp import (
    downcast_to_mxfp_torch,
    quantize_mxfp8_fn,
    upcast_from_mxfp_torch,
)
from triton_kernels.target_info import cuda_capability_geq
from triton_kernels.tensor import FP4, convert_layout, wrap_torch_tensor
from triton_kernels.tensor_details.layout import (
    BlackwellMXScaleLayout,
    BlackwellMXValueLayout,
    CDNA4MXScaleLayout,
    HopperMXScaleLayout,
    HopperMXValueLayout,
    StridedLayout,
)
from triton_kernels.testing import assert_close


@pytest.fixture(autouse=True)
def no_constraints():
    yield
    reset_opt_flags_constraints()


def weights(n_experts, K, N, type, device):
    """(values, scales, real values); the sum has stride 1."""
    values, scales = downcast_to_mxfp_torch(torch.randn(n_experts, K, N), type, axis=1)
    real = upcast_from_mxfp_torch(values, scales, torch.float32, axis=1)
    return values.to(device), scales.to(device), real.to(device)


FORMATS = [
    (torch.uint8, torch.float16), (torch.uint8, torch.bfloat16), (torch.uint8, torch.float8_e4m3fn), (torch.uint8, "mx"),
    (torch.float8_e4m3fn, torch.bfloat16), (torch.float8_e4m3fn, "mx"), (torch.float8_e5m2, torch.float16),
]  # fmt: skip


@pytest.mark.parametrize("type, x_type", FORMATS)
def test_formats(type, x_type, device):
    torch.manual_seed(0)
    n_experts, K, N = 3, 96, 80
    data, gather, scatter = route(40, n_experts, 2, device)
    values, scales, real = weights(n_experts, K, N, type, device)
    if x_type == "mx":
        x, x_scale = (
            each.to(device) for each in downcast_to_mxfp_torch(torch.randn(40, K), torch.float8_e4m3fn, axis=1)
        )
        x_real = upcast_from_mxfp_torch(x, x_scale, torch.float32, axis=1)
    else:
        x, x_scale = torch.randn(40, K).to(x_type).to(device), None
        x_real = x.float()
    config = PrecisionConfig(weight_scale=scales, act_scale=x_scale, out_dtype=torch.bfloat16)
    bias = torch.randn(n_experts, N, device=device)
    found = matmul_ogs(x, values, bias, data, gather, scatter, config)
    expected = matmul_ogs_torch(x_real, real, bias, data, gather, scatter)
    assert_close(expected, found, maxtol=3e-2)
    assert_close(expected, matmul_ogs_torch(x, values, bias, data, gather, scatter, config), maxtol=3e-2)


LAYOUTS = [
    (HopperMXValueLayout, {"mx_axis": -2}, StridedLayout, {}),
    (HopperMXValueLayout, {"mx_axis": -2}, HopperMXScaleLayout, {"mx_axis": -2, "num_warps": 4}),
    (StridedLayout, {}, HopperMXScaleLayout, {"mx_axis": -2, "num_warps": 8}),
    (BlackwellMXValueLayout, {}, BlackwellMXScaleLayout, {}),
    (StridedLayout, {}, CDNA4MXScaleLayout, {}),
]


@pytest.mark.parametrize("value_layout, value_kwargs, scale_layout, scale_kwargs", LAYOUTS)
def test_layouts(value_layout, value_kwargs, scale_layout, scale_kwargs, device):
    if scale_layout is HopperMXScaleLayout and cuda_capability_geq(10, 0):
        pytest.skip("Hopper's layout of scales on a later GPU")
    torch.manual_seed(0)
    n_experts, K, N = 2, 256 if scale_layout is CDNA4MXScaleLayout else 224, 160
    data, gather, _ = route(40, n_experts, 1, device)
    values, scales, real = weights(n_experts, K, N, torch.uint8, device)
    w = convert_layout(wrap_torch_tensor(values, FP4), value_layout, **value_kwargs)
    scale = convert_layout(wrap_torch_tensor(scales), scale_layout, **scale_kwargs)
    x = torch.randn(40, K, device=device).to(torch.bfloat16)
    found = matmul_ogs(x, w, None, data, gather, precision_config=PrecisionConfig(weight_scale=scale))
    assert_close(matmul_ogs_torch(x.float(), real, None, data, gather), found, maxtol=3e-2)
    x, x_scale = downcast_to_mxfp_torch(x, torch.float8_e4m3fn, axis=1)
    config = PrecisionConfig(act_scale=x_scale, weight_scale=scale, out_dtype=torch.bfloat16)
    found = matmul_ogs(x, w, None, data, gather, precision_config=config)
    x = upcast_from_mxfp_torch(x, x_scale, torch.float32, axis=1)
    assert_close(matmul_ogs_torch(x, real, None, data, gather), found, maxtol=3e-2)


@pytest.mark.parametrize("n_act", [None, 1, 2])
def test_mx_results(n_act, device):
    torch.manual_seed(0)
    n_experts = 1 if n_act is None else 3
    data, gather, scatter = (None, None, None) if n_act is None else route(40, n_experts, n_act, device)
    x, w = torch.randn(40, 64, device=device).bfloat16(), torch.randn(n_experts, 64, 96, device=device).bfloat16()
    scales = torch.empty(40, 3, dtype=torch.uint8, device=device)
    config = PrecisionConfig(out_dtype=torch.float8_e4m3fn, out_scale=scales)
    epilogue = Epilogue(FnSpecs(FnName.QUANTIZE_MXFP8.name, quantize_mxfp8_fn, ()))
    found = matmul_ogs(x, w, None, data, gather, scatter, config, epilogue=epilogue)
    assert found.dtype == torch.float8_e4m3fn and (config.out_scale is scales) == (n_act != 2)
    real = upcast_from_mxfp_torch(found, config.out_scale, torch.float32, axis=1)
    assert_close(matmul_ogs_torch(x.float(), w.float(), None, data, gather, scatter), real, maxtol=4e-1, rmstol=4e-2)


def test_rules(device):
    values, scales, _ = weights(1, 64, 32, torch.float8_e4m3fn, device)
    x, config = torch.randn(16, 64, device=device).half(), PrecisionConfig(weight_scale=scales)
    if not cuda_capability_geq(10, 0):
        with pytest.raises(AssertionError, match="column-major"):
            matmul_ogs(x, values.contiguous(), None, precision_config=config)
    with pytest.raises(AssertionError, match="row-major"):
        x8, x_scale = downcast_to_mxfp_torch(torch.randn(16, 64), torch.float8_e4m3fn, axis=1)
        config = PrecisionConfig(weight_scale=scales, act_scale=x_scale.to(device))
        matmul_ogs(x8.to(device).T.contiguous().T, values, None, precision_config=config)
    config = PrecisionConfig(weight_scale=scales)
    update_opt_flags_constraints({"split_k": 2})
    with pytest.raises(InapplicableConstraint):
        matmul_ogs(x, values, None, precision_config=config)
    reset_opt_flags_constraints()
    update_opt_flags_constraints({"is_persistent": True})
    with pytest.raises((NotImplementedError, InapplicableConstraint)):
        matmul_ogs(x, values, None, precision_config=config)
