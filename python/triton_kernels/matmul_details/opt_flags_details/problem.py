"""What the choice of tiles depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...tensor import RaggedTensorMetadata, bitwidth


class InapplicableConstraint(Exception):
    """A constraint that this product cannot meet."""


# The scales of MX operands and result, by today's names and by those before Triton 3.7.
_SCALES = {"b_mx_scale": "weight_scale", "c_mx_scale": "out_scale"}


def mx_scale(precision_config, name):
    """Of a PrecisionConfig, or of something that looks like one, of any release."""
    return getattr(precision_config, name, None) if hasattr(precision_config, name) else getattr(
        precision_config, _SCALES[name], None
    )  # fmt: skip


@dataclass
class Problem:
    out_dtype: Any
    lhs_dtype: Any
    rhs_dtype: Any
    precision_config: Any
    batch_size: int
    m: int
    n: int
    k: int
    ragged: Any = None  # RaggedTensorMetadata of the rows
    n_slices: int | None = None  # None: all that the metadata have
    inner_block_k: int | None = None
    can_use_tma: bool = False
    can_emulate_tma: bool = False  # descriptors exist without TMA
    can_use_split_k: bool = True
    has_y_acc_in: bool = False
    epilogue_effective_itemsize: float | None = None
    reduction_n: int = 1
    weight_scale_layout: Any = None
    weight_layout: Any = None

    @property
    def is_ragged(self):
        return self.ragged is not None and self.batch_size == 1

    @property
    def has_mx_weights(self):
        return mx_scale(self.precision_config, "b_mx_scale") is not None

    @property
    def bits(self):
        """(of elements of x, of w)"""
        return bitwidth(self.lhs_dtype), bitwidth(self.rhs_dtype)

    def slices(self):
        return self.ragged.n_slices if self.n_slices is None else self.n_slices

    def tokens_per_expert(self):
        if not self.is_ragged:
            return self.m
        if self.ragged.expected_slice_size is not None:
            return self.ragged.expected_slice_size
        return max(1, self.m // self.slices())

    def grid_m(self, block_m):
        if not self.is_ragged:
            return -(-self.m // block_m)
        return RaggedTensorMetadata.n_blocks(self.slices(), self.m, block_m)

    def n_tiles(self, block_m, block_n):
        return self.batch_size * self.grid_m(block_m) * -(-self.n // block_n)
