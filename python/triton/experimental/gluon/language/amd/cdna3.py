"""CDNA3: gfx942."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from .....language.builtins import define as _define

_define(globals(), __name__)

__all__ = [
    "buffer_atomic_add",
    "buffer_atomic_and",
    "buffer_atomic_max",
    "buffer_atomic_min",
    "buffer_atomic_or",
    "buffer_atomic_xchg",
    "buffer_atomic_xor",
    "buffer_load",
    "buffer_store",
    "mfma",
    "scaled_upcast",
]
