"""Barriers in shared memory that asynchronous work arrives at."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..._layouts import CLASSES

_define(globals(), __name__)
MBarrierLayout = CLASSES["MBarrierLayout"]

__all__ = ["MBarrierLayout", "arrive", "init", "invalidate", "wait"]
