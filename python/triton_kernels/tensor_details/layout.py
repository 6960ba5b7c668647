"""How the operands of matrix products lie in memory, and which layout is best where."""

from ..target_info import cuda_capability_geq, is_hip_cdna4
from .layout_details.base import Layout, LayoutTransformation
from .layout_details.blackwell_scale import BlackwellActMXScaleLayout, BlackwellMXScaleLayout, unswizzle_mx_scale_bw
from .layout_details.blackwell_value import BlackwellMX4ValueShuffledLayout, BlackwellMXValueLayout
from .layout_details.cdna4_scale import CDNA4MXScaleLayout, GFX1250MXScaleLayout, unswizzle_mx_scale_cdna4
from .layout_details.hopper_scale import HopperMXScaleLayout, unswizzle_mxfp4_scale_hopper
from .layout_details.hopper_value import HopperMXValueLayout, mxfp4_to_bf16_triton
from .layout_details.strided import StridedLayout

__all__ = [
    "BlackwellActMXScaleLayout", "BlackwellMX4ValueShuffledLayout", "BlackwellMXScaleLayout", "BlackwellMXValueLayout", "CDNA4MXScaleLayout",
    "GFX1250MXScaleLayout", "HopperMXScaleLayout", "HopperMXValueLayout", "Layout", "LayoutTransformation", "StridedLayout",
    "make_default_matmul_mx_act_scale_layout", "make_default_matmul_mxfp4_w_layout", "make_default_matmul_mxfp4_w_scale_layout",
    "make_default_matmul_mxfp8_act_scale_layout", "mxfp4_to_bf16_triton", "unswizzle_mx_scale_bw", "unswizzle_mx_scale_cdna4",
    "unswizzle_mxfp4_scale_hopper",
]  # fmt: skip

# A layout that these give can also be taken apart into its class and its keyword arguments, which is how it was passed on in Triton 3.6.


def make_default_matmul_mxfp4_w_layout(mx_axis, allow_blackwell_value_shuffle=False, block_k=128, block_n=256):
    """The layout in which this device multiplies with 4-bit weights fastest."""
    if cuda_capability_geq(10):
        if allow_blackwell_value_shuffle:
            return BlackwellMX4ValueShuffledLayout(block_k=block_k, block_n=block_n)
        return BlackwellMXValueLayout()
    if cuda_capability_geq(9):
        return HopperMXValueLayout(mx_axis=mx_axis, mma_version=3)
    return StridedLayout(-2)


def make_default_matmul_mxfp4_w_scale_layout(mx_axis, num_warps=8):
    """The layout for the scales of these weights."""
    if is_hip_cdna4():
        return CDNA4MXScaleLayout()
    if cuda_capability_geq(10):
        return BlackwellMXScaleLayout()
    if cuda_capability_geq(9):
        return HopperMXScaleLayout(mx_axis=mx_axis, num_warps=8 if num_warps is None else num_warps)
    return StridedLayout(-2)


def make_default_matmul_mx_act_scale_layout(ragged_metadata):
    """The layout for the scales of activations, whose rows may be ragged."""
    if cuda_capability_geq(10):
        return BlackwellActMXScaleLayout(ragged_metadata=ragged_metadata)
    return StridedLayout()


def make_default_matmul_mxfp8_act_scale_layout(ragged_metadata):
    """The same, under its earlier name."""
    return make_default_matmul_mx_act_scale_layout(ragged_metadata)
