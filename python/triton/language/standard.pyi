"""Functions of the language written in it."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from .core import tensor, tensor_descriptor

def _log2(i) -> tensor:
    """The logarithm to base 2, rounded down."""
    ...

def _is_power_of_two(i) -> tensor:
    """Whether `i` is a power of two."""
    ...

def _sort_tile(numel, bitwidth) -> tensor:
    """The shape of the tiles that so many elements are sorted in, or None where the whole network is unrolled."""
    ...

def _get_int_dtype(bitwidth, signed) -> tensor:
    """The integer dtype of that width."""
    ...

def _pick_sum_dtype(in_dtype, dtype) -> tensor:
    """What a sum of `in_dtype` is computed in, or None to keep it."""
    ...

def _get_flip_dim(dim, shape) -> tensor:
    """The dimension to flip, counted from the front."""
    ...

def cdiv(x, div) -> tensor:
    """`x` divided by `div`, rounded up; integers. The result is a run-time value."""
    ...

def zeros(shape, dtype) -> tensor:
    """A block of zeros."""
    ...

def zeros_like(input) -> tensor:
    """A block of zeros with the shape and dtype of `input`."""
    ...

def ravel(x, can_reorder=False) -> tensor:
    """The elements of `x` as a block of one dimension."""
    ...

def squeeze(x, dim) -> tensor:
    """`x` without dimension `dim`, which has size 1; a negative `dim` counts from the end."""
    ...

def unsqueeze(x, dim) -> tensor:
    """`x` with a dimension of size 1 inserted before dimension `dim`; a negative `dim` counts from the end of the result."""
    ...

def interleave(a, b) -> tensor:
    """The elements of `a` and `b` by turns: the last dimension doubles."""
    ...

def swizzle2d(i, j, size_i, size_j, size_g) -> tuple[tensor, tensor]:
    """Renumbers a `size_i` x `size_j` grid so that it is walked in groups of `size_g` rows, column by column within a group.

    Neighbouring programs then share rows and columns, which caches reward.
    """
    ...

def expect_zero(x, mask) -> tensor:
    """`x`, which the kernel knows to be zero where `mask` is true; with `debug`, an error where it is not. Under `fpsan`, whose integers underflow to no zero, it is zero there."""
    ...

def sigmoid(x) -> tensor:
    """`1 / (1 + exp(-x))`, for float32 and float64."""
    ...

def softmax(x, dim=None, keep_dims=None, ieee_rounding=False) -> tensor:
    """`exp(x)` divided by its sum along `dim` (default 0), computed without overflow.

    Before 3.9, pass `keep_dims=True` for a `dim` other than 0, so that the sums line up with their rows.
    """
    ...

def _sum_combine(a, b) -> tensor:
    ...

def _prod_combine(a, b) -> tensor:
    ...

def _xor_combine(a, b) -> tensor:
    ...

def _or_combine(a, b) -> tensor:
    ...

def _elementwise_max(a, b) -> tensor:
    ...

def _elementwise_min(a, b) -> tensor:
    ...

def _argmax_combine(value1, index1, value2, index2, tie_break_left) -> tensor:
    ...

def _argmax_combine_tie_break_left(value1, index1, value2, index2) -> tensor:
    ...

def _argmax_combine_tie_break_fast(value1, index1, value2, index2) -> tensor:
    ...

def _argmin_combine(value1, index1, value2, index2, tie_break_left) -> tensor:
    ...

def _argmin_combine_tie_break_left(value1, index1, value2, index2) -> tensor:
    ...

def _argmin_combine_tie_break_fast(value1, index1, value2, index2) -> tensor:
    ...

def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False) -> Any:
    """The largest element along `axis`, or of all. NaN is ignored unless everything is.

    Types narrower than 32 bits widen to float32 or int32. With `return_indices`, a pair of the values and their positions along
    `axis` (the first of equals, unless `return_indices_tie_break_left` is false); only bfloat16 widens then.
    """
    ...

def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False) -> Any:
    """The smallest element along `axis`, or of all. NaN is ignored unless everything is.

    Types narrower than 32 bits widen to float32 or int32. With `return_indices`, a pair of the values and their positions along
    `axis` (the first of equals, unless `return_indices_tie_break_left` is false); only bfloat16 widens then.
    """
    ...

def argmax(input, axis, tie_break_left=True, keep_dims=False) -> tensor:
    """The position of the largest element along `axis`, as int32; the first of equals unless `tie_break_left` is false."""
    ...

def argmin(input, axis, tie_break_left=True, keep_dims=False) -> tensor:
    """The position of the smallest element along `axis`, as int32; the first of equals unless `tie_break_left` is false."""
    ...

def sum(input, axis=None, keep_dims=False, dtype=None) -> tensor:
    """The sum along `axis`, or of all elements.

    Integers narrower than 32 bits are summed as int32 or uint32, floats in their own type; `dtype` says otherwise.
    """
    ...

def xor_sum(input, axis=None, keep_dims=False) -> tensor:
    """The exclusive or of all elements along `axis`, or of all; integers only."""
    ...

def reduce_or(input, axis, keep_dims=False) -> tensor:
    """The bitwise or of all elements along `axis`; integers only."""
    ...

def _nanoseconds(polls) -> tensor:
    ...

def _all_seen(seen) -> tensor:
    ...

def atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None) -> tensor:
    """Waits until memory holds `expected_value`, every element of it; true where it was seen. Elements are integers of 16, 32 or 64 bits.

    `sem` is "acquire" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys". With `timeout_ns`, waits for so many nanoseconds
    at most, and reads at least once. On CPUs time is counted in polls.
    """
    ...

def cumsum(input, axis=0, reverse=False, dtype=None) -> tensor:
    """Sums of all elements up to each one along `axis`, or from the end with `reverse`. Types widen as in `sum`, and before 3.9 bfloat16 to float32."""
    ...

def cumprod(input, axis=0, reverse=False, dtype=None) -> tensor:
    """Products of all elements up to each one along `axis`, or from the end with `reverse`.

    From 3.9 on types widen as in `sum`; before, only bfloat16 did, to float32. `dtype` says otherwise.
    """
    ...

def _exchange(x, flip, i) -> tensor:
    ...

def _indicator(n_dims, j) -> tensor:
    ...

def _compare_and_swap(x, flip, i) -> tensor:
    ...

def _flips(numel, run, pairs, order) -> tensor:
    ...

def _merge_unrolled(x, stage, steps, order) -> tensor:
    ...

def _exchange_along(x, axis, distance, flip) -> tensor:
    ...

def _merge_tile(x, stage, flip) -> tensor:
    ...

def _flip_rows(position, stage, stages, order) -> tensor:
    ...

def _in_tiles(x, position, tile, stages, order, is_sorted) -> tensor:
    ...

def _merge_in_loops(x, tile, stage, order) -> tensor:
    ...

def _bitonic_merge_hypercube(x, stage, order) -> tensor:
    ...

def _bitonic_sort(x, stages, order) -> tensor:
    ...

def _bitonic_merge(x, stage, order, n_dims) -> tensor:
    ...

def _keep_best(x, log_k, descending) -> tensor:
    ...

def sort_impl(x, k=None, dim=None, descending=False) -> tensor:
    """Sorts along the last dimension, keeping only the first `k` if given."""
    ...

def sort(x, dim=None, descending=0) -> tensor:
    """`x` sorted along its last dimension, ascending unless `descending`. Not stable; where NaN goes is unspecified."""
    ...

def topk(x, k, dim=None, descending=True) -> tensor:
    """The `k` largest elements along the last dimension in descending order; `k` is a power of two.

    With `descending=False`, the `k` smallest in ascending order.

    Types narrower than 32 bits widen to float32 or int32 unless `k` is the whole dimension.
    """
    ...

def bitonic_merge(x, dim=None, descending=False) -> tensor:
    """Sorts rows of the last dimension that are bitonic: rising, then falling, or the other way round."""
    ...

def flip(x, dim=None) -> tensor:
    """`x` reversed along `dim`, the last dimension by default."""
    ...
