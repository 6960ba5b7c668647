"""Layouts of buffers in tensor memory."""

from __future__ import annotations

from ..._layouts import _is_power_of_two, _Layout, _layout


def _as_tuples(layout, *names):
    """Pairs of numbers are tuples, however they are given."""
    for name in names:
        if (value := getattr(layout, name)) is not None:
            object.__setattr__(layout, name, tuple(value))


def _check_split(split):
    assert split is None or len(split) == 2, f"cta_split_num has two numbers, got {split}"


def _split_text(split):
    return f"CS{split[0]}x{split[1]}" if split else ""


@_layout
class TensorMemoryLayout(_Layout):
    """Blocks of `block` rows and columns; a column of elements takes `col_stride` columns of the memory."""

    block: tuple[int, int]
    col_stride: int
    cta_split_num: tuple[int, int] | None = None
    two_ctas: bool = False

    def _check(self):
        _as_tuples(self, "block", "cta_split_num")
        assert len(self.block) == 2, f"block has rows and columns, got {self.block}"
        _check_split(self.cta_split_num)
        assert _is_power_of_two(self.col_stride), (
            f"tensor memory col_stride must be a power of two, got {self.col_stride}"
        )

    @property
    def rank(self):
        return 2

    def mangle(self):
        block, two = "x".join(map(str, self.block)), "2CT" if self.two_ctas else ""
        return f"TL{block}C{self.col_stride}{_split_text(self.cta_split_num)}{two}TL"


@_layout
class TensorMemoryScalesLayout(_Layout):
    """8-bit scales of blocks, copied for each warp."""

    cta_split_num: tuple[int, int] | None = None

    def _check(self):
        _as_tuples(self, "cta_split_num")
        _check_split(self.cta_split_num)

    @property
    def rank(self):
        return 2

    def mangle(self):
        return f"TLS{_split_text(self.cta_split_num)}TLS"
