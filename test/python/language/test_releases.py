"""What Triton 3.7 to 3.9 added to the language of kernels, and the rules by which releases differ (docs/reference/versions.md)."""

import os
import subprocess
import sys

import pytest
import torch
import triton
import triton.language as tl


def run(kernel, n_out, *args, dtype=torch.int32, grid=(1,), **kw):
    out = torch.full((n_out,), -1, dtype=dtype)
    kernel[grid](out, *args, **kw)
    return out.tolist()


def message_of(kernel, *args, **kw):
    with pytest.raises(triton.CompilationError) as caught:
        run(kernel, 8, *args, **kw)
    texts, error = [], caught.value
    while error is not None:
        texts.append(str(error))
        error = error.__cause__
    return "\n".join(texts)


compiled_only = pytest.mark.skipif(triton.knobs.runtime.interpret, reason="there it is Python's own business")

# Functions.


@triton.jit
def doubled(BLOCK: tl.constexpr):
    return 2 * BLOCK


@triton.jit
def same_in_both(flag):
    if flag > 0:
        return 8
    else:
        return 8


@triton.jit
def constant_returns_kernel(out, flag):
    n: tl.constexpr = doubled(4)
    m: tl.constexpr = same_in_both(flag)
    tl.store(out + tl.arange(0, n), tl.arange(0, m))


def test_functions_return_constants():
    assert run(constant_returns_kernel, 8, 1) == list(range(8))


@triton.jit
def one_or_two(flag):
    if flag > 0:
        return 1
    return 2


@triton.jit
def pair_of(x, flag):
    if flag > 0:
        return x, 3
    return x + 1, 3


@triton.jit
def unified_returns_kernel(out, flag):
    tl.store(out, one_or_two(flag))
    width: tl.constexpr = pair_of(flag, flag)[1] + 1
    tl.store(out + 1, pair_of(flag, flag)[0])
    tl.store(out + 2 + tl.arange(0, width), tl.arange(0, width))


@pytest.mark.parametrize("flag", [0, 5])
def test_constants_that_differ_are_typed(flag):
    assert run(unified_returns_kernel, 6, flag) == [1 if flag else 2, flag if flag else 1, 0, 1, 2, 3]


@triton.jit
def mixed_returns(x, flag):
    if flag > 0:
        return 0
    return x


@triton.jit
def mixed_returns_kernel(out, flag):
    tl.store(out, mixed_returns(tl.load(out).to(tl.float16), flag))


@compiled_only
def test_returns_that_do_not_meet():
    message = message_of(mixed_returns_kernel, 1)
    assert "Return type mismatch: int32 and fp16" in message and "all return types were" in message


@triton.jit
def total(first, *rest):
    for i in tl.static_range(len(rest)):
        first += rest[i]
    return first


@triton.jit
def rest_kernel(out, *values):
    tl.store(out, total(*values))
    tl.store(out + 1, total(1, *(2, 3), 4))
    tl.store(out + 2, total(7))


@pytest.mark.parametrize("values", [(1,), (1, 2, 3), (5, 6, 7, 8)])
def test_remaining_arguments(values):
    assert run(rest_kernel, 3, *values) == [sum(values), 10, 7]


@triton.jit
def scaled(x, *, factor=2, offset):
    return x * factor + offset


@triton.jit
def keyword_only_kernel(out, n, *, offset, SIZE: tl.constexpr = 4):
    tl.store(out + tl.arange(0, SIZE), scaled(n, offset=offset))


def test_keyword_only_parameters():
    assert run(keyword_only_kernel, 4, 3, offset=1) == [7] * 4
    assert run(keyword_only_kernel, 4, 3, offset=1, SIZE=2) == [7, 7, -1, -1]
    with pytest.raises(TypeError, match="positional arguments"):
        run(keyword_only_kernel, 4, 3, 1)
    with pytest.raises(TypeError, match="offset"):
        run(keyword_only_kernel, 4, 3)


@triton.jit
def missing_keyword_kernel(out):
    tl.store(out, scaled(1))


@compiled_only
def test_missing_keyword_only_argument():
    assert "missing 1 required keyword-only argument: 'offset'" in message_of(missing_keyword_kernel)


@compiled_only
def test_keyword_dictionaries_are_refused():
    with pytest.raises(TypeError, match=r"\*\*kw"):

        @triton.jit
        def kernel(out, **kw):
            pass


# Expressions and assignments.


@triton.jit
def walrus_kernel(out, n):
    if (m := n * 2) > 4:
        tl.store(out, m)
    tl.store(out + 1, (k := m + 1) * 10)
    tl.store(out + 2, k)


def test_walrus():
    assert run(walrus_kernel, 3, 3) == [6, 70, 7]
    assert run(walrus_kernel, 3, 1) == [-1, 30, 3]


@triton.jit
def walrus_in_loop_kernel(out, n):
    i = 0
    last = 0
    while (m := i * 3) < n:  # noqa: F841
        last = i
        i += 1
    tl.store(out, last)


def test_walrus_in_a_loop_condition():
    assert run(walrus_in_loop_kernel, 1, 10) == [3]


@triton.jit
def walrus_changes_kernel(out, n):
    m = 1
    while (m := m * 3) < n:
        n -= 1
    tl.store(out, m)


@compiled_only
def test_walrus_must_not_change_names_in_a_loop_condition():
    assert "`:=` cannot change 'm'" in message_of(walrus_changes_kernel, 10)


@triton.jit
def bare_annotation_kernel(out, n):
    size: tl.constexpr
    value: tl.constexpr
    size, value = 4, n
    tl.store(out + tl.arange(0, size), value)


def test_bare_constexpr_annotations():
    assert run(bare_annotation_kernel, 4, 9) == [9] * 4


@triton.jit
def chained_kernel(out, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    tl.store(out + x, (1 < x <= n).to(tl.int32))
    tl.store(out + BLOCK, 0 < n < 10)
    if 3 > 4 > n.nothing:
        tl.store(out, 99)


def test_chained_comparisons():
    assert run(chained_kernel, 9, 5, BLOCK=8) == [0, 0, 1, 1, 1, 1, 0, 0, 1]


@triton.jit
def comprehension_kernel(out, n):
    sums = [a + b for a, b in ((1, 2), (n, 4), (None, 0)) if a is not None]
    tl.store(out, sums[0])
    tl.store(out + 1, sums[1])
    tl.store(out + 2, len(sums))


def test_comprehensions_filter_and_unpack():
    assert run(comprehension_kernel, 3, 7) == [3, 11, 2]


@triton.jit
def run_time_filter_kernel(out, n):
    tl.store(out, [a for a in (1, 2) if a < n][0])


@compiled_only
def test_filters_are_known_while_compiling():
    assert "condition of a comprehension must be known while compiling" in message_of(run_time_filter_kernel, 7)


@triton.jit
def too_many_kernel(out, n):
    a, b = (n, n, n)  # noqa: F841
    tl.store(out, a)


@triton.jit
def not_enough_kernel(out, n):
    a, b, c = (n, n)  # noqa: F841
    tl.store(out, a)


@triton.jit
def no_tuple_kernel(out, n):
    a, b = n
    tl.store(out, a)


@triton.jit
def starred_kernel(out, n):
    a, *b = (n, n)  # noqa: F841
    tl.store(out, a)


@triton.jit
def indices_kernel(out, n):
    tl.store(out + tl.arange(0, 8), tl.arange(0, 8)[:, :])


@triton.jit
def nested_kernel(out, n):
    def helper(x):
        return x

    tl.store(out, helper(n))


@compiled_only
@pytest.mark.parametrize(
    "kernel, text",
    [
        (too_many_kernel, "too many values to unpack (expected 2)"),
        (not_enough_kernel, "not enough values to unpack (expected 3, got 2)"),
        (no_tuple_kernel, "cannot unpack non-iterable"),
        (starred_kernel, "starred assignment targets are not supported"),
        (indices_kernel, "too many indices for tensor of rank 1"),
        (nested_kernel, "Move the helper function to module level"),
    ],
)
def test_messages(kernel, text):
    assert text in message_of(kernel, 1)


@triton.jit
def while_number_kernel(out, n):
    steps = 0
    while n:
        n -= 1
        steps += 1
    tl.store(out, steps)


def test_while_takes_numbers():
    assert run(while_number_kernel, 1, 5) == [5]


# Aggregates.


@triton.aggregate
class Interval:
    low: tl.tensor
    high: tl.tensor
    name: tl.constexpr = "interval"

    @triton.jit
    def __add__(self, other):
        if isinstance(other, Interval):
            return Interval(self.low + other.low, self.high + other.high)
        else:
            return Interval(self.low + other, self.high + other)

    @triton.jit
    def __rsub__(self, other):
        return Interval(other - self.high, other - self.low)

    @triton.jit
    def __lt__(self, other):
        return self.high < other

    @triton.jit
    def __neg__(self):
        return Interval(-self.high, -self.low)


@triton.aggregate
class Weighted(Interval):
    weight: tl.constexpr = 2

    @triton.jit
    def __mul__(self, other):
        return NotImplemented

    @triton.jit
    def __rmul__(self, other):
        return Weighted(self.low * other * self.weight, self.high * other * self.weight)


@triton.jit
def aggregate_kernel(out, n):
    a = Interval(n, high=n + 1)
    b = a + a + 1
    tl.store(out, b.low)
    tl.store(out + 1, b.high)
    c = 10 - a
    tl.store(out + 2, c.low)
    tl.store(out + 3, (-a).high)
    tl.store(out + 4, a < 5)
    tl.store(out + 5, 5 > a)


def test_operators_of_aggregates():
    n = 3
    assert run(aggregate_kernel, 6, n) == [2 * n + 1, 2 * n + 3, 10 - (n + 1), -n, 1, 1]


@triton.jit
def inherited_kernel(out, n):
    w = n * Weighted(n, n + 1)
    tl.store(out, w.high)
    tl.store(out + 1, (w + 1).low)


@compiled_only
def test_aggregates_decide_before_tensors():
    n = 3
    assert run(inherited_kernel, 2, n) == [n * (n + 1) * 2, n * n * 2 + 1]


def test_aggregates_on_the_host():
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing required argument: 'x'"):
        Point()
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        Point(1, 2, 3)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        Point(1, x=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)
    with pytest.raises(TypeError, match="Aggregates can only inherit from other aggregates"):
        triton.aggregate(type("Bad", (dict,), {}))
    point = Point(1)
    assert point.y == 3 and Point.__aggregate_fields__ == ("x", "y") and Point.__aggregate_defaults__ == {"y": 3}
    with pytest.raises(AttributeError):
        point.x = tl.constexpr(4)
    assert tl.aggregate_replace(point, y=7).y == 7 and point.y == 3
    with pytest.raises(TypeError, match="Point has no field 'q'"):
        tl.aggregate_replace(point, q=7)
    with pytest.raises(TypeError, match="expects an aggregate instance"):
        tl.aggregate_replace(3, q=7)


@triton.aggregate
class Point:
    x: tl.constexpr
    y: tl.constexpr = 3


# Functions of the language.


@triton.jit
def cat_kernel(out, DIM: tl.constexpr):
    x = tl.arange(0, 8).reshape(2, 4)
    y = tl.cat(x, x + 100, dim=DIM)
    tl.store(out + tl.arange(0, 16), y.reshape(16))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat_keeps_the_order(dim):
    x = torch.arange(8).reshape(2, 4)
    assert run(cat_kernel, 16, DIM=dim) == torch.cat([x, x + 100], dim=dim).flatten().tolist()


@triton.jit
def cat_shapes_kernel(out):
    tl.store(out, tl.sum(tl.cat(tl.arange(0, 4), tl.arange(0, 8))))


@compiled_only
def test_cat_of_other_shapes():
    assert "cat needs operands of one shape" in message_of(cat_shapes_kernel)


@triton.jit
def squeeze_kernel(out, DIM: tl.constexpr):
    x = tl.unsqueeze(tl.arange(0, 4), DIM)
    tl.static_assert(len(x.shape) == 2)
    y = tl.squeeze(x, DIM)
    tl.store(out + tl.arange(0, 4), y)
    tl.store(out + 4, tl.to_tensor(5))


@pytest.mark.parametrize("dim", [0, 1, -1, -2])
def test_squeeze_and_unsqueeze(dim):
    assert run(squeeze_kernel, 5, DIM=dim) == [0, 1, 2, 3, 5]


@triton.jit
def topk_kernel(out, x, N: tl.constexpr, K: tl.constexpr, LARGEST: tl.constexpr):
    tl.store(out + tl.arange(0, K), tl.topk(tl.load(x + tl.arange(0, N)), K, descending=LARGEST))


@pytest.mark.parametrize("k", [1, 4, 16])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_the_smallest(k, largest):
    x = torch.randperm(16, dtype=torch.int32)
    expected = sorted(x.tolist(), reverse=largest)[:k]
    assert run(topk_kernel, k, x, N=16, K=k, LARGEST=largest) == expected


@triton.jit
def clamp_kernel(out, low, high):
    tl.store(out + tl.arange(0, 8), tl.clamp(tl.arange(0, 8), low, high))


def test_clamp_of_integers():
    assert run(clamp_kernel, 8, 2, 5) == [2, 2, 2, 3, 4, 5, 5, 5]


@triton.jit
def dot_kernel(out, x, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)
    a = tl.load(x + at)
    acc = tl.full((N, N), 1, tl.float16)
    c = tl.dot(a, a, acc)
    tl.static_assert(c.dtype == tl.float16)
    tl.static_assert(tl.dot(a, a).dtype == tl.float32)
    tl.store(out + at, c)


def test_dot_follows_its_accumulator():
    x = torch.randint(-2, 3, (16, 16)).to(torch.float16)
    out = torch.empty_like(x)
    dot_kernel[(1,)](out, x, N=16)
    assert torch.equal(out, x @ x + 1)


@triton.jit
def scaled_kernel(out, x, scale, GROUP: tl.constexpr):
    rows, k = tl.arange(0, 32), tl.arange(0, 64)
    a = tl.load(x + rows[:, None] * 64 + k)
    s = tl.load(scale + rows[:, None] * (64 // GROUP) + tl.arange(0, 64 // GROUP))
    c = tl.dot_scaled(a, s, "e5m2", tl.trans(a), None, "e5m2")
    tl.store(out + rows[:, None] * 32 + rows, c)


@pytest.mark.parametrize("group", [16, 32])
def test_scale_factors_by_shape(group):
    x = torch.randint(-2, 3, (32, 64)).float().to(torch.float8_e5m2)
    scale = torch.randint(125, 130, (32, 64 // group), dtype=torch.uint8)
    out = torch.empty(32, 32)
    scaled_kernel[(1,)](out, x.view(torch.uint8), scale, GROUP=group)
    left = x.float() * torch.exp2(scale.float() - 127).repeat_interleave(group, 1)
    torch.testing.assert_close(out, left @ x.float().T)


@triton.jit
def atomic_kernel(out, x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    seen = tl.atomic_load(x + at, mask=at < n, sem="relaxed", scope="sys")
    tl.atomic_store(out + at, seen + 1, mask=at < n)
    tl.atomic_store(out + BLOCK, (x + 1).atomic_load(), sem="relaxed")


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64])  # fmt: skip
def test_atomic_loads_and_stores(dtype):
    x = torch.arange(8).to(dtype)
    assert run(atomic_kernel, 9, x, 6, dtype=dtype, BLOCK=8) == [1, 2, 3, 4, 5, 6, -1, -1, 1]


@triton.jit
def atomic_bool_kernel(out, x):
    tl.atomic_store(out, 6)
    tl.atomic_store(out + 1, tl.atomic_load(x))


def test_atomics_of_bool():
    out = torch.zeros(2, dtype=torch.bool)
    atomic_bool_kernel[(1,)](out, torch.tensor([True]))
    assert out.view(torch.uint8).tolist() == [1, 1]


@triton.jit
def wrong_order_kernel(out):
    tl.atomic_store(out, tl.atomic_load(out, sem="release"))


@compiled_only
def test_orders_of_atomic_loads():
    assert 'atomic_load takes sem "acquire" or "relaxed", got "release"' in message_of(wrong_order_kernel)


@triton.jit
def poll_kernel(out, flags):
    # Programs wait for the one behind them; the last waits for nobody.
    program = tl.program_id(0)
    if program + 1 < tl.num_programs(0):
        tl.atomic_poll(flags + program + 1, 1)
        tl.store(out + program, tl.load(out + program + 1) + 1)
    else:
        tl.store(out + program, 0)
    tl.atomic_store(flags + program, 1)


@compiled_only
def test_programs_wait_for_each_other():
    flags = torch.zeros(4, dtype=torch.int32)
    assert run(poll_kernel, 4, flags, grid=(4,)) == [3, 2, 1, 0]


@triton.jit
def timeout_kernel(out, flags, timeout):
    seen = tl.atomic_poll(flags + tl.arange(0, 4), 1, timeout_ns=timeout)
    tl.store(out + tl.arange(0, 4), seen.to(tl.int32))


def test_polls_time_out():
    flags = torch.tensor([1, 0, 1, 0], dtype=torch.int32)
    assert run(timeout_kernel, 4, flags, 0) == [1, 0, 1, 0]
    assert run(timeout_kernel, 4, flags, 1000) == [1, 0, 1, 0]


@triton.jit
def float_bits_kernel(out, x, y):
    i = tl.arange(0, 4)
    before = tl.atomic_xor(x + i, tl.load(y + i))
    tl.static_assert(before.dtype == x.dtype.element_ty)
    tl.store(out + i, before == 1)


@pytest.mark.parametrize("dtype, bits", [(torch.float32, torch.int32), (torch.float64, torch.int64)])
def test_atomics_combine_the_bits_of_floats(dtype, bits):
    x, y = torch.tensor([1, -2, 0.5, 1], dtype=dtype), torch.tensor([3, 7, -0.0, 1], dtype=dtype)
    expected = x.view(bits) ^ y.view(bits)
    assert run(float_bits_kernel, 4, x, y) == [1, 0, 0, 1]
    assert torch.equal(x.view(bits), expected)


@triton.jit
def swap_kernel(out, x):
    seen = tl.atomic_cas(x, tl.cast(0xFFFFFFFF, tl.uint32), tl.cast(1, tl.uint32))
    tl.store(out, seen > 5)  # as signed as the value that is stored, whatever the memory is


def test_swaps_give_the_type_of_their_value():
    assert run(swap_kernel, 1, torch.tensor([-1], dtype=torch.int32)) == [1]


@triton.jit
def convert_kernel(out, x, flags):
    blocks = tl.make_block_ptr(x, (8,), (1,), (0,), (8,), (0,))
    tl.store(blocks, tl.arange(0, 8) - 2)
    truths = tl.make_block_ptr(flags, (8,), (1,), (0,), (8,), (0,))
    tl.store(truths, tl.arange(0, 8) * 256 * (tl.arange(0, 8) % 2))
    loaded = tl.load(truths, boundary_check=(0,), padding_option="zero")
    tl.static_assert(loaded.dtype == tl.int1)
    tl.store(out + tl.arange(0, 8), tl.where(loaded, 7, 0))


def test_block_pointers_convert():
    x, flags = torch.zeros(8, dtype=torch.float16), torch.zeros(8, dtype=torch.bool)
    assert run(convert_kernel, 8, x, flags) == [0, 7] * 4
    assert x.tolist() == [-2, -1, 0, 1, 2, 3, 4, 5] and flags.tolist() == [False, True] * 4


@triton.jit
def expect_zero_kernel(out, n):
    x = tl.arange(0, 8)
    tl.store(out + x, tl.expect_zero(x, x >= n))


def test_expect_zero_is_its_operand():
    assert run(expect_zero_kernel, 8, 8) == list(range(8))


@triton.jit
def float_poll_kernel(out, x):
    tl.atomic_poll(x, 1)


@triton.jit
def negative_timeout_kernel(out, x):
    tl.atomic_poll(x, 1, timeout_ns=-1)


@triton.jit
def fractional_timeout_kernel(out, x, timeout):
    tl.atomic_poll(x, 1, timeout_ns=timeout)


@triton.jit
def half_timeout_kernel(out, x):
    tl.atomic_poll(x, 1, timeout_ns=0.5)


@compiled_only
def test_what_polls_take():
    flag = torch.zeros(1, dtype=torch.int32)
    assert "timeout_ns must be a scalar integer" in message_of(half_timeout_kernel, flag)
    assert "timeout_ns must be a scalar integer" in message_of(fractional_timeout_kernel, flag, 0.5)
    assert "atomic_poll takes integers of 16, 32 or 64 bits" in message_of(float_poll_kernel, torch.zeros(1))
    assert "timeout_ns must not be negative" in message_of(negative_timeout_kernel, torch.zeros(1, dtype=torch.int32))  # fmt: skip


@triton.jit
def wide_histogram_kernel(out):
    tl.histogram(tl.arange(0, 8).to(tl.int64), 8)


@triton.jit
def odd_stride_kernel(out):
    tl.make_tensor_descriptor(out, [8, 8], [5, 1], [4, 4])


@compiled_only
def test_checks_of_39():
    assert "histogram only supports 32-bit integer input, got int64" in message_of(wide_histogram_kernel)
    assert "must be multiples of 16 bytes, got 5 elements of int32" in message_of(odd_stride_kernel)


@triton.jit
def nan_kernel(out, x, FIRST: tl.constexpr):
    values = tl.load(x + tl.arange(0, 8))
    tl.store(out, tl.argmax(values, 0, tie_break_left=FIRST))
    tl.store(out + 1, tl.argmin(values, 0, tie_break_left=FIRST))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("nans", [(), (0,), (7,), (3, 4), (1, 2, 3, 6, 7), (0, 1, 2, 3, 6, 7)])
def test_positions_of_extrema_ignore_nan(nans, first):
    x = torch.tensor([3.0, 1, 7, 2, 6, 4, 5, 0])
    x[list(nans)] = float("nan")
    largest, smallest = x.nan_to_num(nan=-1).argmax(), x.nan_to_num(nan=9).argmin()
    assert run(nan_kernel, 2, x, FIRST=first) == [largest, smallest]


@triton.jit
def replace_kernel(out, n):
    point = tl.aggregate_replace(Point(5), y=7)
    tl.store(out, point.x + n)
    tl.store(out + 1, point.y)


def test_fields_are_replaced_in_kernels():
    assert run(replace_kernel, 2, 1) == [6, 7]


@triton.jit(noinline=True)
def scaled_range(n):
    return tl.arange(0, 8) * n


@triton.jit
def block_of_a_call_kernel(out, n):
    tl.store(out + tl.arange(0, 8), scaled_range(n))


def test_functions_that_are_not_inlined_return_blocks():
    assert run(block_of_a_call_kernel, 8, 3) == [3 * i for i in range(8)]


@triton.jit
def announced_kernel(out):
    x = tl.arange(0, 4)
    tl.store(out + tl.arange(0, 8), tl.cat(x, x, can_reorder=True))
    tl.store(out + tl.reshape(x, (2, 2), can_reorder=True), tl.softmax(x.to(tl.float32), keep_dims=True).sum())


ANNOUNCEMENTS = """
import warnings, sys
import torch, triton, triton._utils
from triton.knobs import language
sys.path.insert(0, {folder!r})
from test_releases import announced_kernel

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    if {prewarmed}:
        triton._utils.prewarm_deprecation_warnings()
    for size in (8, 16):
        announced_kernel[(1,)](torch.zeros(size, dtype=torch.float32))
        announced_kernel.device_caches.clear()
    assert language.fp_fusion_enabled(None) and not language.fp_fusion_enabled(False)
print(*(str(warning.message) for warning in caught), sep="\\n")
"""


@compiled_only
@pytest.mark.parametrize("version, expected", [("3.8", []), ("3.9", ["cat", "reshape", "softmax"])])
@pytest.mark.parametrize("prewarmed", [False, True])
def test_what_3_10_takes_away_is_said_once(version, expected, prewarmed, tmp_path):
    program = ANNOUNCEMENTS.format(folder=os.path.dirname(__file__), prewarmed=prewarmed)
    environment = {**os.environ, "TRITON_LANGUAGE_VERSION": version, "TRITON_CACHE_DIR": str(tmp_path)}
    environment.pop("TRITON_DEFAULT_FP_FUSION", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")[:-1]
    fusion = [line for line in lines if line.startswith("TRITON_DEFAULT_FP_FUSION is unset")]
    named = [name for name in ("cat", "reshape", "softmax") for line in lines if f"tl.{name}" in line]
    assert len(fusion) == (0 if prewarmed or version == "3.8" else 1)
    assert named == ([] if prewarmed else expected)


@triton.jit
def address_spaces_kernel(out):
    tl.static_assert(tl.pointer_type(tl.int32, "global") == out.dtype)
    tl.store(out, 1)


def test_spaces_have_names():
    assert run(address_spaces_kernel, 1) == [1]
    assert tl.pointer_type(tl.int32, "global") == tl.pointer_type(tl.int32)


# Rules by which releases differ.

PROGRAM = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(out, x, y):
    half = tl.load(x)
    tl.store(out, half < 0.1)
    b = tl.arange(0, 4).to(tl.bfloat16)
    tl.static_print(
        tl.maximum(b, 1.0).dtype, tl.minimum(half, 1.0).dtype, tl.clamp(b, 0.0, 1.0).dtype, tl.cumsum(b, 0).dtype,
        tl.max(b, 0).dtype, tl.max(b, 0, return_indices=True)[0].dtype, tl.cumprod(tl.arange(0, 4).to(tl.int8), 0).dtype,
        (b.to(tl.float8e5) / b.to(tl.float8e5)).dtype,
    )
    tl.static_print(tl.div_rn(half.to(tl.float32), 3).dtype, tl.div_rn(1, half.to(tl.float32)).dtype)
    tl.store(y, -0.0)
    tl.store(y + 1, -tl.load(y + 1))

out, y = torch.zeros(1, dtype=torch.int32), torch.zeros(2)
kernel[(1,)](out, torch.tensor([0.1], dtype=torch.float16), y)
print(out.item(), torch.signbit(y).tolist())
"""


def output(folder, version, expect=0):
    """What the program prints in a process of its own, by the rules of that version."""
    path = folder / "program.py"
    path.write_text(PROGRAM)
    environment = {**os.environ, "TRITON_LANGUAGE_VERSION": version}
    environment.pop("TRITON_INTERPRET", None)
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True)
    assert done.returncode == expect, done.stderr
    return (done.stdout + done.stderr).splitlines()


@pytest.mark.parametrize(
    "version, types, values",
    [
        # float16(0.1) is 0.0999755859375.
        ("3.6", "fp32 fp32 fp32 fp32 fp32 fp32 int8 fp8e5", "1 [False, False]"),
        ("3.7.1", "fp32 fp32 fp32 fp32 fp32 fp32 int8 fp8e5", "1 [False, False]"),
        ("3.8", "fp32 fp32 fp32 fp32 fp32 fp32 int8 fp8e5", "1 [False, True]"),
        ("3.9.0", "bf16 fp16 bf16 bf16 fp32 bf16 int32 fp32", "0 [True, True]"),
    ],
)
def test_rules_of_releases(version, types, values, tmp_path):
    assert output(tmp_path, version) == [types, "fp32 fp32", values]


@triton.jit
def eighths_and_integers_kernel(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    eighths = tl.load(x + i)
    tl.store(out + i, eighths / (i + 1))
    tl.store(out + N + i, (i + 1).to(tl.uint8) / eighths)
    tl.store(out + 2 * N + i, eighths % (i + 1))
    tl.store(out + 3 * N + i, tl.fdiv(i, eighths))


def test_eight_bits_by_integers():
    x = torch.tensor([1.0, -2.0, 5.0, 7.0]).to(torch.float8_e5m2)
    i, y = torch.arange(4), x.float()
    expected = torch.cat([y / (i + 1), (i + 1) / y, torch.fmod(y, (i + 1).float()), i / y])
    torch.testing.assert_close(torch.tensor(run(eighths_and_integers_kernel, 16, x, 4, dtype=torch.float32)), expected)


def test_versions_that_there_are_not(tmp_path):
    assert "language_version must be 3.6, 3.7, 3.8 or 3.9, got '4.0'" in "\n".join(output(tmp_path, "4.0", expect=1))
