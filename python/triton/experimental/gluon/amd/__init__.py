"""What hosts write for Gluon kernels on AMD GPUs, which are not compiled here."""

from . import gfx1250

__all__ = ["gfx1250"]
