"""Copies from global to shared memory by threads that do not wait."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define

_define(globals(), __name__)

__all__ = [
    "buffer_load_to_shared",
    "commit_group",
    "global_load_to_shared",
    "load_shared_relaxed",
    "wait_group",
]
