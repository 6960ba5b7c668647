"""The product of experts, one tile per program, with plain loads."""

import triton
import triton.language as tl

from ..numerics_details.mxfp_device import MXFP_BLOCK_SIZE, scale_to_float
from ..tensor_details.layout_details.blackwell_scale import unswizzle_mx_scale_bw
from ..tensor_details.layout_details.cdna4_scale import unswizzle_mx_scale_cdna4
from ..tensor_details.layout_details.hopper_scale import unswizzle_mxfp4_scale_hopper
from ..tensor_details.layout_details.hopper_value import mxfp4_to_bf16_triton
from ._common import decode_tile, finish_tile, load_tile_rows, load_tile_sum
from ._metadata import matmul_launch_metadata, matmul_repr


@triton.constexpr_function
def format_of(dtype):
    """How `tl.dot_scaled` calls an element type; bytes hold e2m1."""
    formats = {"uint8": "e2m1", "fp8e4nv": "e4m3", "fp8e5": "e5m2", "bf16": "bf16", "fp16": "fp16"}
    return formats[str(dtype)]


@triton.jit
def load_w_scales(
    w_mx, expert, pid_n, k, N, k_len, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, LAYOUT: tl.constexpr,
    NUM_WARPS: tl.constexpr
):  # fmt: skip
    """Scales [BLOCK_N, BLOCK_K / 32] of w from element `k` of the sum on; w_mx: (pointer, strides of expert, sum and columns)."""
    GROUPS: tl.constexpr = BLOCK_K // MXFP_BLOCK_SIZE
    base = w_mx[0] + expert.to(tl.int64) * w_mx[1]
    group = k // MXFP_BLOCK_SIZE
    if LAYOUT == "HOPPER_SCALE" or LAYOUT == "CDNA4_SCALE":
        n = pid_n * (BLOCK_N // 32) + tl.arange(0, BLOCK_N // 32)[:, None]
        at = group * 32 + tl.arange(0, GROUPS * 32)[None, :]
        # Rows of a block of 32 * NUM_WARPS, and the groups of a pair, lie among each other: whole blocks and pairs are there.
        mask = (n < tl.cdiv(N, 32 * NUM_WARPS) * NUM_WARPS) & (at < tl.cdiv(k_len, 2 * MXFP_BLOCK_SIZE) * 64)
        codes = tl.load(base + n * w_mx[3] + at * w_mx[2], mask=mask, other=0)
        if LAYOUT == "HOPPER_SCALE":
            return unswizzle_mxfp4_scale_hopper(codes, 1, NUM_WARPS)
        else:
            return unswizzle_mx_scale_cdna4(codes, BLOCK_N, GROUPS)
    elif LAYOUT == "BLACKWELL_SCALE":
        # [1, experts * N / 128, sum / 4, 2, 256]: the strides are those of dims 1 and 2, the expert's that of its tiles.
        n = pid_n * (BLOCK_N // 128) + tl.arange(0, BLOCK_N // 128)[:, None, None]
        at = group // 4 + tl.arange(0, GROUPS // 4)[None, :, None]
        mask = (n * 128 < N) & (at * 4 * MXFP_BLOCK_SIZE < k_len)
        codes = tl.load(base + n * w_mx[3] + at * w_mx[2] + tl.arange(0, 512)[None, None, :], mask=mask, other=0)
        return unswizzle_mx_scale_bw(tl.reshape(codes, (1, BLOCK_N // 128, GROUPS // 4, 2, 256)))
    else:
        n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)[:, None]
        at = group + tl.arange(0, GROUPS)[None, :]
        mask = (n < N) & (at * MXFP_BLOCK_SIZE < k_len)
        return tl.load(base + n * w_mx[3] + at * w_mx[2], mask=mask, other=0)


@triton.jit
def load_x_scales(x_mx, z, rows, k, k_len, BLOCK_K: tl.constexpr):
    """Scales [rows, BLOCK_K / 32] of x."""
    GROUPS: tl.constexpr = BLOCK_K // MXFP_BLOCK_SIZE
    at = k // MXFP_BLOCK_SIZE + tl.arange(0, GROUPS)[None, :]
    places = x_mx[0] + z.to(tl.int64) * x_mx[1] + rows[:, None] * x_mx[2] + at * x_mx[3]
    return tl.load(places, mask=at * MXFP_BLOCK_SIZE < k_len, other=0)


@triton.jit
def apply_scales(x, codes):
    """x [M, K] as float32, times its scales [M, K / 32]."""
    GROUPS: tl.constexpr = x.shape[1] // MXFP_BLOCK_SIZE
    groups = tl.reshape(x.to(tl.float32), (x.shape[0], GROUPS, MXFP_BLOCK_SIZE))
    return tl.reshape(groups * tl.expand_dims(scale_to_float(codes), 2), x.shape)


@triton.jit
def multiply_mx(acc, x, x_scales, w, w_scales):
    """acc + x @ w, with scales of w and, unless x has 16 bits, of x."""
    X_FORMAT: tl.constexpr = format_of(x.dtype)
    W_FORMAT: tl.constexpr = format_of(w.dtype)
    if x_scales is None and (X_FORMAT == "e4m3" or X_FORMAT == "e5m2"):
        x_scales = tl.full((x.shape[0], x.shape[1] // MXFP_BLOCK_SIZE), 127, tl.uint8)
    return tl.dot_scaled(x, x_scales, X_FORMAT, w, w_scales, W_FORMAT, acc=acc, fast_math=True)


@triton.jit
def multiply(acc, x, w, ALLOW_TF32: tl.constexpr, MAX_IMPRECISE: tl.constexpr):
    """acc + x @ w; the narrower operand becomes as wide as the other."""
    if x.dtype != w.dtype and x.dtype.primitive_bitwidth > w.dtype.primitive_bitwidth:
        w = w.to(x.dtype)
    elif x.dtype != w.dtype and x.dtype.primitive_bitwidth < w.dtype.primitive_bitwidth:
        x = x.to(w.dtype)
    return tl.dot(x, w, acc, allow_tf32=ALLOW_TF32, max_num_imprecise_acc=MAX_IMPRECISE, out_dtype=acc.dtype)


@triton.jit(repr=matmul_repr, launch_metadata=matmul_launch_metadata)
def _matmul(
    Y, y_strides, y_mx, y_flex, X, x_strides, x_mx, x_flex, W, w_strides, w_mx, w_flex, acc_in, bias, row_scales,
    out_alpha, M, N, K, N_OUT, gather, scatter, ragged, n_tiles_m, inner, batch, grid_m, grid_n, comm,
    ACTIVATION_FN: tl.constexpr, activation_fn_args, EPILOGUE_FN: tl.constexpr, epilogue_fn_args,
    N_EXPTS_ACT: tl.constexpr, SHRINK: tl.constexpr, PER_BATCH: tl.constexpr, X_PADDED: tl.constexpr,
    W_PADDED: tl.constexpr, W_LAYOUT: tl.constexpr, W_SCALE_LAYOUT: tl.constexpr, W_SCALE_WARPS: tl.constexpr,
    SATURATE: tl.constexpr, ALLOW_TF32: tl.constexpr, MAX_IMPRECISE: tl.constexpr, EVEN_K: tl.constexpr,
    W_CACHE_MODIFIER: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    SPLIT_K: tl.constexpr, GROUP_M: tl.constexpr, XCD: tl.constexpr, INDEX: tl.constexpr,
):  # fmt: skip
    """Groups of arguments are tuples; a group that is not there begins with None.

    y_strides: of the parts of the sum, batches, rows, columns. x_strides: batches, rows, sum. w_strides: experts, sum, columns.
    """
    tl.assume(grid_n >= 0)
    if n_tiles_m is not None:
        grid_m = tl.load(n_tiles_m)
    tile = tl.program_id(0)
    # The grid is for as many tiles as there may be.
    if tile >= batch * grid_m * grid_n * SPLIT_K:
        return
    pid_z, pid_m, pid_n, pid_k = decode_tile(tile, batch, grid_m, grid_n, SPLIT_K, GROUP_M, XCD)
    expert, z_x, first_slot, n_rows, first_row = load_tile_rows(pid_z, pid_m, M, ragged, BLOCK_M)
    k_len, k_in_x, k_in_w = load_tile_sum(pid_z, K, inner, BLOCK_K, X_PADDED, W_PADDED)
    IS_INNER: tl.constexpr = inner[0] is not None
    if IS_INNER:
        z_x = pid_z * 0
    # Rows behind the end are those from the beginning again: they are there, and nobody stores the result.
    rows = (first_row + tl.arange(0, BLOCK_M)) % n_rows
    if gather is None:
        rows = first_slot + rows
    else:
        rows = tl.maximum(tl.load(gather + first_slot + rows), 0) // N_EXPTS_ACT
    rows = rows.to(INDEX)
    cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    x_base = X + z_x.to(tl.int64) * x_strides[0] + rows[:, None] * x_strides[1]
    w_expert = expert * 0 if IS_INNER else expert
    w_base = W + w_expert.to(tl.int64) * w_strides[0]
    IS_MX: tl.constexpr = w_mx[0] is not None
    PACK: tl.constexpr = 2 if IS_MX and W.dtype.element_ty == tl.uint8 else 1
    IS_HOPPER: tl.constexpr = W_LAYOUT == "HOPPER_VALUE"
    ACC: tl.constexpr = tl.float64 if X.dtype.element_ty == tl.float64 else tl.float32
    acc = tl.zeros((BLOCK_N, BLOCK_M) if IS_HOPPER else (BLOCK_M, BLOCK_N), ACC)
    for part in range(pid_k, tl.cdiv(k_len, BLOCK_K), SPLIT_K):
        k = part * BLOCK_K
        x_k = (k + tl.arange(0, BLOCK_K)).to(INDEX)
        x_places = x_base + (k_in_x + x_k)[None, :] * x_strides[2]
        if EVEN_K:
            x = tl.load(x_places)
        else:
            x = tl.load(x_places, mask=(x_k < k_len)[None, :], other=0.0)
        if IS_HOPPER:
            # [sum * 2, columns / 4] of rearranged bytes.
            w_k = ((k_in_w + k) * 2 + tl.arange(0, BLOCK_K * 2)).to(INDEX)
            w_n = pid_n * (BLOCK_N // 4) + tl.arange(0, BLOCK_N // 4)
            w_mask = (w_n < tl.cdiv(N, 64) * 16)[:, None] & (w_k < tl.cdiv(k_in_w + k_len, 128) * 256)[None, :]
            w = tl.load(w_base + w_n[:, None] * w_strides[2] + w_k[None, :] * w_strides[1], mask=w_mask, other=0)
            codes = load_w_scales(
                w_mx, w_expert, pid_n, k_in_w + k, N, k_in_w + k_len, BLOCK_N, BLOCK_K, W_SCALE_LAYOUT, W_SCALE_WARPS
            )
            w = mxfp4_to_bf16_triton(w, codes, 1)
            if x_mx[0] is not None:
                x = apply_scales(x, load_x_scales(x_mx, z_x, rows, k_in_x + k, k_in_x + k_len, BLOCK_K))
            acc = tl.dot(w, tl.trans(x.to(tl.bfloat16)), acc)
        else:
            w_k = (k // PACK + tl.arange(0, BLOCK_K // PACK)).to(INDEX)
            w_places = w_base + (k_in_w // PACK + w_k)[:, None] * w_strides[1] + cols[None, :] * w_strides[2]
            w_mask = (cols < N)[None, :]
            if not EVEN_K:
                w_mask = w_mask & (w_k * PACK < k_len)[:, None]
            w = tl.load(w_places, mask=w_mask, other=0.0, cache_modifier=W_CACHE_MODIFIER)
            if IS_MX:
                w_codes = load_w_scales(
                    w_mx,
                    w_expert,
                    pid_n,
                    k_in_w + k,
                    N,
                    k_in_w + k_len,
                    BLOCK_N,
                    BLOCK_K,
                    W_SCALE_LAYOUT,
                    W_SCALE_WARPS,
                )
                x_codes = None
                if x_mx[0] is not None:
                    x_codes = load_x_scales(x_mx, z_x, rows, k_in_x + k, k_in_x + k_len, BLOCK_K)
                acc = multiply_mx(acc, x, x_codes, w, w_codes)
            else:
                acc = multiply(acc, x, w, ALLOW_TF32, MAX_IMPRECISE)
    if IS_HOPPER:
        acc = tl.trans(acc)
    finish_tile(
        acc, (expert, z_x, pid_z, first_slot, n_rows, first_row, pid_n, pid_k), Y, y_strides, y_mx, y_flex,
        x_flex, w_flex, acc_in, bias, row_scales, out_alpha, scatter, comm, N_OUT,
        ACTIVATION_FN, activation_fn_args, EPILOGUE_FN, epilogue_fn_args, SHRINK, PER_BATCH, SATURATE, INDEX,
    )  # fmt: skip
