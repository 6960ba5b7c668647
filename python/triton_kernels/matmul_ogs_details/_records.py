"""What a matrix product of experts is told besides its operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Callable

import torch

from ..numerics import InFlexData, OutFlexData
from ..specialize import FnSpecs
from ..tensor import RaggedTensorMetadata


@dataclass
class RoutingData:
    """How rows are divided among experts: weights of the rows, rows per expert, experts in all and per token, and where they lie."""

    gate_scal: torch.Tensor | None
    expt_hist: torch.Tensor
    n_expts_tot: int
    n_expts_act: int
    expt_data: RaggedTensorMetadata | None = None
    expected_tokens_per_expt: int | None = None

    def n_blocks(self, n_rows, block_m):
        """At most so many tiles of `block_m` rows."""
        if n_rows <= self.n_expts_tot:
            return n_rows
        return -(-max(n_rows - self.n_expts_tot + 1, 0) // block_m) + self.n_expts_tot - 1


@dataclass
class GatherIndx:
    """Indices for gathering rows: entry i is the row (times the experts per token) that slot i takes; `dst_indx` is the inverse. -1: none."""

    src_indx: torch.Tensor
    dst_indx: torch.Tensor


@dataclass
class ScatterIndx:
    """Indices for scattering rows: slot i goes to row `dst_indx[i]`; `src_indx` is the inverse. -1: none."""

    src_indx: torch.Tensor
    dst_indx: torch.Tensor


@dataclass(frozen=True)
class FlexCtx:
    lhs_data: InFlexData = field(default_factory=InFlexData)
    rhs_data: InFlexData = field(default_factory=InFlexData)
    out_data: OutFlexData = field(default_factory=OutFlexData)
    acc_data: InFlexData = field(default_factory=InFlexData)


@dataclass
class PrecisionConfig:
    """Number formats. `act_scale`, `weight_scale` and `out_scale` are the scales of MX operands and result."""

    max_num_imprecise_acc: int | None = None
    allow_tf32: bool = True
    flex_ctx: FlexCtx = field(default_factory=FlexCtx)
    acc_scale: float = 1.0
    flexpoint_saturate_inf: bool = False
    report_quantization_err_fn: Callable | None = None
    act_scale: Any = None
    weight_scale: Any = None
    out_scale: Any = None
    out_dtype: torch.dtype | None = None
    enforce_bitwise_invariance: bool = False


class FnName(Enum):
    """Device functions that the product knows by name."""

    QUANTIZE_MXFP8 = auto()


@dataclass(frozen=True)
class FusedActivation:
    """A function of the product's tiles, in float32, before weights are applied."""

    specs: FnSpecs = field(default_factory=FnSpecs.default)
    fn_args: tuple[object, ...] = ()


@dataclass(frozen=True)
class Epilogue:
    """A function of what will be stored: with some arguments behind the product, with others behind a reduction that follows it."""

    specs: FnSpecs = field(default_factory=FnSpecs.default)
    fn_arg_values_matmul: tuple[object, ...] = ()
    fn_arg_values_finalize: tuple[object, ...] = ()
    effective_itemsize: float | None = None


@dataclass
class FusedComm:
    """Results go to other ranks: row m to row m * n_reduce_shards + reduce_rank of the ranks of shard `scatter_shard_indx[m]`, or of all ranks.

    `out_handles`: the result tensor of every rank, or an int64 tensor of their addresses.
    """

    out_handles: Any
    scatter_shard_indx: torch.Tensor | None = None
    reduce_rank: int = 0
    n_reduce_shards: int = 1

    def addresses(self, device):
        if isinstance(self.out_handles, torch.Tensor) and self.out_handles.dtype == torch.int64:
            return self.out_handles
        return torch.tensor([each.data_ptr() for each in self.out_handles], dtype=torch.int64, device=device)


@dataclass
class InnerRoutingData:
    """Experts are consecutive along the summed dimension. At least one operand is padded with zeros to `block_k` for each expert."""

    base: RoutingData
    block_k: int
    x_is_padded: bool = False
    w_is_padded: bool = False
