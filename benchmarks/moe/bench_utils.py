"""Weights of the formats that the benchmark of a mixture of experts compares."""

import torch
from triton_kernels.matmul_ogs import FlexCtx, PrecisionConfig
from triton_kernels.numerics import InFlexData
from triton_kernels.numerics_details.mxfp import downcast_to_mxfp
from triton_kernels.tensor import FP4, convert_layout, wrap_torch_tensor
from triton_kernels.tensor_details import layout


def quantize_weight(w, dtype):
    """(weights [experts, K, N], `PrecisionConfig` for them); `dtype` is bf16, fp8 or mx4."""
    if dtype == "bf16":
        return w.to(torch.bfloat16).mT.contiguous().mT, PrecisionConfig()
    if dtype == "fp8":
        w = w.to(torch.float8_e4m3fn).mT.contiguous().mT
        return w, PrecisionConfig(flex_ctx=FlexCtx(rhs_data=InFlexData()))
    if dtype != "mx4":
        raise ValueError(f"weights are bf16, fp8 or mx4, not {dtype}")
    values, scales = downcast_to_mxfp(w.to(torch.bfloat16), torch.uint8, axis=1)
    value_layout, value_options = layout.make_default_matmul_mxfp4_w_layout(mx_axis=1)
    scale_layout, scale_options = layout.make_default_matmul_mxfp4_w_scale_layout(mx_axis=1, num_warps=8)
    values = convert_layout(wrap_torch_tensor(values, FP4), value_layout, **value_options)
    scales = convert_layout(wrap_torch_tensor(scales), scale_layout, **scale_options)
    return values, PrecisionConfig(weight_scale=scales)
