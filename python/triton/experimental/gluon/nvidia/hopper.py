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
    round_f32_to_tf32: bool = False

    def __init__(
        self,
        base: Any,
        shape: List[int],
        strides: List[int],
        block_shape: List[int],
        layout,
        padding="zero",
        round_f32_to_tf32=False,
    ):
        self.layout = layout
        super().__init__(base, shape, strides, block_shape, padding, round_f32_to_tf32)

    def __post_init__(self):
        super().__post_init__()
        assert isinstance(self.layout, NVMMASharedLayout), f"layout must be an NVMMASharedLayout, got {self.layout}"

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], layout, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(
            tensor, list(tensor.shape), list(tensor.stride()), block_shape, layout, padding, round_f32_to_tf32
        )
