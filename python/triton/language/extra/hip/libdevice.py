"""`tl.extra.hip.libdevice`: the same functions as `tl.extra.libdevice`, by the path that kernels for AMD GPUs import."""

from ...builtins import define

define(globals(), __name__)
del define
