"""From sm_90 on; `warpgroup_mma` is sm_90's alone."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..._core import _handle
from ..ampere import async_copy, mma_v2
from . import mbarrier, tma

_define(globals(), __name__)

__all__ = [
    "async_copy",
    "fence_async_shared",
    "mbarrier",
    "mma_v2",
    "tma",
    "warpgroup_mma",
    "warpgroup_mma_wait",
]


class warpgroup_mma_accumulator(_handle):
    """What a product gives that has not been waited for."""
