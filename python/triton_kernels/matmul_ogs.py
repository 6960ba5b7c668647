"""Products of experts as Triton 3.6 called them ("ogs": outer gather scatter): `matmul` with routing in its own records."""

from __future__ import annotations

import dataclasses

from .matmul import defaults, multiply, specializations
from .matmul_details._operands import Operands
from .matmul_details._records import Epilogue, FlexCtx, FnName, FusedActivation, FusedComm, RaggedSum, Scatter
from .matmul_details._reference import post_matmul_comm_torch
from .matmul_details._scratch import MatmulAllocation, apply_allocation, init_allocation
from .matmul_details.opt_flags import (
    InapplicableConstraint,
    OptFlags,
    make_opt_flags,
    reset_opt_flags,
    reset_opt_flags_constraints,
    set_idle_sms,
    set_opt_flags,
    update_opt_flags_constraints,
)
from .matmul_ogs_details._records import GatherIndx, InnerRoutingData, PrecisionConfig, RoutingData, ScatterIndx
from .matmul_ogs_details._reference import matmul_ogs_torch
from .specialize import FnSpecs
from .tensor import RaggedTensorMetadata, make_ragged_tensor_metadata

__all__ = [
    "Epilogue", "FlexCtx", "FnName", "FnSpecs", "FusedActivation", "FusedComm", "GatherIndx", "InapplicableConstraint", "InnerRoutingData",
    "MatmulAllocation", "OptFlags", "PrecisionConfig", "RoutingData", "ScatterIndx", "apply_allocation", "init_allocation", "make_opt_flags",
    "matmul_ogs", "matmul_ogs_set_idle_sms", "matmul_ogs_torch", "post_matmul_comm_torch", "reset_opt_flags", "reset_opt_flags_constraints",
    "set_opt_flags", "specializations", "update_opt_flags_constraints",
]  # fmt: skip


def matmul_ogs_set_idle_sms(num_idle_sms):
    """Leaves so many multiprocessors to others."""
    set_idle_sms(num_idle_sms)


def _metadata(routing_data, n_rows):
    """Where the rows of experts lie; found here if the user has not. None: there is one expert."""
    if routing_data is None or routing_data.expt_hist is None:
        return None
    metadata = routing_data.expt_data
    if metadata is None:
        metadata = make_ragged_tensor_metadata(routing_data.expt_hist, n_rows)
    if isinstance(metadata, RaggedTensorMetadata) and routing_data.expected_tokens_per_expt is not None:
        metadata = dataclasses.replace(metadata, expected_slice_size=routing_data.expected_tokens_per_expt)
    return metadata


def _ragged_sum(inner, n_rows):
    metadata = _metadata(inner.base, n_rows)
    offsets = metadata.slice_sizes, metadata.slice_offs, metadata.block_offs(inner.block_k)
    return RaggedSum(*offsets, inner.block_k, inner.x_is_padded, inner.w_is_padded)


def matmul_ogs(
    x,
    w,
    bias,
    routing_data=None,
    gather_indx=None,
    scatter_indx=None,
    precision_config=None,
    betas=None,
    gammas=None,
    out_alpha=None,
    y=None,
    fused_comm=None,
    fused_activation=None,
    epilogue=None,
    y_acc_in=None,
    inner_routing_data=None,
):
    """For each expert: y[its rows] = x[its rows] @ w[expert], in float32, then in this order:

    scales, + bias * betas, * out_alpha, activation, * gammas, + y_acc_in, conversion to the type of y, epilogue.
    """
    config, activation, epilogue = defaults(precision_config, fused_activation, epilogue)
    inner = inner_routing_data
    assert x.ndim in (2, 3), f"x has 2 or 3 dimensions, not {x.ndim}"
    n_slots = x.shape[-2] if gather_indx is None else gather_indx.src_indx.shape[0]
    ragged = None if inner is not None else _metadata(routing_data, n_slots)
    if ragged is not None and w.ndim == 3:
        assert w.shape[0] == routing_data.n_expts_tot, f"w has {w.shape[0]} experts, not {routing_data.n_expts_tot}"
    operands = Operands(
        x=x, w=w, bias=bias, ragged=ragged,
        n_act=1 if routing_data is None or inner is not None else routing_data.n_expts_act,
        gather=None if gather_indx is None else gather_indx.src_indx,
        scatter=None if scatter_indx is None else Scatter(scatter_indx.dst_indx, scatter_indx.src_indx), config=config,
        betas=betas, gammas=gammas, out_alpha=out_alpha, comm=fused_comm, activation=activation, epilogue=epilogue,
        y_acc_in=y_acc_in, inner=None if inner is None else _ragged_sum(inner, x.shape[-1]), y=y,
    )  # fmt: skip
    return multiply(operands, y)
