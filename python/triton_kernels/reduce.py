"""Masked, scaled sums over one dimension of three, with functions applied to the result, flexpoint and MX in and out."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
import triton

from .numerics import InFlexData, OutFlexData
from .numerics_details.mxfp import (
    MXFP_BLOCK_SIZE,
    downcast_to_mxfp,
    downcast_to_mxfp_torch,
    upcast_from_mxfp_torch,
)
from .reduce_details import reduce_kernel
from .specialize import ClosureArg, FnSpecs, SpecializationModule

__all__ = ["FnSpecs", "PostprocessFn", "reduce", "reduce_torch"]


@dataclass(frozen=True)
class PostprocessFn:
    """A device function and the values of its further arguments."""

    specs: FnSpecs = field(default_factory=FnSpecs.default)
    fn_args: tuple[object, ...] = ()


specializations = SpecializationModule(
    "reduce",
    kernels=[("_reduce", reduce_kernel)],
    closure_args={
        "postprocess_fn1": ClosureArg("POSTPROCESS_FN1", "postprocess_fn1_args"),
        "postprocess_fn2": ClosureArg("POSTPROCESS_FN2", "postprocess_fn2_args"),
    },
)


def _check(x, dim, x_mxscale, x_flex):
    if x.ndim != 3:
        raise NotImplementedError(f"reduce takes tensors of three dimensions, not {x.ndim}")
    if dim not in (0, 1, 2):
        raise ValueError(f"dim is 0, 1 or 2, not {dim}")
    if x_mxscale is not None and dim == 2:
        raise ValueError("MX inputs have their scales along dim 2, over which they cannot be reduced")
    if x_mxscale is not None:
        dtype = x_flex.reinterpret(x).dtype
        if dtype not in (torch.float8_e4m3fn, torch.float8_e5m2):
            raise ValueError(f"MX inputs are float8_e4m3fn or float8_e5m2, not {dtype}")
        expected = (*x.shape[:2], triton.cdiv(x.shape[2], MXFP_BLOCK_SIZE.value))
        if tuple(x_mxscale.shape) != expected:
            raise ValueError(f"scales of {tuple(x.shape)} have shape {expected}, not {tuple(x_mxscale.shape)}")


def _strides(operand, shape):
    """Of something that broadcasts to `shape`: 0 where it has one element."""
    if operand is None:
        return (0, 0, 0)
    return operand.expand(shape).stride()


class Reduce(torch.autograd.Function):
    """Sums with a gradient: every summand has that of its sum, times its scale, where the mask is not zero."""

    @staticmethod
    def forward(ctx, x, dim, mask, scale, options):
        ctx.dim, ctx.mask, ctx.scale, ctx.shape, ctx.dtype = dim, mask, scale, x.shape, x.dtype
        y, _ = _reduce(x.detach(), dim, mask=mask, scale=scale, **options)
        return y

    @staticmethod
    def backward(ctx, dy):
        dx = dy.unsqueeze(ctx.dim).expand(ctx.shape).float()
        if ctx.scale is not None:
            dx = dx * ctx.scale
        if ctx.mask is not None:
            dx = torch.where(ctx.mask.expand(ctx.shape) != 0, dx, 0.0)
        return dx.to(ctx.dtype), None, None, None, None


def reduce(
    x,
    dim,
    mask=None,
    scale=None,
    x_mxscale=None,
    x_flex=None,
    y_dtype=None,
    y_flex=None,
    y_flex_saturate_inf=False,
    y_has_mx=None,
    y=None,
    postprocess_fn1=None,
    postprocess_fn2=None,
    x_global_scale=None,
    unpadded_batch_size=None,
    y_mx_scale_dtype=torch.uint8,
    y_microblock_size=None,
    y_value_pack_factor=1,
):
    """(sum over `dim` of x * scale where the mask is not zero, its MX scales or None).

    Mask and scale broadcast; `x_global_scale`, a number or a tensor of one element, is a factor of everything. `postprocess_fn1` sees the sums in
    float32 and may shrink the last dimension; `postprocess_fn2` sees what will be stored. Of the result's rows the first `unpadded_batch_size` are
    computed. MX results have scales of `y_mx_scale_dtype` for `y_microblock_size` values, of which `y_value_pack_factor` lie in a byte. Sums
    of plain floats are differentiable in x.
    """
    options = {
        "y_dtype": y_dtype, "y_flex_saturate_inf": y_flex_saturate_inf, "y_has_mx": y_has_mx, "y": y, "postprocess_fn1": postprocess_fn1,
        "postprocess_fn2": postprocess_fn2, "x_mxscale": x_mxscale, "x_flex": InFlexData() if x_flex is None else x_flex,
        "y_flex": OutFlexData() if y_flex is None else y_flex, "unpadded_batch_size": unpadded_batch_size,
    }  # fmt: skip
    if x_global_scale is not None:
        factor = torch.as_tensor(x_global_scale, dtype=torch.float32, device=x.device).reshape(1, 1, 1)
        scale = factor if scale is None else scale * factor
    is_plain_mx = y_mx_scale_dtype == torch.uint8 and y_microblock_size in (None, MXFP_BLOCK_SIZE.value)
    if not is_plain_mx or y_value_pack_factor != 1:
        sums, _ = _reduce(
            x, dim, mask=mask, scale=scale, **{**options, "y_dtype": torch.float32, "y_has_mx": False, "y": None}
        )
        quantized = torch.uint8 if y_value_pack_factor == 2 else y_dtype or torch.float8_e4m3fn
        values, scales = downcast_to_mxfp(sums, quantized, -1, y_mx_scale_dtype, y_microblock_size)
        return (values if y is None else y.copy_(values)), scales
    differentiable = x.requires_grad and x_mxscale is None and postprocess_fn1 is None and postprocess_fn2 is None
    if differentiable and x.dtype.is_floating_point and x.dtype.itemsize > 1 and not y_has_mx:
        return Reduce.apply(x, dim, mask, scale, options), None
    return _reduce(x, dim, mask=mask, scale=scale, **options)


def _reduce(
    x, dim, *, mask, scale, x_mxscale, x_flex, y_dtype, y_flex, y_flex_saturate_inf, y_has_mx, y, postprocess_fn1,
    postprocess_fn2, unpadded_batch_size,
):  # fmt: skip
    _check(x, dim, x_mxscale, x_flex)
    fn1 = PostprocessFn() if postprocess_fn1 is None else postprocess_fn1
    fn2 = PostprocessFn() if postprocess_fn2 is None else postprocess_fn2
    if y_has_mx is None:
        y_has_mx = x_mxscale is not None
    outer, inner = (each for each in (0, 1, 2) if each != dim)
    n_outer, n_inner, n_summed = x.shape[outer], x.shape[inner], x.shape[dim]
    x = x.detach()
    n_out = n_inner // fn1.specs.reduction_n
    if y is None:
        dtype = torch.float8_e4m3fn if y_has_mx and y_dtype is None else y_dtype or x.dtype
        y = torch.empty((n_outer, n_out), dtype=dtype, device=x.device)
    assert tuple(y.shape) == (n_outer, n_out), f"y has shape {tuple(y.shape)}, not {(n_outer, n_out)}"
    y_mxscale = None
    if y_has_mx:
        n_scales = triton.cdiv(n_out, MXFP_BLOCK_SIZE.value)
        y_mxscale = torch.empty((n_outer, n_scales), dtype=torch.uint8, device=x.device)
    if unpadded_batch_size is not None:
        n_outer = min(n_outer, int(unpadded_batch_size))
    if y.numel() == 0 or n_outer == 0:
        return y, y_mxscale
    rows, columns = 64, 128
    mask_strides, scale_strides = _strides(mask, x.shape), _strides(scale, x.shape)
    mx_strides = (0, 0, 0) if x_mxscale is None else x_mxscale.stride()
    kernel = specializations.get(postprocess_fn1=fn1.specs, postprocess_fn2=fn2.specs)._reduce
    kernel[(triton.cdiv(n_outer, rows), triton.cdiv(n_inner, columns))](
        x_flex.reinterpret(x), x.stride(dim), x.stride(outer), x.stride(inner),
        x_mxscale, mx_strides[dim], mx_strides[outer], mx_strides[inner], x_flex.scale,
        mask if mask is None else mask.view(torch.uint8) if mask.dtype == torch.bool else mask,
        mask_strides[dim], mask_strides[outer], mask_strides[inner],
        scale, scale_strides[dim], scale_strides[outer], scale_strides[inner],
        y_flex.reinterpret(y), y.stride(0), y.stride(1),
        y_mxscale, 0 if y_mxscale is None else y_mxscale.stride(0), *y_flex,
        n_summed, n_outer, n_inner, n_out, *fn1.fn_args, *fn2.fn_args,
        SATURATE=y_flex_saturate_inf, ROWS=rows, COLUMNS=columns, SHRINK=fn1.specs.reduction_n, num_warps=4,
    )  # fmt: skip
    return y, y_mxscale


def reduce_torch(
    x,
    dim,
    mask=None,
    scale=None,
    x_mxscale=None,
    x_flex=None,
    y_dtype=None,
    y_flex=None,
    y_flex_saturate_inf=False,
    y_has_mx=None,
    y=None,
    postprocess_fn1=None,
    postprocess_fn2=None,
):
    """Here the functions are Python's: of the float32 sums, and of the result."""
    x_flex = InFlexData() if x_flex is None else x_flex
    y_flex = OutFlexData() if y_flex is None else y_flex
    _check(x, dim, x_mxscale, x_flex)
    y_has_mx = x_mxscale is not None if y_has_mx is None else y_has_mx
    dtype = y.dtype if y is not None else torch.float8_e4m3fn if y_has_mx and y_dtype is None else y_dtype or x.dtype
    if x_mxscale is not None:
        values = upcast_from_mxfp_torch(x, x_mxscale, torch.float32, axis=2)
    else:
        values = x_flex.reinterpret(x).float()
    if x_flex.scale is not None:
        values = values * x_flex.scale
    if scale is not None:
        values = values * scale
    if mask is not None:
        values = torch.where(mask.expand(x.shape) != 0, values, 0.0)
    out = values.sum(dim=dim)
    if postprocess_fn1 is not None:
        out = postprocess_fn1(out)
    y_mxscale = None
    if y_flex.actual_scale is not None:
        from .testing import compute_actual_scale

        y_flex.actual_scale.copy_(
            torch.maximum(
                y_flex.actual_scale, compute_actual_scale(out, y_flex.reinterpret(torch.empty(0, dtype=dtype)).dtype)
            )
        )
    if y_flex.expected_scale is not None:
        out = out / y_flex.expected_scale
    if y_has_mx:
        out, y_mxscale = downcast_to_mxfp_torch(out, torch.float8_e4m3fn, axis=-1)
    elif postprocess_fn2 is not None:
        out = postprocess_fn2(out)
    if y_flex_saturate_inf and y_flex.expected_scale is not None and dtype.itemsize == 1:
        largest = torch.finfo(y_flex.dtype or dtype).max
        out = out.clamp(-largest, largest)
    if y_flex.dtype is not None and dtype.itemsize == 1:
        out = out.to(y_flex.dtype).view(dtype)
    out = out.to(dtype)
    if y is not None:
        out = y.copy_(out)
    return out, y_mxscale
