"""Barriers in shared memory that asynchronous work arrives at, and that count bytes."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..ampere.mbarrier import MBarrierLayout, allocate_mbarrier, init, invalidate, wait

_define(globals(), __name__)

__all__ = [
    "MBarrierLayout",
    "allocate_mbarrier",
    "arrive",
    "expect",
    "fence_init_release_cluster",
    "init",
    "invalidate",
    "sync_cluster_init",
    "wait",
]
