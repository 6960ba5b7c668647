"""The product of experts, in programs that take tile after tile, with descriptors of the operands."""

import torch
import triton
import triton.language as tl
from triton.tools.ragged_tma import load_ragged

from ..target_info import cuda_capability_geq, has_tma_gather
from ..tensor import Storage
from ..tensor_details.layout_details.blackwell_scale import unswizzle_mx_scale_bw
from ._common import decode_tile, finish_tile, load_tile_rows, load_tile_sum
from ._matmul import load_w_scales, load_x_scales, multiply, multiply_mx
from ._metadata import matmul_launch_metadata, matmul_repr

_buffers = {}


def install_allocator(device):
    """Scratch memory for kernels: one buffer per device and stream, which grows."""

    def allocate(size, alignment, stream):
        assert alignment == 128, f"scratch memory is aligned to 128 bytes, not {alignment}"
        key = (str(device), stream)
        if key not in _buffers or _buffers[key].numel() < size:
            _buffers[key] = torch.empty(size, dtype=torch.int8, device=device)
        return _buffers[key]

    triton.set_allocator(allocate)


def make_descriptors(operands, flags):
    """(x, w, scales of w, how the kernel reads them); x stays a pointer where rows are gathered and descriptors cannot."""
    flex = operands.config.flex_ctx
    x = flex.lhs_data.reinterpret(operands.x)
    x = x if x.ndim == 3 else x[None]
    if operands.gather is not None:
        mode = "gather" if has_tma_gather() and x.stride(-1) == 1 else "pointer"
        described = Storage(x[0]).make_tma([1, flags.block_k], "gather") if mode == "gather" else x
    elif operands.is_ragged:
        mode, described = "ragged", Storage(x[0]).make_tma([flags.block_m, flags.block_k], "ragged")
    else:
        mode, described = "dense", Storage(x).make_tma([1, flags.block_m, flags.block_k], "dense")
    storage = operands.w.storage
    data = flex.rhs_data.reinterpret(storage.data)
    w = Storage(data, storage.layout).make_tma([1, flags.block_k, flags.block_n], "dense")
    scale = None
    if operands.w_scale is not None and operands.w_scale.storage.layout.name == "BLACKWELL_SCALE":
        scale = operands.w_scale.storage.make_tma([flags.block_n, flags.block_k // 32], "dense", is_scale=True)
    modes = {"X_MODE": mode, "X_TRANSPOSE": x.stride(-1) != 1, "W_TRANSPOSE": data.stride(-1) != 1}
    return described, w, scale, modes


@triton.jit
def _finish(
    acc,
    tile,
    SUBTILE: tl.constexpr,
    arguments,
    functions,
    activation_fn_args,
    epilogue_fn_args,
    SHRINK: tl.constexpr,
    PER_BATCH: tl.constexpr,
    SATURATE: tl.constexpr,
    INDEX: tl.constexpr,
):
    """Stores a tile in parts of its columns, which need less memory at once."""
    expert, z_x, z_y, first_slot, n_rows, first_row, pid_n, pid_k = tile
    if SUBTILE == 1:
        (Y, y_strides, y_mx, y_flex, x_flex, w_flex, acc_in, bias, row_scales, out_alpha, scatter, comm, N_OUT) = (
            arguments
        )
        finish_tile(
            acc, tile, Y, y_strides, y_mx, y_flex, x_flex, w_flex, acc_in, bias, row_scales, out_alpha, scatter, comm, N_OUT,
            functions[0], activation_fn_args, functions[1], epilogue_fn_args, SHRINK, PER_BATCH, SATURATE, INDEX,
        )  # fmt: skip
    else:
        halves = tl.permute(tl.reshape(acc, (acc.shape[0], 2, acc.shape[1] // 2)), (0, 2, 1))
        left, right = tl.split(halves)
        for side in tl.static_range(2):
            _finish(
                right if side else left,
                (expert, z_x, z_y, first_slot, n_rows, first_row, pid_n * 2 + side, pid_k),
                SUBTILE // 2, arguments, functions, activation_fn_args, epilogue_fn_args, SHRINK, PER_BATCH, SATURATE, INDEX,
            )  # fmt: skip


@triton.jit(repr=matmul_repr, launch_metadata=matmul_launch_metadata)
def _p_matmul(
    Y, y_strides, y_mx, y_flex, X, x_strides, x_mx, x_flex, W, w_strides, w_mx, w_flex, acc_in, bias, row_scales,
    out_alpha, M, N, K, N_OUT, gather, scatter, ragged, n_tiles_m, inner, batch, grid_m, grid_n, comm, W_SCALE,
    ACTIVATION_FN: tl.constexpr, activation_fn_args, EPILOGUE_FN: tl.constexpr, epilogue_fn_args,
    N_EXPTS_ACT: tl.constexpr, SHRINK: tl.constexpr, PER_BATCH: tl.constexpr, X_PADDED: tl.constexpr,
    W_PADDED: tl.constexpr, W_LAYOUT: tl.constexpr, W_SCALE_LAYOUT: tl.constexpr, W_SCALE_WARPS: tl.constexpr,
    SATURATE: tl.constexpr, ALLOW_TF32: tl.constexpr, MAX_IMPRECISE: tl.constexpr, EVEN_K: tl.constexpr,
    W_CACHE_MODIFIER: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    SPLIT_K: tl.constexpr, GROUP_M: tl.constexpr, XCD: tl.constexpr, INDEX: tl.constexpr,
    X_MODE: tl.constexpr, X_TRANSPOSE: tl.constexpr, W_TRANSPOSE: tl.constexpr, NUM_PROGRAMS: tl.constexpr,
    SUBTILE: tl.constexpr,
):  # fmt: skip
    """The arguments are those of the other kernel; X and W are descriptors."""
    if n_tiles_m is not None:
        grid_m = tl.load(n_tiles_m)
    n_tiles = batch * grid_m * grid_n * SPLIT_K
    IS_INNER: tl.constexpr = inner[0] is not None
    IS_MX: tl.constexpr = w_mx[0] is not None
    PACK: tl.constexpr = 2 if IS_MX and W.dtype == tl.uint8 else 1
    for number in tl.range(tl.program_id(0), n_tiles, NUM_PROGRAMS, warp_specialize=cuda_capability_geq(10, 0)):
        pid_z, pid_m, pid_n, pid_k = decode_tile(number, batch, grid_m, grid_n, SPLIT_K, GROUP_M, XCD)
        expert, z_x, first_slot, n_rows, first_row = load_tile_rows(pid_z, pid_m, M, ragged, BLOCK_M)
        k_len, k_in_x, k_in_w = load_tile_sum(pid_z, K, inner, BLOCK_K, X_PADDED, W_PADDED)
        w_expert = expert
        if IS_INNER:
            z_x = pid_z * 0
            w_expert = pid_z * 0
        rows = (first_row + tl.arange(0, BLOCK_M)) % n_rows
        if gather is None:
            rows = first_slot + rows
        else:
            rows = tl.maximum(tl.load(gather + first_slot + rows), 0) // N_EXPTS_ACT
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for part in range(pid_k, tl.cdiv(k_len, BLOCK_K), SPLIT_K):
            k = part * BLOCK_K
            if X_MODE == "pointer":
                x_k = k + tl.arange(0, BLOCK_K)
                places = X + rows.to(INDEX)[:, None] * x_strides[1] + x_k[None, :] * x_strides[2]
                x = tl.load(places, mask=(x_k < k_len)[None, :], other=0.0)
            elif X_MODE == "gather":
                x = X.gather(rows, k)
            elif X_MODE == "ragged":
                x = load_ragged(X, first_slot, n_rows, [first_row, k])
            elif X_TRANSPOSE:
                x = tl.trans(tl.reshape(X.load([z_x, k_in_x + k, first_row]), (BLOCK_K, BLOCK_M)))
            else:
                x = tl.reshape(X.load([z_x, first_row, k_in_x + k]), (BLOCK_M, BLOCK_K))
            w_k = (k_in_w + k) // PACK
            if W_TRANSPOSE:
                w = tl.trans(tl.reshape(W.load([w_expert, pid_n * BLOCK_N, w_k]), (BLOCK_N, BLOCK_K // PACK)))
            else:
                w = tl.reshape(W.load([w_expert, w_k, pid_n * BLOCK_N]), (BLOCK_K, BLOCK_N))
            if IS_MX:
                if W_SCALE is not None:
                    tiles: tl.constexpr = BLOCK_N // 128
                    n_tile = w_expert * tl.cdiv(N, 128) + pid_n * tiles
                    w_codes = unswizzle_mx_scale_bw(W_SCALE.load([0, n_tile, (k_in_w + k) // 128, 0, 0]))
                else:
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
        _finish(
            acc, (expert, z_x, pid_z, first_slot, n_rows, first_row, pid_n, pid_k), SUBTILE,
            (Y, y_strides, y_mx, y_flex, x_flex, w_flex, acc_in, bias, row_scales, out_alpha, scatter, comm, N_OUT),
            (ACTIVATION_FN, EPILOGUE_FN), activation_fn_args, epilogue_fn_args, SHRINK, PER_BATCH, SATURATE, INDEX,
        )  # fmt: skip
