"""Scales of 4-bit weights such that each thread of a warp group finds its own side by side: the scales of rows r, r + 8 and of two columns."""

import triton
import triton.language as tl

from .base import Layout, pad_last, round_up


def scales_last(data, mx_axis):
    """The same with the axis of the scales last; or back."""
    return data.transpose(-1, -2) if mx_axis == data.ndim - 2 else data


class HopperMXLayout(Layout):
    """Along one of the last two axes, `mx_axis`, rows lie side by side, `FOLD` of them; a setting of the layout's own, called `SETTING`, comes after the axis."""

    FOLD: int
    SETTING: str

    def __init__(self, shape, mx_axis, setting):
        if isinstance(shape, int):  # the axis comes first where there is no shape
            setting = setting if mx_axis is None else mx_axis
            shape, mx_axis = None, shape
        super().__init__(shape)
        setattr(self, self.SETTING, setting)
        self.given_axis = mx_axis
        if shape is None:
            return
        rank = len(self.initial_shape)
        self.mx_axis = mx_axis + rank if mx_axis < 0 else mx_axis
        assert self.mx_axis in (rank - 2, rank - 1), f"mx_axis must be one of the last two, not {mx_axis}"

    def options(self):
        return {"mx_axis": self.given_axis, self.SETTING: getattr(self, self.SETTING)}

    def _is_second_to_last(self, rank):
        """Whether the sum runs along the rows of each matrix."""
        if self.initial_shape is not None:
            return self.mx_axis == len(self.initial_shape) - 2
        return self.given_axis % rank == rank - 2

    def swizzle_block_shape(self, block_shape):
        rows, columns = block_shape[-2:]
        if self._is_second_to_last(len(block_shape)):
            return [*block_shape[:-2], rows * self.FOLD, columns // self.FOLD]
        return [*block_shape[:-2], rows // self.FOLD, columns * self.FOLD]


class HopperMXScaleLayout(HopperMXLayout):
    name = "HOPPER_SCALE"
    FOLD, SETTING = 32, "num_warps"

    def __init__(self, shape=None, mx_axis=None, num_warps=8):
        super().__init__(shape, mx_axis, num_warps)
        assert self.num_warps & (self.num_warps - 1) == 0, f"num_warps must be a power of two, not {self.num_warps}"

    def swizzle_data(self, data):
        data = pad_last(scales_last(data, self.mx_axis), 32 * self.num_warps, 2)
        *leading, M, K = data.shape
        data = data.reshape(*leading, M // (32 * self.num_warps), 2, self.num_warps, 2, 8, K // 2, 2)
        data = self._permute(data, (0, 2, 5, 1, 4, 6, 3)).reshape(*leading, M // 32, K * 32)
        return scales_last(data, self.mx_axis)

    def unswizzle_data(self, data):
        *leading, height, width = scales_last(data, self.mx_axis).shape
        M, K = height * 32, width // 32
        data = scales_last(data, self.mx_axis)
        data = data.reshape(*leading, M // (32 * self.num_warps), self.num_warps, K // 2, 2, 8, 2, 2)
        data = self._permute(data, (0, 3, 1, 6, 4, 2, 5)).reshape(*leading, M, K)
        rows, columns = self.initial_shape[-2:]
        return scales_last(data, self.mx_axis)[..., :rows, :columns].contiguous()

    @staticmethod
    def _permute(data, order):
        leading = data.ndim - len(order)
        return data.permute(*range(leading), *(leading + axis for axis in order))

    @property
    def padded_rows(self):
        return round_up(
            self.initial_shape[-1 if self.mx_axis == len(self.initial_shape) - 2 else -2], 32 * self.num_warps
        )


@triton.jit
def unswizzle_mxfp4_scale_hopper(x, mx_axis: tl.constexpr, num_warps: tl.constexpr):
    """A block of 32 * num_warps rows (or a multiple), rearranged, as it was; `mx_axis` is that of the scales in it, 0 or 1."""
    tl.static_assert(len(x.shape) == 2, "a block of scales has two dimensions")
    if mx_axis == 0:
        x = tl.trans(x)
    M: tl.constexpr = x.shape[0] * 32
    K: tl.constexpr = x.shape[1] // 32
    x = tl.reshape(x, (M // (32 * num_warps), num_warps, K // 2, 2, 8, 2, 2))
    x = tl.reshape(tl.permute(x, (0, 3, 1, 6, 4, 2, 5)), (M, K))
    if mx_axis == 0:
        x = tl.trans(x)
    return x
