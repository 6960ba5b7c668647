"""Pairs of float32 in one 64-bit register, which sm_100 computes with at once."""

import triton.experimental.gluon.language as gl

from ......language.core import _aggregate, constexpr, tensor
from ...._runtime import constexpr_function, jit

__all__ = ["Float2Tensor", "fma", "full_like", "pack", "pack2", "unpack", "unpack2"]


@jit
def _add(a, b):
    return gl.inline_asm_elementwise("add.rn.f32x2 $0, $1, $2;", "=l,l,l", [a, b], dtype=gl.int64, is_pure=True, pack=1)


@jit
def _sub(a, b):
    return gl.inline_asm_elementwise("sub.rn.f32x2 $0, $1, $2;", "=l,l,l", [a, b], dtype=gl.int64, is_pure=True, pack=1)


@jit
def _mul(a, b):
    return gl.inline_asm_elementwise("mul.rn.f32x2 $0, $1, $2;", "=l,l,l", [a, b], dtype=gl.int64, is_pure=True, pack=1)


@_aggregate
class Float2Tensor:
    """A tensor of pairs; `value` holds them as int64."""

    value: tensor

    @constexpr_function
    def __init__(self, value):
        self.value = value

    @jit
    def __add__(self, other):
        return Float2Tensor(_add(self.value, other.value))

    @jit
    def __sub__(self, other):
        return Float2Tensor(_sub(self.value, other.value))

    @jit
    def __mul__(self, other):
        return Float2Tensor(_mul(self.value, other.value))

    @jit
    def sum(self, axis: constexpr):
        return Float2Tensor(gl.reduce(self.value, axis, _add))


@constexpr_function
def _halved(shape, axis):
    """`axis` as half of it and a dimension of two."""
    return [*shape[:axis], shape[axis] // 2, 2, *shape[axis + 1 :]]


@constexpr_function
def _doubled(shape, axis):
    return [*shape[:axis], shape[axis] * 2, *shape[axis + 1 :]]


@constexpr_function
def _to_last(rank, dim):
    return [*(other for other in range(rank) if other != dim), dim]


@constexpr_function
def _from_last(rank, dim):
    return [*range(dim), rank - 1, *range(dim, rank - 1)]


@jit
def pack2(x0, x1):
    """Pairs of an element of each."""
    value = gl.inline_asm_elementwise(
        "mov.b64 $0, { $1, $2 };", "=l,r,r", [x0, x1], dtype=gl.int64, is_pure=True, pack=1
    )
    return Float2Tensor(value)


@jit
def unpack2(x):
    """The first and the second of each pair."""
    return gl.inline_asm_elementwise(
        "mov.b64 { $0, $1 }, $2;", "=r,=r,l", [x.value], dtype=[gl.float32, gl.float32], is_pure=True, pack=1
    )


@jit
def pack(x, axis: constexpr):
    """Pairs of neighbours along `axis`, which becomes half as long."""
    shape: constexpr = _halved(x.shape, axis)
    x0, x1 = gl.split(gl.permute(gl.reshape(x, shape), _to_last(len(shape), axis + 1)))
    return pack2(x0, x1)


@jit
def unpack(x, axis: constexpr):
    """The elements of pairs side by side along `axis`."""
    shape: constexpr = x.value.shape
    x0, x1 = unpack2(x)
    return gl.reshape(gl.permute(gl.join(x0, x1), _from_last(len(shape) + 1, axis + 1)), _doubled(shape, axis))


@jit
def fma(a, b, c):
    """a b + c, rounded once."""
    value = gl.inline_asm_elementwise(
        "fma.rn.f32x2 $0, $1, $2, $3;", "=l,l,l,l", [a.value, b.value, c.value], dtype=gl.int64, is_pure=True, pack=1
    )
    return Float2Tensor(value)


@jit
def full_like(x, fill_value):
    """Pairs of `fill_value` twice, as many as in `x`."""
    fill = gl.full_like(x.value, fill_value, dtype=gl.float32)
    return pack2(fill, fill)
