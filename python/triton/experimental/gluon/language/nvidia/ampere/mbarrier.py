"""Barriers in shared memory that asynchronous work arrives at."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..._layouts import SwizzledSharedLayout

_define(globals(), __name__)

__all__ = ["MBarrierLayout", "arrive", "init", "invalidate", "wait"]


class MBarrierLayout(SwizzledSharedLayout):
    """The layout of barriers: one int64 each."""

    def __init__(self, cga_layout=None):
        super().__init__(1, 1, 1, [0], cga_layout or [])
