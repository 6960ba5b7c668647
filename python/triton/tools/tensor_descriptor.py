"""Host-side tensor descriptors: a tensor and the block in which kernels read or write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List

from .._utils import validate_block_shape


def _is_placeholder(tensor):
    return type(tensor).__name__ in ("FakeTensor", "FunctionalTensor")


class BlockShapeError(ValueError, AssertionError):
    """A block that a descriptor cannot have: one of its assertions, and what `validate_block_shape` raises elsewhere."""


def _check_block_shape(shape):
    try:
        validate_block_shape(shape)
    except ValueError as error:
        raise BlockShapeError(*error.args) from None


@dataclass
class HostDescriptor:
    """What all descriptors that hosts pass to kernels have: `base` seen as a tensor of `shape` and `strides` (in elements), in blocks."""

    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    padding: str = "zero"

    def __post_init__(self):
        rank = len(self.shape)
        assert len(self.strides) == rank, f"rank mismatch: {self}"
        assert len(self.block_shape) == rank, f"rank mismatch: {self}"
        assert 1 <= rank <= 5, f"a descriptor has 1 to 5 dimensions, not {rank}"
        assert _is_placeholder(self.base) or self.base.data_ptr() % 16 == 0, "base must be 16-byte aligned"
        _check_block_shape(self.block_shape)
        size = self.base.dtype.itemsize
        for stride in self.strides[:-1]:
            assert (stride * size) % 16 == 0, "strides must be 16-byte aligned"
        assert self.strides[-1] == 1, "Last dimension must be contiguous"
        assert all(extent > 0 for extent in self.shape), "shape must be positive"
        assert self.padding in ("zero", "nan"), "Illegal value for padding"
        if self.padding == "nan":
            assert self.base.dtype.is_floating_point, (
                "Padding option `nan` is only supported for floating point tensors"
            )


@dataclass
class TensorDescriptor(HostDescriptor):
    """`base` seen as a tensor of `shape` and `strides` (in elements), accessed in blocks of `block_shape`."""

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], padding="zero"):
        return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()), block_shape, padding)
