"""`tl.extra.cuda.libdevice`: the same functions as `tl.extra.libdevice`, by the path that kernels for NVIDIA GPUs import."""

from ...builtins import define

define(globals(), __name__)
del define
