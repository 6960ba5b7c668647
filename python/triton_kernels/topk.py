"""The k largest entries of each row: which experts a token goes to, and with what weight."""

from __future__ import annotations

import torch
import triton

from .distributed import symm_mem_pool as usual_pool
from .tensor import BIT, Bitmatrix, SparseMatrix, Tensor
from .topk_details._topk import _topk_backward, _topk_forward

__all__ = ["TopK", "topk", "topk_backward", "topk_forward", "topk_torch"]

# The kernels, by the names that programs import.
topk_forward, topk_backward = _topk_forward, _topk_backward

_ROWS = 32


def _round_up(value, multiple):
    return (value + multiple - 1) // multiple * multiple


def _read(x, n_rows):
    """(torch tensor, active rows: a number or a tensor of one element)"""
    if isinstance(x, Tensor):
        n_rows = x.shape[0] if n_rows is None else n_rows
        x = x.storage.data
    return x, x.shape[0] if n_rows is None else n_rows


def _check(x, k, dim, y_indx):
    assert x.ndim == 2, f"topk takes a matrix, not {x.ndim} dimensions"
    assert dim in (1, -1), f"topk selects along dim 1, not {dim}"
    assert x.shape[1] < 32768, f"topk selects among fewer than 32768 columns, not {x.shape[1]}"
    assert 0 < k <= x.shape[1], f"topk cannot select {k} of {x.shape[1]} columns"
    assert y_indx is None or y_indx.shape[1] == k, f"y_indx has {y_indx.shape[1]} columns, not {k}"


def _as_bits(words, n_rows, n_rows_max, n_cols):
    return Bitmatrix(words, dtype=BIT, shape=[n_rows, n_cols], shape_max=[n_rows_max, n_cols])


def _empty_words(n_rows, n_cols, device):
    """Words [rows, columns / 32]; those of neighbouring rows lie side by side."""
    return torch.empty((triton.cdiv(n_cols, 32), _round_up(n_rows, 32)), dtype=torch.uint32, device=device).T[:n_rows]


def _gathered_buffers(x, k, n_words, symm_mem_pool):
    """(values, columns, words) of all ranks on each rank, and the barrier's handle."""
    n_rows = symm_mem_pool.n_ranks * x.shape[0]
    values_bytes = symm_mem_pool.align_up(n_rows * k * x.element_size(), 128)
    columns_bytes = symm_mem_pool.align_up(n_rows * k * 2, 128)
    values = symm_mem_pool.make_empty((n_rows, k), x.dtype, "topk", 0)
    columns = symm_mem_pool.make_empty((n_rows, k), torch.int16, "topk", values_bytes)
    words = symm_mem_pool.make_empty(
        (n_words, _round_up(n_rows, 32)), torch.int32, "topk", values_bytes + columns_bytes
    )
    return values, columns, tuple(each.T[:n_rows].view(torch.uint32) for each in words)


def _forward(x, k, apply_softmax, y_indx, n_rows, all_gather, symm_mem_pool):
    n_rows_max, n_cols = x.shape
    if all_gather:
        values, columns, words = _gathered_buffers(x, k, triton.cdiv(n_cols, 32), symm_mem_pool)
        rank, first_row = symm_mem_pool.rank, symm_mem_pool.rank * n_rows_max
        symm_mem_pool.barrier("topk")  # nobody still reads what is in the buffers
    else:
        values = (torch.empty((n_rows_max, k), dtype=x.dtype, device=x.device),)
        columns = (torch.empty((n_rows_max, k), dtype=torch.int16, device=x.device),)
        words = (_empty_words(n_rows_max, n_cols, x.device),)
        rank, first_row = 0, 0
    if n_rows_max:
        block_n = max(32, triton.next_power_of_2(k))
        _topk_forward[(triton.cdiv(n_rows_max, _ROWS),)](
            x, x.stride(0), x.stride(1), tuple(values), tuple(columns), values[0].stride(0),
            y_indx, 0 if y_indx is None else y_indx.stride(0),
            tuple(each.view(torch.int32) for each in words), words[0].stride(0), words[0].stride(1),
            n_rows, n_rows_max, n_cols, first_row,
            SOFTMAX=apply_softmax, K=k, K_PAD=triton.next_power_of_2(k), N_PAD=_round_up(n_cols, block_n),
            ROWS=_ROWS, COLUMNS=block_n,
        )  # fmt: skip
    if all_gather:
        symm_mem_pool.barrier("topk")
    return values[rank], columns[rank], words[rank]


class TopK(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, apply_softmax, y_indx, n_rows, all_gather, symm_mem_pool):
        values, columns, words = _forward(x, k, apply_softmax, y_indx, n_rows, all_gather, symm_mem_pool)
        ctx.save_for_backward(x, values, columns)
        ctx.apply_softmax, ctx.n_rows, ctx.all_gather = apply_softmax, n_rows, all_gather
        ctx.mark_non_differentiable(columns, words)
        return values, columns, words

    @staticmethod
    def backward(ctx, d_values, _, __):
        if ctx.all_gather:
            raise NotImplementedError("topk with all_gather has no gradient")
        x, values, columns = ctx.saved_tensors
        d_x = torch.zeros_like(x, memory_format=torch.contiguous_format)
        d_values = d_values.contiguous()
        n_rows, k = values.shape
        if n_rows:
            _topk_backward[(n_rows,)](
                d_values, values, columns, values.stride(0), d_x, d_x.stride(0), ctx.n_rows,
                SOFTMAX=ctx.apply_softmax, K=k, K_PAD=triton.next_power_of_2(k),
            )  # fmt: skip
        return d_x, None, None, None, None, None, None


def topk(x, k, apply_softmax=True, dim=1, y_indx=None, n_rows=None, all_gather=False, symm_mem_pool=None):
    """The k largest of each row, in ascending order of their columns; of equal ones the first. With `y_indx`, the entries at those columns.

    `apply_softmax`: the values are the softmax of those selected. `n_rows`: only so many rows are active (a number, or a tensor on the device);
    the others select nothing. `all_gather`: every rank gets the rows of all ranks, by the memory of `symm_mem_pool`.
    """
    x, n_rows = _read(x, n_rows)
    _check(x, k, dim, y_indx)
    values, columns, words = TopK.apply(x, k, apply_softmax, y_indx, n_rows, all_gather, symm_mem_pool or usual_pool)
    if all_gather:
        n_rows = values.shape[0]
    return SparseMatrix(columns, values, _as_bits(words, n_rows, values.shape[0], x.shape[1]))


def topk_torch(x, k, apply_softmax=True, dim=1, y_indx=None, n_rows=None, all_gather=False):
    x, n_rows = _read(x, n_rows)
    _check(x, k, dim, y_indx)
    assert not all_gather, "topk_torch knows one rank only"
    n_rows_max, n_cols = x.shape
    is_active = torch.arange(n_rows_max, device=x.device)[:, None] < int(n_rows)
    if y_indx is None:
        columns = torch.argsort(x, dim=1, descending=True, stable=True)[:, :k].sort(dim=1).values
    else:
        columns = y_indx.long()
    values = torch.gather(x, 1, columns)
    if apply_softmax:
        values = torch.softmax(values.float(), dim=-1).to(x.dtype)
    words = _empty_words(n_rows_max, n_cols, x.device)
    ones = torch.zeros((n_rows_max, words.shape[1] * 32), dtype=torch.int64, device=x.device)
    ones.scatter_(1, columns, is_active.long().expand(-1, k))
    bits = (ones.unflatten(1, (-1, 32)) << torch.arange(32, device=x.device)).sum(-1)
    words.view(torch.int32).copy_(torch.where(bits >= 2**31, bits - 2**32, bits))
    values = torch.where(is_active, values, 0)
    columns = torch.where(is_active, columns, -1).to(torch.int16)
    return SparseMatrix(columns, values, _as_bits(words, n_rows, n_rows_max, n_cols))
