"""Extras that go beyond the portable language."""

from . import cuda, hip, libdevice

__all__ = ["cuda", "hip", "libdevice"]
