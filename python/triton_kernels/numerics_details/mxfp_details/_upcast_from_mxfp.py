"""MX values and scales to values."""

from ..mxfp_device import MXFP_BLOCK_SIZE
from ..mxfp_device import upcast_kernel as _upcast_from_mxfp

__all__ = ["MXFP_BLOCK_SIZE", "_upcast_from_mxfp"]
