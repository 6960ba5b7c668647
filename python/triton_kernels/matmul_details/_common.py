"""What both kernels of the product share: which tile a program takes, and how a finished tile is stored."""

import triton
import triton.language as tl

from ..numerics_details.flexpoint import float_to_flex, load_scale
from ..numerics_details.mxfp_device import MXFP_BLOCK_SIZE
from ..target_info import is_cuda


@triton.jit
def xcd_swizzle(pid, n, XCD: tl.constexpr):
    """Programs that follow each other go to different chiplets; this gives each chiplet neighbouring tiles."""
    group = pid % XCD
    return group * (n // XCD) + tl.minimum(group, n % XCD) + pid // XCD


@triton.jit
def swizzle2d(pid, grid_m, grid_n, GROUP_M: tl.constexpr):
    """(row, column) of a tile: column by column within groups of GROUP_M rows."""
    width = GROUP_M * grid_n
    first = (pid // width) * GROUP_M
    size = tl.minimum(grid_m - first, GROUP_M)
    return first + (pid % width) % size, (pid % width) // size


@triton.jit
def decode_tile(tile, batch, grid_m, grid_n, SPLIT_K: tl.constexpr, GROUP_M: tl.constexpr, XCD: tl.constexpr):
    """(batch or expert, row, column, part of the sum) of tile number `tile`."""
    if XCD != 1:
        tile = xcd_swizzle(tile, batch * grid_m * grid_n * SPLIT_K, XCD)
    pid_z = tile // (grid_m * grid_n * SPLIT_K)
    tile = tile % (grid_m * grid_n * SPLIT_K)
    pid_m, pid_n = swizzle2d(tile // SPLIT_K, grid_m, grid_n, GROUP_M)
    return pid_z, pid_m, pid_n, tile % SPLIT_K


@triton.jit
def load_tile_rows(pid_z, pid_m, M, ragged, BLOCK_M: tl.constexpr):
    """(expert, batch of x, first slot of the expert, rows of the expert, first row of the tile in it)

    `ragged`: (slice sizes, slice offsets, schedule), or (None, None, None): then each batch has an expert of its own.
    """
    if ragged[2] is not None:
        word = tl.load(ragged[2] + pid_m)
        expert = word & 0xFFFF
        return expert, pid_z * 0, tl.load(ragged[1] + expert), tl.load(ragged[0] + expert), (word >> 16) * BLOCK_M
    else:
        return pid_z, pid_z, 0, M, pid_m * BLOCK_M


@triton.jit
def load_tile_sum(pid_z, K, inner, BLOCK_K: tl.constexpr, X_PADDED: tl.constexpr, W_PADDED: tl.constexpr):
    """(length of the sum, where it begins in x, and in w); `inner`: (sizes, offsets, offsets in blocks) of experts along it, or None thrice."""
    if inner[0] is not None:
        padded = tl.load(inner[2] + pid_z) * BLOCK_K
        plain = tl.load(inner[1] + pid_z)
        return tl.load(inner[0] + pid_z), padded if X_PADDED else plain, padded if W_PADDED else plain
    else:
        return K, 0, 0


@triton.jit
def _value(scalar):
    """A number, or what a pointer points at."""
    if isinstance(scalar, tl.tensor) and scalar.dtype.is_ptr():
        return tl.load(scalar)
    else:
        return scalar


@triton.jit
def _scale_of(scale, index, PER_BATCH: tl.constexpr):
    if scale is None:
        return None
    elif PER_BATCH:
        return scale + index
    else:
        return scale


@triton.jit
def _send(Y, y_strides, out, rows, cols, mask, comm):
    """Stores to the results of other ranks."""
    addresses, n_peers, shards, reduce_rank, n_reduce_shards = comm
    target_rows = rows * n_reduce_shards + reduce_rank
    if shards is not None:
        shard = tl.load(shards + rows, mask=mask, other=-1)
    for peer in range(0, n_peers):
        base = tl.load(addresses + peer).to(tl.pointer_type(Y.dtype.element_ty))
        goes = mask
        if shards is not None:
            goes = mask & (shard == peer // n_reduce_shards)
        tl.store(base + target_rows.to(tl.int64) * y_strides[2] + cols * y_strides[3], out, mask=goes)
    if is_cuda():
        tl.inline_asm_elementwise("fence.acq_rel.sys; // $0", "=r", [], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def finish_tile(
    acc, tile, Y, y_strides, y_mx, y_flex, x_flex, w_flex, acc_in, bias, row_scales, out_alpha, scatter, comm, N_OUT,
    ACTIVATION_FN: tl.constexpr, activation_fn_args, EPILOGUE_FN: tl.constexpr, epilogue_fn_args,
    SHRINK: tl.constexpr, PER_BATCH: tl.constexpr, SATURATE: tl.constexpr, INDEX: tl.constexpr,
):  # fmt: skip
    """From sums to stored results: scales, bias, activation, weights, what is added to, conversion.

    tile: (expert, batch of x, batch of y, first slot, rows of the expert, first row of the tile, column of the tile, part of the sum)
    """
    expert, z_x, z_y, first_slot, n_rows, first_row, pid_n, pid_k = tile
    BLOCK_M: tl.constexpr = acc.shape[0]
    BLOCK_N: tl.constexpr = acc.shape[1]
    WIDTH: tl.constexpr = BLOCK_N // SHRINK
    rows = first_row + tl.arange(0, BLOCK_M)
    is_row = rows < n_rows
    slots = first_slot + rows
    x_scale = load_scale(_scale_of(x_flex, z_x, PER_BATCH[0]))
    w_scale = load_scale(_scale_of(w_flex, expert, PER_BATCH[1]))
    acc = acc * (x_scale * w_scale)
    betas, gammas = row_scales
    if bias[0] is not None:
        # One part of the sum adds it.
        cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        row = tl.load(bias[0] + expert * bias[1] + cols, mask=(cols < N_OUT * SHRINK) & (pid_k == 0), other=0.0)
        row = row.to(tl.float32)[None, :]
        if betas is not None:
            row = row * tl.load(betas + slots, mask=is_row, other=0.0)[:, None]
        acc = acc + row
    if out_alpha is not None:
        acc = acc * _value(out_alpha)
    if ACTIVATION_FN is not None:
        acc = ACTIVATION_FN(acc, *activation_fn_args)
    tl.static_assert(acc.shape[1] == WIDTH, "the activation must shrink the last dimension by its reduction_n")
    if gammas is not None:
        acc = acc * tl.load(gammas + slots, mask=is_row, other=0.0)[:, None]
    cols = pid_n * WIDTH + tl.arange(0, WIDTH)[None, :]
    out_rows = slots
    if scatter is not None:
        out_rows = tl.load(scatter + slots, mask=is_row, other=-1)
        is_row = is_row & (out_rows >= 0)
    out_rows = out_rows.to(INDEX)[:, None]
    mask = is_row[:, None] & (cols < N_OUT)
    if acc_in[0] is not None:
        places = acc_in[0] + z_y.to(tl.int64) * acc_in[1] + out_rows * acc_in[2] + cols * acc_in[3]
        before = tl.load(places, mask=mask & (pid_k == 0), other=0.0).to(tl.float32)
        acc = acc + before * (acc_in[4] * load_scale(acc_in[5]))
    base = Y + pid_k.to(tl.int64) * y_strides[0] + z_y.to(tl.int64) * y_strides[1]
    expected = _scale_of(y_flex[0], z_y, PER_BATCH[2])
    actual = _scale_of(y_flex[1], z_y, PER_BATCH[2])
    out = float_to_flex(acc, expected, actual, _scale_of(y_flex[2], z_y, PER_BATCH[2]), mask, Y, SATURATE)
    if y_mx[0] is not None:
        GROUPS: tl.constexpr = WIDTH // MXFP_BLOCK_SIZE
        out, codes = EPILOGUE_FN(out, mask, *epilogue_fn_args)
        groups = pid_n * GROUPS + tl.arange(0, GROUPS)[None, :]
        places = (
            y_mx[0] + pid_k.to(tl.int64) * y_mx[1] + z_y.to(tl.int64) * y_mx[2] + out_rows * y_mx[3] + groups * y_mx[4]
        )
        tl.store(places, codes, mask=is_row[:, None] & (groups * MXFP_BLOCK_SIZE < N_OUT))
    elif EPILOGUE_FN is not None:
        out = EPILOGUE_FN(out, *epilogue_fn_args, target_dtype=Y.dtype.element_ty)
    out = out.to(Y.dtype.element_ty)
    if comm[0] is not None:
        _send(Y, y_strides, out, out_rows, cols, mask, comm)
    else:
        tl.store(base + out_rows * y_strides[2] + cols * y_strides[3], out, mask=mask)


@triton.jit
def zero_rows_kernel(Y, stride_m: tl.int64, stride_n: tl.int64, Sources, N, BLOCK: tl.constexpr):
    """Zeros in the rows that no slot goes to."""
    row = tl.program_id(0)
    if tl.load(Sources + row) == -1:
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            zeros = tl.zeros((BLOCK,), tl.float32).to(Y.dtype.element_ty)
            tl.store(Y + row * stride_m + cols * stride_n, zeros, mask=cols < N)
