"""`tl.target_info`: what the kernel is compiled for, as compile-time values."""

from .builtins import define

define(globals(), __name__)
del define
