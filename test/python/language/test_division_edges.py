"""Integer division by zero, and of the least number by -1: one answer on every target, in the interpreter and in what is folded. The answer is
that of Triton 3.6 on NVIDIA's GPUs (docs/reference/language.md)."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import INTS, TORCH, UINTS

N = 16


def numbers(dtype):
    """Dividends with the ends of the type among them, and divisors that need care."""
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    dividends = (
        [low, low + 1, -7, -1, 0, 1, 7, high] if low else [0, 1, 7, 100, high // 2, high // 2 + 1, high - 1, high]
    )
    divisors = [0, -1, low, 1, -2, high, 3, -7] if low else [0, 1, high, 2, 3, high - 1, 7, 16]
    return dividends, divisors


def exact(op, a, b, dtype):
    """What the language says, as a number of the type."""
    bits = np.iinfo(dtype).bits
    if b == 0:
        result = 2**32 - 1 if bits == 64 and 0 <= a < 2**32 else -1
    else:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        result = quotient if op == "//" else a - quotient * b
    return int(np.array([result % 2**bits], dtype=f"uint{bits}").view(dtype)[0])


def array(values, dtype):
    return torch.from_numpy(np.array(values, dtype=dtype))


@triton.jit
def apply(x, y, OP: tl.constexpr):
    if OP == "//":
        return x // y
    else:
        return x % y


@triton.jit
def tensor_kernel(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out_ptr + offsets, apply(tl.load(x_ptr + offsets), tl.load(y_ptr + offsets), OP))


@triton.jit
def uniform_kernel(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out_ptr + offsets, apply(tl.load(x_ptr + offsets), tl.load(y_ptr), OP))


@triton.jit
def scalar_kernel(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    for i in range(N):
        tl.store(out_ptr + i, apply(tl.load(x_ptr + i), tl.load(y_ptr + i), OP))


@triton.jit
def branch_kernel(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    """The division moves in front of what guards it, or not."""
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    tl.store(out_ptr + offsets, tl.where(y != 0, apply(x, y, OP), x))


@triton.jit
def constant_kernel(x_ptr, out_ptr, Y: tl.constexpr, OP: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, apply(x, tl.full((N,), Y, x.dtype), OP))


@triton.jit
def folded_kernel(out_ptr, X: tl.constexpr, Y: tl.constexpr, OP: tl.constexpr):
    dtype: tl.constexpr = out_ptr.dtype.element_ty
    tl.store(out_ptr, apply(tl.full((), X, dtype), tl.full((), Y, dtype), OP))
    offsets = tl.arange(0, 2)
    tl.store(out_ptr + 1 + offsets, apply(tl.full((2,), X, dtype), tl.full((2,), Y, dtype), OP))


@triton.jit
def divide_pair(a, b):
    return a // b


@triton.jit
def remainder_if_small(a, b):
    result = a
    if a < 100:
        result = a % b
    return result


@triton.jit
def reduction_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce(x, 0, divide_pair))
    tl.store(out_ptr + 1, tl.reduce(x, 0, remainder_if_small))


@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("dtype", INTS + UINTS)
@pytest.mark.parametrize("kernel", [tensor_kernel, scalar_kernel])
def test_pairs(kernel, dtype, op):
    dividends, divisors = numbers(dtype)
    for rotation in range(len(divisors)):
        xs = dividends * 2
        ys = (divisors[rotation:] + divisors[:rotation]) * 2
        out = torch.full((N,), 99, dtype=TORCH[dtype])
        kernel[(1,)](array(xs, dtype), array(ys, dtype), out, op, N)
        assert out.numpy().tolist() == [exact(op, x, y, dtype) for x, y in zip(xs, ys)], (xs, ys)


@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("dtype", INTS + UINTS)
def test_uniform_and_constant_divisors(dtype, op):
    dividends, divisors = numbers(dtype)
    x = array(dividends * 2, dtype)
    for y in divisors:
        expected = [exact(op, a, y, dtype) for a in dividends] * 2
        out = torch.full((N,), 99, dtype=TORCH[dtype])
        uniform_kernel[(1,)](x, array([y], dtype), out, op, N)
        assert out.numpy().tolist() == expected, y
        out.fill_(99)
        constant_kernel[(1,)](x, out, y, op, N)
        assert out.numpy().tolist() == expected, y


@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("dtype", INTS + UINTS)
def test_folded(dtype, op):
    dividends, divisors = numbers(dtype)
    for x, y in [(dividends[0], divisors[0]), (7, 0), (dividends[0], divisors[1]), (dividends[-1], divisors[1])]:
        out = torch.full((3,), 99, dtype=TORCH[dtype])
        folded_kernel[(1,)](out, x, y, op)
        assert out.numpy().tolist() == [exact(op, x, y, dtype)] * 3, (x, y)


@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("dtype", INTS + UINTS)
def test_guarded(dtype, op):
    dividends, divisors = numbers(dtype)
    x, y = array(dividends * 2, dtype), array([0, 3] * 8, dtype)
    out = torch.full((N,), 99, dtype=TORCH[dtype])
    branch_kernel[(1,)](x, y, out, op, N)
    expected = [exact(op, a, b, dtype) if b else a for a, b in zip(dividends * 2, [0, 3] * 8)]
    assert out.numpy().tolist() == expected


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_in_functions_that_combine(dtype):
    """Any order is as good: the quotient of zeros is known, and what it is divided by does not matter."""
    out = torch.full((2,), 99, dtype=TORCH[dtype])
    reduction_kernel[(1,)](torch.zeros(2, dtype=TORCH[dtype]), out, 2)
    assert out.numpy().tolist() == [exact("//", 0, 0, dtype), exact("%", 0, 0, dtype)]


@triton.jit
def python_number_kernel(out_ptr, ZERO: tl.constexpr):
    tl.store(out_ptr, 7 // ZERO)


def test_python_numbers_follow_python():
    with pytest.raises(Exception, match="by zero"):
        python_number_kernel[(1,)](torch.zeros(1, dtype=torch.int32), 0)
