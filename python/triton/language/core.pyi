"""The heart of the language: its types, its values, and the functions the compiler provides."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from .types import _DtypeClass as _DtypeClass
from .._utils import TRITON_MAX_TENSOR_NUMEL as TRITON_MAX_TENSOR_NUMEL
from .aggregate import _aggregate as _aggregate
from .aggregate import _aggregate_type as _aggregate_type
from .aggregate import _restore_aggregate as _restore_aggregate
from .aggregate import aggregate_replace as aggregate_replace
from .builtins import LanguageFunction as LanguageFunction
from .builtins import TRITON_BUILTIN as TRITON_BUILTIN
from .builtins import _add_hidden_arguments as _add_hidden_arguments
from .builtins import _takes_semantic as _takes_semantic
from .builtins import builtin as builtin
from .builtins import define as define
from .builtins import define_methods as define_methods
from .builtins import is_builtin as is_builtin
from .builtins import must_use_result as must_use_result
from .composite_types import constexpr_type as constexpr_type
from .composite_types import slice_type as slice_type
from .composite_types import str_to_ty as str_to_ty
from .composite_types import tensor_descriptor_base_type as tensor_descriptor_base_type
from .composite_types import tensor_descriptor_type as tensor_descriptor_type
from .composite_types import tuple_type as tuple_type
from .constants import _unwrap_if_constexpr as _unwrap_if_constexpr
from .constants import constexpr as constexpr
from .loops import condition as condition
from .loops import range as range
from .loops import static_range as static_range
from .nan import PropagateNan as PropagateNan
from .types import _DtypeClass as _DtypeClass
from .types import base_type as base_type
from .types import bfloat16 as bfloat16
from .types import block_type as block_type
from .types import const as const
from .types import dtype as dtype
from .types import float16 as float16
from .types import float32 as float32
from .types import float64 as float64
from .types import float8e4b15 as float8e4b15
from .types import float8e4b8 as float8e4b8
from .types import float8e4nv as float8e4nv
from .types import float8e5 as float8e5
from .types import float8e5b16 as float8e5b16
from .types import get_int_dtype as get_int_dtype
from .types import int1 as int1
from .types import int16 as int16
from .types import int32 as int32
from .types import int64 as int64
from .types import int8 as int8
from .types import pi32_t as pi32_t
from .types import pointer_type as pointer_type
from .types import uint16 as uint16
from .types import uint32 as uint32
from .types import uint64 as uint64
from .types import uint8 as uint8
from .types import void as void
from .values import base_value as base_value
from .values import slice as slice
from .values import tensor_descriptor as tensor_descriptor
from .values import tensor_descriptor_base as tensor_descriptor_base
from .values import tuple as tuple

extern = builtin
CONSTEXPR_0: constexpr

class tensor(base_value):
    """A value known at run time: a scalar, or a block of scalars in a compile-time shape."""

    type: Any
    dtype: dtype
    shape: tuple
    numel: constexpr
    handle: Any
    @property
    def T(self) -> tensor: ...
    def __getitem__(self, slices: Any) -> tensor: ...
    def item(self) -> tensor: ...
    def __add__(self, other: Any) -> tensor: ...
    def __sub__(self, other: Any) -> tensor: ...
    def __mul__(self, other: Any) -> tensor: ...
    def __truediv__(self, other: Any) -> tensor: ...
    def __floordiv__(self, other: Any) -> tensor: ...
    def __mod__(self, other: Any) -> tensor: ...
    def __and__(self, other: Any) -> tensor: ...
    def __or__(self, other: Any) -> tensor: ...
    def __xor__(self, other: Any) -> tensor: ...
    def __lshift__(self, other: Any) -> tensor: ...
    def __rshift__(self, other: Any) -> tensor: ...
    def __radd__(self, other: Any) -> tensor: ...
    def __rsub__(self, other: Any) -> tensor: ...
    def __rmul__(self, other: Any) -> tensor: ...
    def __rtruediv__(self, other: Any) -> tensor: ...
    def __rfloordiv__(self, other: Any) -> tensor: ...
    def __rmod__(self, other: Any) -> tensor: ...
    def __rand__(self, other: Any) -> tensor: ...
    def __ror__(self, other: Any) -> tensor: ...
    def __rxor__(self, other: Any) -> tensor: ...
    def __rlshift__(self, other: Any) -> tensor: ...
    def __rrshift__(self, other: Any) -> tensor: ...
    def __eq__(self, other: Any) -> tensor: ...
    def __ne__(self, other: Any) -> tensor: ...
    def __lt__(self, other: Any) -> tensor: ...
    def __le__(self, other: Any) -> tensor: ...
    def __gt__(self, other: Any) -> tensor: ...
    def __ge__(self, other: Any) -> tensor: ...
    def __neg__(self) -> tensor: ...
    def __invert__(self) -> tensor: ...
    def to(self, dtype, fp_downcast_rounding=None, bitcast=False) -> tensor:
        """The same as `cast(self, ...)`."""
        ...
    def logical_and(self, other) -> tensor:
        """Whether both are true, element by element; operands are int1 or pointers."""
        ...
    def logical_or(self, other) -> tensor:
        """Whether one of both is true, element by element; operands are int1 or pointers."""
        ...
    def exp(self) -> tensor:
        """The exponential of each element, within about 2 ulp in float32."""
        ...
    def exp2(self) -> tensor:
        """2 to the power of each element."""
        ...
    def log(self) -> tensor:
        """The natural logarithm of each element."""
        ...
    def log2(self) -> tensor:
        """The logarithm of each element to base 2."""
        ...
    def cos(self) -> tensor:
        """The cosine of each element, in radians."""
        ...
    def sin(self) -> tensor:
        """The sine of each element, in radians."""
        ...
    def sqrt(self) -> tensor:
        """The square root of each element, fast."""
        ...
    def rsqrt(self) -> tensor:
        """One over the square root of each element."""
        ...
    def erf(self) -> tensor:
        """The error function of each element."""
        ...
    def floor(self) -> tensor:
        """The largest integer not above each element, as a float."""
        ...
    def ceil(self) -> tensor:
        """The smallest integer not below each element, as a float."""
        ...
    def broadcast_to(self, *shape) -> tensor:
        """`input` repeated along its dimensions of size 1 to fill `shape`, which has the same rank. A scalar fills any shape."""
        ...
    def trans(self, *dims) -> tensor:
        """`input` with its dimensions permuted; without `dims`, the last two swap places."""
        ...
    def permute(self, *dims) -> tensor:
        """`input` with dimension `dims[i]` moved to place `i`."""
        ...
    def reshape(self, *shape, can_reorder=False) -> tensor:
        """The elements of `input` in another shape of the same number of elements, in row-major order.

        With `can_reorder=True` the compiler may choose any order. The empty shape takes the one element out as a scalar.
        """
        ...
    def view(self, *shape) -> tensor:
        """Deprecated: `reshape` with `can_reorder=True`."""
        ...
    def expand_dims(self, axis) -> tensor:
        """`input` with dimensions of size 1 inserted.

        `axis` is one position in the result or a sequence of them; negative ones count from the end.
        """
        ...
    def split(self) -> tuple[tensor, tensor]:
        """The two halves of the last dimension, which has size 2: the inverse of `join`."""
        ...
    def gather(self, index, axis) -> tensor:
        """Elements of `src` picked along `axis` by the integer block `index`, whose shape the result has.

        For `axis=0` and two dimensions, `out[i, j] = src[index[i, j], j]`. An index out of range gives an undefined value.
        """
        ...
    def cast(self, dtype, fp_downcast_rounding=None, bitcast=False) -> tensor:
        """`input` converted to `dtype`.

        With `bitcast=True` the bits are kept and read as `dtype`, which must have the same width. `fp_downcast_rounding` is "rtne" (to nearest, ties to even; the default) or "rtz" (toward zero) and may be given only when a float becomes a narrower float.
        """
        ...
    def sqrt_rn(self) -> tensor:
        """The square root of each element, correctly rounded. Takes float32."""
        ...
    def abs(self) -> tensor:
        """The absolute value of each element, of any number type."""
        ...
    def store(self, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='') -> None:
        """Writes `value` to memory through a pointer, a block of pointers or a block pointer.

        `value` is converted to the pointers' element type and broadcast to their shape (a block pointer takes only its own shape). Where `mask` is false nothing is written. When several elements go to one address, which one stays is undefined.
        `cache_modifier` is ".wb", ".cg", ".cs" or ".wt".
        """
        ...
    def atomic_add(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically adds `val` to memory and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_max(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically stores the larger of memory and `val` and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_min(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically stores the smaller of memory and `val` and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_and(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically stores the bitwise and of memory and `val` and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_or(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically stores the bitwise or of memory and `val` and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_xor(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically stores the exclusive or of memory and `val` and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_xchg(self, val, mask=None, sem=None, scope=None) -> tensor:
        """Atomically stores `val` and gives what was there before.

        `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
        `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_cas(self, cmp, val, sem=None, scope=None) -> tensor:
        """Atomically stores `val` where memory holds `cmp`, and gives what was there before.

        `cmp` and `val` already have the element type and shape of the pointers; elements are 16, 32 or 64 bits wide.
        """
        ...
    def atomic_load(self, mask=None, sem=None, scope=None) -> tensor:
        """Reads memory, each element atomically.

        Where `mask` is false nothing is read and the result is undefined. `sem` is "acquire" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def atomic_store(self, val, mask=None, sem=None, scope=None) -> None:
        """Writes `val` to memory, each element atomically.

        `val` is converted to the pointers' element type and broadcast to their shape; where `mask` is false nothing is written. `sem` is "release" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
        """
        ...
    def reduce(self, axis, combine_fn, keep_dims=False) -> Any:
        """Combines the elements along `axis` with a jitted function, in no particular order.

        `input` is a block, or a tuple of blocks of one shape that are reduced together: `combine_fn` takes one scalar of each for the left side, then one of each for the right, and returns as many. `axis=None` combines all elements. `keep_dims=True` keeps the reduced dimension with size 1.
        """
        ...
    def associative_scan(self, axis, combine_fn, reverse=False) -> Any:
        """All partial combinations along `axis`: element i combines elements 0 to i, or with `reverse` those from the end to i.

        `combine_fn` takes what was accumulated so far, then the next element (for a tuple of blocks, one scalar of each), and must be associative.
        """
        ...
    def histogram(self, num_bins, mask=None) -> tensor:
        """How often each of the numbers 0 to `num_bins` - 1 occurs in a 1-D integer block, as int32.

        Elements whose `mask` is false do not count. Values out of range are undefined.
        """
        ...
    def advance(self, offsets) -> tensor:
        """The block pointer moved by `offsets`, one per dimension. `base` itself does not move."""
        ...
    def cdiv(self, div) -> tensor:
        """`x` divided by `div`, rounded up; integers. The result is a run-time value."""
        ...
    def ravel(self, can_reorder=False) -> tensor:
        """The elements of `x` as a block of one dimension."""
        ...
    def squeeze(self, dim) -> tensor:
        """`x` without dimension `dim`, which has size 1; a negative `dim` counts from the end."""
        ...
    def unsqueeze(self, dim) -> tensor:
        """`x` with a dimension of size 1 inserted before dimension `dim`; a negative `dim` counts from the end of the result."""
        ...
    def sigmoid(self) -> tensor:
        """`1 / (1 + exp(-x))`, for float32 and float64."""
        ...
    def softmax(self, dim=None, keep_dims=None, ieee_rounding=False) -> tensor:
        """`exp(x)` divided by its sum along `dim` (default 0), computed without overflow.

        Before 3.9, pass `keep_dims=True` for a `dim` other than 0, so that the sums line up with their rows.
        """
        ...
    def max(self, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False) -> Any:
        """The largest element along `axis`, or of all. NaN is ignored unless everything is.

        Types narrower than 32 bits widen to float32 or int32. With `return_indices`, a pair of the values and their positions along
        `axis` (the first of equals, unless `return_indices_tie_break_left` is false); only bfloat16 widens then.
        """
        ...
    def min(self, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False) -> Any:
        """The smallest element along `axis`, or of all. NaN is ignored unless everything is.

        Types narrower than 32 bits widen to float32 or int32. With `return_indices`, a pair of the values and their positions along
        `axis` (the first of equals, unless `return_indices_tie_break_left` is false); only bfloat16 widens then.
        """
        ...
    def argmax(self, axis, tie_break_left=True, keep_dims=False) -> tensor:
        """The position of the largest element along `axis`, as int32; the first of equals unless `tie_break_left` is false."""
        ...
    def argmin(self, axis, tie_break_left=True, keep_dims=False) -> tensor:
        """The position of the smallest element along `axis`, as int32; the first of equals unless `tie_break_left` is false."""
        ...
    def sum(self, axis=None, keep_dims=False, dtype=None) -> tensor:
        """The sum along `axis`, or of all elements.

        Integers narrower than 32 bits are summed as int32 or uint32, floats in their own type; `dtype` says otherwise.
        """
        ...
    def xor_sum(self, axis=None, keep_dims=False) -> tensor:
        """The exclusive or of all elements along `axis`, or of all; integers only."""
        ...
    def reduce_or(self, axis, keep_dims=False) -> tensor:
        """The bitwise or of all elements along `axis`; integers only."""
        ...
    def atomic_poll(self, expected_value, sem=None, scope=None, timeout_ns=None) -> tensor:
        """Waits until memory holds `expected_value`, every element of it; true where it was seen. Elements are integers of 16, 32 or 64 bits.

        `sem` is "acquire" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys". With `timeout_ns`, waits for so many nanoseconds
        at most, and reads at least once. On CPUs time is counted in polls.
        """
        ...
    def cumsum(self, axis=0, reverse=False, dtype=None) -> tensor:
        """Sums of all elements up to each one along `axis`, or from the end with `reverse`. Types widen as in `sum`, and before 3.9 bfloat16 to float32."""
        ...
    def cumprod(self, axis=0, reverse=False, dtype=None) -> tensor:
        """Products of all elements up to each one along `axis`, or from the end with `reverse`.

        From 3.9 on types widen as in `sum`; before, only bfloat16 did, to float32. `dtype` says otherwise.
        """
        ...
    def sort(self, dim=None, descending=0) -> tensor:
        """`x` sorted along its last dimension, ascending unless `descending`. Not stable; where NaN goes is unspecified."""
        ...
    def flip(self, dim=None) -> tensor:
        """`x` reversed along `dim`, the last dimension by default."""
        ...

def is_negative_zero(x) -> Any: ...
def check_bit_width(value, shift_value) -> Any: ...

def program_id(axis) -> tensor:
    """The index of this program along `axis` (0, 1 or 2) of the launch grid, an int32 scalar.

    A kernel runs once for every point of its grid; this is how a run tells which part of the data is its own.
    """
    ...

def num_programs(axis) -> tensor:
    """The size of the launch grid along `axis` (0, 1 or 2), an int32 scalar. Dimensions the launch did not give count as 1."""
    ...

def arange(start, end) -> tensor:
    """A block of the int32 values from `start` to `end` - 1.

    Both bounds are compile-time integers and `end - start` is a power of two. `start` need not be 0.
    """
    ...

def full(shape, value, dtype) -> tensor:
    """A block of the given shape, every element being `value` converted to `dtype`.

    `value` is a number or a scalar tensor. An empty shape gives a scalar.
    """
    ...

def broadcast(input, other) -> tuple[tensor, tensor]:
    """Both operands broadcast to their common shape, as a pair."""
    ...

def broadcast_to(input, *shape) -> tensor:
    """`input` repeated along its dimensions of size 1 to fill `shape`, which has the same rank. A scalar fills any shape."""
    ...

def trans(input, *dims) -> tensor:
    """`input` with its dimensions permuted; without `dims`, the last two swap places."""
    ...

def permute(input, *dims) -> tensor:
    """`input` with dimension `dims[i]` moved to place `i`."""
    ...

def reshape(input, *shape, can_reorder=False) -> tensor:
    """The elements of `input` in another shape of the same number of elements, in row-major order.

    With `can_reorder=True` the compiler may choose any order. The empty shape takes the one element out as a scalar.
    """
    ...

def view(input, *shape) -> tensor:
    """Deprecated: `reshape` with `can_reorder=True`."""
    ...

def item(input) -> Any:
    """The element of a one-element block, as a scalar."""
    ...

def expand_dims(input, axis) -> tensor:
    """`input` with dimensions of size 1 inserted.

    `axis` is one position in the result or a sequence of them; negative ones count from the end.
    """
    ...

def cat(input, other, can_reorder=False, dim=0) -> tensor:
    """Two blocks of one shape one behind the other along `dim`.

    With `can_reorder=True`, the elements of two 1-D blocks in one block, in no particular order.
    """
    ...

def join(a, b) -> tensor:
    """Two operands stacked along a new last dimension of size 2."""
    ...

def split(a) -> tuple[tensor, tensor]:
    """The two halves of the last dimension, which has size 2: the inverse of `join`."""
    ...

def gather(src, index, axis) -> tensor:
    """Elements of `src` picked along `axis` by the integer block `index`, whose shape the result has.

    For `axis=0` and two dimensions, `out[i, j] = src[index[i, j], j]`. An index out of range gives an undefined value.
    """
    ...

def cast(input, dtype, fp_downcast_rounding=None, bitcast=False) -> tensor:
    """`input` converted to `dtype`.

    With `bitcast=True` the bits are kept and read as `dtype`, which must have the same width. `fp_downcast_rounding` is "rtne" (to nearest, ties to even; the default) or "rtz" (toward zero) and may be given only when a float becomes a narrower float.
    """
    ...

def where(condition, x, y) -> tensor:
    """Elements of `x` where `condition` holds, of `y` elsewhere.

    Both are computed. Operands broadcast, and `x` and `y` are brought to one dtype; numbers adapt to the tensor beside them.
    """
    ...

def add(x, y, sanitize_overflow=True) -> tensor:
    """`x + y`. `sanitize_overflow=False` leaves out the overflow check of debug mode."""
    ...

def sub(x, y, sanitize_overflow=True) -> tensor:
    """`x - y`. `sanitize_overflow=False` leaves out the overflow check of debug mode."""
    ...

def mul(x, y, sanitize_overflow=True) -> tensor:
    """`x * y`. `sanitize_overflow=False` leaves out the overflow check of debug mode."""
    ...

def minimum(x, y, propagate_nan=...) -> tensor:
    """The smaller of two values, element by element. A NaN operand is ignored, or with `PropagateNan.ALL` makes the result NaN. bfloat16 gives float32 before 3.9."""
    ...

def maximum(x, y, propagate_nan=...) -> tensor:
    """The larger of two values, element by element. A NaN operand is ignored, or with `PropagateNan.ALL` makes the result NaN. bfloat16 gives float32 before 3.9."""
    ...

def clamp(x, min, max, propagate_nan=...) -> tensor:
    """`x` limited to the range from `min` to `max`.

    `propagate_nan` says whether a NaN in `x` stays; NaN bounds, and `min` above `max`, are undefined.
    """
    ...

def to_tensor(x) -> tensor:
    """A number as a typed scalar; tensors as they are."""
    ...

def _promote_bfloat16_to_float32(t) -> tensor:
    """Before 3.9, bfloat16 as float32; anything else as it is."""
    ...

def load(pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', eviction_policy='', volatile=False) -> tensor:
    """Reads memory: a scalar through a pointer, a block through a block of pointers or a block pointer.

    Where `mask` is false nothing is read and the element is `other`, or undefined without it. `mask`, `other` and the pointers broadcast together.
    For block pointers, `boundary_check` lists the dimensions along which elements outside of the tensor are not read, and `padding_option` ("zero" or "nan") is what they give.
    `cache_modifier` (".ca", ".cg", ".cs", ".cv") and `eviction_policy` ("evict_first", "evict_last") are hints; a `volatile` read is neither removed nor merged.
    """
    ...

def store(pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='') -> None:
    """Writes `value` to memory through a pointer, a block of pointers or a block pointer.

    `value` is converted to the pointers' element type and broadcast to their shape (a block pointer takes only its own shape). Where `mask` is false nothing is written. When several elements go to one address, which one stays is undefined.
    `cache_modifier` is ".wb", ".cg", ".cs" or ".wt".
    """
    ...

def atomic_add(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically adds `val` to memory and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_max(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically stores the larger of memory and `val` and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_min(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically stores the smaller of memory and `val` and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_and(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically stores the bitwise and of memory and `val` and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_or(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically stores the bitwise or of memory and `val` and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_xor(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically stores the exclusive or of memory and `val` and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_xchg(pointer, val, mask=None, sem=None, scope=None) -> tensor:
    """Atomically stores `val` and gives what was there before.

    `val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing happens and the result is undefined.
    `sem` is "acq_rel" (default), "acquire", "release" or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_cas(pointer, cmp, val, sem=None, scope=None) -> tensor:
    """Atomically stores `val` where memory holds `cmp`, and gives what was there before.

    `cmp` and `val` already have the element type and shape of the pointers; elements are 16, 32 or 64 bits wide.
    """
    ...

def atomic_load(pointer, mask=None, sem=None, scope=None) -> tensor:
    """Reads memory, each element atomically.

    Where `mask` is false nothing is read and the result is undefined. `sem` is "acquire" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def atomic_store(pointer, val, mask=None, sem=None, scope=None) -> None:
    """Writes `val` to memory, each element atomically.

    `val` is converted to the pointers' element type and broadcast to their shape; where `mask` is false nothing is written. `sem` is "release" (default) or "relaxed"; `scope` is "gpu" (default), "cta" or "sys".
    """
    ...

def reduce(input, axis, combine_fn, keep_dims=False) -> Any:
    """Combines the elements along `axis` with a jitted function, in no particular order.

    `input` is a block, or a tuple of blocks of one shape that are reduced together: `combine_fn` takes one scalar of each for the left side, then one of each for the right, and returns as many. `axis=None` combines all elements. `keep_dims=True` keeps the reduced dimension with size 1.
    """
    ...

def associative_scan(input, axis, combine_fn, reverse=False) -> Any:
    """All partial combinations along `axis`: element i combines elements 0 to i, or with `reverse` those from the end to i.

    `combine_fn` takes what was accumulated so far, then the next element (for a tuple of blocks, one scalar of each), and must be associative.
    """
    ...

def histogram(input, num_bins, mask=None) -> tensor:
    """How often each of the numbers 0 to `num_bins` - 1 occurs in a 1-D integer block, as int32.

    Elements whose `mask` is false do not count. Values out of range are undefined.
    """
    ...

def _reduce_with_indices(input, axis, combine_fn, keep_dims=False) -> tensor:
    """Reduces `input` together with the positions of its elements along `axis`."""
    ...

def _widen_to_word(input) -> tensor:
    """In 32 bits at least, which is what an extremum without positions is computed in."""
    ...

def dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None) -> tensor:
    """The matrix product of two blocks, plus `acc`.

    Shapes are [M, K] and [K, N], with a leading batch dimension in common, if any. Operands have one dtype of int8, float16, bfloat16, float32, float64, or are 8-bit floats. int8 accumulates in int32, float16 and 8-bit floats in `out_dtype`, float64 in float64, the rest in float32. `out_dtype=None` means what `acc` has, or float32.
    `input_precision` says how float32 operands are read: "tf32", "tf32x3", "ieee", "bf16x3" or "bf16x6". `allow_tf32` is its deprecated form.
    """
    ...

def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=...) -> tensor:
    """The product of two matrices in microscaling formats, plus `acc`, in float32.

    Formats are "e2m1" (two per uint8, the first in the low bits), "e4m3", "e5m2", "bf16" and "fp16". A scale is None or a block [M or N, K / group], with the leading dimension of its operand if that is a batch: uint8 exponents or float8e4nv, one for each group of 16 or 32 elements along K; shapes say which, and scales of both sides have the same.
    """
    ...

def make_block_ptr(base, shape, strides, offsets, block_shape, order) -> tensor:
    """A block pointer: a window of `block_shape` onto a tensor in memory.

    `base` points to the tensor's first element; `shape` and `strides` (in elements) describe it, `offsets` is where the window stands, and `order` names the dimensions from the fastest to the slowest.
    """
    ...

def advance(base, offsets) -> tensor:
    """The block pointer moved by `offsets`, one per dimension. `base` itself does not move."""
    ...

def make_tensor_descriptor(base, shape, strides, block_shape, padding_option='zero') -> tensor_descriptor:
    """Describes a tensor in memory of 1 to 5 dimensions, to be read and written in blocks of `block_shape`.

    The last stride is the constant 1 and a row of a block has at least 16 bytes. Reads outside of the tensor give zeros, or NaN with `padding_option="nan"`.
    """
    ...

def _make_rounding_descriptor(base, shape, strides, block_shape, padding_option='zero') -> tensor:
    """A descriptor whose loads of float32 round to TF32: what interpreter mode makes of a host's."""
    ...

def load_tensor_descriptor(desc, offsets) -> tensor:
    """The same as `desc.load(offsets)`."""
    ...

def store_tensor_descriptor(desc, offsets, value) -> None:
    """The same as `desc.store(offsets, value)`."""
    ...

def map_elementwise(scalar_fn, *args, pack=1) -> Any:
    """Runs a jitted function of scalars on every element of its arguments, which broadcast together.

    The function may branch and return early, but not write memory. With `pack`, it takes and returns that many neighbouring elements of each argument and result at a time.
    """
    ...

def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack) -> Any:
    """Runs assembly of the target on every group of `pack` elements of `args`, which broadcast together.

    `constraints` are LLVM's: outputs first, then inputs; elements narrower than 32 bits share registers. `dtype` is the dtype of the result, or a tuple of dtypes for several. With `is_pure=False` the assembly is never removed or merged.
    """
    ...

def extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure) -> Any:
    """Calls a function of a bitcode library on every element of `args`, which broadcast together.

    `arg_type_symbol_dict` maps tuples of argument dtypes to the symbol to call and the dtype it returns; arguments are not converted.
    """
    ...

def multiple_of(input, values) -> tensor:
    """Promises that along each dimension the first element of every contiguous run is a multiple of the given number. Returns `input`."""
    ...

def max_contiguous(input, values) -> tensor:
    """Promises that along each dimension runs of the given length count up by one. Returns `input`."""
    ...

def max_constancy(input, values) -> tensor:
    """Promises that along each dimension groups of the given length are equal. Returns `input`."""
    ...

def assume(cond) -> None:
    """Promises that the scalar condition holds; the compiler may rely on it."""
    ...

def debug_barrier() -> None:
    """Waits for all threads that run the program."""
    ...

def static_print(*values, sep=' ', end='\n', file=None, flush=False) -> None:
    """Prints while compiling, as Python's `print` does. Tensors show their dtype and shape."""
    ...

def static_assert(cond, msg='', /) -> None:
    """Fails the compilation with `msg` unless the compile-time bool `cond` is true."""
    ...

def _require_value(cond, msg, /) -> tensor:
    """`static_assert` of what a function of the library takes: a ValueError."""
    ...

def device_print(prefix, *args, hex=False) -> None:
    """Prints while the kernel runs: one line for every element of every argument, after the program's position and `prefix`.

    `prefix` is a compile-time string of printable ASCII. `hex=True` prints bit patterns.
    """
    ...

def device_assert(cond, msg='', mask=None) -> None:
    """In debug mode, stops the kernel with `msg` unless `cond` holds for every element (whose `mask` is true)."""
    ...

def builtin_min(*values, propagate_nan=...) -> Any:
    """What Python's `min` means in kernels."""
    ...

def builtin_max(*values, propagate_nan=...) -> Any:
    """What Python's `max` means in kernels."""
    ...

def str_to_ty(name, c=None) -> Any:
    """The type that a signature string such as "*fp32" names."""
    ...

def get_int_dtype(bitwidth, signed) -> Any:
    """The integer dtype of that width."""
    ...

def _unwrap_if_constexpr(o) -> tensor:
    """What a constexpr wraps."""
    ...

def _unwrap_shape(shape) -> tensor:
    """A shape as compile-time integers."""
    ...

def _language_rule(name) -> tensor:
    """Whether the rule holds in the version of the language."""
    ...

def _announce(message) -> tensor:
    """Warns of what changes with a later release."""
    ...

def _wrap_axis(axis, ndim) -> tensor:
    """`axis` counted from the front."""
    ...
