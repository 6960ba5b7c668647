"""Arithmetic on two neighbouring elements at once, which sm_100 has for float32; other types compute as usual."""

import triton.experimental.gluon.language as gl

from ......language.core import constexpr
from ...._runtime import constexpr_function, jit

__all__ = ["add2", "fma2", "max2", "min2", "mul2", "sub2"]


@constexpr_function
def _assembly(name, operands):
    """Two registers of each operand as one of 64 bits, and back."""
    declared = ", ".join(["r", *(f"x{index}" for index in range(operands))])
    packed = " ".join(f"mov.b64 x{index}, {{${2 * index + 2}, ${2 * index + 3}}};" for index in range(operands))
    inputs = ", ".join(f"x{index}" for index in range(operands))
    return f"{{ .reg .b64 {declared}; {packed} {name}.rn.f32x2 r, {inputs}; mov.b64 {{$0, $1}}, r; }}"


@constexpr_function
def _constraints(operands):
    return ",".join(["=r"] * 2 + ["r"] * (2 * operands))


@jit
def _typed(value, like, dtype: constexpr):
    """An operand in the type and shape of the result."""
    element: constexpr = like.dtype if dtype is None else dtype
    if isinstance(value, gl.tensor):
        result = value.to(element)
    else:
        result = gl.full(like.shape, value, element, like.type.layout)
    return result


@jit
def _apply(name: constexpr, lhs, rhs, dtype: constexpr):
    if isinstance(lhs, gl.tensor):
        like = lhs
    else:
        like = rhs
    a, b = gl.broadcast(_typed(lhs, like, dtype), _typed(rhs, like, dtype))
    if name == "min":
        result = gl.minimum(a, b)
    elif name == "max":
        result = gl.maximum(a, b)
    elif a.dtype == gl.float32:
        result = gl.inline_asm_elementwise(
            _assembly(name, 2), _constraints(2), [a, b], dtype=gl.float32, is_pure=True, pack=2
        )
    elif name == "add":
        result = a + b
    elif name == "sub":
        result = a - b
    else:
        result = a * b
    return result


@jit
def add2(lhs, rhs, dtype: constexpr = None):
    """`lhs + rhs`, in `dtype` if given."""
    return _apply("add", lhs, rhs, dtype)


@jit
def sub2(lhs, rhs, dtype: constexpr = None):
    """`lhs - rhs`, in `dtype` if given."""
    return _apply("sub", lhs, rhs, dtype)


@jit
def mul2(lhs, rhs, dtype: constexpr = None):
    """`lhs * rhs`, in `dtype` if given."""
    return _apply("mul", lhs, rhs, dtype)


@jit
def min2(lhs, rhs, dtype: constexpr = None):
    """The smaller of both, in `dtype` if given."""
    return _apply("min", lhs, rhs, dtype)


@jit
def max2(lhs, rhs, dtype: constexpr = None):
    """The larger of both, in `dtype` if given."""
    return _apply("max", lhs, rhs, dtype)


@jit
def fma2(lhs, rhs, acc, dtype: constexpr = None):
    """`lhs * rhs + acc` with one rounding, in `dtype` if given."""
    if isinstance(lhs, gl.tensor):
        like = lhs
    elif isinstance(rhs, gl.tensor):
        like = rhs
    else:
        like = acc
    a, b = gl.broadcast(_typed(lhs, like, dtype), _typed(rhs, like, dtype))
    a, c = gl.broadcast(a, _typed(acc, like, dtype))
    b, c = gl.broadcast(b, c)
    if a.dtype == gl.float32:
        result = gl.inline_asm_elementwise(
            _assembly("fma", 3), _constraints(3), [a, b, c], dtype=gl.float32, is_pure=True, pack=2
        )
    else:
        result = gl.fma(a, b, c)
    return result
