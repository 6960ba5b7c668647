"""Scales in the order in which CDNA 4's matrix instructions read them. There is no way back on the host."""

import triton
import triton.language as tl

from .base import Layout


class CDNA4MXScaleLayout(Layout):
    name = "CDNA4_SCALE"

    def __init__(self, shape):
        super().__init__(shape)

    def swizzle_data(self, data):
        data = data.transpose(-1, -2)
        *leading, N, K = data.shape
        assert N % 32 == 0 and K % 8 == 0, f"scales [{K}, {N}] are not made of blocks of 8 x 32"
        data = data.reshape(-1, N // 32, 2, 16, K // 8, 2, 4, 1).permute(0, 1, 4, 6, 3, 5, 2, 7)
        return data.reshape(*leading, N // 32, K * 32).transpose(-1, -2)

    def unswizzle_data(self, data):
        raise NotImplementedError("scales in CDNA4MXScaleLayout cannot be put back on the host")

    def swizzle_block_shape(self, block_shape):
        rows, columns = block_shape[-2:]
        return [*block_shape[:-2], rows // 32, columns * 32]


@triton.jit
def unswizzle_mx_scale_cdna4(x, BLOCK_N: tl.constexpr, MX_SCALE_BLOCK_K: tl.constexpr):
    """A block [BLOCK_N / 32, MX_SCALE_BLOCK_K * 32] as [BLOCK_N, MX_SCALE_BLOCK_K]."""
    x = tl.reshape(x, (BLOCK_N // 32, MX_SCALE_BLOCK_K // 8, 4, 16, 2, 2, 1))
    return tl.reshape(tl.permute(x, (0, 5, 3, 1, 4, 2, 6)), (BLOCK_N, MX_SCALE_BLOCK_K))
