"""Extras that go beyond the portable language."""

from . import cuda, libdevice

__all__ = ["cuda", "libdevice"]
