"""Values to MX values and scales."""

from ..mxfp_device import MXFP_BLOCK_SIZE
from ..mxfp_device import downcast_kernel as _downcast_to_mxfp
from ..mxfp_device import quantize_mxfp8_fn as _quantize_mxfp8_fn

__all__ = ["MXFP_BLOCK_SIZE", "_downcast_to_mxfp", "_quantize_mxfp8_fn"]
