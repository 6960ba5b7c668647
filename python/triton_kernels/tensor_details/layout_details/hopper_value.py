"""4-bit weights such that each thread of a warp group loads its share of a tile at once, in words that become bf16 with a few bit operations.

Each word of 32 bits holds eight values: one half the first of each pair, the other half the second. Within a half (sign s, exponent ee, mantissa m):

    bit       15  14  13  12  11 10   9   8 7 6  5 4 3  2 1 0
    1st value  s                          e e m
    2nd value              s                     e e m
    3rd value                         s                 e e m
    4th value      s   m       e  e

so that a shift moves each to where bf16 has its sign and the low bits of its exponent; a factor of 2^126 corrects the exponent.
"""

import torch
import triton
import triton.language as tl

from .base import pad_last
from .hopper_scale import HopperMXLayout, scales_last

_ORDER = (0, 3, 6, 10, 4, 9, 7, 1, 8, 2, 5, 11)
_INVERSE = tuple(_ORDER.index(axis) for axis in range(12))


def _factors(mma_version):
    """What rows and columns of bytes are divided into below the outermost part: tiles along K, warp tiles, threads, pairs, neighbours."""
    width = 4 if mma_version == 2 else 1
    return (1, 2, 4, 2, 1), (4 // width, 2, 4, 1, width)


def _pack_half(nibbles):
    """Four values [..., 4] of 4 bits in 16 bits."""
    sign, exponent, mantissa = nibbles >> 3, (nibbles >> 1) & 3, nibbles & 1
    pattern = (sign << 15) | (exponent << 7) | (mantissa << 6)
    last = (sign[..., 3] << 14) | (mantissa[..., 3] << 13) | (exponent[..., 3] << 10)
    return pattern[..., 0] | (pattern[..., 1] >> 3) | (pattern[..., 2] >> 6) | last


def _unpack_half(half):
    """The four values [..., 4] in 16 bits."""
    patterns = [half, half << 3, half << 6]
    patterns.append(((half << 1) & 0x8000) | ((half >> 3) & 0x0180) | ((half >> 7) & 0x0040))
    pattern = torch.stack(patterns, dim=-1)
    return ((pattern >> 12) & 8) | ((pattern >> 6) & 7)


def _slice_by_slice(function, data):
    """`function` of each matrix: what it needs meanwhile is many times its size."""
    if data.ndim < 3:
        return function(data)
    out = torch.empty_like(data, memory_format=torch.contiguous_format)
    for place, matrix in zip(out.flatten(0, -3), data.flatten(0, -3)):
        place.copy_(function(matrix))
    return out


def _pack_words(data):
    """Bytes with two values each -> bytes of words of 32 bits."""
    nibbles = data.reshape(*data.shape[:-1], -1, 4).to(torch.int32)
    halves = torch.stack([_pack_half(nibbles & 0xF), _pack_half(nibbles >> 4)], dim=-1)
    return torch.stack([halves & 0xFF, halves >> 8], dim=-1).to(torch.uint8).reshape(data.shape)


def _unpack_words(data):
    pieces = data.reshape(*data.shape[:-1], -1, 2, 2).to(torch.int32)
    halves = pieces[..., 0] | (pieces[..., 1] << 8)
    nibbles = _unpack_half(halves[..., 0]) | (_unpack_half(halves[..., 1]) << 4)
    return nibbles.to(torch.uint8).reshape(data.shape)


class HopperMXValueLayout(HopperMXLayout):
    name = "HOPPER_VALUE"
    FOLD, SETTING = 4, "mma_version"

    def __init__(self, shape=None, mx_axis=None, mma_version=3):
        super().__init__(shape, mx_axis, mma_version)
        assert self.mma_version in (2, 3), f"mma_version is 2 or 3, not {self.mma_version}"

    def _tile(self, M, K):
        rows, columns = _factors(self.mma_version)
        return [M // 16, *rows, K // 32, *columns]

    def swizzle_data(self, data):
        assert data.dtype == torch.uint8, f"two values of 4 bits in each byte of uint8, not {data.dtype}"
        data = scales_last(pad_last(data, 64, 64), self.mx_axis)
        *leading, M, K = data.shape
        data = data.reshape(-1, *self._tile(M, K)).permute(0, *(1 + axis for axis in _ORDER))
        data = _slice_by_slice(_pack_words, data.reshape(*leading, M // 4, K * 4))
        return scales_last(data, self.mx_axis)

    def unswizzle_data(self, data):
        data = _slice_by_slice(_unpack_words, scales_last(data, self.mx_axis).contiguous())
        *leading, height, width = data.shape
        M, K = height * 4, width // 4
        tile = self._tile(M, K)
        data = data.reshape(-1, *(tile[axis] for axis in _ORDER)).permute(0, *(1 + axis for axis in _INVERSE))
        data = scales_last(data.reshape(*leading, M, K), self.mx_axis)
        rows, columns = self.initial_shape[-2:]
        return data[..., :rows, :columns]


@triton.jit
def _to_bf16(half):
    """The four values in 16 bits as bf16 times 2^-126."""
    last = ((half << 1) & 0x8000) | ((half >> 3) & 0x0180) | ((half >> 7) & 0x0040)
    first = (half & 0x81C0).to(tl.uint16).to(tl.bfloat16, bitcast=True)
    second = ((half << 3) & 0x81C0).to(tl.uint16).to(tl.bfloat16, bitcast=True)
    third = ((half << 6) & 0x81C0).to(tl.uint16).to(tl.bfloat16, bitcast=True)
    return first, second, third, last.to(tl.uint16).to(tl.bfloat16, bitcast=True)


@triton.jit
def mxfp4_to_bf16_triton(x, scale, mx_axis: tl.constexpr):
    """A block of rearranged bytes (for mma version 3) and its scales, one for 32 values along `mx_axis`, as bf16."""
    tl.static_assert(len(x.shape) == 2 and x.dtype == tl.uint8, "a block of uint8 with two dimensions")
    tl.static_assert(mx_axis == 0 or mx_axis == 1, "mx_axis is 0 or 1")
    if mx_axis == 0:
        x = tl.trans(x)
        scale = tl.trans(scale)
    R: tl.constexpr = x.shape[0] // 4
    C: tl.constexpr = x.shape[1] // 128  # of 64 values each
    low, high = tl.split(tl.reshape(x, (x.shape[0], C * 32, 2, 2)))
    halves = low.to(tl.uint32) | (high.to(tl.uint32) << 8)
    # [R, thread row, C, pair, thread column, k tile] of words; rows and columns apart.
    halves = tl.reshape(halves, (R, 4, C, 2, 4, 4, 2))
    halves = tl.reshape(tl.permute(halves, (0, 1, 3, 2, 5, 4, 6)), (R, 8, C * 4, 4, 2))
    a, b, c, d = _to_bf16(halves)
    values = tl.join(tl.join(a, c), tl.join(b, d))  # [R, 8, C * 4, 4, first or second of a pair, warp column, warp row]
    values = tl.permute(values, (0, 6, 1, 2, 5, 3, 4))
    values = tl.reshape(values, (R * 16, C * 2, 32))
    # Scale codes are exponents of bf16; the factor first, lest small values vanish.
    factor = (scale.to(tl.uint16) << 7).to(tl.bfloat16, bitcast=True)
    values = values * tl.full((), 2.0**126, tl.bfloat16) * tl.reshape(factor, (R * 16, C * 2, 1))
    values = tl.reshape(values, (R * 16, C * 64))
    if mx_axis == 0:
        values = tl.trans(values)
    return values
