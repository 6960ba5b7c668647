"""Tensors with more to them than torch's: element types below a byte, sizes that only the device knows, layouts in memory, bits, ragged rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from triton.tools.ragged_tma import create_ragged_descriptor
from triton.tools.tensor_descriptor import TensorDescriptor

from ._errors import InvalidArgumentError
from .target_info import cuda_capability_geq
from .tensor_details.bitmatrix import (
    BitmatrixMetadata,
    make_bitmatrix_metadata,
    make_bitmatrix_metadata_torch,
    sum_bitmatrix_rows,
    sum_bitmatrix_rows_torch,
)
from .tensor_details.dtype import (
    BIT,
    FP4,
    FloatType,
    IntegerType,
    bitwidth,
    dtype_to_torch_dtype,
    torch_dtype_to_dtype,
)
from .tensor_details.layout import BlackwellMXValueLayout, Layout, StridedLayout
from .tensor_details.ragged_tensor import (
    RaggedTensorMetadata,
    make_ragged_tensor_metadata,
    make_ragged_tensor_metadata_torch,
    remap_ragged_tensor_metadata,
    remap_ragged_tensor_metadata_torch,
)

__all__ = [
    "BIT",
    "FP4",
    "Bitmatrix",
    "BitmatrixMetadata",
    "FloatType",
    "IntegerType",
    "RaggedTensor",
    "RaggedTensorMetadata",
    "SparseMatrix",
    "Storage",
    "Tensor",
    "bitwidth",
    "convert_layout",
    "dtype_to_torch_dtype",
    "empty",
    "get_layout",
    "is_tma_compliant",
    "make_dense_tma",
    "make_tma",
    "make_bitmatrix_metadata",
    "make_bitmatrix_metadata_torch",
    "make_ragged_tensor_metadata",
    "make_ragged_tensor_metadata_torch",
    "remap_ragged_tensor_metadata",
    "remap_ragged_tensor_metadata_torch",
    "sum_bitmatrix_rows",
    "sum_bitmatrix_rows_torch",
    "torch_dtype_to_dtype",
    "wrap_torch_tensor",
]


def unit_stride_dim(tensor):
    """The dimension whose neighbours lie side by side; of several the last one that has more than one element. None if there is none."""
    unit = [dim for dim, stride in enumerate(tensor.stride()) if stride == 1]
    longer = [dim for dim in unit if tensor.shape[dim] > 1]
    return longer[-1] if longer else unit[-1] if unit else None


@dataclass
class Storage:
    """Memory, and how a tensor lies in it."""

    data: torch.Tensor
    layout: Layout = None

    def __post_init__(self):
        assert isinstance(self.data, torch.Tensor), f"a storage holds a torch.Tensor, not {type(self.data).__name__}"
        if self.layout is None:
            self.layout = StridedLayout(self.data.shape)
        elif self.layout.initial_shape is None and isinstance(self.layout, StridedLayout):
            self.layout = self.layout.bind(self.data.shape)

    @property
    def device(self):
        return self.data.device

    def has_tma_geometry(self):
        """Whether rank and strides are those of a descriptor."""
        rank, dim = self.data.ndim, unit_stride_dim(self.data)
        if rank not in (2, 3, 5) or dim is None:
            return False
        bits = 4 if self.data.dtype == torch.uint8 else bitwidth(self.data.dtype)
        return all(stride * bits % 128 == 0 for index, stride in enumerate(self.data.stride()) if index != dim)

    def is_tma_compliant(self):
        """Whether TMA can read it."""
        return bool(cuda_capability_geq(9, 0)) and self.has_tma_geometry()

    def make_dense_tma(self, block_shape, is_scale):
        shape, strides, block_shape = list(self.data.shape), list(self.data.stride()), list(block_shape)
        if strides[-1] != 1:
            for sequence in (shape, strides, block_shape):
                sequence[-1], sequence[-2] = sequence[-2], sequence[-1]
        if self.data.dtype == torch.uint8 and not is_scale:
            # Two elements of 4 bits in each byte.
            block_shape[strides.index(1)] //= 2
            if isinstance(self.layout, BlackwellMXValueLayout) and shape[-1] % 128 != 0:
                raise ValueError(f"the inner dimension of packed 4-bit data must be a multiple of 128, not {shape[-1]}")
        block_shape = self.layout.swizzle_block_shape(block_shape)
        return TensorDescriptor(self.data, shape, strides, block_shape)

    def make_tma(self, block_shape, mode, is_scale=False):
        """A descriptor for blocks of this shape; `mode` is dense, gather, scatter or ragged."""
        if mode in ("dense", "gather", "scatter"):
            return self.make_dense_tma(block_shape, is_scale)
        assert mode == "ragged", f"the mode of a descriptor is dense, gather, scatter or ragged, not {mode!r}"
        return create_ragged_descriptor(self.data, block_shape, ragged_dim=self.data.ndim - 2)


def _describes_size(value):
    return isinstance(value, int) or (hasattr(value, "numel") and value.numel() == 1)


@dataclass
class Tensor:
    """Elements of any type over a storage. A size is a number, or a tensor of one element that holds it on the device."""

    storage: Storage | torch.Tensor
    dtype: IntegerType | FloatType | torch.dtype = None
    shape: list[Any] = None
    shape_max: list[int] = None

    def __post_init__(self):
        if isinstance(self.storage, torch.Tensor):
            self.storage = Storage(self.storage)
        if self.dtype is None:
            self.dtype = self.storage.data.dtype
        if bitwidth(self.dtype) < 8 and self.shape is None:
            raise ValueError("elements below a byte need an explicit shape")
        self.shape = list(self.storage.data.shape if self.shape is None else self.shape)
        if not all(_describes_size(size) for size in self.shape):
            raise InvalidArgumentError(f"a size is an integer or a tensor of one element: {self.shape}")
        limits = [None] * len(self.shape) if self.shape_max is None else list(self.shape_max)
        if len(limits) != len(self.shape):
            raise InvalidArgumentError(f"shape and shape_max differ in length: {self.shape} and {limits}")
        for dim, (size, limit) in enumerate(zip(self.shape, limits)):
            if limit is None and isinstance(size, int):
                limits[dim] = size
            elif not isinstance(limit, int):
                raise InvalidArgumentError(
                    f"the size of dim {dim} is on the device: shape_max must have an integer for it"
                )
        self.shape_max = limits

    # torch.Tensor's words.

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def device(self):
        return self.storage.device

    @property
    def data(self):
        return self.storage.data

    def stride(self, dim=None):
        return self.storage.data.stride() if dim is None else self.storage.data.stride(dim)

    def data_ptr(self):
        return self.storage.data.data_ptr()

    def numel(self):
        return self.storage.data.numel()

    def element_size(self):
        """Bytes of an element of the storage."""
        return self.storage.data.element_size()

    def dim(self):
        return self.ndim

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]


@dataclass
class Bitmatrix(Tensor):
    """Bits: that of column j is bit j % 32 of word j // 32 of its row."""

    def __post_init__(self):
        if self.dtype != BIT:
            raise InvalidArgumentError(f"the elements of a bitmatrix are bits (BIT), not {self.dtype}")
        super().__post_init__()


@dataclass
class SparseMatrix:
    """k nonzeros per row: their columns, their values, and a mask of all columns."""

    indx: torch.Tensor
    vals: torch.Tensor
    mask: Tensor

    def __post_init__(self):
        self.mask_metadata = make_bitmatrix_metadata(self.indx, self.mask)


@dataclass
class RaggedTensor:
    """Slices of different heights, one below the other."""

    slice_sizes: torch.Tensor
    data: torch.Tensor
    metadata: RaggedTensorMetadata


def get_layout(tensor):
    """The layout of a tensor; for torch's own the class of those that are as they are."""
    if tensor is None:
        return None
    return tensor.storage.layout if isinstance(tensor, Tensor) else StridedLayout


def wrap_torch_tensor(torch_tensor, dtype=None, shape=None, shape_max=None, layout=None):
    """A tensor over torch's; with a narrower `dtype` several elements lie in each of torch's, along the dimension of stride 1."""
    dtype = torch_tensor.dtype if dtype is None else dtype
    if shape is None:
        shape = list(torch_tensor.shape)
        ratio = bitwidth(torch_tensor.dtype) // bitwidth(dtype)
        if ratio != 1:
            dim = unit_stride_dim(torch_tensor)
            if dim is None:
                raise InvalidArgumentError(f"no dimension has stride 1, so that {dtype} cannot be packed along it")
            shape[dim] *= ratio
    return Tensor(Storage(torch_tensor, layout), dtype=dtype, shape=list(shape), shape_max=shape_max)


def empty(shape, dtype, device, layout=None, allow_implicit_conversion=False):
    """A tensor whose elements are whatever is in memory. A layout that rearranges is filled with zeros, if that is allowed."""
    layout = StridedLayout(-1) if layout is None else layout
    held = dtype_to_torch_dtype(dtype)
    ratio = 8 * held.itemsize // bitwidth(dtype)
    sizes = list(shape)
    major = getattr(layout, "major_dim", None)
    major = -1 if major is None else major
    if layout.name is not None:
        if not allow_implicit_conversion:
            raise InvalidArgumentError(
                f"a tensor in {layout} is made by conversion: pass allow_implicit_conversion=True"
            )
        major = -2
    sizes[major] = -(-sizes[major] // ratio)
    moved = [*sizes]
    moved.append(moved.pop(major))
    data = torch.empty(moved, dtype=held, device=device).movedim(-1, major)
    tensor = Tensor(Storage(data), dtype=dtype, shape=list(shape))
    return tensor if layout.name is None else convert_layout(tensor, layout)


def convert_layout(tensor, layout_cls, **layout_kwargs):
    """The same tensor in another layout: an object, or its class and keyword arguments. A tensor that is in it already stays as it is."""
    if isinstance(tensor, torch.Tensor):
        tensor = wrap_torch_tensor(tensor)
    layout, old = layout_cls, tensor.storage.layout
    if isinstance(layout, Layout):
        is_same = old.name == layout.name and old.options() == layout.options()
        is_strided = isinstance(layout, StridedLayout) and isinstance(old, StridedLayout)
        dim = unit_stride_dim(tensor.storage.data)
        if is_strided and (layout.major_dim is None or dim == layout.major_dim % tensor.storage.data.ndim):
            return tensor
        if is_same and not is_strided:
            return tensor
    data = old.unswizzle_data(tensor.storage.data)
    if isinstance(layout, Layout):
        if isinstance(layout, StridedLayout) and bitwidth(tensor.dtype) < 8:
            layout = StridedLayout()  # elements of a byte stay together
        layout = layout.bind(data.shape)
    else:
        layout = layout(data.shape, **layout_kwargs)
    storage = Storage(layout.swizzle_data(data), layout)
    return Tensor(storage, dtype=tensor.dtype, shape=tensor.shape, shape_max=tensor.shape_max)


def _storage_of(tensor):
    return tensor.storage if isinstance(tensor, Tensor) else Storage(tensor)


def is_tma_compliant(tensor):
    """Whether TMA can read it."""
    return _storage_of(tensor).is_tma_compliant()


def make_dense_tma(tensor, block_shape, is_scale=False):
    """A descriptor for blocks of this shape."""
    return _storage_of(tensor).make_dense_tma(block_shape, is_scale)


def make_tma(tensor, block_shape, mode, is_scale=False):
    """A descriptor for blocks of this shape; `mode` is dense, gather, scatter or ragged."""
    return _storage_of(tensor).make_tma(block_shape, mode, is_scale)


def numel_max(tensor):
    """How many elements it may have at most."""
    return math.prod(tensor.shape_max if isinstance(tensor, Tensor) else tensor.shape)
