"""Packed 4-bit values for Blackwell's copy engine, which reads whole blocks of 128 bytes: the unit-stride dimension is padded with zeros."""

import torch

from .base import Layout, round_up


class BlackwellMXValueLayout(Layout):
    name = "BLACKWELL_VALUE"

    def __init__(self, shape):
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
