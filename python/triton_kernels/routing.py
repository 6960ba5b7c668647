"""Which expert each token goes to, in one call: what `topk`, the order by expert and the tiles of experts are together."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from .matmul_ogs_details._records import GatherIndx, RoutingData, ScatterIndx
from .tensor import (
    BIT,
    Bitmatrix,
    RaggedTensorMetadata,
    make_bitmatrix_metadata,
    make_bitmatrix_metadata_torch,
    make_ragged_tensor_metadata,
    make_ragged_tensor_metadata_torch,
)
from .topk import topk, topk_torch

__all__ = [
    "ExptData",
    "GatherIndx",
    "RoutingData",
    "ScatterIndx",
    "compute_expt_data",
    "compute_expt_data_torch",
    "prune_routing",
    "routing",
    "routing_from_bitmatrix",
    "routing_torch",
    "sort_tokens",
]


@dataclass
class ExptData:
    """Where the rows of experts lie. `hist`: rows per expert; `token_offs_raw`: where they begin, and the end.

    `token_offs_pad` and `block_pid_map` have an entry for each height of tiles: the same counted in tiles, and each tile as
    (its number in the expert << 16) | expert, -1 behind the last.
    """

    hist: torch.Tensor
    token_offs_raw: torch.Tensor
    token_offs_pad: dict[int, torch.Tensor]
    block_pid_map: dict[int, torch.Tensor]

    # RaggedTensorMetadata's words, in which products ask.

    expected_slice_size = slice_sizes_divisibility = None

    @property
    def n_slices(self):
        return self.hist.shape[0]

    @property
    def slice_sizes(self):
        return self.hist

    @property
    def slice_offs(self):
        return self.token_offs_raw

    def block_offs(self, block_size):
        return self.token_offs_pad[block_size]

    def block_schedule(self, block_size):
        return self.block_pid_map[block_size]


def _as_expt_data(metadata):
    heights = RaggedTensorMetadata.block_sizes()
    offsets, schedules = metadata.block_offs_data, metadata.block_schedule_data
    return ExptData(
        metadata.slice_sizes, metadata.slice_offs, dict(zip(heights, offsets)), dict(zip(heights, schedules))
    )


def _check_hist(expt_hist, n_expts_tot):
    assert expt_hist.numel() == n_expts_tot, f"expt_hist has {expt_hist.numel()} entries, not {n_expts_tot}"


def compute_expt_data(expt_hist, n_expts_tot, n_gates):
    """Where the rows of experts lie that have `expt_hist` rows each, and at most `n_gates` together."""
    _check_hist(expt_hist, n_expts_tot)
    return _as_expt_data(make_ragged_tensor_metadata(expt_hist, n_gates))


def compute_expt_data_torch(hist, n_expts_tot, n_gates):
    _check_hist(hist, n_expts_tot)
    return _as_expt_data(make_ragged_tensor_metadata_torch(hist, n_gates))


def _sorted(expt_scal, metadata, expt_data):
    """What `sort_tokens` gives, from the order that is known."""
    order = metadata.col_sorted_indx
    chosen = expt_scal.flatten()[order.long().clamp(min=0)]
    gates = torch.where(order >= 0, chosen, torch.zeros_like(chosen))
    offsets = expt_data.token_offs_raw, expt_data.token_offs_pad, expt_data.block_pid_map
    return expt_data.hist, order, metadata.row_sorted_indx, gates, *offsets


def sort_tokens(expt_scal, expt_indx, n_expts_tot, bitmatrix):
    """The pairs of tokens and experts, by expert, stable in tokens; pair `token * k + j` is the j-th of a token. -1: there is none.

    Gives (rows per expert, the pair at each place, the place of each pair, the weight at each place, and the last three of ExptData).
    """
    metadata = make_bitmatrix_metadata(expt_indx, bitmatrix)
    return _sorted(expt_scal, metadata, compute_expt_data(metadata.col_sum, n_expts_tot, expt_indx.numel()))


def prune_routing(expt_scal, expt_indx, bitmatrix, n_expts_tot, simulated_ep):
    """(weights, experts, bits) with the experts of the first of `simulated_ep` ranks alone; entries of others are -1, behind the rest."""
    assert n_expts_tot % simulated_ep == 0, f"{n_expts_tot} experts cannot be divided among {simulated_ep} ranks"
    n_local = n_expts_tot // simulated_ep
    keeps = (expt_indx >= 0) & (expt_indx < n_local)
    order = torch.argsort((~keeps).to(torch.int8), dim=1, stable=True)
    is_kept = torch.gather(keeps, 1, order)
    scal, indx = (torch.where(is_kept, torch.gather(each, 1, order), -1) for each in (expt_scal, expt_indx))
    rows, rows_max = bitmatrix.shape[0], bitmatrix.shape_max[0]
    local = Bitmatrix(bitmatrix.storage, dtype=BIT, shape=[rows, n_local], shape_max=[rows_max, n_local])
    return scal, indx, local


def _packed(parts, n_expts_tot, n_expts_act):
    hist, by_expert, by_token, gates, *offsets = parts
    data = RoutingData(gates, hist, n_expts_tot, n_expts_act, ExptData(hist, *offsets))
    return data, GatherIndx(by_expert, by_token), ScatterIndx(by_token, by_expert)


def routing_from_bitmatrix(bitmatrix, expt_scal, expt_indx, n_expts_tot, n_expts_act):
    """What `routing` gives, for experts and weights that someone else has chosen."""
    return _packed(sort_tokens(expt_scal, expt_indx, n_expts_tot, bitmatrix), n_expts_tot, n_expts_act)


def _softmax_first(sm_first, renormalize):
    return sm_first if renormalize is None else not renormalize


def routing(logits, n_expts_act, sm_first=False, expt_indx=None, simulated_ep=1, n_rows=None, *, renormalize=None):
    """(RoutingData, GatherIndx, ScatterIndx): the `n_expts_act` best experts of each token, or those that `expt_indx` names.

    `sm_first`: weights are the softmax of all logits, else of those that were chosen (`renormalize` is its opposite). `simulated_ep`: only the
    experts of the first of so many ranks. `n_rows`: only so many tokens are there. Differentiable in `logits`.
    """
    sm_first = _softmax_first(sm_first, renormalize)
    scores = torch.softmax(logits, dim=-1) if sm_first else logits
    chosen = topk(scores, n_expts_act, apply_softmax=not sm_first, y_indx=expt_indx, n_rows=n_rows)
    n_expts_tot = logits.shape[-1]
    if simulated_ep == 1:
        data = compute_expt_data(chosen.mask_metadata.col_sum, n_expts_tot, chosen.indx.numel())
        return _packed(_sorted(chosen.vals, chosen.mask_metadata, data), n_expts_tot, n_expts_act)
    scal, indx, bits = prune_routing(chosen.vals, chosen.indx, chosen.mask, n_expts_tot, simulated_ep)
    return routing_from_bitmatrix(bits, scal, indx, n_expts_tot // simulated_ep, n_expts_act)


def routing_torch(logits, n_expts_act, sm_first=False, expt_indx=None, n_rows=None, *, renormalize=None):
    sm_first = _softmax_first(sm_first, renormalize)
    scores = torch.softmax(logits, dim=-1) if sm_first else logits
    chosen = topk_torch(scores, n_expts_act, apply_softmax=not sm_first, y_indx=expt_indx, n_rows=n_rows)
    metadata = make_bitmatrix_metadata_torch(chosen.indx, chosen.mask)
    data = compute_expt_data_torch(metadata.col_sum, logits.shape[-1], chosen.indx.numel())
    return _packed(_sorted(chosen.vals, metadata, data), logits.shape[-1], n_expts_act)
