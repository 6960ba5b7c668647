"""Packed 4-bit values for TMA of Blackwell, which reads whole blocks of 128 bytes: the unit-stride dimension is padded with zeros."""

import torch

from .base import Layout, pad_last, round_up


class BlackwellMXValueLayout(Layout):
    name = "BLACKWELL_VALUE"

    def __init__(self, shape=None):
        super().__init__(shape)

    @staticmethod
    def _unit_dim(data):
        return data.ndim - 1 if data.stride(-1) == 1 and data.shape[-1] != 1 else max(
            (dim for dim, stride in enumerate(data.stride()) if stride == 1 and data.shape[dim] > 1),
            default=data.ndim - 1,
        )  # fmt: skip

    def swizzle_data(self, data):
        dim = self._unit_dim(data)
        moved = data.movedim(dim, -1)
        padding = round_up(moved.shape[-1], 128) - moved.shape[-1]
        return torch.nn.functional.pad(moved, (0, padding)).movedim(-1, dim)

    def unswizzle_data(self, data):
        for dim, size in enumerate(self.initial_shape):
            data = data.narrow(dim, 0, size)
        return data

    def swizzle_block_shape(self, block_shape):
        return block_shape


class BlackwellMX4ValueShuffledLayout(Layout):
    """Packed 4-bit values [.., sum / 2, columns] as whole blocks of `block_k` x `block_n` elements, each in one piece."""

    name = "BLACKWELL_VALUE_SHUFFLED"

    def __init__(self, shape=None, block_k=128, block_n=256):
        super().__init__(shape)
        self.block_k, self.block_n = block_k, block_n

    def options(self):
        return {"block_k": self.block_k, "block_n": self.block_n}

    def swizzle_data(self, data):
        padded = pad_last(data, self.block_k // 2, self.block_n)
        *leading, height, width = padded.shape
        rows, columns = self.block_k // 2, self.block_n
        blocks = padded.reshape(*leading, height // rows, rows, width // columns, columns).movedim(-2, -3).mT
        return blocks.contiguous().reshape(*leading, height // rows, width // columns, columns, rows)

    def unswizzle_data(self, data):
        *leading, n_rows, n_columns, columns, rows = data.shape
        plain = data.mT.movedim(-3, -2).reshape(*leading, n_rows * rows, n_columns * columns)
        height, width = self.initial_shape[-2:]
        # Pairs lie along the sum: column-major, as other layouts of packed values are.
        return plain[..., :height, :width].mT.contiguous().mT

    def swizzle_block_shape(self, block_shape):
        rows, columns = block_shape[-2:]
        return [*block_shape[:-2], rows // self.block_k, columns // self.block_n, self.block_n, self.block_k // 2]
