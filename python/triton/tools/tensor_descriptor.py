"""Host-side tensor descriptors: a tensor and the block in which kernels read or write it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, List

from .._C.libtriton import check_descriptor


def _is_placeholder(tensor):
    return type(tensor).__name__ in ("FakeTensor", "FunctionalTensor")


class DescriptorError(ValueError, AssertionError):
    """What no descriptor can be. Programs expect an assertion."""


@dataclass
class HostDescriptor:
    """What all descriptors that hosts pass to kernels have: `base` seen as a tensor of `shape` and `strides` (in elements), in blocks."""

    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        assert self.padding in ("zero", "nan"), "Illegal value for padding"
        pads_with_nan, rounds = self.padding == "nan", bool(self.round_f32_to_tf32)
        address = 0 if _is_placeholder(self.base) else self.base.data_ptr()
        dtype = self.base.dtype
        numbers = [list(map(index, each)) for each in (self.shape, self.strides, self.block_shape)]
        try:
            check_descriptor(
                address,
                dtype.itemsize,
                not (pads_with_nan or rounds) or dtype.is_floating_point,
                *numbers,
                pads_with_nan,
                rounds,
            )
        except ValueError as error:
            raise DescriptorError(str(error)) from None


@dataclass
class TensorDescriptor(HostDescriptor):
    """`base` seen as a tensor of `shape` and `strides` (in elements), accessed in blocks of `block_shape`. Loads give `padding` outside of it; with `round_f32_to_tf32`
    they round float32 to the nearest number that TF32 has."""

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(
            tensor, list(tensor.shape), list(tensor.stride()), block_shape, padding, round_f32_to_tf32
        )
