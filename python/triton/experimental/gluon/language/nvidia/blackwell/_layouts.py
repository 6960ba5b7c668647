"""Layouts of buffers in tensor memory."""

from __future__ import annotations

from ..._layouts import _is_power_of_two, _Layout, _layout, _text


@_layout
class TensorMemoryLayout(_Layout):
    """Blocks of `block` rows and columns; a column of elements takes `col_stride` columns of the memory."""

    block: list[int]
    col_stride: int
    cta_split_num: list[int] | None = None
    two_ctas: bool = False

    def _check(self):
        assert len(self.block) == 2, f"block has rows and columns, got {self.block}"
        assert self.cta_split_num is None or len(self.cta_split_num) == 2, (
            f"cta_split_num has two numbers, got {self.cta_split_num}"
        )
        assert _is_power_of_two(self.col_stride), f"col_stride must be a power of two, got {self.col_stride}"

    @property
    def rank(self):
        return 2

    def mangle(self):
        return f"TL{'_'.join(_text(field) for field in self._fields())}TL"


@_layout
class TensorMemoryScalesLayout(_Layout):
    """8-bit scales of blocks, copied for each warp."""

    cta_split_num: list[int] | None = None

    def _check(self):
        assert self.cta_split_num is None or len(self.cta_split_num) == 2, (
            f"cta_split_num has two numbers, got {self.cta_split_num}"
        )

    @property
    def rank(self):
        return 2

    def mangle(self):
        return f"TLS{_text(self.cta_split_num or [])}TLS"
