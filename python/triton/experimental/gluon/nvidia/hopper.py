"""Tensor descriptors that hosts pass to Gluon kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List

from ....tools.tensor_descriptor import HostDescriptor
from ..language._layouts import NVMMASharedLayout

__all__ = ["TensorDescriptor"]


@dataclass
class TensorDescriptor(HostDescriptor):
    """`base` seen as a tensor of `shape` and `strides` (in elements), copied in blocks of `block_shape` that lie in shared memory as `layout` says."""

    layout: NVMMASharedLayout = None
    padding: str = "zero"

    def __init__(self, base: Any, shape: List[int], strides: List[int], block_shape: List[int], layout, padding="zero"):
        self.layout = layout
        super().__init__(base, shape, strides, block_shape, padding)

    def __post_init__(self):
        super().__post_init__()
        assert isinstance(self.layout, NVMMASharedLayout), f"layout must be an NVMMASharedLayout, got {self.layout}"

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], layout, padding="zero"):
        return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()), block_shape, layout, padding)
