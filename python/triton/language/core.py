"""The heart of the language: its types, its values, and the functions the compiler provides."""

# ruff: noqa: F401  (this module is where these names are known to live)

import math as _math
import warnings as _warnings

from .._utils import TRITON_MAX_TENSOR_NUMEL
from .._utils import validate_block_shape as _validate_block_shape
from . import types as _types
from .aggregate import _aggregate, _aggregate_type, _restore_aggregate, aggregate_replace
from .builtins import (
    TRITON_BUILTIN,
    LanguageFunction,
    _add_hidden_arguments,
    _takes_semantic,
    builtin,
    define,
    define_methods,
    is_builtin,
    must_use_result,
)
from .composite_types import (
    constexpr_type,
    slice_type,
    str_to_ty,
    tensor_descriptor_base_type,
    tensor_descriptor_type,
    tuple_type,
)
from .constants import _unwrap_if_constexpr, constexpr
from .loops import condition, range, static_range
from .nan import PropagateNan
from .types import (
    _DtypeClass,
    base_type,
    bfloat16,
    block_type,
    const,
    dtype,
    float8e4b8,
    float8e4b15,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    get_int_dtype,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from .values import base_value, slice, tensor, tensor_descriptor, tensor_descriptor_base, tuple
from .values import builtin_tuple as _builtin_tuple

extern = builtin
CONSTEXPR_0 = constexpr(0)

_SCALAR_OBJECTS = {scalar.name: scalar for scalar in vars(_types).values() if type(scalar) is dtype}

# Where these classes are known to live, for pickling and for the compiler.
for _class in (
    base_type, dtype, pointer_type, block_type, tuple_type, constexpr_type, slice_type, tensor_descriptor_base_type,
    tensor_descriptor_type, const, constexpr, base_value, tensor, tuple, slice, tensor_descriptor_base, tensor_descriptor,
    range, static_range, condition, PropagateNan,
):  # fmt: skip
    _class.__module__ = __name__
del _class

define(globals(), __name__)
define_methods(
    tensor, "triton.language.tensor", [each for each in globals().values() if type(each) is LanguageFunction]
)
define_methods(tensor_descriptor_base, "triton.language.tensor_descriptor")


def _tensor_member_fn(fn):
    """Makes a builtin or jitted function a method of `tensor` as well, for Python code."""
    setattr(tensor, fn.__name__, fn)
    return fn


def is_negative_zero(x):
    """Whether a number is -0.0, which is equal to 0.0."""
    return x == 0.0 and _math.copysign(1.0, x) < 0


def check_bit_width(value, shift_value):
    """Warns where a shift, known when the kernel is compiled, leaves nothing of a value."""
    if isinstance(value, tensor) and isinstance(shift_value, constexpr):
        bits = value.type.scalar.primitive_bitwidth
        if shift_value.value >= bits:
            _warnings.warn(f"Value {shift_value.value} exceeds the maximum bitwidth ({bits}) of its type", stacklevel=2)


def _raised(error):
    """The error, raised here: tracebacks of what a builtin refuses lead to the module that builtins are known to live in."""
    try:
        raise error
    except type(error):
        return error


def _unwrap_iterable(x):
    """`((a, b),)` -> `(a, b)`: shapes may be given as one sequence or as separate numbers."""
    if len(x) == 1:
        try:
            iter(x[0])
        except TypeError:
            return x
        return x[0]
    return x


def _unwrap_shape(shape):
    return [_unwrap_if_constexpr(dim) for dim in _unwrap_if_constexpr(shape)]


def _shape_check_impl(shape):
    shape = _unwrap_shape(shape)
    _validate_block_shape(shape)
    return shape


def _normalize_tuple(t):
    return tuple(t) if isinstance(t, (list, _builtin_tuple)) else t


def _wrap_axis(axis, ndim):
    """A possibly negative axis as one in 0..ndim-1."""
    if not -ndim <= axis < ndim:
        raise ValueError(f"invalid axis {axis}. Expected {-ndim} <= axis < {ndim}")
    return axis if axis >= 0 else axis + ndim
