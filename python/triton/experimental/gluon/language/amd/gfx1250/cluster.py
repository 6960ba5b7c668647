"""Barriers of all CTAs of a cluster."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define

_define(globals(), __name__)

__all__ = ["arrive", "wait"]
