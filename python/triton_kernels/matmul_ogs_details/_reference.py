"""The product of experts in plain PyTorch: what the kernels compute."""

from __future__ import annotations

import inspect

import torch

from ..distributed import all_gather
from ..numerics_details.mxfp import upcast_from_mxfp_torch
from ..tensor import Tensor, convert_layout
from ..tensor_details.layout import StridedLayout


def _plain(tensor):
    """A torch tensor, put back to the usual layout."""
    if tensor is None or isinstance(tensor, torch.Tensor):
        return tensor
    assert isinstance(tensor, Tensor)
    return convert_layout(tensor, StridedLayout).storage.data


def _real(tensor, mx_scale, flex, mx_axis):
    """Operands as float32."""
    tensor, mx_scale = _plain(tensor), _plain(mx_scale)
    if mx_scale is not None:
        values = upcast_from_mxfp_torch(tensor, mx_scale, torch.float32, mx_axis)
    else:
        values = flex.reinterpret(tensor).float()
    if flex.scale is None:
        return values
    scale = flex.scale
    return values * (scale.view(-1, *[1] * (values.ndim - 1)) if flex.is_per_batch else scale)


def _rounded(function, *arguments):
    """`function` of as many of the arguments as it takes; nothing without a function."""
    if function is None:
        return arguments[0]
    count = sum(
        each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        for each in inspect.signature(function).parameters.values()
    )
    return function(*arguments[: max(count, 1)])


def _with_bias(out, bias, expert, betas, rows):
    if bias is None:
        return out
    row = bias[expert].float() if bias.ndim == 2 else bias.float()
    return out + (row if betas is None else row * betas[rows, None])


def _inner(x, w, inner, bias, gammas, round_x, round_y):
    """Each expert sums its own part of the summed dimension."""
    assert bias is None, "the reference of products with a ragged sum has no bias"
    x, w = x.reshape(-1, x.shape[-1]), w.reshape(-1, w.shape[-1])
    sizes = inner.base.expt_hist.tolist()
    out = torch.zeros((len(sizes), x.shape[0], w.shape[1]), device=x.device)
    begins = []
    for padded in (inner.x_is_padded, inner.w_is_padded):
        steps = [-(-size // inner.block_k) * inner.block_k if padded else size for size in sizes]
        begins.append([sum(steps[:expert]) for expert in range(len(sizes))])
    for expert, size in enumerate(sizes):
        left, right = (begin[expert] for begin in begins)
        part = _rounded(round_x, x[:, left : left + size], torch.arange(x.shape[0], device=x.device))
        product = part @ w[right : right + size]
        out[expert] = _rounded(round_y, product if gammas is None else product * gammas[:, None])
    return out


def _scattered(slots, scatter_indx, n_act):
    """Slots at their rows, summed over the experts of a token."""
    source = scatter_indx.src_indx.long()
    rows = torch.where((source != -1)[:, None], slots[source.clamp(min=0)], 0.0)
    return rows.view(-1, n_act, slots.shape[-1]).sum(dim=1)


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
    from ._records import PrecisionConfig

    config = PrecisionConfig() if precision_config is None else precision_config
    dtype = config.out_dtype or x.dtype
    if not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        dtype = torch.float32
    x = _real(x, config.act_scale, config.flex_ctx.lhs_data, -1)
    w = _real(w, config.weight_scale, config.flex_ctx.rhs_data, -2)
    if inner_routing_data is not None:
        return _inner(x, w, inner_routing_data, bias, gammas, round_x, round_y).to(dtype)
    is_batched = x.ndim == 3
    w = w.unsqueeze(0) if w.ndim == 2 else w
    everything = slice(None)
    if is_batched:
        out = []
        for batch in range(w.shape[0]):
            part = x[batch if x.shape[0] > 1 else 0]
            rows = torch.arange(part.shape[0], device=x.device)
            product = _with_bias(_rounded(round_x, part, rows) @ w[batch], bias, batch, betas, everything)
            out.append(_rounded(round_y, product if gammas is None else product * gammas[:, None]))
        return torch.stack(out).to(dtype)
    n_act = 1 if routing_data is None else routing_data.n_expts_act
    n_slots = x.shape[0] if gather_indx is None else gather_indx.src_indx.shape[0]
    sizes = [n_slots] if routing_data is None or routing_data.expt_hist is None else routing_data.expt_hist.tolist()
    slots = torch.zeros((n_slots, w.shape[-1]), device=x.device)
    begin = 0
    for expert, size in enumerate(sizes):
        rows = torch.arange(begin, begin + size, device=x.device)
        begin += size
        if size == 0:
            continue
        taken = rows if gather_indx is None else gather_indx.src_indx[rows].long().clamp(min=0) // n_act
        product = _rounded(round_x, x[taken], taken) @ w[expert]
        product = _with_bias(product, bias, expert, betas, rows)
        if gammas is not None:
            product = product * gammas[rows, None]
        slots[rows] = _rounded(round_y, product)
    if scatter_indx is not None:
        slots = _scattered(slots, scatter_indx, n_act)
    return slots.to(dtype)


def post_matmul_comm_torch(y, rank, n_reduce_shards, world_size, scatter_shard_indx=None):
    """What rank `rank` holds after a product with `FusedComm`, of whose results `y` is this rank's: [rows * n_reduce_shards, N].

    Asks all ranks; in a single process, `world_size` is 1.
    """
    everyones = all_gather(y)
    assert len(everyones) == world_size, f"there are {len(everyones)} ranks, not {world_size}"
    shards = [None] * world_size if scatter_shard_indx is None else all_gather(scatter_shard_indx)
    out = torch.zeros((y.shape[0] * n_reduce_shards, *y.shape[1:]), dtype=y.dtype, device=y.device)
    for source in range(world_size):
        rows = torch.arange(y.shape[0], device=y.device)
        if shards[source] is not None:
            rows = rows[shards[source] == rank // n_reduce_shards]
        out[rows * n_reduce_shards + source % n_reduce_shards] = everyones[source][rows]
    return out
