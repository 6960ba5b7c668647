"""Drops entries of rows: those whose column is not in the row's bitmask. What is left moves to the front."""

import torch
import triton
import triton.language as tl

from .tensor import Bitmatrix


def _words(bitmask):
    return (bitmask.storage.data if isinstance(bitmask, Bitmatrix) else bitmask).view(torch.int32)


@triton.jit
def _compact(
    Values, Columns, NewValues, NewColumns, stride, Words, stride_row, stride_word, n_rows, sentinel,
    K: tl.constexpr, ROWS: tl.constexpr
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    slots = tl.arange(0, K)[None, :]
    mask = (rows < n_rows) & (slots < K)
    values = tl.load(Values + rows * stride + slots, mask=mask, other=0)
    cols = tl.load(Columns + rows * stride + slots, mask=mask, other=-1).to(tl.int32)
    is_column = mask & (cols >= 0)
    word = tl.load(Words + rows * stride_row + (cols >> 5) * stride_word, mask=is_column, other=0)
    keeps = is_column & (((word >> (cols & 31)) & 1) == 1)
    position = tl.cumsum(keeps.to(tl.int32), 1) - 1
    count = tl.sum(keeps.to(tl.int32), axis=1, keep_dims=True)
    tl.store(NewValues + rows * stride + position, values, mask=keeps)
    tl.store(NewColumns + rows * stride + position, cols.to(NewColumns.dtype.element_ty), mask=keeps)
    rest = mask & (slots >= count)
    filling = tl.zeros((ROWS, K), tl.int32) + sentinel
    tl.store(NewValues + rows * stride + slots, filling.to(NewValues.dtype.element_ty), mask=rest)
    tl.store(NewColumns + rows * stride + slots, filling.to(NewColumns.dtype.element_ty), mask=rest)


def compaction(yv, yi, bitmask, sentinel=-1):
    """(values, columns) like `yv` and `yi` [rows, k]; entries whose column has no bit in `bitmask` are dropped, with `sentinel` at the end instead."""
    n_rows, k = yi.shape
    assert k & (k - 1) == 0 and k > 0, f"compaction takes a power of two of entries per row, not {k}"
    assert yv.shape == yi.shape, f"values {tuple(yv.shape)} and columns {tuple(yi.shape)} differ in shape"
    yv, yi, words = yv.contiguous(), yi.contiguous(), _words(bitmask)
    values, columns = torch.empty_like(yv), torch.empty_like(yi)
    if n_rows:
        rows = max(1, 256 // k)
        _compact[(triton.cdiv(n_rows, rows),)](
            yv, yi, values, columns, k, words, words.stride(0), words.stride(1), n_rows, sentinel, K=k, ROWS=rows
        )
    return values, columns


def compaction_torch(yv, yi, bitmask, sentinel=-1):
    words, columns = _words(bitmask), yi.to(torch.int64)
    inside = columns.clamp(min=0)
    keeps = (columns >= 0) & (((torch.gather(words[: yi.shape[0]], 1, inside >> 5) >> (inside & 31)) & 1) == 1)
    order = torch.argsort((~keeps).to(torch.int8), dim=1, stable=True)
    is_kept = torch.gather(keeps, 1, order)
    return tuple(torch.where(is_kept, torch.gather(each, 1, order), sentinel).to(each.dtype) for each in (yv, yi))
