"""The product of experts in plain PyTorch, with routing in the records of Triton 3.6."""

from __future__ import annotations

import torch

from ..matmul_details._reference import batched, by_slices, ragged_sum, real, result_dtype
from ._records import PrecisionConfig


def _begins(inner, sizes):
    """Where slices begin in x and in w."""
    begins = []
    for padded in (inner.x_is_padded, inner.w_is_padded):
        steps = [-(-size // inner.block_k) * inner.block_k if padded else size for size in sizes]
        begins.append([sum(steps[:expert]) for expert in range(len(sizes))])
    return begins


def matmul_ogs_torch(
    x,
    w,
    bias,
    routing_data=None,
    gather_indx=None,
    scatter_indx=None,
    precision_config=None,
    betas=None,
    gammas=None,
    inner_routing_data=None,
    round_x=None,
    round_y=None,
):
    """`round_x(rows, indices)` and `round_y(rows)` may round what goes in and comes out, as the format of a kernel would."""
    config = PrecisionConfig() if precision_config is None else precision_config
    dtype, inner = result_dtype(x, config), inner_routing_data
    x = real(x, config.a_mx_scale, config.flex_ctx.lhs_data, -1)
    w = real(w, config.b_mx_scale, config.flex_ctx.rhs_data, -2)
    if inner is not None:
        sizes = inner.base.expt_hist.tolist()
        return ragged_sum(x, w, sizes, _begins(inner, sizes), bias, gammas, round_x, round_y).to(dtype)
    if x.ndim == 3:
        return batched(x, w.unsqueeze(0) if w.ndim == 2 else w, bias, betas, gammas, round_x, round_y).to(dtype)
    w = w.unsqueeze(0) if w.ndim == 2 else w
    n_act = 1 if routing_data is None else routing_data.n_expts_act
    gather = None if gather_indx is None else gather_indx.src_indx.long().clamp(min=0) // n_act
    sizes = None if routing_data is None else routing_data.expt_hist
    slots = by_slices(x, w, bias, sizes, gather, betas, gammas, round_x, round_y)
    if scatter_indx is not None:
        source = scatter_indx.src_indx.long()
        rows = torch.where((source != -1)[:, None], slots[source.clamp(min=0)], 0.0)
        slots = rows.unflatten(0, (rows.shape[0] // n_act, n_act)).sum(dim=1)
    return slots.to(dtype)
