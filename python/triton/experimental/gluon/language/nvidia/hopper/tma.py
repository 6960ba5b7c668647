"""Copies of whole blocks between global and shared memory, by TMA."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ......language.core import tensor_descriptor
from ......language.core import tensor_descriptor_type as _tensor_descriptor_type

_define(globals(), __name__)

__all__ = [
    "async_atomic_add",
    "async_atomic_and",
    "async_atomic_max",
    "async_atomic_min",
    "async_atomic_or",
    "async_atomic_xor",
    "async_copy_global_to_shared",
    "async_copy_shared_to_global",
    "async_load",
    "async_store",
    "make_tensor_descriptor",
    "store_wait",
    "tensor_descriptor",
    "tensor_descriptor_type",
]


class tensor_descriptor_type(_tensor_descriptor_type):
    """The type of a descriptor whose blocks lie in shared memory as `layout` says."""

    def __init__(self, block_type, shape_type, strides_type, layout):
        super().__init__(block_type, shape_type, strides_type)
        self.layout = layout

    def __eq__(self, other):
        return super().__eq__(other) and self.layout == other.layout

    def __hash__(self):
        return hash((super().__hash__(), self.layout))

    def __str__(self):
        return f"tensor_descriptor<{self.block_type}, {self.layout}>"

    __repr__ = __str__

    def mangle(self):
        return f"TD{self.block_type.mangle()}_{self.layout.mangle()}TD"
