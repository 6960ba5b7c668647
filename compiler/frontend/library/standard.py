"""The functions of the language that are compositions of its builtins: reductions, scans, sorting, and shorthands."""

import triton
import triton.language as tl

# Shorthands.


@tl.core._tensor_member_fn
@triton.jit
def cdiv(x, div):
    """`x` divided by `div`, rounded up; integers. The result is a run-time value."""
    return (x + (div - 1)) // div


@triton.jit
def zeros(shape, dtype):
    """A block of zeros."""
    return tl.full(shape, 0, dtype)


@triton.jit
def zeros_like(input):
    """A block of zeros with the shape and dtype of `input`."""
    return zeros(input.shape, input.dtype)


@tl.core._tensor_member_fn
@triton.jit
def ravel(x, can_reorder: tl.constexpr = False):
    """The elements of `x` as a block of one dimension."""
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


@tl.core._tensor_member_fn
@triton.jit
def squeeze(x, dim: tl.constexpr):
    """`x` without dimension `dim`, which has size 1; a negative `dim` counts from the end."""
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(-rank <= dim and dim < rank, "dim of squeeze is not a dimension of x")
    axis: tl.constexpr = dim + rank if dim < 0 else dim
    tl.static_assert(x.shape[axis] == 1, "squeeze takes away a dimension of size 1")
    return tl.reshape(x, x.shape[:axis] + x.shape[axis + 1 :])


@tl.core._tensor_member_fn
@triton.jit
def unsqueeze(x, dim: tl.constexpr):
    """`x` with a dimension of size 1 inserted before dimension `dim`; a negative `dim` counts from the end of the result."""
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(-rank - 1 <= dim and dim <= rank, "dim of unsqueeze is not a dimension of the result")
    return tl.expand_dims(x, dim)


@triton.jit
def interleave(a, b):
    """The elements of `a` and `b` by turns: the last dimension doubles."""
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        # Two scalars are already side by side.
        result = pairs
    else:
        result = tl.reshape(pairs, pairs.shape[:-2] + [2 * pairs.shape[-2]])
    return result


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Renumbers a `size_i` x `size_j` grid so that it is walked in groups of `size_g` rows, column by column within a group.

    Neighbouring programs then share rows and columns, which caches reward.
    """
    ij = i * size_j + j
    size_gj = size_g * size_j
    off_i = ij // size_gj * size_g
    rows = tl.minimum(size_i - off_i, size_g)
    in_group = ij % size_gj
    return off_i + in_group % rows, in_group // rows


# Elementwise.


@triton.jit
def expect_zero(x, mask):
    """`x`, which the kernel knows to be zero where `mask` is true; with `debug`, an error where it is not. Under `fpsan`, whose integers underflow to no zero, it is zero there."""
    if tl.target_info.is_fpsan():
        return tl.where(mask, 0, x).to(x.dtype)
    tl.device_assert((mask == 0) | (x == 0), "expect_zero: an element is not zero")
    return x


@tl.core._tensor_member_fn
@triton.jit
def sigmoid(x):
    """`1 / (1 + exp(-x))`, for float32 and float64."""
    return 1 / (1 + tl.exp(-x))


@tl.core._tensor_member_fn
@triton.jit
def softmax(x, dim=None, keep_dims: tl.constexpr = None, ieee_rounding: tl.constexpr = False):
    """`exp(x)` divided by its sum along `dim` (default 0), computed without overflow.

    Before 3.9, pass `keep_dims=True` for a `dim` other than 0, so that the sums line up with their rows.
    """
    if dim is None:
        axis: tl.constexpr = 0
    else:
        axis: tl.constexpr = dim
    if keep_dims is not None and tl.core._language_rule("SoftmaxKeepsShape"):
        tl.core._announce("the keep_dims argument of tl.softmax is deprecated and ignored: the shape is always kept")
    keeps: tl.constexpr = keep_dims or tl.core._language_rule("SoftmaxKeepsShape")
    shifted = tl.exp(x - max(x, axis, keep_dims=keeps))
    return tl.fdiv(shifted, sum(shifted, axis, keep_dims=keeps), ieee_rounding)


# Reductions. The combine functions are part of the interface: kernels give them to `tl.reduce`.


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def _prod_combine(a, b):
    return a * b


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def _or_combine(a, b):
    return a | b


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    first = (value1 > value2) | (value2 != value2)  # NaN loses
    if tie_break_left:
        first = first | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@triton.jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@triton.jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    first = (value1 < value2) | (value2 != value2)
    if tie_break_left:
        first = first | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@triton.jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


@tl.core._tensor_member_fn
@triton.jit
def max(
    input,
    axis=None,
    return_indices: tl.constexpr = False,
    return_indices_tie_break_left: tl.constexpr = True,
    keep_dims: tl.constexpr = False,
):
    """The largest element along `axis`, or of all. NaN is ignored unless everything is.

    Types narrower than 32 bits widen to float32 or int32. With `return_indices`, a pair of the values and their positions along
    `axis` (the first of equals, unless `return_indices_tie_break_left` is false); only bfloat16 widens then.
    """
    input = tl.core._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            result = tl.core._reduce_with_indices(input, axis, _argmax_combine_tie_break_left, keep_dims=keep_dims)
        else:
            result = tl.core._reduce_with_indices(input, axis, _argmax_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        result = tl.reduce(tl.core._widen_to_word(input), axis, _elementwise_max, keep_dims=keep_dims)
    return result


@tl.core._tensor_member_fn
@triton.jit
def min(
    input,
    axis=None,
    return_indices: tl.constexpr = False,
    return_indices_tie_break_left: tl.constexpr = True,
    keep_dims: tl.constexpr = False,
):
    """The smallest element along `axis`, or of all. NaN is ignored unless everything is.

    Types narrower than 32 bits widen to float32 or int32. With `return_indices`, a pair of the values and their positions along
    `axis` (the first of equals, unless `return_indices_tie_break_left` is false); only bfloat16 widens then.
    """
    input = tl.core._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            result = tl.core._reduce_with_indices(input, axis, _argmin_combine_tie_break_left, keep_dims=keep_dims)
        else:
            result = tl.core._reduce_with_indices(input, axis, _argmin_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        result = tl.reduce(tl.core._widen_to_word(input), axis, _elementwise_min, keep_dims=keep_dims)
    return result


@tl.core._tensor_member_fn
@triton.jit
def argmax(input, axis, tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    """The position of the largest element along `axis`, as int32; the first of equals unless `tie_break_left` is false."""
    value, index = max(
        input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims
    )
    return index


@tl.core._tensor_member_fn
@triton.jit
def argmin(input, axis, tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    """The position of the smallest element along `axis`, as int32; the first of equals unless `tie_break_left` is false."""
    value, index = min(
        input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims
    )
    return index


@tl.core._tensor_member_fn
@triton.jit
def sum(input, axis=None, keep_dims: tl.constexpr = False, dtype: tl.constexpr = None):
    """The sum along `axis`, or of all elements.

    Integers narrower than 32 bits are summed as int32 or uint32, floats in their own type; `dtype` says otherwise.
    """
    sum_dtype: tl.constexpr = _pick_sum_dtype(input.dtype, dtype)
    if sum_dtype is not None:
        input = input.to(sum_dtype)
    return tl.reduce(input, axis, _sum_combine, keep_dims=keep_dims)


@tl.core._tensor_member_fn
@triton.jit
def xor_sum(input, axis=None, keep_dims: tl.constexpr = False):
    """The exclusive or of all elements along `axis`, or of all; integers only."""
    tl.static_assert(input.type.scalar.is_int(), "xor_sum only supported for integers")
    return tl.reduce(input, axis, _xor_combine, keep_dims=keep_dims)


@tl.core._tensor_member_fn
@triton.jit
def reduce_or(input, axis, keep_dims: tl.constexpr = False):
    """The bitwise or of all elements along `axis`; integers only."""
    tl.static_assert(input.type.scalar.is_int(), "reduce_or only supported for integers")
    return tl.reduce(input, axis, _or_combine, keep_dims=keep_dims)


# Waiting.


@triton.jit
def _nanoseconds(polls):
    # A clock that all threads of a program read alike. Where there is none, polls are counted, of which each takes a nanosecond or more.
    if tl.target_info.is_cuda():
        threads = tl.arange(0, tl.extra.cuda.num_threads())
        times = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l,r", [threads], tl.int64, False, 1)
        now = tl.max(times, 0)
    else:
        now = polls
    return now


@triton.jit
def _all_seen(seen):
    if len(seen.shape) == 0:
        result = seen
    else:
        result = tl.min(seen.to(tl.int32)) != 0
    return result


@tl.core._tensor_member_fn
@triton.jit
def atomic_poll(pointer, expected_value, sem: tl.constexpr = None, scope: tl.constexpr = None, timeout_ns=None):
    """Waits until memory holds `expected_value`, every element of it; true where it was seen. Elements are integers of 16, 32 or 64 bits.

    `sem` is "acquire" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys". With `timeout_ns`, waits for so many nanoseconds
    at most, and reads at least once. On CPUs time is counted in polls.
    """
    element: tl.constexpr = pointer.type.scalar.element_ty
    tl.core._require_value(
        element.is_int() and element.primitive_bitwidth >= 16, "atomic_poll takes integers of 16, 32 or 64 bits"
    )
    expected = tl.cast(expected_value, element)
    seen = tl.atomic_load(pointer, None, sem, scope) == expected
    if timeout_ns is None:
        while not _all_seen(seen):
            seen = seen | (tl.atomic_load(pointer, seen == 0, sem, scope) == expected)
    else:
        if isinstance(timeout_ns, tl.tensor):
            tl.core._require_value(timeout_ns.dtype.is_int(), "timeout_ns must be a scalar integer")
        else:
            tl.core._require_value(isinstance(timeout_ns, int), "timeout_ns must be a scalar integer")
            tl.core._require_value(timeout_ns >= 0, "timeout_ns must not be negative")
        polls = tl.cast(0, tl.int64)
        elapsed = polls
        start = _nanoseconds(polls)
        while (not _all_seen(seen)) & (elapsed < timeout_ns):
            seen = seen | (tl.atomic_load(pointer, seen == 0, sem, scope) == expected)
            polls += 1
            elapsed = _nanoseconds(polls) - start
    return seen


# Scans.


@tl.core._tensor_member_fn
@triton.jit
def cumsum(input, axis=0, reverse: tl.constexpr = False, dtype: tl.constexpr = None):
    """Sums of all elements up to each one along `axis`, or from the end with `reverse`. Types widen as in `sum`, and before 3.9 bfloat16 to float32."""
    input = tl.core._promote_bfloat16_to_float32(input)
    sum_dtype: tl.constexpr = _pick_sum_dtype(input.dtype, dtype)
    if sum_dtype is not None:
        input = input.to(sum_dtype)
    return tl.associative_scan(input, axis, _sum_combine, reverse)


@tl.core._tensor_member_fn
@triton.jit
def cumprod(input, axis=0, reverse: tl.constexpr = False, dtype: tl.constexpr = None):
    """Products of all elements up to each one along `axis`, or from the end with `reverse`.

    From 3.9 on types widen as in `sum`; before, only bfloat16 did, to float32. `dtype` says otherwise.
    """
    input = tl.core._promote_bfloat16_to_float32(input)
    if tl.core._language_rule("CumprodWidens"):
        product_dtype: tl.constexpr = _pick_sum_dtype(input.dtype, dtype)
    else:
        product_dtype: tl.constexpr = dtype
    if product_dtype is not None:
        input = input.to(product_dtype)
    return tl.associative_scan(input, axis, _prod_combine, reverse)


# Sorting: bitonic networks on the last dimension. All work on the tensor as one row-major sequence, in which every row of the last
# dimension is a run of 2**n elements; exchanging elements 2**i apart, with i < n, never leaves a row.


@triton.jit
def _exchange(x, flip, i: tl.constexpr):
    # Orders each pair of elements 2**i apart: the smaller first, or the larger where `flip`. The order of a pair is one decision
    # for both, so that NaNs and zeros of either sign are never lost.
    pairs = tl.permute(tl.reshape(x, [x.numel >> (i + 1), 2, 1 << i]), (0, 2, 1))
    left, right = tl.split(pairs)
    swap = (left > right) ^ flip
    ordered = tl.join(tl.where(swap, right, left), tl.where(swap, left, right))
    return tl.reshape(tl.permute(ordered, (0, 2, 1)), x.shape)


@triton.jit
def _indicator(n_dims: tl.constexpr, j: tl.constexpr):
    # 0 and 1 along dimension j, counted from the last, of a hypercube with n_dims dimensions.
    return tl.reshape(tl.arange(0, 2), [1] * (n_dims - j - 1) + [2] + [1] * j)


@triton.jit
def _compare_and_swap(x, flip, i: tl.constexpr):
    # `_exchange` with a flip that broadcasts with x, the same for both of a pair.
    if isinstance(flip, tl.tensor):
        pairs = tl.permute(tl.reshape(tl.broadcast_to(flip != 0, x.shape), [x.numel >> (i + 1), 2, 1 << i]), (0, 2, 1))
        left, right = tl.split(pairs)
        result = _exchange(x, left, i)
    else:
        result = _exchange(x, flip != 0, i)
    return result


@triton.jit
def _flips(numel: tl.constexpr, run: tl.constexpr, pairs: tl.constexpr, order: tl.constexpr):
    # Which of the pairs in a row, so many in each run, are to be flipped: by runs if the order is 2.
    if order == 2:
        flips = (((tl.arange(0, numel >> (run - pairs)) >> pairs) & 1) != 0)[:, None]
    else:
        flips: tl.constexpr = order == 1
    return flips


@triton.jit
def _merge_unrolled(x, stage: tl.constexpr, steps: tl.constexpr, order: tl.constexpr):
    # The first steps of merging runs of 2**stage elements, each of them bitonic: ascending (order 0), descending (1), or by turns (2).
    for step in tl.static_range(steps):
        x = _exchange(x, _flips(x.numel, stage, step, order), stage - 1 - step)
    return x


# Networks on tiles that are many registers of each thread of a GPU are loops, or they would be hundreds of thousands of instructions that run once
# each. What a loop carries is a tile [warps, lanes, columns] of which a thread holds one row, so that
# - exchanges between columns, two thirds of all, are between registers of a thread, and unrolled;
# - exchanges between lanes and between warps are one loop each, around one exchange at a distance known at run time;
# - a tensor of several tiles takes turns: the others wait, in registers or where they are spilled to, while one is sorted.


@triton.jit
def _exchange_along(x, axis: tl.constexpr, distance, flip):
    # `_exchange` of elements a distance apart along a dimension, where `flip`, which is the same along columns.
    size: tl.constexpr = x.shape[axis]
    index = tl.reshape(tl.arange(0, size), [1] * axis + [size] + [1] * (2 - axis))
    other = tl.gather(x, tl.broadcast_to(index ^ distance, x.shape), axis)
    is_first = (index & distance) == 0
    if x.dtype.is_int():
        # Equal integers are the same, so each of a pair may decide on its own.
        swap = (x > other) ^ (flip ^ ~is_first)
    else:
        swap = tl.where(is_first, x > other, other > x) ^ flip
    return tl.where(swap, other, x)


@triton.jit
def _merge_tile(x, stage, flip):
    # Merges runs of 2**stage elements, which are one row or more.
    rows: tl.constexpr = x.shape[0] * x.shape[1]
    columns: tl.constexpr = _log2(x.shape[2])
    lanes = stage - columns
    if x.shape[0] > 1:
        warps = lanes - _log2(x.shape[1])
        for step in range(warps):
            x = _exchange_along(x, 0, 1 << (warps - 1 - step), flip)
        lanes = tl.minimum(lanes, _log2(x.shape[1]))
    for step in range(lanes):
        x = _exchange_along(x, 1, 1 << (lanes - 1 - step), flip)
    for step in tl.static_range(columns):
        flips = tl.broadcast_to(tl.reshape(flip, [rows, 1]), [rows, 1 << step])
        x = _exchange(x, tl.reshape(flips, [rows << step, 1]), columns - 1 - step)
    return x


@triton.jit
def _flip_rows(position, stage, stages: tl.constexpr, order: tl.constexpr):
    # Whether rows that begin at a position are in runs of 2**stage elements that are to descend. Runs go by turns until the last stage.
    flip = ((position >> stage) & 1) != 0
    if order != 2:
        flip = tl.where(stage == stages, order == 1, flip)
    return flip


@triton.jit
def _in_tiles(x, position, tile: tl.constexpr, stages: tl.constexpr, order: tl.constexpr, is_sorted: tl.constexpr):
    # Of a sequence that begins at a position, each tile in turn: its runs of 2**stages elements, or as much of them as is in it, are sorted, or
    # merged where `is_sorted` says that the stages before are done.
    if x.numel > tile[0] * tile[1] * tile[2]:
        for half in range(2):
            first, second = tl.split(tl.permute(tl.reshape(x, [2, x.numel // 2]), (1, 0)))
            first = _in_tiles(first, position + half * first.numel, tile, stages, order, is_sorted)
            x = tl.reshape(tl.permute(tl.join(second, first), (1, 0)), [x.numel])
    else:
        columns: tl.constexpr = _log2(tile[2])
        last: tl.constexpr = stages if stages < _log2(x.numel) else _log2(x.numel)
        rows = position + tl.reshape(tl.arange(0, x.numel // tile[2]) * tile[2], [tile[0], tile[1], 1])
        x = tl.reshape(x, tile)
        if not is_sorted:
            for stage in tl.static_range(1, stages if stages <= columns else columns + 1):
                x = _merge_unrolled(x, stage, stage, 2)
        if stages <= columns:
            x = _merge_unrolled(x, stages, stages, order)
        elif is_sorted:
            x = _merge_tile(x, last, _flip_rows(rows, stages, stages, order))
        else:
            for stage in range(columns + 1, last + 1):
                x = _merge_tile(x, stage, _flip_rows(rows, stage, stages, order))
        x = tl.reshape(x, [x.numel])
    return x


@triton.jit
def _merge_in_loops(x, tile: tl.constexpr, stage: tl.constexpr, order: tl.constexpr):
    across: tl.constexpr = stage - _log2(tile[0] * tile[1] * tile[2])
    if across > 0:
        x = _merge_unrolled(x, stage, across, order)
    return _in_tiles(x, 0, tile, stage, order, True)


@triton.jit
def _bitonic_merge_hypercube(x, stage: tl.constexpr, order: tl.constexpr):
    # Sorts runs of 2**stage elements, each of them bitonic, in an order as above.
    tile: tl.constexpr = _sort_tile(x.numel, x.dtype.primitive_bitwidth)
    if tile is None:
        x = _merge_unrolled(x, stage, stage, order)
    else:
        x = tl.reshape(_merge_in_loops(tl.reshape(x, [x.numel]), tile, stage, order), x.shape)
    return x


@triton.jit
def _bitonic_sort(x, stages: tl.constexpr, order: tl.constexpr):
    # Sorts runs of 2**stages elements of a sequence, in an order as above.
    tile: tl.constexpr = _sort_tile(x.numel, x.dtype.primitive_bitwidth)
    if tile is None:
        in_tile: tl.constexpr = 0
    else:
        in_tile: tl.constexpr = _log2(tile[0] * tile[1] * tile[2])
        x = _in_tiles(x, 0, tile, stages, order, False)
    for stage in tl.static_range(in_tile + 1, stages + 1):
        x = _bitonic_merge_hypercube(x, stage, 2 if stage < stages else order)
    return x


@triton.jit
def _bitonic_merge(x, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    return _bitonic_merge_hypercube(x, stage, order)


@triton.jit
def _keep_best(x, log_k: tl.constexpr, descending: tl.constexpr):
    # Of each two neighbouring runs of 2**log_k, one ascending and one descending, the better half: a bitonic run.
    pairs = tl.permute(tl.reshape(x, [x.numel >> (log_k + 1), 2, 1 << log_k]), (0, 2, 1))
    left, right = tl.split(pairs)
    if descending:
        best = tl.where(left > right, left, right)
    else:
        best = tl.where(left > right, right, left)
    return tl.reshape(best, [x.numel >> 1])


@triton.jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """Sorts along the last dimension, keeping only the first `k` if given."""
    rank: tl.constexpr = len(x.shape)
    if dim is not None:
        tl.static_assert(dim == rank - 1 or dim == -1, "only the last dimension can be sorted")
    log_n: tl.constexpr = _log2(x.shape[rank - 1])
    if k is None:
        log_k: tl.constexpr = log_n
    else:
        tl.static_assert(k > 0, "k must be positive")
        tl.static_assert(_is_power_of_two(k), "k must be a power of two")
        log_k: tl.constexpr = _log2(k)
    tl.static_assert(log_k <= log_n, "k must not exceed the size of the last dimension")
    order: tl.constexpr = 1 if descending else 0
    if log_k < log_n:
        runs = tl.reshape(tl.core._widen_to_word(x), [x.numel])
    else:
        runs = tl.reshape(x, [x.numel])
    runs = _bitonic_sort(runs, log_k, order if log_k == log_n else 2)
    for halving in tl.static_range(1, log_n - log_k + 1):
        runs = _keep_best(runs, log_k, descending)
        runs = _bitonic_merge_hypercube(runs, log_k, 2 if halving < log_n - log_k else order)
    return tl.reshape(runs, x.shape[:-1] + [1 << log_k])


@tl.core._tensor_member_fn
@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """`x` sorted along its last dimension, ascending unless `descending`. Not stable; where NaN goes is unspecified."""
    return sort_impl(x, dim=dim, descending=descending)


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    """The `k` largest elements along the last dimension in descending order; `k` is a power of two.

    With `descending=False`, the `k` smallest in ascending order.

    Types narrower than 32 bits widen to float32 or int32 unless `k` is the whole dimension.
    """
    return sort_impl(x, k=k, dim=dim, descending=descending)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """Sorts rows of the last dimension that are bitonic: rising, then falling, or the other way round."""
    rank: tl.constexpr = len(x.shape)
    if dim is not None:
        tl.static_assert(dim == rank - 1 or dim == -1, "only the last dimension can be merged")
    order: tl.constexpr = 1 if descending else 0
    return _bitonic_merge_hypercube(x, _log2(x.shape[rank - 1]), order)


@tl.core._tensor_member_fn
@triton.jit
def flip(x, dim: tl.constexpr = None):
    """`x` reversed along `dim`, the last dimension by default."""
    axis: tl.constexpr = _get_flip_dim(dim, x.shape)
    size: tl.constexpr = x.shape[axis]
    last: tl.constexpr = len(x.shape) - 1
    backward = tl.reshape(size - 1 - tl.arange(0, size), [1] * axis + [size] + [1] * (last - axis))
    return tl.gather(x, tl.broadcast_to(backward, x.shape), axis)
