"""Python code that takes part in a compile: builtins of users, aggregates, NamedTuples, must_use_result, warnings."""

import warnings
from typing import NamedTuple

import numpy as np
import pytest
import triton
import triton.language as tl


def run(kernel, *args, dtype=np.int32, n=1):
    out = np.zeros(n, dtype)
    kernel[(1,)](out, *args)
    return out[0] if n == 1 else out


@tl.core.builtin
def scaled_sum(x, y, FACTOR, _semantic=None):
    assert isinstance(x, tl.tensor) and isinstance(FACTOR, tl.constexpr)
    return (x + y) * FACTOR.value


@tl.core.builtin
def load_twice(pointer, _semantic=None):
    value = tl.load(pointer, _semantic=_semantic)
    return value, _semantic.to_tensor(7), tl.constexpr(3)


def test_builtin():
    @triton.jit
    def kernel(out_ptr, a, b):
        tl.store(out_ptr, scaled_sum(a, b, 10))

    assert run(kernel, 2, 3) == 50
    with pytest.raises(ValueError, match="triton.jit"):
        scaled_sum(1, 2, 3)


def test_builtin_that_calls_builtins_and_returns_a_tuple():
    @triton.jit
    def kernel(out_ptr, x_ptr):
        value, seven, three = load_twice(x_ptr)
        tl.store(out_ptr, value * 100 + seven * 10 + three)

    assert run(kernel, np.array([2], np.int32)) == 273


def test_builtin_on_blocks():
    @tl.core.builtin
    def clamped(x, _semantic=None):
        assert x.shape == [8] and x.dtype == tl.int32 and str(x) == "int32[constexpr[8]]"
        rows = x[:, None]
        assert rows.type == tl.block_type(tl.int32, [8, 1])
        return tl.minimum(x, 3, _semantic=_semantic).to(tl.float32, _semantic=_semantic)

    @triton.jit
    def kernel(out_ptr):
        offsets = tl.arange(0, 8)
        tl.store(out_ptr + offsets, clamped(offsets))

    assert run(kernel, dtype=np.float32, n=8).tolist() == [0, 1, 2, 3, 3, 3, 3, 3]


def test_exception_in_a_builtin():
    @tl.core.builtin
    def failing(x, _semantic=None):
        raise ValueError("no good")

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, failing(1))

    with pytest.raises(triton.CompilationError, match="no good") as info:
        run(kernel)
    assert isinstance(info.value.__cause__, ValueError) and info.value.node.lineno == 2


class Point(NamedTuple):
    x: object
    y: object


def test_named_tuple_made_in_a_kernel():
    @triton.jit
    def swap(p):
        return Point(p.y, p.x)

    @triton.jit
    def kernel(out_ptr, a):
        p = swap(Point(a, y=4))
        tl.store(out_ptr, p.x * 10 + p.y)

    assert run(kernel, 7) == 47


@tl.core._aggregate
class Accumulator:
    total: tl.tensor
    STEP: tl.constexpr

    def __init__(self, total, STEP):
        self.total = total
        self.STEP = STEP

    @triton.jit
    def add(self, value):
        return Accumulator(self.total + value * self.STEP, self.STEP)

    def doubled(self, _semantic=None):
        return self.total * 2


def test_aggregate():
    @triton.jit
    def kernel(out_ptr, n):
        a = Accumulator(n, 10)
        a = a.add(3)
        tl.store(out_ptr, a.total + a.STEP + a.doubled())

    assert run(kernel, 2) == 32 + 10 + 64


def test_aggregate_through_a_loop():
    @triton.jit
    def kernel(out_ptr, n):
        a = Accumulator(n * 0, 2)
        for i in range(n):
            a = a.add(i)
        tl.store(out_ptr, a.total)

    assert run(kernel, 5) == 20


def test_must_use_result():
    @triton.must_use_result
    @triton.jit
    def precious(x):
        return x + 1

    @triton.jit
    def careless(out_ptr):
        precious(1)

    with pytest.raises(triton.CompilationError, match="is not being used"):
        run(careless)


def test_warning():
    @triton.jit
    def kernel(out_ptr, n):
        tl.store(out_ptr, tl.where(n, 1, 2))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run(kernel, 5) == 1
    assert any("where" in str(warning.message) and warning.filename == __file__ for warning in caught)
