"""Flexpoint in kernels: scales in, scales out."""

import triton
import triton.language as tl

from ..numerics import (
    MAX_FINITE_FLOAT8E4B8,
    MAX_FINITE_FLOAT8E4B15,
    MAX_FINITE_FLOAT8E4NV,
    MAX_FINITE_FLOAT8E5,
    MAX_FINITE_FLOAT16,
)

_LARGEST = {
    "fp8e5": MAX_FINITE_FLOAT8E5,
    "fp8e5b16": MAX_FINITE_FLOAT8E5,
    "fp8e4nv": MAX_FINITE_FLOAT8E4NV,
    "fp8e4b8": MAX_FINITE_FLOAT8E4B8,
    "fp8e4b15": MAX_FINITE_FLOAT8E4B15,
    "fp16": MAX_FINITE_FLOAT16,
}


@triton.constexpr_function
def max_finite(dtype):
    """The largest number that is stored; for types that need no scale one."""
    return _LARGEST.get(str(dtype), 1.0)


@triton.constexpr_function
def rcp_max_finite(dtype):
    """Its reciprocal, as float32 rounds it."""
    import struct

    return struct.unpack("f", struct.pack("f", 1.0 / max_finite(dtype)))[0]


@triton.jit
def nan_propagating_absmax_reduce(x, axis=None):
    """The largest magnitude; NaN if there is one. The order of floats without a sign is that of their bits, with NaN on top."""
    bits = x.to(tl.float32).to(tl.int32, bitcast=True) & 0x7FFFFFFF
    return tl.max(bits, axis).to(tl.float32, bitcast=True)


@triton.jit
def load_scale(scale_ptr):
    if scale_ptr is None:
        return 1.0
    else:
        return tl.load(scale_ptr)


@triton.jit
def flex_to_float(x, scale_ptr):
    return x.to(tl.float32) * load_scale(scale_ptr)


@triton.constexpr_function
def element_type(out):
    """Of a pointer, a block of pointers or a descriptor."""
    dtype = out.dtype
    dtype = getattr(dtype, "scalar", dtype)
    return dtype.element_ty if dtype.is_ptr() else dtype


@triton.jit
def compute_scale(x, Out):
    """The scale with which the largest of `x` becomes the largest finite number of what `Out` points at."""
    absmax = nan_propagating_absmax_reduce(tl.ravel(x, can_reorder=True))
    reciprocal: tl.constexpr = rcp_max_finite(element_type(Out))
    scale = tl.fma(absmax, reciprocal, 1.0e-30)
    # A maximum of bits takes infinity for less than NaN, of floats NaN for nothing.
    return tl.where(scale != scale, float("inf"), scale)


@triton.jit
def _expected(scale):
    if scale is None:
        return 1.0
    elif isinstance(scale, tl.tensor) and scale.dtype.is_ptr():
        return tl.load(scale)
    else:
        return scale


@triton.jit
def float_to_flex(
    x, expected_scale_ptr_or_val, actual_scale_ptr, checksum_scale_ptr, mask, Out, saturate_infs: tl.constexpr
):
    """`x` divided by the expected scale, clipped if asked; what `Out` points at is what it will be stored as.

    The actual scale becomes at least the one that would have fitted; the checksum grows by the exclusive or of all bits.
    """
    if checksum_scale_ptr is not None:
        bits = x.to(tl.float32).to(tl.int32, bitcast=True)
        if mask is not None:
            bits = tl.where(mask, bits, 0)
        tl.atomic_add(checksum_scale_ptr, tl.xor_sum(tl.ravel(bits, can_reorder=True), 0))
    if actual_scale_ptr is not None:
        if mask is not None:
            x = tl.where(mask, x, 0.0)
        tl.atomic_max(actual_scale_ptr, compute_scale(x, Out), sem="relaxed")
    x = x * (1.0 / _expected(expected_scale_ptr_or_val))
    if expected_scale_ptr_or_val is not None and saturate_infs:
        largest: tl.constexpr = max_finite(element_type(Out))
        x = tl.clamp(x, -largest, largest)
    return x
