"""Barriers in shared memory that asynchronous work arrives at."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ...nvidia.ampere.mbarrier import MBarrierLayout

_define(globals(), __name__)

__all__ = [
    "MBarrierLayout",
    "arrive",
    "init",
    "wait",
]
