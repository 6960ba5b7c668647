"""Tensor descriptors for ragged arrays: many matrices of different heights, one below the other in one tensor.

A block that reaches over the end of its matrix must read zeros and write nothing there, although the memory of the next matrix follows. A descriptor checks its bounds per
dimension, so the ragged dimension gets two more in front: the indices below are chosen such that the address is that of the row while the index in the
ragged dimension reaches its bound exactly at the end of the matrix. The large parts cancel because addresses wrap around at 2^64.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .tensor_descriptor import TensorDescriptor

_ROWS = tl.constexpr(1 << 30)  # the bound of the ragged dimension
_HUGE = 0x7FFF0000  # a bound that no index reaches


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """A descriptor of `T` (rank 3 at most) for `load_ragged` and `store_ragged`; `ragged_dim` is the one whose matrices differ in size."""
    block_shape, shape, strides = list(block_shape), list(T.shape), list(T.stride())
    rank = len(shape)
    if ragged_dim < 0:
        ragged_dim += rank
    assert 0 <= ragged_dim < rank - 1, "the last dimension cannot be ragged"
    assert rank <= 3, "a descriptor has five dimensions at most, two of which are needed here"
    assert len(block_shape) == rank, "block shape must have the same length as the tensor's shape"
    assert shape[ragged_dim] <= _ROWS.value, "the ragged dimension has 2^30 rows at most"
    stride = strides[ragged_dim]
    shape[ragged_dim] = _ROWS.value
    return TensorDescriptor(
        T, [_HUGE, _HUGE, *shape], [2**34 - stride, stride, *strides], [1, 1, *block_shape], padding="zero"
    )


@triton.jit
def to_ragged_indices(slice_off, slice_size, row):
    """Three indices for row `row` of the matrix that begins at `slice_off` and has `slice_size` rows."""
    return _ROWS, slice_off + slice_size, _ROWS - slice_size + row


@triton.jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at `coords` of one matrix; zeros outside of it."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA must be made by create_ragged_descriptor")
    c0, c1, c2 = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    data = TMA.load([c0, c1] + coords[:ragged_dim] + [c2] + coords[ragged_dim + 1 :])
    return tl.reshape(data, data.shape[2:])


@triton.jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Writes the block at `coords` of one matrix; what is outside of it is dropped."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA must be made by create_ragged_descriptor")
    c0, c1, c2 = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    data = tl.reshape(data, [1, 1] + data.shape)
    TMA.store([c0, c1] + coords[:ragged_dim] + [c2] + coords[ragged_dim + 1 :], data)


@triton.jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds to the block at `coords` of one matrix; what is outside of it is dropped."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA must be made by create_ragged_descriptor")
    c0, c1, c2 = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    data = tl.reshape(data, [1, 1] + data.shape)
    TMA.atomic_add([c0, c1] + coords[:ragged_dim] + [c2] + coords[ragged_dim + 1 :], data)
