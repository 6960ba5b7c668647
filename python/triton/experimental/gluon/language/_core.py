"""The values and types of Gluon, and the functions that know layouts."""

from __future__ import annotations

import math

from ...._C.libtriton import emission
from ....language.builtins import define, define_methods
from ....language.constants import _unwrap_if_constexpr
from ....language.core import base_type, base_value, block_type, builtin  # noqa: F401
from ._layouts import AutoLayout, CoalescedLayout, DistributedLayout, SharedLayout


class distributed_type(block_type):
    """The type of a tensor whose layout is known."""

    def __init__(self, element_ty, shape, layout):
        layout = getattr(layout, "value", layout)
        assert isinstance(layout, DistributedLayout), f"tensor layout must be a DistributedLayout, got {layout}"
        if not isinstance(layout, (AutoLayout, CoalescedLayout)):
            assert len(shape) == layout.rank, (
                f"tensor shape and layout rank mismatch: shape={shape}, layout={layout}, "
                f"shape rank={len(shape)}, layout rank={layout.rank}"
            )
        super().__init__(element_ty, shape)
        self.layout = layout

    def __str__(self):
        return f"<{[str(size) for size in self.shape]}, {self.scalar}, {self.layout}>"

    __repr__ = __str__

    def with_element_ty(self, scalar_ty):
        return distributed_type(scalar_ty, self.shape, self.layout)

    def mangle(self):
        return f"{self.scalar.mangle()}S{'_'.join(map(str, self.shape))}SL{self.layout.mangle()}L"

    def __eq__(self, other):
        return super().__eq__(other) and self.layout == getattr(other, "layout", None)

    def __hash__(self):
        return hash((self.scalar, tuple(self.shape), self.layout))


class _buffer_type(base_type):
    """The type of a view of a buffer; `alloc_shape` is the shape of the allocation that it is a view of."""

    def __init__(self, element_ty, shape, layout, alloc_shape):
        self.element_ty, self.shape, self.layout, self.alloc_shape = element_ty, list(shape), layout, list(alloc_shape)

    def _key(self):
        return self.element_ty, tuple(self.shape), self.layout, tuple(self.alloc_shape)

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    @property
    def rank(self):
        return len(self.shape)

    @property
    def numel(self):
        return math.prod(self.shape)

    @property
    def nbytes(self):
        return self.numel * self.element_ty.primitive_bitwidth // 8

    def __str__(self):
        name = type(self).__name__.removesuffix("_type")
        return f"{name}<{self.element_ty}, {self.shape}, {self.layout}, {self.alloc_shape}>"

    __repr__ = __str__

    def mangle(self):
        shape = "_".join(map(str, self.shape))
        return f"MD{self.element_ty.mangle()}S{shape}SL{self.layout.mangle()}LAS{self.alloc_shape}ASMD"


class shared_memory_descriptor_type(_buffer_type):
    """The type of a view of a buffer in shared memory."""


def _asked(name):
    """A property that the compile in progress knows."""
    return property(lambda self: _unwrap_if_constexpr(emission.attribute(self, name)))


class _handle(base_value):
    """A value that only kernels can look into; the host sees what it is."""

    def __init__(self, handle, type=None):
        self.handle = handle

    dtype, layout, numel, rank, shape, type = map(_asked, ("dtype", "layout", "numel", "rank", "shape", "type"))


class shared_memory_descriptor(_handle):
    """A view of a buffer in shared memory."""


define(globals(), __name__)
define_methods(shared_memory_descriptor, f"{__name__}.shared_memory_descriptor")
for _query in ("to_linear_layout", "bank_conflicts", "format_tensor_view", "format_hardware_view"):
    globals()[_query].is_query = True
del _query


def _picture(name):
    """A question about a layout as its method."""
    query = globals()[name]

    def method(self, shape):
        return query(self, [_unwrap_if_constexpr(size) for size in shape])

    method.__name__, method.__doc__ = name, query.__doc__
    return method


for _kind in (DistributedLayout, SharedLayout):
    for _name in ("format_tensor_view", "format_hardware_view"):
        setattr(_kind, _name, _picture(_name))
del _kind, _name
