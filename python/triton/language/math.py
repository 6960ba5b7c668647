"""`tl.math`: elementwise mathematics."""

from .builtins import define

define(globals(), __name__)
del define
