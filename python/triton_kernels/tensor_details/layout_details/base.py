"""What a layout in global memory can do. Kernels know it by its name."""

from abc import ABC, abstractmethod


class Layout(ABC):
    """Made for data of one shape, as they are before the rearrangement."""

    name: str | None = None

    def __init__(self, initial_shape):
        self.initial_shape = list(initial_shape)

    @abstractmethod
    def swizzle_data(self, data):
        """Rearranges data of the initial shape."""

    @abstractmethod
    def unswizzle_data(self, data):
        """Undoes it."""

    @abstractmethod
    def swizzle_block_shape(self, block_shape):
        """The block of rearranged data that holds a block of the original."""

    def __repr__(self):
        return f"{type(self).__name__}({self.initial_shape})"


def round_up(value, multiple):
    return (value + multiple - 1) // multiple * multiple


def pad_last(data, rows, columns):
    """Zeros below and right of each matrix, up to multiples of `rows` and `columns`."""
    import torch

    *_, height, width = data.shape
    padding = (0, round_up(width, columns) - width, 0, round_up(height, rows) - height)
    return torch.nn.functional.pad(data, padding) if any(padding) else data
