"""The product of experts in plain PyTorch: what the kernels compute."""

from __future__ import annotations

import inspect
from functools import partial

import torch

from ..distributed import all_gather
from ..numerics_details.mxfp import upcast_from_mxfp_torch
from ..tensor import Tensor, convert_layout, dtype_to_torch_dtype
from ..tensor_details.layout import StridedLayout
from ..testing import compute_actual_scale


def _plain(tensor):
    """A torch tensor, put back to the usual layout."""
    if tensor is None or isinstance(tensor, torch.Tensor):
        return tensor
    assert isinstance(tensor, Tensor)
    return convert_layout(tensor, StridedLayout()).storage.data


def real(tensor, mx_scale, flex, mx_axis, tensor_scale=None):
    """Operands as float32, or as float64 if they are."""
    tensor, mx_scale = _plain(tensor), _plain(mx_scale)
    if mx_scale is not None:
        values = upcast_from_mxfp_torch(tensor, mx_scale, torch.float32, mx_axis, tensor_scale=tensor_scale)
    else:
        values = flex.reinterpret(tensor)
        values = values if values.dtype == torch.float64 else values.float()
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


def ragged_sum(x, w, sizes, begins, bias, gammas, round_x, round_y):
    """Each slice sums its own part of the summed dimension, which begins at `begins` in x and in w."""
    assert bias is None, "the reference of products with a ragged sum has no bias"
    x, w = x.flatten(0, -2), w.flatten(0, -2)
    gammas = gammas if gammas is None else gammas[: x.shape[0]]  # one for each row, of all slices alike
    out = torch.zeros((len(sizes), x.shape[0], w.shape[1]), device=x.device)
    for expert, size in enumerate(sizes):
        left, right = (begin[expert] for begin in begins)
        part = _rounded(round_x, x[:, left : left + size], torch.arange(x.shape[0], device=x.device))
        product = part @ w[right : right + size]
        out[expert] = _rounded(round_y, product if gammas is None else product * gammas[:, None])
    return out


def batched(x, w, bias, betas, gammas, round_x, round_y):
    out = []
    for batch in range(w.shape[0]):
        part = x[batch if x.shape[0] > 1 else 0]
        rows = torch.arange(part.shape[0], device=x.device)
        product = _with_bias(_rounded(round_x, part, rows) @ w[batch], bias, batch, betas, slice(None))
        out.append(_rounded(round_y, product if gammas is None else product * gammas[:, None]))
    return torch.stack(out)


def by_slices(x, w, bias, sizes, gather, betas, gammas, round_x, round_y):
    """Slots of slices, one behind the other: each takes row `gather[slot]` of x."""
    n_slots = x.shape[0] if gather is None else gather.shape[0]
    slots = torch.zeros((n_slots, w.shape[-1]), dtype=x.dtype, device=x.device)
    begin = 0
    for expert, size in enumerate([n_slots] if sizes is None else sizes.tolist()):
        rows = torch.arange(begin, begin + size, device=x.device)
        begin += size
        if size == 0:
            continue
        taken = rows if gather is None else gather[rows]
        product = _rounded(round_x, x[taken], taken) @ w[expert]
        product = _with_bias(product, bias, expert, betas, rows)
        if gammas is not None:
            product = product * gammas[rows, None]
        slots[rows] = _rounded(round_y, product)
    return slots


def result_dtype(x, config):
    dtype = dtype_to_torch_dtype(config.out_dtype or x.dtype)
    return dtype if dtype.is_floating_point else torch.float32


def _stored(out, dtype, flex, saturates):
    """Results as they are stored: divided by the scale that `flex` expects, which learns the one that would have fitted."""
    if flex.actual_scale is not None and dtype.itemsize == 1:
        flex.actual_scale.copy_(compute_actual_scale(out, dtype, flex.is_per_batch))
    if flex.expected_scale is not None:
        expected = flex.expected_scale
        out = out / (expected.view(-1, *[1] * (out.ndim - 1)) if flex.is_per_batch else expected)
        if saturates:
            largest = torch.finfo(dtype).max
            out = out.clamp(-largest, largest)
    return out.to(dtype)


def matmul_torch(
    a,
    b,
    bias,
    a_ragged_metadata=None,
    b_ragged_metadata=None,
    gather_indx=None,
    scatter_indx=None,
    precision_config=None,
    betas=None,
    gammas=None,
    round_x=None,
    round_y=None,
):
    """`round_x(rows, indices)` and `round_y(rows)` may round what goes in and comes out, as the format of a kernel would."""
    from ._records import PrecisionConfig

    config = PrecisionConfig() if precision_config is None else precision_config
    dtype = result_dtype(a, config)
    store = partial(_stored, dtype=dtype, flex=config.flex_ctx.out_data, saturates=config.flexpoint_saturate_inf)
    x = real(a, config.a_mx_scale, config.flex_ctx.lhs_data, -1, config.a_mx_tensor_scale)
    w = real(b, config.b_mx_scale, config.flex_ctx.rhs_data, -2, config.b_mx_tensor_scale)
    if b_ragged_metadata is not None:
        sizes = torch.minimum(a_ragged_metadata.slice_sizes, b_ragged_metadata.slice_sizes).tolist()
        begins = a_ragged_metadata.slice_offs.tolist(), b_ragged_metadata.slice_offs.tolist()
        return store(ragged_sum(x, w, sizes, begins, bias, gammas, round_x, round_y))
    if x.ndim == 3:
        return store(batched(x, w, bias, betas, gammas, round_x, round_y))
    w = w.unsqueeze(0) if w.ndim == 2 else w
    gather = None if gather_indx is None else gather_indx.long().clamp(min=0)
    sizes = None if a_ragged_metadata is None else a_ragged_metadata.slice_sizes
    slots = by_slices(x, w, bias, sizes, gather, betas, gammas, round_x, round_y)
    if scatter_indx is not None:
        keeps = scatter_indx >= 0
        rows = (
            torch.zeros_like(slots)
            if slots.shape[0] == keeps.shape[0]
            else slots.new_zeros(keeps.shape[0], slots.shape[1])
        )
        slots = rows.index_add(0, scatter_indx.long().clamp(min=0), torch.where(keeps[:, None], slots, 0.0))
    return store(slots)


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
