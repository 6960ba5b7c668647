"""What a product of experts was told in Triton 3.6."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..matmul_details._records import FlexCtx
from ..matmul_details._records import PrecisionConfig as _PrecisionConfig
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


class PrecisionConfig(_PrecisionConfig):
    """Number formats, by the names `act_scale`, `weight_scale` and `out_scale` of MX scales."""

    def __init__(
        self,
        max_num_imprecise_acc=None,
        allow_tf32=True,
        flex_ctx=FlexCtx(),
        acc_scale=1.0,
        flexpoint_saturate_inf=False,
        report_quantization_err_fn=None,
        act_scale=None,
        weight_scale=None,
        out_scale=None,
        out_dtype=None,
        enforce_bitwise_invariance=False,
    ):
        super().__init__(
            max_num_imprecise_acc, allow_tf32, flex_ctx, acc_scale, flexpoint_saturate_inf, report_quantization_err_fn,
            act_scale, weight_scale, out_scale, out_dtype, enforce_bitwise_invariance,
        )  # fmt: skip

    def _alias(name):  # noqa: N805
        return property(lambda self: getattr(self, name), lambda self, value: setattr(self, name, value))

    act_scale, weight_scale, out_scale = _alias("a_mx_scale"), _alias("b_mx_scale"), _alias("c_mx_scale")
    del _alias


@dataclass
class InnerRoutingData:
    """Experts are consecutive along the summed dimension. At least one operand is padded with zeros to `block_k` for each expert."""

    base: RoutingData
    block_k: int
    x_is_padded: bool = False
    w_is_padded: bool = False
