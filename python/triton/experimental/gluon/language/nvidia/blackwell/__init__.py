"""From sm_100 on."""

from ..ampere import async_copy, mma_v2
from ..hopper import fence_async_shared, mbarrier, tma

__all__ = ["async_copy", "fence_async_shared", "mbarrier", "mma_v2", "tma"]
