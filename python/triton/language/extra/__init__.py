"""Extras that go beyond the portable language."""

from . import libdevice

__all__ = ["libdevice"]
