"""What a layout in global memory can do. Kernels know it by its name."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field


class Layout(ABC):
    """A rearrangement of data, for any shape; or, made with a shape as its first argument, for data of that shape."""

    name: str | None = None

    def __init__(self, initial_shape=None):
        self.initial_shape = None if initial_shape is None else list(initial_shape)

    def options(self):
        """The keyword arguments that make the same layout."""
        return {}

    def bind(self, shape):
        """This layout for data of one shape."""
        bound = copy.copy(self)
        bound.__init__(shape, **self.options())
        return bound

    def make_transformation(self, shape, is_fp4=False):
        """What rearranges a tensor of this shape; of `is_fp4` two elements lie in each byte, along the dimension of stride 1."""
        return LayoutTransformation(list(shape), is_fp4, self)

    def can_preserve_storage_as(self, other, rank):
        """Whether data of `rank` dimensions in this layout are in the other one as they are."""
        return type(self) is type(other) and self.options() == other.options()

    @abstractmethod
    def swizzle_data(self, data):
        """Rearranges data of the initial shape."""

    @abstractmethod
    def unswizzle_data(self, data):
        """Undoes it."""

    @abstractmethod
    def swizzle_block_shape(self, block_shape):
        """The block of rearranged data that holds a block of the original."""

    # (class, keyword arguments): how layouts were passed on before they were objects.
    def __iter__(self):
        return iter((type(self), self.options()))

    def __eq__(self, other):
        if isinstance(other, tuple):
            return tuple(self) == other
        return type(self) is type(other) and self.options() == other.options()

    def __hash__(self):
        return hash((type(self), *sorted(map(str, self.options().items()))))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self.options().items())})"


@dataclass
class LayoutTransformation:
    """A layout and the shape of a tensor that is put into it, and taken out again."""

    shape: list
    is_fp4: bool
    layout: Layout
    _bound: Layout | None = field(default=None, repr=False)

    def swizzle_data(self, data):
        self._bound = self.layout.bind(data.shape)
        return self._bound.swizzle_data(data)

    def unswizzle_data(self, data):
        bound = self._bound or self.layout.bind(self._data_shape())
        return bound.unswizzle_data(data)

    def storage_shape(self):
        """The shape of the rearranged data."""
        import torch

        shape = self._data_shape()
        return list(self.layout.bind(shape).swizzle_data(torch.empty(shape, dtype=torch.uint8, device="meta")).shape)

    def _data_shape(self):
        shape = list(self.shape)
        if self.is_fp4:
            shape[getattr(self.layout, "packed_dim", -2)] //= 2
        return shape


def round_up(value, multiple):
    return (value + multiple - 1) // multiple * multiple


def pad_last(data, rows, columns):
    """Zeros below and right of each matrix, up to multiples of `rows` and `columns`."""
    import torch

    *_, height, width = data.shape
    padding = (0, round_up(width, columns) - width, 0, round_up(height, rows) - height)
    return torch.nn.functional.pad(data, padding) if any(padding) else data
