"""Experts on several ranks: who owns which, memory that all ranks see, and the way of tokens to their experts and back.

Ranks are GPUs with symmetric memory, or processes on one machine's processor, which share files in memory. A single process is one rank.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
import torch.distributed as dist
import triton
import triton.language as tl

from .distributed_details.mesh import Mesh, SymmetricMemoryPool

__all__ = [
    "ExptAssignment",
    "Mesh",
    "SymmetricMemoryPool",
    "convert_dp_to_ep",
    "convert_ep_to_dp",
    "make_expt_assignment",
    "make_expt_dict_random",
    "make_expt_dict_uniform",
    "symm_mem_pool",
]


@dataclass
class ExptAssignment:
    """Which shard owns which expert.

    expt_bitmask [shards, E / 32] int32 words; expt_boolmask [shards, E]; expt_map [shards, E] the expert's number in its shard, or -1;
    n_expts_per_shard: a list.
    """

    expt_bitmask: torch.Tensor
    expt_boolmask: torch.Tensor
    expt_map: torch.Tensor
    n_expts_per_shard: list[int]


def make_expt_dict_uniform(n_expt_shard, n_expt_tot):
    """Neighbouring experts in shards of one size."""
    if n_expt_tot % n_expt_shard:
        raise ValueError(f"{n_expt_tot} experts cannot be divided among {n_expt_shard} shards")
    size = n_expt_tot // n_expt_shard
    return {shard: list(range(shard * size, (shard + 1) * size)) for shard in range(n_expt_shard)}


def make_expt_dict_random(n_expt_shard, n_expt_tot):
    """Any experts in shards of any size but zero; the same every time."""
    if n_expt_shard > n_expt_tot:
        raise ValueError(f"{n_expt_tot} experts cannot fill {n_expt_shard} shards")
    generator = random.Random(0)
    experts = list(range(n_expt_tot))
    generator.shuffle(experts)
    cuts = [0, *sorted(generator.sample(range(1, n_expt_tot), n_expt_shard - 1)), n_expt_tot]
    return {shard: experts[cuts[shard] : cuts[shard + 1]] for shard in range(n_expt_shard)}


def make_expt_assignment(n_expt_shard, n_expt_tot, expt_dict, device):
    """`expt_dict` has the experts of each shard; every expert must be in exactly one."""
    boolmask = torch.zeros((n_expt_shard, n_expt_tot), dtype=torch.bool)
    if set(expt_dict) != set(range(n_expt_shard)):
        raise ValueError(f"expt_dict must have the shards 0 to {n_expt_shard - 1}, not {sorted(expt_dict)}")
    for shard, experts in expt_dict.items():
        if len(experts) == 0:
            raise ValueError(f"shard {shard} has no experts")
        for expert in experts:
            if not 0 <= expert < n_expt_tot:
                raise ValueError(f"expert {expert} of shard {shard} is outside of 0 to {n_expt_tot - 1}")
            if boolmask[:, expert].any():
                raise ValueError(f"expert {expert} is in more than one place")
            boolmask[shard, expert] = True
    if not boolmask.any(dim=0).all():
        missing = (~boolmask.any(dim=0)).nonzero().flatten().tolist()
        raise ValueError(f"no shard has the experts {missing}")
    numbers = torch.cumsum(boolmask, dim=1) - 1
    expt_map = torch.where(boolmask, numbers, -1).to(torch.int32)
    bits = torch.nn.functional.pad(boolmask.long(), (0, -n_expt_tot % 32)).unflatten(1, (-1, 32))
    words = (bits << torch.arange(32)).sum(-1)
    words = torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)
    return ExptAssignment(words.to(device), boolmask.to(device), expt_map.to(device), boolmask.sum(1).tolist())


symm_mem_pool = SymmetricMemoryPool()  # of those who bring none


@triton.jit
def _to_experts(
    Targets, stride_target: tl.int64, Source, stride_source: tl.int64, first_token, Owners, stride_owners,
    Experts, Rows, N, N_ACT: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """One token to the rows of its experts, on the ranks that own them."""
    token = tl.program_id(0)
    for j in range(0, N_ACT):
        slot = (first_token + token) * N_ACT + j
        expert = tl.load(Experts + slot).to(tl.int32)
        row = tl.load(Rows + slot)
        if (expert >= 0) & (row >= 0):
            for rank in tl.static_range(len(Targets)):
                if tl.load(Owners + rank * stride_owners + expert // 32) >> (expert % 32) & 1:
                    for start in range(0, N, BLOCK):
                        cols = start + tl.arange(0, BLOCK)
                        values = tl.load(Source + token * stride_source + cols, mask=cols < N)
                        tl.store(Targets[rank] + row * stride_target + cols, values, mask=cols < N)


@triton.jit
def _to_tokens(
    Targets, stride_target: tl.int64, Source, stride_source: tl.int64, rows_per_rank, Owned, Experts, Slots, N,
    BLOCK: tl.constexpr
):  # fmt: skip
    """One row of an expert that this rank owns to the rank of its token."""
    row = tl.program_id(0)
    slot = tl.load(Slots + row)
    if slot >= 0:
        expert = tl.load(Experts + slot).to(tl.int32)
        if tl.load(Owned + expert // 32) >> (expert % 32) & 1:
            for rank in tl.static_range(len(Targets)):
                if slot // rows_per_rank == rank:
                    for start in range(0, N, BLOCK):
                        cols = start + tl.arange(0, BLOCK)
                        values = tl.load(Source + row * stride_source + cols, mask=cols < N)
                        target = Targets[rank] + (slot - rank * rows_per_rank) * stride_target
                        tl.store(target + cols, values, mask=cols < N)


def _as_rows(src):
    assert src.ndim == 2, f"a matrix is expected, not {src.ndim} dimensions"
    return src if src.stride(1) == 1 else src.contiguous()


def convert_dp_to_ep(src, expt_assignment, expt_indx, gate_indx, symm_mem_pool=symm_mem_pool):
    """Tokens of this rank [tokens, d] to the experts: [all tokens * active experts, d], row `gate_indx` for each pair of token and expert.

    `expt_indx` [all tokens, active experts] and `gate_indx` are of all ranks. Rows of experts that other ranks own hold nothing.
    """
    src, n_ranks = _as_rows(src), symm_mem_pool.n_ranks
    n_tokens, d = src.shape
    n_act = expt_indx.shape[-1]
    assert expt_indx.numel() == n_tokens * n_ranks * n_act, "expt_indx must have the experts of all ranks' tokens"
    targets = symm_mem_pool.make_empty((n_tokens * n_ranks * n_act, d), src.dtype, "dp_to_ep")
    symm_mem_pool.barrier("dp_to_ep")
    owners = expt_assignment.expt_bitmask
    if n_tokens:
        _to_experts[(n_tokens,)](
            targets, d, src, src.stride(0), symm_mem_pool.rank * n_tokens, owners, owners.stride(0),
            expt_indx.contiguous(), gate_indx.contiguous(), d, N_ACT=n_act, BLOCK=min(512, triton.next_power_of_2(d)),
        )  # fmt: skip
    symm_mem_pool.barrier("dp_to_ep")
    return targets[symm_mem_pool.rank]


def convert_ep_to_dp(src, expt_assignment, expt_indx, topk_indx, symm_mem_pool=symm_mem_pool):
    """Rows in the order of experts back to the ranks of their tokens: [tokens * active experts, d]; `topk_indx` has the pair of each row."""
    src, n_ranks, rank = _as_rows(src), symm_mem_pool.n_ranks, symm_mem_pool.rank
    n_rows, d = src.shape
    assert n_rows % n_ranks == 0, f"{n_rows} rows cannot be divided among {n_ranks} ranks"
    targets = symm_mem_pool.make_empty((n_rows // n_ranks, d), src.dtype, "ep_to_dp")
    symm_mem_pool.barrier("ep_to_dp")
    if n_rows:
        _to_tokens[(n_rows,)](
            targets, d, src, src.stride(0), n_rows // n_ranks, expt_assignment.expt_bitmask[rank],
            expt_indx.contiguous(), topk_indx.contiguous(), d, BLOCK=min(512, triton.next_power_of_2(d)),
        )  # fmt: skip
    symm_mem_pool.barrier("ep_to_dp")
    return targets[rank]


def all_gather(tensor, group=None):
    """The tensor of each rank; a single process is its own only rank."""
    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size(group) == 1:
        return [tensor]
    out = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
    dist.all_gather(out, tensor.contiguous(), group=group)
    return out
