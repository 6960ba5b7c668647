"""Tensor descriptors that hosts pass to Gluon kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List

from ...._utils import validate_block_shape
from ..language._layouts import PaddedSharedLayout, SwizzledSharedLayout

__all__ = ["TensorDescriptor"]


@dataclass
class TensorDescriptor:
    """`base` seen as a matrix of `shape` and `strides` (in elements), copied in blocks of `block_shape` that lie in shared memory as `layout` says."""

    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    layout: PaddedSharedLayout | SwizzledSharedLayout
    padding: str = "zero"

    def __post_init__(self):
        rank = len(self.shape)
        assert rank == 2, f"Expected 2 dimensions but got {rank} dimensions"
        assert len(self.strides) == rank and len(self.block_shape) == rank, f"rank mismatch: {self}"
        validate_block_shape(self.block_shape)
        assert self.strides[-1] == 1, "Last dimension must be contiguous"
        assert isinstance(self.layout, (PaddedSharedLayout, SwizzledSharedLayout)), (
            "Expected layout to be a PaddedSharedLayout or SwizzledSharedLayout"
        )
        if isinstance(self.layout, SwizzledSharedLayout):
            assert self.layout.max_phase == 1, "Expected max_phase to be 1 for SwizzledSharedLayout"
        assert self.padding == "zero", "Only 'zero' padding is supported"

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], layout, padding="zero"):
        return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()), block_shape, layout, padding)
