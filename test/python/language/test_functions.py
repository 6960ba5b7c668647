"""Calls, function values, tuples, aggregates, compile-time objects (language.md Appendix C, what test_control_flow.py leaves out)."""

import enum
import math
from typing import NamedTuple

import pytest
import torch
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


def run(kernel, n_out, *args, dtype=torch.int32, grid=(1,), **kw):
    out = torch.full((n_out,), -1, dtype=dtype)
    kernel[grid](out, *args, **kw)
    return out.tolist()


@triton.jit
def two_returns(x):
    return x + 1
    return x.nothing


@triton.jit
def two_returns_kernel(out, n):
    tl.store(out, two_returns(n))


def test_code_behind_return_is_ignored():
    assert run(two_returns_kernel, 1, 4) == [5]


@triton.jit
def while_in_for_kernel(out, lock, n):
    for i in range(n):
        j = 0
        while tl.load(lock + j) < i:
            j += 1
        tl.store(out + i, j)


def test_while_reads_memory_in_a_for():
    assert run(while_in_for_kernel, 4, torch.arange(16, dtype=torch.int32), 4) == [0, 1, 2, 3]


@triton.jit
def spin_lock_kernel(out, lock):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + 1)
    tl.atomic_xchg(lock, 0)


def test_spin_lock():
    out = torch.zeros(1, dtype=torch.int32)
    lock = torch.zeros(1, dtype=torch.int32)
    spin_lock_kernel[(20,)](out, lock)
    assert out.item() == 20


@triton.jit
def carried_descriptor_kernel(out, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(out, [n, n], [n, 1], [B, B])
    for i in range(2):
        if i == 1:
            d = tl.make_tensor_descriptor(out + n * B, [n, n], [n, 1], [B, B])
        d.store([0, 0], tl.full((B, B), i + 1, tl.float32))


def test_descriptors_are_carried():
    out = torch.zeros(16, 16)
    carried_descriptor_kernel[(1,)](out, 16, 8)
    assert out[0, 0] == 1 and out[8, 7] == 2 and out[8, 8] == 0


@triton.jit
def doubled(x):
    return x * 2


@triton.jit
def plus_hundred(x):
    return x + 100


@triton.jit
def apply_both(fn, x, g=plus_hundred):
    return g(fn(x))


@triton.jit
def function_arguments_kernel(out, n):
    tl.store(out, apply_both(doubled, n))
    tl.store(out + 1, apply_both(plus_hundred, n, doubled))


def test_functions_as_arguments_and_defaults():
    assert run(function_arguments_kernel, 2, 5) == [110, 210]


class Closure(NamedTuple):
    fn: object
    captured: tuple


@triton.jit
def add3(x, a, b):
    return x + a * b


@triton.jit
def closure_kernel(out, closure, n):
    tl.store(out, closure.fn(n, *closure.captured))


def test_captured_arguments():
    assert run(closure_kernel, 1, Closure(add3, (3, 4)), 5) == [17]
    assert run(closure_kernel, 1, Closure(add3, (1, 4)), 5) == [9]


@triton.jit
def nested_tuple_kernel(out, t):
    a, (b, c), d, e = t
    tl.static_assert(d is None)
    tl.store(out, a + b)
    tl.store(out + 1, tl.load(c))
    tl.static_assert(len(e) == 0)


def test_nested_tuples():
    assert run(nested_tuple_kernel, 2, (3, (1, torch.tensor([7], dtype=torch.int32)), None, ())) == [4, 7]


@triton.jit
def getattr_kernel(out, x, NAME: tl.constexpr):
    tl.store(out, getattr(tl.math, NAME)(tl.load(x)))


def test_getattr_by_name():
    assert run(getattr_kernel, 1, torch.tensor([4.0]), "sqrt", dtype=torch.float32) == [2.0]


@aggregate
class State:
    value: tl.tensor
    pair: tl.tuple
    scale: tl.constexpr

    def __init__(self, value, pair, scale):
        self.value = value
        self.pair = pair
        self.scale = tl.constexpr(scale)

    @triton.jit
    def step(self, by):
        return State(self.value + by * self.scale, (self.pair[0] + 1, self.pair[1]), self.scale)

    @triton.constexpr_function
    def doubled(self):
        return self.scale * 2


@triton.jit
def aggregate_kernel(out, n):
    s = State(tl.load(out), (n, 2.5), 3)
    for i in range(4):
        s = s.step(i)
        if i == 2:
            s = s.step(10)
    tl.static_assert(s.doubled() == 6)
    tl.store(out, s.value)
    tl.store(out + 1, s.pair[0])


def test_aggregates():
    assert run(aggregate_kernel, 2, 7) == [-1 + 3 * (0 + 1 + 2 + 3 + 10), 12]


@aggregate
class Complex:
    re: tl.tensor
    im: tl.tensor

    def __init__(self, re, im):
        self.re = re
        self.im = im

    @triton.jit
    def __mul__(self, other):
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    @triton.jit
    def __rsub__(self, number):
        return Complex(number - self.re, -self.im)


@triton.jit
def complex_kernel(out, n):
    z = Complex(n, n + 1)
    z *= z
    w = 100 - z
    v = tl.load(out) - z
    tl.store(out, w.re)
    tl.store(out + 1, w.im)
    tl.store(out + 2, v.re)


def test_operators_of_aggregates():
    z = complex(7, 8) ** 2
    assert run(complex_kernel, 3, 7) == [100 - z.real, -z.imag, -1 - z.real]


@triton.jit
def no_operator_kernel(out, n):
    Complex(n, n) + Complex(n, n)


def test_operators_that_an_aggregate_has_not():
    wanted = r"operator \+ is not implemented for Complex and Complex|unsupported operand.* \+: 'Complex' and 'Complex'"
    with pytest.raises((triton.CompilationError, triton.runtime.errors.InterpreterError), match=wanted):
        run(no_operator_kernel, 1, 7)


@tl.core.builtin
def my_shape(a, b, _semantic=None):
    return [a, b]


@triton.jit
def user_builtin_kernel(out, A: tl.constexpr):
    S: tl.constexpr = my_shape(A, 4)
    x = tl.full(S, 3, tl.int32)
    tl.store(out, tl.sum(tl.sum(x, 0), 0))


def test_user_builtin():
    assert run(user_builtin_kernel, 1, 8) == [96]


@triton.jit
def alias_kernel(out, x):
    tl.store(out, tl.load(x) + 1)


def test_aliased_arguments():
    p = torch.zeros(1, dtype=torch.int32)
    alias_kernel[(1,)](p, p)
    assert p.item() == 1


@triton.jit
def one_element_kernel(out, x):
    v = tl.load(x + tl.arange(0, 1))
    if v > 3:
        tl.store(out, 1)
    if (v > 3).item():
        tl.store(out + 1, 2)


def test_one_element_condition_warns():
    with pytest.warns(UserWarning):
        assert run(one_element_kernel, 2, torch.tensor([5], dtype=torch.int32)) == [1, 2]


@triton.jit
def zero_args():
    pass


@triton.jit
def unused(out, a, b, c=None):
    tl.store(out, 1)


def test_unused_and_no_arguments():
    zero_args[(3, 2)]()
    assert run(unused, 1, 3, 4.5) == [1]


@triton.jit
def method_kernel(out, x):
    v = tl.load(x + tl.arange(0, 8))
    tl.store(out, v.sum())
    tl.store(out + 1, v.max(axis=0))
    tl.store(out + 2, v.to(tl.float32).exp().log().sum().to(tl.int32))
    tl.store(out + 3, v.reshape((2, 4)).trans().sum(0).max(0))


def test_methods():
    x = torch.arange(1, 9, dtype=torch.int32)
    assert run(method_kernel, 4, x)[:2] == [36, 8]


@triton.jit
def math_module_kernel(out, N: tl.constexpr):
    L: tl.constexpr = math.log2(N)
    K: tl.constexpr = int(L)
    tl.store(out, K)
    tl.store(out + 1, 1 << K)
    tl.static_assert(math.ceil(L) == K)


def test_math_module():
    assert run(math_module_kernel, 2, 64) == [6, 64]


class Color(enum.Enum):
    RED = 1
    BLUE = 2


RED = tl.constexpr(Color.RED)


@triton.jit
def enum_kernel(out, m: tl.constexpr):
    if m == RED:
        tl.store(out, 1)
    else:
        tl.store(out, 2)


def test_enum_members_are_constants():
    assert run(enum_kernel, 1, Color.RED) == [1]
    assert run(enum_kernel, 1, Color.BLUE) == [2]


@triton.jit
def string_kernel(out, S: tl.constexpr):
    if S.startswith("ab") and S.upper() == "ABC" and "x" + S == "xabc":
        tl.store(out, len(S))


def test_string_methods():
    assert run(string_kernel, 1, "abc") == [3]


@triton.jit
def comprehension_kernel(out, t):
    u = [x * 2 for x in t] + [1]
    tl.store(out, u[0] + u[1] + u[-1])


def test_comprehension():
    assert run(comprehension_kernel, 1, (3, 4)) == [15]


@triton.jit
def ordered(x, y):
    if x > y:
        return x, y * 1.0
    return y, x * 1.0


@triton.jit
def two_results_kernel(out, a, b):
    hi, lo = ordered(a, b)
    tl.store(out, hi * 10 + lo.to(tl.int32))


def test_two_results_from_two_paths():
    assert run(two_results_kernel, 1, 3, 5) == [53]
    assert run(two_results_kernel, 1, 6, 5) == [65]
