"""Scales in the order in which matrix instructions of AMD's GPUs read them."""

import triton
import triton.language as tl

from .base import Layout, pad_last


class CDNA4MXScaleLayout(Layout):
    name = "CDNA4_SCALE"

    def __init__(self, shape=None):
        super().__init__(shape)

    def swizzle_data(self, data):
        data = pad_last(data, 8, 32).transpose(-1, -2)
        *leading, N, K = data.shape
        data = data.reshape(-1, N // 32, 2, 16, K // 8, 2, 4, 1).permute(0, 1, 4, 6, 3, 5, 2, 7)
        return data.reshape(*leading, N // 32, K * 32).transpose(-1, -2)

    def unswizzle_data(self, data):
        data = data.transpose(-1, -2)
        *leading, height, width = data.shape
        N, K = height * 32, width // 32
        data = data.reshape(-1, N // 32, K // 8, 4, 16, 2, 2, 1).permute(0, 1, 6, 4, 2, 5, 3, 7)
        rows, columns = self.initial_shape[-2:]
        return data.reshape(*leading, N, K).transpose(-1, -2)[..., :rows, :columns].contiguous()

    def swizzle_block_shape(self, block_shape):
        rows, columns = block_shape[-2:]
        return [*block_shape[:-2], rows // 32, columns * 32]


class GFX1250MXScaleLayout(CDNA4MXScaleLayout):
    """For gfx1250, which reads the scales of 128 columns and 4 groups at once."""

    name = "GFX1250_SCALE"

    def swizzle_data(self, data):
        data = pad_last(data, 4, 128).transpose(-1, -2)
        *leading, N, K = data.shape
        data = data.reshape(-1, N // 128, 4, 32, K // 4, 4).permute(0, 1, 4, 3, 2, 5)
        return data.reshape(*leading, N // 128, K * 128).transpose(-1, -2)

    def unswizzle_data(self, data):
        data = data.transpose(-1, -2)
        *leading, height, width = data.shape
        N, K = height * 128, width // 128
        data = data.reshape(-1, N // 128, K // 4, 32, 4, 4).permute(0, 1, 4, 3, 2, 5)
        rows, columns = self.initial_shape[-2:]
        return data.reshape(*leading, N, K).transpose(-1, -2)[..., :rows, :columns].contiguous()

    def swizzle_block_shape(self, block_shape):
        rows, columns = block_shape[-2:]
        return [*block_shape[:-2], rows // 128, columns * 128]


@triton.jit
def unswizzle_mx_scale_cdna4(x, BLOCK_N: tl.constexpr, MX_SCALE_BLOCK_K: tl.constexpr):
    """A block [BLOCK_N / 32, MX_SCALE_BLOCK_K * 32] as [BLOCK_N, MX_SCALE_BLOCK_K]."""
    x = tl.reshape(x, (BLOCK_N // 32, MX_SCALE_BLOCK_K // 8, 4, 16, 2, 2, 1))
    return tl.reshape(tl.permute(x, (0, 5, 3, 1, 4, 2, 6)), (BLOCK_N, MX_SCALE_BLOCK_K))
