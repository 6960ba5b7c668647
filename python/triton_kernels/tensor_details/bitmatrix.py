"""What routing needs to know of a matrix of bits with k ones per row: how many each column has, and the order of all ones by column."""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

_GROUP = 32  # rows that one program sorts


@dataclass
class BitmatrixMetadata:
    """All int32. Nonzeros are numbered row by row: number `row * k + j`.

    col_sum: ones per column. col_sorted_indx: the numbers, column by column. row_sorted_indx: where each number stands there. -1: nothing.
    """

    col_sum: torch.Tensor
    col_sorted_indx: torch.Tensor
    row_sorted_indx: torch.Tensor


@triton.jit
def load_size(size):
    """A size that is a number, or is on the device."""
    if isinstance(size, tl.tensor) and size.dtype.is_ptr():
        return tl.load(size).to(tl.int32)
    else:
        return size


@triton.jit
def _sum_rows(
    Words, stride_row, stride_word, n_rows, n_cols, Sums, Partials, stride_group, stride_col,
    n_groups, ROWS: tl.constexpr, GROUPS: tl.constexpr
):  # fmt: skip
    """Ones per column of a few groups of rows; one word of columns per program."""
    word = tl.program_id(1)
    n_rows = load_size(n_rows)
    groups = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    rows = groups[:, None] * ROWS + tl.arange(0, ROWS)[None, :]
    words = tl.load(Words + rows * stride_row + word * stride_word, mask=rows < n_rows, other=0)
    bits = (words[:, :, None] >> tl.arange(0, 32)[None, None, :]) & 1
    partials = tl.sum(bits.to(tl.int32), axis=1)
    cols = word * 32 + tl.arange(0, 32)
    places = Partials + groups[:, None] * stride_group + cols[None, :] * stride_col
    tl.store(places, partials, mask=(groups[:, None] < n_groups) & (cols[None, :] < n_cols))
    tl.atomic_add(Sums + cols, tl.sum(partials, axis=0), mask=cols < n_cols, sem="relaxed")


def sum_bitmatrix_rows(x, partials_block_size=32):
    """(ones per column, ones per column in each group of rows [groups, columns]); the groups of a column lie side by side."""
    assert partials_block_size & (partials_block_size - 1) == 0, "partials_block_size must be a power of two"
    n_rows_max, n_cols = x.shape_max
    words = x.storage.data
    n_groups = triton.cdiv(n_rows_max, partials_block_size)
    sums = torch.zeros(n_cols, dtype=torch.int32, device=words.device)
    partials = torch.empty((n_cols, n_groups), dtype=torch.int32, device=words.device).T
    if n_groups and n_cols:
        groups = max(1, 256 // partials_block_size)
        _sum_rows[(triton.cdiv(n_groups, groups), triton.cdiv(n_cols, 32))](
            words.view(torch.int32), words.stride(0), words.stride(1), x.shape[0], n_cols,
            sums, partials, partials.stride(0), partials.stride(1), n_groups,
            ROWS=partials_block_size, GROUPS=groups,
        )  # fmt: skip
    return sums, partials


def _bits_torch(x):
    """A bitmatrix as int32 zeros and ones [rows, columns]; rows that are not there are zero."""
    words = x.storage.data.view(torch.int32)[: x.shape_max[0]]
    shifts = torch.arange(32, device=words.device, dtype=torch.int32)
    bits = ((words.unsqueeze(-1) >> shifts) & 1).flatten(1)[:, : x.shape_max[1]].clone()
    bits[int(x.shape[0]) :] = 0
    return bits


def sum_bitmatrix_rows_torch(x, partials_block_size=32):
    bits = _bits_torch(x)
    padding = -bits.shape[0] % partials_block_size
    groups = torch.nn.functional.pad(bits, (0, 0, 0, padding)).reshape(-1, partials_block_size, bits.shape[1])
    partials = groups.sum(dim=1, dtype=torch.int32)
    return bits.sum(dim=0, dtype=torch.int32), torch.empty_like(
        partials.T, memory_format=torch.contiguous_format
    ).T.copy_(partials)


@triton.jit
def _scan_exclusively(Values, Sums, n, stride, BLOCK: tl.constexpr):
    """Sums[i] = Values[0] + … + Values[i - 1]; they may be the same."""
    total = tl.zeros((), tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(Values + at * stride, mask=at < n, other=0)
        inclusive = tl.cumsum(values, 0)
        tl.debug_barrier()
        tl.store(Sums + at * stride, total + inclusive - values, mask=at < n)
        total += tl.sum(values, 0)


@triton.jit
def _prepare_sort(
    Sums, Offsets, Partials, stride_group, stride_col, n_groups, n_cols, Filled, n_filled, BLOCK: tl.constexpr
):  # fmt: skip
    """Where each column begins, where each group of rows begins in its column, and -1 wherever the sort writes nothing."""
    pid = tl.program_id(0)
    if pid == n_cols:
        _scan_exclusively(Sums, Offsets, n_cols, 1, BLOCK)
    elif pid < n_cols:
        column = Partials + pid * stride_col
        _scan_exclusively(column, column, n_groups, stride_group, BLOCK)
    else:
        at = (pid - n_cols - 1) * BLOCK + tl.arange(0, BLOCK)
        tl.store(Filled + at, tl.full((BLOCK,), -1, tl.int32), mask=at < n_filled)


@triton.jit
def _count_run(key_a, count_a, key_b, count_b):
    return key_b, tl.where(key_a == key_b, count_a, 0) + count_b


@triton.jit
def _sort_rows(
    ByColumn, ByRow, Indices, stride_row, n_rows, Offsets, Partials, stride_group, stride_col, n_cols,
    K: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """Gives each nonzero of a group of rows its place in the order by column."""
    group = tl.program_id(0)
    n_rows = load_size(n_rows)
    local = tl.arange(0, BLOCK)
    row = group * ROWS + local // K
    is_there = (local < ROWS * K) & (row < n_rows)
    col = tl.load(Indices + row.to(tl.int64) * stride_row + local % K, mask=is_there, other=-1).to(tl.int32)
    # Ones without a column come last. Numbers in the low half keep the order of rows.
    key = tl.sort(((col & 0xFFFF) << 16).to(tl.uint32) | local.to(tl.uint32))
    col = (key >> 16).to(tl.int32)
    local = (key & 0xFFFF).to(tl.int32)
    _, count = tl.associative_scan((col, tl.full((BLOCK,), 1, tl.int32)), 0, _count_run)
    is_there = col < n_cols
    place = tl.load(Offsets + col, mask=is_there, other=0) + count - 1
    place += tl.load(Partials + group * stride_group + col * stride_col, mask=is_there, other=0)
    number = group * ROWS * K + local
    tl.store(ByColumn + place, number, mask=is_there)
    tl.store(ByRow + number, place, mask=is_there)


def make_bitmatrix_metadata(nonzero_indx, bitmatrix):
    """The metadata of a bitmatrix whose ones are the columns `nonzero_indx` [rows, k], ascending in each row; -1: fewer than k."""
    n_rows, k = nonzero_indx.shape
    n_cols = bitmatrix.shape_max[1]
    assert _GROUP * k <= 32768, f"at most {32768 // _GROUP} nonzeros per row, not {k}"
    assert n_cols <= 65535, f"at most 65535 columns, not {n_cols}"
    device = nonzero_indx.device
    nonzero_indx = nonzero_indx.contiguous()
    sums, partials = sum_bitmatrix_rows(bitmatrix, _GROUP)
    both = torch.empty(2 * n_rows * k, dtype=torch.int32, device=device)
    by_column, by_row = both[: n_rows * k], both[n_rows * k :]
    offsets = torch.empty(n_cols, dtype=torch.int32, device=device)
    block = 512
    grid = (n_cols + 1 + triton.cdiv(both.numel(), block),)
    _prepare_sort[grid](
        sums, offsets, partials, partials.stride(0), partials.stride(1), partials.shape[0], n_cols,
        both, both.numel(), BLOCK=block,
    )  # fmt: skip
    if both.numel():
        _sort_rows[(triton.cdiv(n_rows, _GROUP),)](
            by_column, by_row, nonzero_indx, nonzero_indx.stride(0), bitmatrix.shape[0],
            offsets, partials, partials.stride(0), partials.stride(1), n_cols,
            K=k, ROWS=_GROUP, BLOCK=triton.next_power_of_2(_GROUP * k),
        )  # fmt: skip
    return BitmatrixMetadata(sums, by_column, by_row)


def make_bitmatrix_metadata_torch(nonzero_indx, bitmatrix):
    n_cols = bitmatrix.shape_max[1]
    columns = nonzero_indx.to(torch.int64).clone()
    columns[int(bitmatrix.shape[0]) :] = -1
    columns = columns.reshape(-1)
    n_valid = int((columns >= 0).sum())
    order = torch.argsort(torch.where(columns < 0, n_cols, columns), stable=True).to(torch.int32)
    by_row = torch.full_like(order, -1)
    by_row[order[:n_valid].long()] = torch.arange(n_valid, dtype=torch.int32, device=order.device)
    order[n_valid:] = -1
    return BitmatrixMetadata(_bits_torch(bitmatrix).sum(dim=0, dtype=torch.int32), order, by_row)
