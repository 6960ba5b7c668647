"""Functions of device libraries: those of `triton.language.extra`."""

from .....language.extra import libdevice

__all__ = ["libdevice"]
