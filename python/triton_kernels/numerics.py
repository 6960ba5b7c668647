"""Flexpoint: tensors of 8-bit floats with one scale for all elements, or one per batch. Kernels write down which scale would have fitted."""

from __future__ import annotations

from dataclasses import dataclass

import torch

# The largest finite number of each type; that of float16 is kept away from the largest.
MAX_FINITE_FLOAT8E5 = 57344.0
MAX_FINITE_FLOAT8E4NV = 448.0
MAX_FINITE_FLOAT8E4B8 = 240.0
MAX_FINITE_FLOAT8E4B15 = 1.75
MAX_FINITE_FLOAT16 = 65472.0


@dataclass(frozen=True)
class BaseFlexData:
    """`dtype`: what the bytes of a tensor mean; None: what torch says."""

    dtype: torch.dtype | None = None

    def view(self, x):
        """The tensor as one of the real type."""
        return x if self.dtype is None else x.view(self.dtype)

    def reinterpret(self, x):
        """Like `view`, for tensors of bytes; others stay as they are."""
        if self.dtype is None or x.dtype.itemsize > 1:
            return x
        return x.view(self.dtype)


@dataclass(frozen=True)
class InFlexData(BaseFlexData):
    """An input: real value = element * scale."""

    scale: torch.Tensor | None = None

    @property
    def is_per_batch(self):
        return self.scale is not None and self.scale.numel() > 1


@dataclass(frozen=True)
class OutFlexData(BaseFlexData):
    """An output: element = value / expected_scale; kernels leave the scale that would have fitted, and a checksum of the bits."""

    expected_scale: torch.Tensor | None = None
    actual_scale: torch.Tensor | None = None
    checksum_scale: torch.Tensor | None = None

    @property
    def is_per_batch(self):
        return self.expected_scale is not None and self.expected_scale.numel() > 1

    def __iter__(self):
        yield self.expected_scale
        yield self.actual_scale
        yield self.checksum_scale
