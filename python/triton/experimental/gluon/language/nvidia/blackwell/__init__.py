"""From sm_100 on: sums in tensor memory."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ......language.builtins import define_methods as _define_methods
from ......language.callables import constexpr_function  # noqa: F401
from ......language.core import base_type, base_value, builtin  # noqa: F401
from ..._cache_policies import FractionalEvictionPolicy
from ..._cache_policies import NvidiaCachePolicy as CachePolicy
from ..._core import _buffer_type, _handle
from ..._layouts import SharedLinearLayout  # noqa: F401
from ..ampere import async_copy, mma_v2
from ..hopper import cluster, fence_async_shared, mbarrier
from . import clc, float2, tma
from .barriers import tcgen05_mma_barrier_count
from .packed import add2, fma2, max2, min2, mul2, sub2
from ._layouts import TensorMemoryLayout, TensorMemoryScalesLayout

_define(globals(), __name__)
globals()["get_tmem_reg_layout"].is_query = True

__all__ = [
    "CachePolicy",
    "FractionalEvictionPolicy",
    "add2",
    "allocate_tensor_memory",
    "async_copy",
    "clc",
    "cluster",
    "fence_async_shared",
    "fma2",
    "get_tmem_reg_layout",
    "max2",
    "mbarrier",
    "min2",
    "mma_v2",
    "mul2",
    "sub2",
    "tcgen05_mma_barrier_count",
    "tensor_memory_descriptor",
    "TensorMemoryLayout",
    "tma",
]


class tensor_memory_descriptor(_handle):
    """A view of a buffer in tensor memory."""


_define_methods(tensor_memory_descriptor, f"{__name__}.tensor_memory_descriptor")


class tensor_memory_descriptor_type(_buffer_type):
    """The type of a view of a buffer in tensor memory."""

    def __str__(self):
        return f"tensor_memory_descriptor<{self.element_ty}, {self.shape}, {self.layout}>"

    __repr__ = __str__
