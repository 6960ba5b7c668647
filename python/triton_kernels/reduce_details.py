"""The kernel of reduce: a tile of the result per program, the sum in float32."""

import triton
import triton.language as tl

from .numerics_details.flexpoint import float_to_flex, load_scale
from .numerics_details.mxfp_device import MXFP_BLOCK_SIZE, quantize_mxfp8_fn, scale_to_float


@triton.jit
def reduce_kernel(
    X, stride_xk: tl.int64, stride_xm: tl.int64, stride_xn: tl.int64,
    XScales, stride_xsk: tl.int64, stride_xsm: tl.int64, stride_xsn: tl.int64, XFlexScale,
    Mask, stride_mk: tl.int64, stride_mm: tl.int64, stride_mn: tl.int64,
    Scale, stride_sk: tl.int64, stride_sm: tl.int64, stride_sn: tl.int64,
    Y, stride_ym: tl.int64, stride_yn: tl.int64,
    YScales, stride_ysm: tl.int64, YExpectedScale, YActualScale, YChecksumScale,
    n_summed, n_rows, n_cols, n_out,
    POSTPROCESS_FN1: tl.constexpr, postprocess_fn1_args, POSTPROCESS_FN2: tl.constexpr, postprocess_fn2_args,
    SATURATE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, SHRINK: tl.constexpr,
):  # fmt: skip
    WIDTH: tl.constexpr = COLUMNS // SHRINK
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    is_inside = (rows < n_rows) & (cols < n_cols)
    flex_scale = load_scale(XFlexScale)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for k in range(0, n_summed):
        # int64: tensors may be large.
        k = k.to(tl.int64)
        x = tl.load(X + k * stride_xk + rows * stride_xm + cols * stride_xn, mask=is_inside, other=0.0).to(tl.float32)
        if XScales is not None:
            groups = tl.program_id(1) * (COLUMNS // MXFP_BLOCK_SIZE) + tl.arange(0, COLUMNS // MXFP_BLOCK_SIZE)[None, :]
            codes = tl.load(
                XScales + k * stride_xsk + rows * stride_xsm + groups * stride_xsn,
                mask=(rows < n_rows) & (groups * MXFP_BLOCK_SIZE < n_cols),
                other=0,
            )
            factors = tl.reshape(scale_to_float(codes), (ROWS, COLUMNS // MXFP_BLOCK_SIZE, 1))
            x = tl.reshape(
                tl.reshape(x, (ROWS, COLUMNS // MXFP_BLOCK_SIZE, MXFP_BLOCK_SIZE)) * factors, (ROWS, COLUMNS)
            )
        x = x * flex_scale
        if Scale is not None:
            places = Scale + k * stride_sk + rows * stride_sm + cols * stride_sn
            x = x * tl.load(places, mask=is_inside, other=0.0).to(tl.float32)
        if Mask is not None:
            places = Mask + k * stride_mk + rows * stride_mm + cols * stride_mn
            x = tl.where(tl.load(places, mask=is_inside, other=0) != 0, x, 0.0)
        total += x
    if POSTPROCESS_FN1 is not None:
        total = POSTPROCESS_FN1(total, *postprocess_fn1_args)
    tl.static_assert(total.shape[1] == WIDTH, "postprocess_fn1 must shrink the last dimension by its reduction_n")
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)[None, :]
    is_inside = (rows < n_rows) & (cols < n_out)
    total = float_to_flex(total, YExpectedScale, YActualScale, YChecksumScale, is_inside, Y, SATURATE)
    if YScales is not None:
        values, scales = quantize_mxfp8_fn(total, is_inside)
        groups = tl.program_id(1) * (WIDTH // MXFP_BLOCK_SIZE) + tl.arange(0, WIDTH // MXFP_BLOCK_SIZE)[None, :]
        is_group = (rows < n_rows) & (groups * MXFP_BLOCK_SIZE < n_out)
        tl.store(YScales + rows * stride_ysm + groups, scales, mask=is_group)
        tl.store(Y + rows * stride_ym + cols * stride_yn, values, mask=is_inside)
    else:
        if POSTPROCESS_FN2 is not None:
            total = POSTPROCESS_FN2(total, *postprocess_fn2_args, target_dtype=Y.dtype.element_ty)
        tl.store(Y + rows * stride_ym + cols * stride_yn, total.to(Y.dtype.element_ty), mask=is_inside)
