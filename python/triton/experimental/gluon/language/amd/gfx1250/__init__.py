"""gfx1250."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..cdna3 import buffer_load, buffer_store, scaled_upcast
from . import async_copy, cluster, mbarrier, tdm

_define(globals(), __name__)
globals()["get_wmma_scale_layout"].is_query = True

__all__ = [
    "async_copy",
    "buffer_load",
    "buffer_store",
    "cluster",
    "get_wmma_scale_layout",
    "mbarrier",
    "scaled_upcast",
    "tdm",
    "wmma",
    "wmma_scaled",
]
