"""Kernels of topk.

A candidate is one integer: the bits of its value, in an order-preserving form, above the number of columns behind it. So larger values come
first, and of equal ones the first column. Rows stream through in tiles of columns; the best k so far meet the best k of each tile.
"""

import triton
import triton.language as tl

from ..tensor_details.bitmatrix import load_size


@triton.constexpr_function
def _bits_type(dtype):
    return tl.uint16 if dtype.primitive_bitwidth == 16 else tl.uint32


@triton.constexpr_function
def _key_type(dtype):
    return tl.uint32 if dtype.primitive_bitwidth == 16 else tl.uint64


@triton.jit
def _to_ordered(x):
    """Floats as integers of the same order."""
    bits = x.to(_bits_type(x.dtype), bitcast=True)
    WIDTH: tl.constexpr = x.dtype.primitive_bitwidth
    top: tl.constexpr = 1 << (WIDTH - 1)
    everything: tl.constexpr = (1 << WIDTH) - 1
    return bits ^ tl.where((bits & top) != 0, everything, top).to(bits.dtype)


@triton.jit
def _from_ordered(ordered, dtype: tl.constexpr):
    WIDTH: tl.constexpr = dtype.primitive_bitwidth
    top: tl.constexpr = 1 << (WIDTH - 1)
    everything: tl.constexpr = (1 << WIDTH) - 1
    ordered = ordered.to(_bits_type(dtype))
    bits = ordered ^ tl.where((ordered & top) != 0, top, everything).to(ordered.dtype)
    return bits.to(dtype, bitcast=True)


@triton.jit
def _load_keys(X, stride_row, stride_col, rows, cols, mask, N_PAD: tl.constexpr):
    x = tl.load(X + rows * stride_row + cols * stride_col, mask=mask, other=float("-inf"))
    x = tl.where(x == 0, 0.0, x)  # zeros are equal, whatever their sign
    key = (_to_ordered(x).to(_key_type(x.dtype)) << 16) | (N_PAD - cols).to(_key_type(x.dtype))
    return tl.where(mask, key, 0)


@triton.jit
def _select(
    X, stride_row, stride_col, rows, is_active, n_cols,
    K: tl.constexpr, K_PAD: tl.constexpr, N_PAD: tl.constexpr, COLUMNS: tl.constexpr
):  # fmt: skip
    """(values, columns) of the best K of each row, by ascending column; behind them, up to K_PAD, columns from N_PAD on."""
    dtype: tl.constexpr = X.dtype.element_ty
    tile = tl.arange(0, COLUMNS)[None, :]
    best = tl.topk(_load_keys(X, stride_row, stride_col, rows, tile, is_active & (tile < n_cols), N_PAD), K_PAD, dim=1)
    for start in range(COLUMNS, N_PAD, COLUMNS):
        cols = start + tile
        keys = _load_keys(X, stride_row, stride_col, rows, cols, is_active & (cols < n_cols), N_PAD)
        # Descending ones against ascending ones: the larger of each pair are the best of both, first rising, then falling.
        best = tl.maximum(tl.topk(keys, K_PAD, dim=1), tl.flip(best, 1))
        best = tl.bitonic_merge(best, dim=1, descending=True)
    cols = N_PAD - (best & 0xFFFF).to(tl.int32)
    cols = tl.where(tl.arange(0, K_PAD)[None, :] < K, cols, 0x7FFF)
    WIDTH: tl.constexpr = dtype.primitive_bitwidth
    by_column = tl.sort((cols.to(best.dtype) << WIDTH) | (best >> 16), dim=1)
    return _from_ordered(by_column, dtype), (by_column >> WIDTH).to(tl.int32)


@triton.jit
def _topk_forward(
    X, stride_row: tl.int64, stride_col: tl.int64, Values, Columns, stride_out: tl.int64, Given, stride_given: tl.int64,
    Words, stride_words_row, stride_words_col, n_rows, n_rows_max, n_cols, first_row,
    SOFTMAX: tl.constexpr, K: tl.constexpr, K_PAD: tl.constexpr, N_PAD: tl.constexpr, ROWS: tl.constexpr,
    COLUMNS: tl.constexpr
):  # fmt: skip
    """Values, Columns and Words are tuples: the same is written to each."""
    dtype: tl.constexpr = X.dtype.element_ty
    n_rows = load_size(n_rows)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    is_active = rows < n_rows
    slots = tl.arange(0, K_PAD)[None, :]
    if Given is None:
        values, cols = _select(X, stride_row, stride_col, rows, is_active, n_cols, K, K_PAD, N_PAD, COLUMNS)
    else:
        mask = is_active & (slots < K)
        cols = tl.load(Given + rows * stride_given + slots, mask=mask, other=0).to(tl.int32)
        values = tl.load(X + rows * stride_row + cols * stride_col, mask=mask, other=float("-inf"))
    is_chosen = is_active & (slots < K)
    if SOFTMAX:
        logits = tl.where(slots < K, values.to(tl.float32), float("-inf"))
        logits = tl.where(is_active, logits, 0.0)
        weights = tl.exp(logits - tl.max(logits, axis=1, keep_dims=True))
        values = (weights / tl.sum(weights, axis=1, keep_dims=True)).to(dtype)
    values = tl.where(is_active, values, 0.0)
    cols = tl.where(is_active, cols, -1)
    out_rows = first_row + rows
    is_stored = (rows < n_rows_max) & (slots < K)
    for i in tl.static_range(len(Values)):
        tl.store(Values[i] + out_rows * stride_out + slots, values, mask=is_stored)
        tl.store(Columns[i] + out_rows * stride_out + slots, cols.to(tl.int16), mask=is_stored)
    for word in range(0, N_PAD // 32):
        bits = tl.where(is_chosen & (cols // 32 == word), 1 << (cols & 31), 0)
        bits = tl.reduce_or(bits, axis=1)[:, None]
        if word * 32 < n_cols:
            places = out_rows * stride_words_row + word * stride_words_col
            for i in tl.static_range(len(Words)):
                tl.store(Words[i] + places, bits, mask=rows < n_rows_max)


@triton.jit
def _topk_backward(
    DValues, Values, Columns, stride: tl.int64, DX, stride_dx: tl.int64, n_rows,
    SOFTMAX: tl.constexpr, K: tl.constexpr, K_PAD: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0)
    if row < load_size(n_rows):
        slots = tl.arange(0, K_PAD)
        mask = slots < K
        d_values = tl.load(DValues + row * stride + slots, mask=mask, other=0.0).to(tl.float32)
        cols = tl.load(Columns + row * stride + slots, mask=mask, other=0).to(tl.int32)
        if SOFTMAX:
            values = tl.load(Values + row * stride + slots, mask=mask, other=0.0).to(tl.float32)
            d_values = values * (d_values - tl.sum(values * d_values, 0))
        tl.store(DX + row * stride_dx + cols, d_values, mask=mask)
