"""Barriers in shared memory that asynchronous work arrives at, and that count bytes."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..ampere.mbarrier import MBarrierLayout, init, invalidate, wait

_define(globals(), __name__)

__all__ = ["MBarrierLayout", "arrive", "expect", "init", "invalidate", "wait"]
