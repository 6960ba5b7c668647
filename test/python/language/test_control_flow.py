"""Control flow, functions, tuples and compile-time evaluation (semantics.md 2-7, language.md Appendix C)."""

import os
from typing import NamedTuple

import numpy as np
import pytest
import torch
import triton
import triton.language as tl


def run(kernel, n_out, *args, dtype=torch.int32, grid=(1,)):
    out = torch.full((n_out,), -1, dtype=dtype)
    kernel[grid](out, *args)
    return out.tolist()


@triton.jit
def early_return_kernel(out, flag):
    if flag > 2:
        tl.store(out, 1)
        return
    tl.store(out + 1, 2)


def test_early_return():
    assert run(early_return_kernel, 2, 3) == [1, -1]
    assert run(early_return_kernel, 2, 2) == [-1, 2]


RETURNS = tl.constexpr(70)  # of which 32 nest in each other


@triton.jit
def first_match(values, seen):
    total = 0
    for i in tl.static_range(RETURNS):
        value = tl.load(values + i)
        if value == i:
            return total * 2 + i
        total += value
        tl.store(seen + i, total)
    return total


@triton.jit
def first_match_kernel(out, values, seen):
    tl.store(out, first_match(values, seen))


@pytest.mark.parametrize("match", [None, 0, 1, 31, 32, 33, 64, 65, 69])
def test_many_returns_that_read_memory(match):
    values, seen = (torch.full((RETURNS.value,), start, dtype=torch.int32) for start in (1000, -1))
    if match is not None:
        values[match] = match
    count = RETURNS.value if match is None else match
    assert run(first_match_kernel, 1, values, seen) == [1000 * count if match is None else 2000 * match + match]
    assert seen.tolist() == [1000 * (i + 1) if i < count else -1 for i in range(RETURNS.value)]


@triton.jit
def classify(x):
    if x < 0:
        return -1
    if x == 0:
        return 0
    return 1


@triton.jit
def calls_kernel(out, a, b):
    tl.store(out, classify(a))
    for i in range(3):
        if i == 1:
            tl.store(out + 1, classify(b - i))
    tl.store(out + 2, classify(0))


@pytest.mark.parametrize("a, b", [(-5, 0), (7, 5), (0, 2)])
def test_device_function_with_early_returns(a, b):
    sign = lambda v: (v > 0) - (v < 0)
    assert run(calls_kernel, 3, a, b) == [sign(a), sign(b - 1), 0]


@triton.jit
def elif_kernel(out):
    pid = tl.program_id(0)
    if 0 == pid % 3:
        value = 10
    elif 1 == pid % 3:
        value = 20
    else:
        value = 30
    tl.store(out + pid, value)


def test_elif_with_reflected_comparison():
    assert run(elif_kernel, 6, grid=(6,)) == [10, 20, 30] * 2


@triton.jit
def loops_kernel(out, n, start):
    total = 0
    for i in range(start, n):
        for j in range(i, n, 2):
            total += i * j
    tl.store(out, total)
    count = 0
    value = n
    while value != 1:
        value = tl.where(value % 2 == 0, value // 2, 3 * value + 1)
        count += 1
    tl.store(out + 1, count)
    down = 0
    for i in range(10, 0, -3):
        down = down * 100 + i
    tl.store(out + 2, down)


def test_nested_loops_and_while():
    n = 13
    total = sum(i * j for i in range(2, n) for j in range(i, n, 2))
    value, count = n, 0
    while value != 1:
        value, count = (value // 2 if value % 2 == 0 else 3 * value + 1), count + 1
    assert run(loops_kernel, 3, n, 2) == [total, count, 10070401]


@triton.jit
def carried_tensor_kernel(out, n, N: tl.constexpr):
    a = tl.arange(0, N)
    b = tl.zeros((N,), tl.int32)
    for i in range(n):
        a, b = a + b, a * 2
        if i % 2 == 0:
            a += 1
    tl.store(out + tl.arange(0, N), a)


def test_loop_carries_tensors_at_once():
    a, b = np.arange(16), np.zeros(16, int)
    for i in range(5):
        a, b = a + b, a * 2
        if i % 2 == 0:
            a = a + 1
    assert run(carried_tensor_kernel, 16, 5, 16) == a.tolist()


@triton.jit
def i64_loop_kernel(out, start, end):
    count = 0
    for i in range(start, end):
        tl.static_assert(i.dtype == tl.int64)
        count += 1
    tl.store(out, count)


def test_loop_over_large_numbers():
    assert run(i64_loop_kernel, 1, 2**33, 2**33 + 7) == [7]


@triton.jit
def static_range_kernel(out, N: tl.constexpr):
    total = 0
    for i in tl.static_range(N):
        width: tl.constexpr = 2**i
        total += tl.sum(tl.arange(0, width))
    tl.store(out, total)


@triton.jit
def static_range_value_kernel(out, N: tl.constexpr):
    total = 0
    for i in tl.static_range(N, 0, -1):
        total = total * 10 + i
    tl.store(out, total)
    tl.store(out + 1, i)


def test_static_range_unrolls():
    assert run(static_range_value_kernel, 2, 4) == [4321, 1]
    if os.environ.get("TRITON_INTERPRET") == "1":
        return  # ordinary Python may annotate a name again
    with pytest.raises(triton.CompilationError, match="already defined"):
        run(static_range_kernel, 1, 4)


@triton.jit
def ternary_kernel(out, n, p):
    tl.store(out, 5 if n > 3 else 7)
    value = tl.load(p) if n > 3 else 11
    tl.store(out + 1, value)
    tl.store(out + 2, 1) if n > 3 else tl.store(out + 3, 2)


def test_conditional_expression():
    p = torch.tensor([42], dtype=torch.int32)
    assert run(ternary_kernel, 4, 4, p) == [5, 42, 1, -1]
    assert run(ternary_kernel, 4, 3, p) == [7, 11, -1, 2]


@triton.jit
def logic_kernel(out, a, b, FLAG: tl.constexpr):
    tl.store(out, ((a > 1) and (b > 1)).to(tl.int32))
    tl.store(out + 1, ((a > 1) or (b > 1)).to(tl.int32))
    tl.store(out + 2, (not (a > 1)).to(tl.int32))
    if FLAG and undefined_name:  # noqa: F821 - never visited
        tl.store(out + 3, 1)
    else:
        tl.store(out + 3, 0)
    tl.static_assert(((3, 4) or (5, 6)) == (3, 4))
    tl.static_assert(((3, 4) and ()) == ())


@pytest.mark.parametrize("a, b", [(0, 0), (0, 5), (5, 0), (5, 5)])
def test_logic(a, b):
    assert run(logic_kernel, 4, a, b, False) == [a > 1 and b > 1, a > 1 or b > 1, a <= 1, 0]


@triton.jit
def add_pair(pair, scale: tl.constexpr = 2):
    a, b = pair
    return (a + b) * scale, a - b


@triton.jit
def tuples_kernel(out, t, n):
    s, d = add_pair((t[0], n))
    tl.store(out, s)
    tl.store(out + 1, d)
    u = t + (n, 7)
    tl.static_assert(len(u) == 4)
    tl.store(out + 2, u[-1])
    tl.store(out + 3, u[2])
    x = [e + 1 for e in t]
    tl.store(out + 4, x[1])
    first, rest = add_pair(*(t,), scale=3)
    tl.store(out + 5, first)


def test_tuples():
    assert run(tuples_kernel, 6, (3, 5), 10) == [26, -7, 7, 10, 6, 24]


class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor


@triton.jit
def move(point, by):
    return Point(point.x + by, y=point.y - by)


@triton.jit
def named_tuple_kernel(out, point, n):
    p = Point(point.x, point.y)
    for i in range(n):
        p = move(p, i)
    tl.store(out, p.x)
    tl.store(out + 1, p[1])


def test_named_tuples():
    assert run(named_tuple_kernel, 2, Point(100, 200), 4) == [106, 194]


@triton.jit
def apply_all(x, fns: tl.constexpr):
    for i in tl.static_range(len(fns)):
        x = fns[i](x)
    return x


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def plus_one(x):
    return x + 1


@triton.jit
def functions_kernel(out, n, FN: tl.constexpr, FNS: tl.constexpr, NAME: tl.constexpr):
    tl.store(out, FN(n))
    tl.store(out + 1, apply_all(n, FNS))
    tl.store(out + 2, getattr(tl, NAME)(tl.arange(0, 4), 0))


def test_functions_as_values():
    assert run(functions_kernel, 3, 20, plus_one, (twice, plus_one, twice), "max") == [21, 82, 3]


def make_kernel(constant, helper):
    value = tl.constexpr(constant)

    @triton.jit
    def closure_kernel(out, n):
        tl.store(out, helper(n) + value)

    return closure_kernel


def test_closures():
    assert run(make_kernel(5, twice), 1, 20) == [45]
    assert run(make_kernel(7, plus_one), 1, 20) == [28]


@triton.jit
def halve(x):
    n: tl.constexpr = x.shape[0]
    if n == 1:
        return tl.sum(x, 0)
    else:
        a, b = tl.split(tl.reshape(x, (n // 2, 2)))
        return halve(a + b)


@triton.jit
def recursion_kernel(out, N: tl.constexpr):
    tl.store(out, halve(tl.arange(0, N)))


def test_recursion_on_shrinking_shapes():
    assert run(recursion_kernel, 1, 16) == [120]


@triton.constexpr_function
def block_of(n):
    size = 1
    while size < n:
        size *= 2
    return size


@triton.jit
def constexpr_kernel(out, N: tl.constexpr, T: tl.constexpr):
    BLOCK: tl.constexpr = block_of(N)
    x = tl.arange(0, BLOCK)
    tl.store(out + x, x * T[1], mask=x < N)
    tl.static_assert(x.shape == [BLOCK])
    tl.static_assert(triton.cdiv(N, 4) == 3)
    tl.static_assert(-7 // 2 == -4)
    tl.static_assert(-7 % 3 == 2)
    tl.static_assert(2**40 >> 38 == 4)
    tl.static_assert(isinstance(N, int))
    tl.static_assert(f"{N}-{T[0]}" == "10-a")


def test_compile_time_evaluation():
    assert run(constexpr_kernel, 10, 10, ("a", 3)) == [i * 3 for i in range(10)]


@triton.jit
def none_kernel(out, x, n):
    if (
        x is not None
        and hasattr(x, "dtype")
        and isinstance(x.dtype, tl.pointer_type)
        and x.dtype.element_ty == tl.int32
        and tl.load(x) > 42
    ):
        tl.store(out, 1)
    else:
        tl.store(out, 0)


@pytest.mark.parametrize(
    "x, expected",
    [
        (None, 0),
        (1, 0),
        (2, 0),
        (torch.tensor([50], dtype=torch.int32), 1),
        (torch.tensor([3], dtype=torch.int32), 0),
        (torch.tensor([50.0]), 0),
    ],
)
def test_guarded_access(x, expected):
    assert run(none_kernel, 1, x, 3) == [expected]


@triton.jit(noinline=True)
def outlined(x, y):
    if x > y:
        return x - y
    return y - x


@triton.jit
def noinline_kernel(out, a, b):
    tl.store(out, outlined(a, b) + outlined(b, a))


def test_noinline():
    assert run(noinline_kernel, 1, 3, 10) == [14]


@triton.jit
def defaults_kernel(out, a, b=4, C: tl.constexpr = 5):
    tl.store(out, a * 100 + b * 10 + C)


def test_default_arguments():
    assert run(defaults_kernel, 1, 3) == [345]
    out = torch.zeros(1, dtype=torch.int32)
    defaults_kernel[(1,)](out, a=1, C=7)
    assert out.item() == 147


@triton.jit
def scalar_accumulator_kernel(out, n):
    acc = 0
    acc = acc.to(tl.int64)
    for i in range(n):
        acc += i
    tl.store(out, acc)


def test_cast_before_loop():
    assert run(scalar_accumulator_kernel, 1, 100, dtype=torch.int64) == [4950]


@triton.jit
def grid_kernel(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    gx, gy, gz = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    tl.store(out + (z * gy + y) * gx + x, x * 10000 + y * 100 + z + gz * 0)


def test_three_dimensional_grid():
    out = run(grid_kernel, 24, grid=(2, 3, 4))
    assert out == [x * 10000 + y * 100 + z for z in range(4) for y in range(3) for x in range(2)]
