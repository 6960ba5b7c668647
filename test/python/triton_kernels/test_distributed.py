"""Experts on ranks: assignments, one rank, and several processes on the processor."""

import os
import socket

import pytest
import torch
import torch.multiprocessing as multiprocessing
from triton_kernels.distributed import (
    convert_dp_to_ep,
    convert_ep_to_dp,
    make_expt_assignment,
    make_expt_dict_random,
    make_expt_dict_uniform,
    symm_mem_pool,
)
from triton_kernels.topk import topk, topk_torch


def test_dictionaries():
    assert make_expt_dict_uniform(2, 6) == {0: [0, 1, 2], 1: [3, 4, 5]}
    random = make_expt_dict_random(3, 11)
    assert random == make_expt_dict_random(3, 11) and all(random.values())
    assert sorted(sum(random.values(), [])) == list(range(11))


def test_assignment():
    found = make_expt_assignment(2, 40, {0: [*range(1, 20), 39], 1: [0, *range(20, 39)]}, "cpu")
    assert found.expt_boolmask.sum(1).tolist() == found.n_expts_per_shard == [20, 20]
    assert found.expt_map[0, 39] == 19 and found.expt_map[1, 0] == 0 and found.expt_map[1, 39] == -1
    assert found.expt_bitmask.shape == (2, 2) and found.expt_bitmask[0].tolist() == [0xFFFFE, 1 << 7]


@pytest.mark.parametrize(
    "experts", [{0: [], 1: [0, 1]}, {0: [0], 1: [2]}, {0: [0], 1: [0, 1]}, {0: [0], 1: []}, {0: [0, 1]}]
)
def test_wrong_assignments(experts):
    with pytest.raises(ValueError):
        make_expt_assignment(2, 2, experts, "cpu")


def exchange(n_ranks, rank):
    """Every rank routes its tokens, sends them to the experts, and gets them back."""
    n_tokens, n_experts, n_act, d = 8, 10, 2, 24
    torch.manual_seed(0)
    logits, tokens = torch.randn(n_ranks * n_tokens, n_experts), torch.randn(n_ranks * n_tokens, d)
    symm_mem_pool.initialize_matmul_ogs(
        n_ranks * n_tokens, d, d, n_act, n_experts, torch.float32, n_ranks, device="cpu"
    )
    mine = slice(rank * n_tokens, (rank + 1) * n_tokens)
    experts = make_expt_dict_uniform(n_ranks, n_experts)
    assignment = make_expt_assignment(n_ranks, n_experts, experts, "cpu")
    routed, expected = topk(logits[mine], n_act, all_gather=True), topk_torch(logits, n_act)
    torch.testing.assert_close(routed.vals, expected.vals)
    assert torch.equal(routed.indx, expected.indx)
    dispatch, combine = routed.mask_metadata.row_sorted_indx, routed.mask_metadata.col_sorted_indx
    there = convert_dp_to_ep(tokens[mine], assignment, routed.indx, dispatch)
    owner = expected.indx.flatten()[combine.long()]
    for row, expert in enumerate(owner.tolist()):
        if expert in experts[rank]:
            assert torch.equal(there[row], tokens[combine[row] // n_act])
    back = convert_ep_to_dp(there * 2, assignment, routed.indx, combine)
    assert torch.equal(back, 2 * tokens[mine].repeat_interleave(n_act, dim=0))
    symm_mem_pool.release()


@pytest.mark.cpu_only
def test_one_rank():
    exchange(1, 0)


def run_rank(rank, n_ranks, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", rank=rank, world_size=n_ranks)
    exchange(n_ranks, rank)
    torch.distributed.destroy_process_group()


@pytest.mark.cpu_only
def test_two_ranks():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    multiprocessing.spawn(run_rank, (2, port), nprocs=2)


def test_an_empty_pool():
    with pytest.raises(RuntimeError, match="initialize_matmul_ogs"):
        symm_mem_pool.make_empty((1,), torch.float32, "topk")
