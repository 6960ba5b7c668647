"""`tl.extra.libdevice`: the wider set of elementwise mathematics."""

from ..builtins import define

define(globals(), __name__)
del define
