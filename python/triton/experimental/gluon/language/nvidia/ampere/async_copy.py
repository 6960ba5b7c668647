"""Copies from global to shared memory by threads that do not wait."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define

_define(globals(), __name__)

__all__ = ["async_copy_global_to_shared", "async_load", "commit_group", "mbarrier_arrive", "wait_group"]
