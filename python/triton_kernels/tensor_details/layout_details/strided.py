"""Data as they are: a tensor with strides."""

from .base import Layout


class StridedLayout(Layout):
    """`major_dim` is the dimension of stride 1, counted from the last (-1)."""

    name = None

    def __init__(self, shape=None, major_dim=None):
        if isinstance(shape, int):
            shape, major_dim = None, shape
        super().__init__(shape)
        self.major_dim = major_dim

    def options(self):
        return {} if self.major_dim is None else {"major_dim": self.major_dim}

    def __iter__(self):
        return iter((StridedLayout, {}))

    def can_preserve_storage_as(self, other, rank):
        if not isinstance(other, StridedLayout):
            return False
        mine, theirs = (-1 if each.major_dim is None else each.major_dim for each in (self, other))
        return mine % rank == theirs % rank

    def swizzle_data(self, data):
        if self.major_dim is None:
            return data
        return data.movedim(self.major_dim, -1).contiguous().movedim(-1, self.major_dim)

    def unswizzle_data(self, data):
        return data

    def swizzle_block_shape(self, block_shape):
        return block_shape
