"""`tl.extra.hip`: what only AMD GPUs have."""

from ...builtins import define
from . import libdevice

define(globals(), __name__)
del define
__all__ = [name for name in globals() if not name.startswith("_")]
