"""Scales in the order in which Blackwell's tensor memory takes them: tiles of 128 x 4, whose four groups of 32 rows lie side by side."""

import math

import triton
import triton.language as tl

from .base import Layout, pad_last, round_up


class BlackwellMXScaleLayout(Layout):
    name = "BLACKWELL_SCALE"

    def __init__(self, shape):
        super().__init__(shape)
        *self.leading_shape, self.K, self.N = self.initial_shape
        self.B = math.prod(self.leading_shape)
        self.K_pad, self.N_pad = round_up(self.K, 8), round_up(self.N, 128)

    def swizzle_data(self, data):
        data = pad_last(data, 8, 128).transpose(-1, -2)
        data = data.reshape(self.B, self.N_pad // 128, 4, 32, self.K_pad // 4, 4).transpose(2, 4)
        return data.reshape(1, self.B * self.N_pad // 128, self.K_pad // 4, 2, 256)

    def unswizzle_data(self, data):
        data = data.reshape(self.B, self.N_pad // 128, self.K_pad // 4, 32, 4, 4).transpose(2, 4)
        data = data.reshape(*self.leading_shape, self.N_pad, self.K_pad).transpose(-1, -2)
        return data[..., : self.K, : self.N].contiguous()

    def swizzle_block_shape(self, block_shape):
        rows, columns = block_shape[-2:]
        assert rows >= 128, f"a block of scales has at least 128 rows, not {rows}"
        return [1, rows // 128, columns // 4, 2, 256]


@triton.jit
def unswizzle_mx_scale_bw(x):
    """A block [1, n / 128, k / 4, 2, 256] as [n, k]."""
    ROWS: tl.constexpr = x.shape[1]
    COLUMNS: tl.constexpr = x.shape[2]
    x = tl.reshape(x, (ROWS, COLUMNS, 32, 4, 4))
    return tl.reshape(tl.permute(x, (0, 3, 2, 1, 4)), (ROWS * 128, COLUMNS * 4))
