"""Scales in the order in which Blackwell's tensor memory takes them: tiles of 128 x 4, whose four groups of 32 rows lie side by side."""

import math

import triton
import triton.language as tl

from .base import Layout, pad_last, round_up


class BlackwellMXScaleLayout(Layout):
    name = "BLACKWELL_SCALE"

    def __init__(self, shape=None):
        super().__init__(shape)
        if shape is None:
            return
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


class BlackwellActMXScaleLayout(Layout):
    """The same for scales [.., rows, groups] of activations: each batch, or each slice of ragged rows, begins with a tile of its own."""

    name = "BLACKWELL_ACT_SCALE"

    def __init__(self, shape=None, ragged_metadata=None):
        if shape is not None and not isinstance(shape, (list, tuple)) and hasattr(shape, "slice_sizes"):
            shape, ragged_metadata = None, shape
        super().__init__(shape)
        self.ragged_metadata = ragged_metadata

    def options(self):
        return {"ragged_metadata": self.ragged_metadata}

    def __eq__(self, other):
        return type(self) is type(other) and self.ragged_metadata is other.ragged_metadata

    __hash__ = Layout.__hash__

    def _rows(self):
        """(rows of the data, their places among whole tiles, rows of all tiles)"""
        import torch

        n_rows, meta = self.initial_shape[-2], self.ragged_metadata
        if meta is None:
            return None, None, round_up(n_rows, 128)
        sizes, starts = meta.slice_sizes.long(), meta.slice_offs[:-1].long()
        tiles = meta.block_offs(128)[:-1].long()
        owners = torch.repeat_interleave(torch.arange(sizes.numel(), device=sizes.device), sizes)
        rows = torch.arange(owners.numel(), device=sizes.device)
        places = tiles[owners] * 128 + rows - starts[owners]
        # Rows behind the last slice follow in tiles of their own.
        rest = torch.arange(owners.numel(), n_rows, device=sizes.device)
        first = int(meta.block_offs(128)[-1]) * 128
        places = torch.cat([places, first + rest - owners.numel()])
        return torch.cat([rows, rest]), places, round_up(first + rest.numel(), 128)

    def swizzle_data(self, data):
        rows, places, n_rows = self._rows()
        *leading, _, groups = data.shape
        if rows is None:
            padded = pad_last(data, 128, 8)
        else:
            padded = data.new_zeros((*leading, n_rows, round_up(groups, 8)))
            padded[..., places, :groups] = data[..., rows, :]
        n_groups = padded.shape[-1]
        tiles = padded.reshape(-1, n_rows // 128, 4, 32, n_groups // 4, 4).transpose(2, 4)
        return tiles.reshape(1, -1, n_groups // 4, 2, 256)

    def unswizzle_data(self, data):
        rows, places, n_rows = self._rows()
        *leading, height, groups = self.initial_shape
        n_groups = round_up(groups, 8)
        plain = data.reshape(-1, n_rows // 128, n_groups // 4, 32, 4, 4).transpose(2, 4)
        plain = plain.reshape(*leading, n_rows, n_groups)
        if rows is not None:
            out = plain.new_zeros((*leading, height, n_groups))
            out[..., rows, :] = plain[..., places, :]
            plain = out
        return plain[..., :height, :groups].contiguous()

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
