"""How the operands of matrix products lie in memory, and which layout is best where."""

from ..target_info import cuda_capability_geq, is_hip_cdna4
from .layout_details.base import Layout
from .layout_details.blackwell_scale import BlackwellMXScaleLayout, unswizzle_mx_scale_bw
from .layout_details.blackwell_value import BlackwellMXValueLayout
from .layout_details.cdna4_scale import CDNA4MXScaleLayout, unswizzle_mx_scale_cdna4
from .layout_details.hopper_scale import HopperMXScaleLayout, unswizzle_mxfp4_scale_hopper
from .layout_details.hopper_value import HopperMXValueLayout, mxfp4_to_bf16_triton
from .layout_details.strided import StridedLayout

__all__ = [
    "BlackwellMXScaleLayout",
    "BlackwellMXValueLayout",
    "CDNA4MXScaleLayout",
    "HopperMXScaleLayout",
    "HopperMXValueLayout",
    "Layout",
    "StridedLayout",
    "make_default_matmul_mxfp4_w_layout",
    "make_default_matmul_mxfp4_w_scale_layout",
    "mxfp4_to_bf16_triton",
    "unswizzle_mx_scale_bw",
    "unswizzle_mx_scale_cdna4",
    "unswizzle_mxfp4_scale_hopper",
]


def make_default_matmul_mxfp4_w_layout(mx_axis):
    """(class, keyword arguments) of the layout in which this device multiplies with 4-bit weights fastest."""
    if cuda_capability_geq(10):
        return BlackwellMXValueLayout, {}
    if cuda_capability_geq(9):
        return HopperMXValueLayout, {"mx_axis": mx_axis}
    return StridedLayout, {}


def make_default_matmul_mxfp4_w_scale_layout(mx_axis, num_warps=8):
    """(class, keyword arguments) of the layout for the scales of these weights."""
    if is_hip_cdna4():
        return CDNA4MXScaleLayout, {}
    if cuda_capability_geq(10):
        return BlackwellMXScaleLayout, {}
    if cuda_capability_geq(9):
        return HopperMXScaleLayout, {"mx_axis": mx_axis, "num_warps": num_warps}
    return StridedLayout, {}
