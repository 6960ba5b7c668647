"""MX formats on whole tensors: 32 elements along one axis share a scale, a power of two (e8m0, a byte). Values are e2m1 (two per byte of
uint8, the first in the low half), float8_e4m3fn or float8_e5m2. NVFP4 is e2m1 with a scale of float8_e4m3fn for 16 elements, and one of the tensor."""

from __future__ import annotations

import torch
import triton

from .._errors import InvalidArgumentError
from .mxfp_device import (
    MXFP_BLOCK_SIZE,
    DequantScaleRoundingMode,
    downcast_kernel,
    get_max_quant_val,
    largest_power,
    quantize_mxfp8_fn,
    upcast_kernel,
)

__all__ = [
    "MXFP_BLOCK_SIZE",
    "NVFP4_BLOCK_SIZE",
    "DequantScaleRoundingMode",
    "downcast_to_mxfp",
    "downcast_to_mxfp_torch",
    "get_max_quant_val",
    "quantize_mxfp8_fn",
    "upcast_from_mxfp",
    "upcast_from_mxfp_torch",
]

_BLOCK = MXFP_BLOCK_SIZE.value
NVFP4_BLOCK_SIZE = 16
_SCALES = (torch.uint8, torch.float8_e4m3fn)
_QUANTIZED = (torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2)
_FLOATS = (torch.float16, torch.bfloat16, torch.float32)
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def _axis_of(tensor, axis):
    if not -tensor.ndim <= axis < tensor.ndim:
        raise InvalidArgumentError(f"axis {axis} is outside of a tensor with {tensor.ndim} dimensions")
    return axis % tensor.ndim


def _rounds_down(mode):
    """Of a mode, or of its number."""
    return DequantScaleRoundingMode(mode) is DequantScaleRoundingMode.ROUND_DOWN


def _check_downcast(src, out_quant_type, axis):
    if src.dtype not in _FLOATS:
        raise InvalidArgumentError(f"values of float16, bfloat16 or float32 become MX, not {src.dtype}")
    if out_quant_type not in _QUANTIZED:
        raise InvalidArgumentError(f"MX values are uint8 (e2m1), float8_e4m3fn or float8_e5m2, not {out_quant_type}")
    axis = _axis_of(src, axis)
    if out_quant_type == torch.uint8 and src.shape[axis] % 2:
        raise InvalidArgumentError(f"pairs of e2m1 need an even length along axis {axis}, not {src.shape[axis]}")
    return axis


def _block_of(scale_dtype):
    """How many elements share a scale, if the user does not say so."""
    return _BLOCK if scale_dtype == torch.uint8 else NVFP4_BLOCK_SIZE


def _check_upcast(tensor, scale, target_dtype, axis):
    """(axis, length along it, elements that share a scale)"""
    if tensor.dtype not in _QUANTIZED:
        raise InvalidArgumentError(f"MX values are uint8 (e2m1), float8_e4m3fn or float8_e5m2, not {tensor.dtype}")
    if scale.dtype not in _SCALES:
        raise InvalidArgumentError(f"MX scales are uint8 or float8_e4m3fn, not {scale.dtype}")
    if target_dtype not in _FLOATS:
        raise InvalidArgumentError(f"MX values become float16, bfloat16 or float32, not {target_dtype}")
    axis = _axis_of(tensor, axis)
    length = tensor.shape[axis] * (2 if tensor.dtype == torch.uint8 else 1)
    for block in (_block_of(scale.dtype), NVFP4_BLOCK_SIZE, _BLOCK):
        expected = [*tensor.shape[:axis], (length + block - 1) // block, *tensor.shape[axis + 1 :]]
        if list(scale.shape) == expected:
            return axis, length, block
    expected[axis] = (length + _BLOCK - 1) // _BLOCK
    raise InvalidArgumentError(
        f"scales for {list(tensor.shape)} along axis {axis} have shape {expected}, not {list(scale.shape)}"
    )


def _read_scales(scale_dtype, microblock_size, mode):
    """(type of scales, elements that share one, mode); the mode may stand where the type of scales does, as it did in Triton 3.6."""
    if not isinstance(scale_dtype, torch.dtype):
        scale_dtype, mode = torch.uint8, scale_dtype
    if scale_dtype not in _SCALES:
        raise InvalidArgumentError(f"MX scales are uint8 or float8_e4m3fn, not {scale_dtype}")
    block = _block_of(scale_dtype) if microblock_size is None else microblock_size
    if block not in (NVFP4_BLOCK_SIZE, _BLOCK):
        raise InvalidArgumentError(f"{NVFP4_BLOCK_SIZE} or {_BLOCK} elements share a scale, not {block}")
    return scale_dtype, block, mode


def downcast_to_mxfp(
    src,
    out_quant_type,
    axis,
    scale_dtype=torch.uint8,
    microblock_size=None,
    DEQUANT_SCALE_ROUNDING_MODE=DequantScaleRoundingMode.ROUND_UP,
):
    """(values, scales); both with stride 1 along `axis`. `microblock_size` elements share a scale: 32, with scales of float8_e4m3fn 16."""
    scale_dtype, block, mode = _read_scales(scale_dtype, microblock_size, DEQUANT_SCALE_ROUNDING_MODE)
    if scale_dtype != torch.uint8 or block != _BLOCK:
        return downcast_to_mxfp_torch(src, out_quant_type, axis, scale_dtype, block, mode)
    axis = _check_downcast(src, out_quant_type, axis)
    turned = src.transpose(axis, -1)
    *outer, length = turned.shape
    n_scales = (length + _BLOCK - 1) // _BLOCK
    n_values = length // 2 if out_quant_type == torch.uint8 else length
    values = torch.empty((*outer, n_values), dtype=out_quant_type, device=src.device)
    scales = torch.empty((*outer, n_scales), dtype=torch.uint8, device=src.device)
    if src.numel():
        flat = turned.reshape(-1, length)
        rows = flat.shape[0]
        downcast_kernel[(triton.cdiv(rows, 32), triton.cdiv(length, 128))](
            flat, *flat.stride(), values, n_values, scales, n_scales, rows, length,
            ROUND_DOWN=_rounds_down(mode),
            ROWS=32, COLUMNS=128, num_warps=4 if src.dtype == torch.float32 else 8,
        )  # fmt: skip
    return values.transpose(axis, -1), scales.transpose(axis, -1)


def upcast_from_mxfp(tensor, scale, target_dtype, axis, tensor_scale=None):
    """The real values, contiguous. `tensor_scale` is one more factor of all of them."""
    axis, length, block = _check_upcast(tensor, scale, target_dtype, axis)
    if tensor_scale is not None or scale.dtype != torch.uint8 or block != _BLOCK:
        return upcast_from_mxfp_torch(tensor, scale, target_dtype, axis, tensor_scale)
    values, scales = tensor.transpose(axis, -1), scale.transpose(axis, -1)
    out = torch.empty((*values.shape[:-1], length), dtype=target_dtype, device=tensor.device)
    if out.numel():
        values, scales = values.reshape(-1, values.shape[-1]), scales.reshape(-1, scales.shape[-1])
        rows = values.shape[0]
        upcast_kernel[(triton.cdiv(rows, 64), triton.cdiv(length, 128))](
            values, *values.stride(), scales, *scales.stride(), out, length, rows, length,
            LARGEST=torch.finfo(target_dtype).max, ROWS=64, COLUMNS=128, num_warps=4,
        )  # fmt: skip
    return out.transpose(axis, -1).contiguous()


def _to_e2m1_torch(values):
    """Codes of the nearest values, ties to even."""
    magnitude = values.abs()
    code = torch.zeros_like(magnitude, dtype=torch.uint8)
    for low, high in zip(range(7), range(1, 8)):
        middle = (_E2M1[low] + _E2M1[high]) / 2
        code += magnitude > middle if low % 2 == 0 else magnitude >= middle
    return code | (torch.signbit(values).to(torch.uint8) << 3)


def _from_e2m1_torch(codes):
    table = torch.tensor([*_E2M1, *(-value for value in _E2M1)], device=codes.device)
    return table[codes.long()]


def _scales_of(absmax, out_quant_type, scale_dtype, mode):
    """(scales as they are stored, as numbers)"""
    if scale_dtype != torch.uint8:
        stored = (absmax / get_max_quant_val(out_quant_type)).clamp(max=torch.finfo(scale_dtype).max).to(scale_dtype)
        return stored, stored.to(torch.float32)
    if _rounds_down(mode):
        bits = (absmax / largest_power(out_quant_type)).view(torch.int32) & 0x7F800000
    else:
        bits = ((absmax / get_max_quant_val(out_quant_type)).view(torch.int32) + 0x007FFFFF) & 0x7F800000
    return (bits >> 23).to(torch.uint8), bits.view(torch.float32)


def downcast_to_mxfp_torch(
    src,
    out_quant_type,
    axis,
    scale_dtype=torch.uint8,
    microblock_size=None,
    DEQUANT_SCALE_ROUNDING_MODE=DequantScaleRoundingMode.ROUND_UP,
):
    scale_dtype, block, mode = _read_scales(scale_dtype, microblock_size, DEQUANT_SCALE_ROUNDING_MODE)
    axis = _check_downcast(src, out_quant_type, axis)
    turned = src.transpose(axis, -1).to(torch.float32)
    length = turned.shape[-1]
    groups = torch.nn.functional.pad(turned, (0, -length % block)).unflatten(-1, (-1, block))
    absmax = groups.abs().nan_to_num(nan=0.0, posinf=float("inf")).amax(dim=-1, keepdim=True)  # as kernels have it
    stored, scales = _scales_of(absmax, out_quant_type, scale_dtype, mode)
    quantized = groups * torch.where(scales == 0, 0.0, 1.0 / scales)
    quantized = quantized.flatten(-2)[..., :length]
    if out_quant_type == torch.uint8:
        codes = _to_e2m1_torch(quantized)
        values = codes[..., ::2] | (codes[..., 1::2] << 4)
    else:
        largest = get_max_quant_val(out_quant_type)
        values = quantized.clamp(-largest, largest).to(out_quant_type)
    return values.contiguous().transpose(axis, -1), stored.squeeze(-1).transpose(axis, -1)


def upcast_from_mxfp_torch(tensor, scale, target_dtype, axis, tensor_scale=None):
    axis, length, block = _check_upcast(tensor, scale, target_dtype, axis)
    values, scales = tensor.transpose(axis, -1), scale.transpose(axis, -1)
    if tensor.dtype == torch.uint8:
        values = _from_e2m1_torch(torch.stack([values & 0xF, values >> 4], dim=-1).flatten(-2))
    values = values.to(torch.float32)
    if scales.dtype == torch.uint8:
        factors = torch.where(scales == 0, 0x00400000, scales.to(torch.int32) << 23).view(torch.float32)
        factors = torch.where(scales == 255, float("nan"), factors)
    else:
        factors = scales.to(torch.float32)
    factors = factors.repeat_interleave(block, dim=-1)[..., :length]
    if tensor_scale is not None:
        factors = factors * tensor_scale
    largest = torch.finfo(target_dtype).max
    out = (values * factors).clamp(-largest, largest)
    out = torch.where(values.isinf() & ~factors.isnan(), values, out)
    return out.to(target_dtype).transpose(axis, -1).contiguous()
