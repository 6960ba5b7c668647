"""MX formats in kernels: blocks of floats to values and scales, and back."""

from enum import Enum

import triton
import triton.language as tl

MXFP_BLOCK_SIZE = tl.constexpr(32)


class DequantScaleRoundingMode(Enum):
    """To which power of two a scale is rounded: up, so that nothing saturates, or down."""

    ROUND_UP = 0
    ROUND_DOWN = 1


_LARGEST = {
    "uint8": 6.0,
    "torch.uint8": 6.0,
    "fp8e4nv": 448.0,
    "torch.float8_e4m3fn": 448.0,
    "fp8e5": 57344.0,
    "torch.float8_e5m2": 57344.0,
}


@triton.constexpr_function
def get_max_quant_val(dtype):
    """The largest value of an MX type; uint8 stands for e2m1."""
    if str(dtype) not in _LARGEST:
        raise ValueError(f"{dtype} is no MX type: uint8, float8 e4m3 and e5m2 are")
    return _LARGEST[str(dtype)]


@triton.constexpr_function
def largest_power(dtype):
    """The largest power of two in it."""
    import math

    return 2.0 ** math.floor(math.log2(get_max_quant_val(dtype)))


@triton.jit
def _to_e2m1(x):
    """Codes of the nearest values, ties to even: each middle that is passed adds one."""
    a = tl.abs(x)
    code = (a > 0.25).to(tl.uint8) + (a >= 0.75).to(tl.uint8) + (a > 1.25).to(tl.uint8) + (a >= 1.75).to(tl.uint8)
    code += (a > 2.5).to(tl.uint8) + (a >= 3.5).to(tl.uint8) + (a > 5.0).to(tl.uint8)
    sign = x.to(tl.uint32, bitcast=True) >> 28
    return code | (sign & 8).to(tl.uint8)


@triton.jit
def _from_e2m1(code):
    """Codes as float32: the exponent moves to where float32 has it, a factor corrects it."""
    code = code.to(tl.uint32)
    bits = ((code & 8) << 28) | ((code & 7) << 22)
    return bits.to(tl.float32, bitcast=True) * 2.0**126


@triton.jit
def quantize_mx(x, mask, dtype: tl.constexpr, ROUND_DOWN: tl.constexpr):
    """(values, scales [M, N / 32]) of a block [M, N]; what the mask leaves out does not count. Pairs of e2m1 are packed: [M, N / 2]."""
    M: tl.constexpr = x.shape[0]
    N: tl.constexpr = x.shape[1]
    GROUPS: tl.constexpr = N // MXFP_BLOCK_SIZE
    x = x.to(tl.float32)
    magnitude = tl.where(mask, tl.abs(x), 0.0)
    absmax = tl.max(tl.reshape(magnitude, (M, GROUPS, MXFP_BLOCK_SIZE)), axis=2, keep_dims=True)
    if ROUND_DOWN:
        bits = tl.div_rn(absmax, largest_power(dtype) + tl.zeros_like(absmax)).to(tl.uint32, bitcast=True) & 0x7F800000
    else:
        ratio = tl.div_rn(absmax, get_max_quant_val(dtype) + tl.zeros_like(absmax))
        bits = (ratio.to(tl.uint32, bitcast=True) + 0x007FFFFF) & 0x7F800000
    scale = bits.to(tl.float32, bitcast=True)
    factor = tl.where(scale == 0, 0.0, tl.div_rn(tl.full(scale.shape, 1.0, tl.float32), scale))
    x = tl.reshape(tl.reshape(x, (M, GROUPS, MXFP_BLOCK_SIZE)) * factor, (M, N))
    scales = tl.reshape((bits >> 23).to(tl.uint8), (M, GROUPS))
    if dtype == tl.uint8:
        low, high = tl.split(tl.reshape(_to_e2m1(x), (M, N // 2, 2)))
        return low | (high << 4), scales
    else:
        largest: tl.constexpr = get_max_quant_val(dtype)
        return tl.clamp(x, -largest, largest, propagate_nan=tl.PropagateNan.ALL).to(dtype), scales


@triton.jit
def quantize_mxfp8_fn(x, mask, pid=None):
    """(e4m3 values, scales) of a block, 32 columns per scale; usable as the epilogue of a matrix product."""
    return quantize_mx(x, mask, tl.float8e4nv, False)


@triton.jit
def scale_to_float(scale):
    """Scale codes as float32; 255 is NaN."""
    code = scale.to(tl.uint32)
    bits = tl.where(code == 0, 0x00400000, code << 23)
    return tl.where(code == 255, 0x7FC00000, bits).to(tl.uint32).to(tl.float32, bitcast=True)


@triton.jit
def dequantize_mx(values, scales, LARGEST: tl.constexpr):
    """A block of values (packed, if of uint8) with its scales as float32, clamped to what the target holds."""
    if values.dtype == tl.uint8:
        x = tl.reshape(
            tl.join(_from_e2m1(values & 0xF), _from_e2m1(values >> 4)), (values.shape[0], values.shape[1] * 2)
        )
    else:
        x = values.to(tl.float32)
    M: tl.constexpr = x.shape[0]
    N: tl.constexpr = x.shape[1]
    factor = tl.reshape(scale_to_float(scales), (M, N // MXFP_BLOCK_SIZE, 1))
    x = tl.reshape(x, (M, N // MXFP_BLOCK_SIZE, MXFP_BLOCK_SIZE)) * factor
    x = tl.clamp(x, -LARGEST, LARGEST, propagate_nan=tl.PropagateNan.ALL)
    return tl.reshape(x, (M, N))


@triton.jit
def downcast_kernel(
    Source, stride_row: tl.int64, stride_col: tl.int64, Values, stride_values: tl.int64, Scales, stride_scales: tl.int64,
    n_rows, n_cols, ROUND_DOWN: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):  # fmt: skip
    dtype: tl.constexpr = Values.dtype.element_ty
    PACK: tl.constexpr = 2 if dtype == tl.uint8 else 1
    GROUPS: tl.constexpr = COLUMNS // MXFP_BLOCK_SIZE
    WIDTH: tl.constexpr = COLUMNS // PACK
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(Source + rows * stride_row + cols * stride_col, mask=mask, other=0.0)
    values, scales = quantize_mx(x, mask, dtype, ROUND_DOWN)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)[None, :]
    tl.store(Values + rows * stride_values + cols, values, mask=(rows < n_rows) & (cols * PACK < n_cols))
    groups = tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)[None, :]
    tl.store(Scales + rows * stride_scales + groups, scales, mask=(rows < n_rows) & (groups * MXFP_BLOCK_SIZE < n_cols))


@triton.jit
def upcast_kernel(
    Values, stride_row: tl.int64, stride_col: tl.int64, Scales, stride_scale_row: tl.int64, stride_scale_col: tl.int64,
    Out, stride_out: tl.int64, n_rows, n_cols, LARGEST: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):  # fmt: skip
    PACK: tl.constexpr = 2 if Values.dtype.element_ty == tl.uint8 else 1
    GROUPS: tl.constexpr = COLUMNS // MXFP_BLOCK_SIZE
    WIDTH: tl.constexpr = COLUMNS // PACK
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)[None, :]
    groups = tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)[None, :]
    values = tl.load(
        Values + rows * stride_row + cols * stride_col, mask=(rows < n_rows) & (cols * PACK < n_cols), other=0.0
    )
    scales = tl.load(
        Scales + rows * stride_scale_row + groups * stride_scale_col,
        mask=(rows < n_rows) & (groups * MXFP_BLOCK_SIZE < n_cols),
        other=0,
    )
    x = dequantize_mx(values, scales, LARGEST)
    cols = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(Out + rows * stride_out + cols, x.to(Out.dtype.element_ty), mask=(rows < n_rows) & (cols < n_cols))
