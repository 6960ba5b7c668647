"""CDNA4: gfx950."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ..cdna3 import (
    buffer_atomic_add,
    buffer_atomic_and,
    buffer_atomic_max,
    buffer_atomic_min,
    buffer_atomic_or,
    buffer_atomic_xchg,
    buffer_atomic_xor,
    buffer_load,
    buffer_store,
    mfma,
    scaled_upcast,
)
from . import async_copy

_define(globals(), __name__)
globals()["get_mfma_scale_layout"].is_query = True

__all__ = [
    "async_copy",
    "buffer_atomic_add",
    "buffer_atomic_and",
    "buffer_atomic_max",
    "buffer_atomic_min",
    "buffer_atomic_or",
    "buffer_atomic_xchg",
    "buffer_atomic_xor",
    "buffer_load",
    "buffer_store",
    "get_mfma_scale_layout",
    "mfma",
    "mfma_scaled",
    "scaled_upcast",
]
