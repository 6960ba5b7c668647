"""From sm_90 on; `warpgroup_mma` is sm_90's alone."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ......language.core import base_type as _base_type
from ..._cache_policies import FractionalEvictionPolicy
from ..._cache_policies import NvidiaCachePolicy as CachePolicy
from ..._core import _handle
from ..ampere import async_copy, mma_v2
from . import cluster, mbarrier, tma

_define(globals(), __name__)

__all__ = [
    "CachePolicy",
    "FractionalEvictionPolicy",
    "async_copy",
    "cluster",
    "fence_async_shared",
    "mbarrier",
    "mma_v2",
    "tma",
    "warpgroup_mma",
    "warpgroup_mma_wait",
]


class warpgroup_mma_accumulator(_handle):
    """What a product gives that has not been waited for."""


class warpgroup_mma_accumulator_type(_base_type):
    """The type of what a product gives that has not been waited for; `tensor_type` is that of the sum."""

    def __init__(self, tensor_type):
        self.tensor_type = tensor_type

    def __eq__(self, other):
        return type(self) is type(other) and self.tensor_type == other.tensor_type

    def __hash__(self):
        return hash((type(self), self.tensor_type))

    def __str__(self):
        return f"warpgroup_mma_accumulator<{self.tensor_type}>"

    __repr__ = __str__

    def mangle(self):
        return f"FT{self.tensor_type.mangle()}FT"
