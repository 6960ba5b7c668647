"""Routing in one call, against its twin, against what it must mean, and under a product."""

import pytest
import torch
from triton_kernels.matmul_ogs import matmul_ogs, matmul_ogs_torch
from triton_kernels.routing import (
    ExptData,
    RoutingData,
    compute_expt_data,
    compute_expt_data_torch,
    prune_routing,
    routing,
    routing_from_bitmatrix,
    routing_torch,
    sort_tokens,
)
from triton_kernels.testing import assert_close, assert_equal
from triton_kernels.topk import topk


def check_data(found, expected):
    assert_equal(expected.hist, found.hist)
    assert_equal(expected.token_offs_raw, found.token_offs_raw)
    assert set(found.token_offs_pad) == set(found.block_pid_map) >= {16, 32, 64, 128}
    for height in expected.token_offs_pad:
        assert_equal(expected.token_offs_pad[height], found.token_offs_pad[height])
        assert_equal(expected.block_pid_map[height], found.block_pid_map[height])


def check(found, expected):
    (data, gather, scatter), (data_torch, gather_torch, scatter_torch) = found, expected
    assert (data.n_expts_tot, data.n_expts_act) == (data_torch.n_expts_tot, data_torch.n_expts_act)
    torch.testing.assert_close(data.gate_scal, data_torch.gate_scal)
    assert_equal(data_torch.expt_hist, data.expt_hist)
    for mine, theirs in ((gather, gather_torch), (scatter, scatter_torch)):
        assert_equal(theirs.src_indx, mine.src_indx)
        assert_equal(theirs.dst_indx, mine.dst_indx)
    check_data(data.expt_data, data_torch.expt_data)


@pytest.mark.parametrize("sm_first", [False, True])
@pytest.mark.parametrize("n_tokens, n_expts, n_act", [(1, 8, 2), (37, 16, 4), (200, 64, 8)])
def test_twin(n_tokens, n_expts, n_act, sm_first, device):
    torch.manual_seed(0)
    logits = torch.randn(n_tokens, n_expts, device=device)
    check(routing(logits, n_act, sm_first), routing_torch(logits, n_act, sm_first))


def test_pairs_are_sorted_by_expert_and_stable(device):
    torch.manual_seed(1)
    n_tokens, n_expts, n_act = 50, 8, 2
    logits = torch.randn(n_tokens, n_expts, device=device)
    data, gather, scatter = routing(logits, n_act)
    chosen = logits.topk(n_act, dim=1).indices.sort(dim=1).values
    pairs = sorted((int(chosen[token, j]), token, j) for token in range(n_tokens) for j in range(n_act))
    assert gather.src_indx.tolist() == [token * n_act + j for _, token, j in pairs]
    assert scatter.dst_indx.tolist() == gather.src_indx.tolist()
    places = {pair: place for place, pair in enumerate(gather.src_indx.tolist())}
    assert gather.dst_indx.tolist() == scatter.src_indx.tolist() == [places[pair] for pair in range(n_tokens * n_act)]
    weights = torch.softmax(torch.gather(logits, 1, chosen), dim=1)
    torch.testing.assert_close(data.gate_scal, torch.stack([weights[token, j] for _, token, j in pairs]))
    assert data.expt_hist.tolist() == [sum(expert == each for each, *_ in pairs) for expert in range(n_expts)]


def test_tiles_of_experts(device):
    hist = torch.tensor([20, 0, 33, 1], dtype=torch.int32, device=device)
    data = compute_expt_data(hist, 4, 54)
    check_data(data, compute_expt_data_torch(hist, 4, 54))
    assert isinstance(data, ExptData) and data.token_offs_raw.tolist() == [0, 20, 20, 53, 54]
    assert data.token_offs_pad[16].tolist() == [0, 2, 2, 5, 6]
    tiles = [tile for tile in data.block_pid_map[16].tolist() if tile != -1]
    assert tiles == [0, 1 << 16, 2, (1 << 16) | 2, (2 << 16) | 2, 3]
    assert data.block_pid_map[128].tolist()[:3] == [0, 2, 3] and set(data.block_pid_map[128].tolist()[3:]) == {-1}


def test_older_keyword(device):
    logits = torch.randn(9, 8, device=device)
    check(routing(logits, 2, renormalize=False), routing_torch(logits, 2, sm_first=True))
    check(routing(logits, 2, renormalize=True), routing_torch(logits, 2, sm_first=False))


def test_given_experts(device):
    logits = torch.randn(12, 16, device=device)
    experts = torch.stack([torch.randperm(16)[:4].sort().values for _ in range(12)]).to(torch.int16).to(device)
    data, gather, _ = routing(logits, 4, expt_indx=experts)
    check((data, gather, _), routing_torch(logits, 4, expt_indx=experts))
    assert data.expt_hist.tolist() == torch.bincount(experts.flatten().long(), minlength=16).tolist()


def test_rows_that_are_not_there(device):
    logits = torch.randn(20, 8, device=device)
    found = routing(logits, 2, n_rows=13)
    check(found, routing_torch(logits, 2, n_rows=13))
    assert int(found[0].expt_hist.sum()) == 26 and found[1].src_indx.tolist()[26:] == [-1] * 14


def test_experts_of_one_rank(device):
    torch.manual_seed(2)
    logits = torch.randn(40, 16, device=device)
    everything, part = routing(logits, 4)[0], routing(logits, 4, simulated_ep=4)
    data, gather, _ = part
    assert data.n_expts_tot == 4 and data.expt_hist.tolist() == everything.expt_hist.tolist()[:4]
    used = int(data.expt_hist.sum())
    torch.testing.assert_close(data.gate_scal[:used], everything.gate_scal[:used])
    tokens = [pair // 4 for pair in gather.src_indx.tolist()[:used]]
    assert tokens == [pair // 4 for pair in routing(logits, 4)[1].src_indx.tolist()[:used]]
    with pytest.raises(AssertionError, match="16 experts cannot be divided among 3 ranks"):
        chosen = topk(logits, 4)
        prune_routing(chosen.vals, chosen.indx, chosen.mask, 16, 3)


def test_from_bits_that_someone_else_made(device):
    logits = torch.randn(30, 32, device=device)
    chosen = topk(logits, 4)
    check(routing_from_bitmatrix(chosen.mask, chosen.vals, chosen.indx, 32, 4), routing_torch(logits, 4))
    parts = sort_tokens(chosen.vals, chosen.indx, 32, chosen.mask)
    assert len(parts) == 7 and parts[0].tolist() == routing(logits, 4)[0].expt_hist.tolist()


@pytest.mark.runs
@pytest.mark.parametrize("sm_first", [False, True])
def test_gradient(sm_first, device):
    torch.manual_seed(3)
    logits = torch.randn(10, 8, device=device)
    gradients = []
    for f in (routing, routing_torch):
        x = logits.clone().requires_grad_()
        data, _, _ = f(x, 3, sm_first)
        (data.gate_scal * torch.arange(30, device=device)).sum().backward()
        gradients.append(x.grad)
    assert gradients[0].abs().sum() > 0
    torch.testing.assert_close(*gradients)


@pytest.mark.runs
def test_product_of_experts(device):
    torch.manual_seed(4)
    n_tokens, n_expts, n_act, width, out = 40, 8, 2, 32, 16
    x, logits = torch.randn(n_tokens, width, device=device), torch.randn(n_tokens, n_expts, device=device)
    w1 = torch.randn(n_expts, width, 24, device=device)
    w2 = torch.randn(n_expts, 24, out, device=device)
    data, gather, scatter = routing(logits, n_act)
    h = matmul_ogs(x, w1, None, data, gather_indx=gather)
    y = matmul_ogs(h, w2, None, data, scatter_indx=scatter, gammas=data.gate_scal)
    expected = torch.zeros(n_tokens, out, device=device)
    weights, experts = logits.topk(n_act, dim=1)
    weights = torch.softmax(weights, dim=1)
    for token in range(n_tokens):
        for weight, expert in zip(weights[token], experts[token]):
            expected[token] += weight * (x[token] @ w1[expert] @ w2[expert])
    assert_close(ref=expected, tri=y, maxtol=3e-2, rmstol=3e-3)
    twin = matmul_ogs_torch(x, w1, None, data, gather_indx=gather)
    assert_close(ref=twin, tri=h, maxtol=3e-2, rmstol=3e-3)


def test_blocks_at_most():
    data = RoutingData(None, torch.zeros(8), 8, 2, None)
    assert data.n_blocks(5, 16) == 5 and data.n_blocks(100, 16) == 6 + 7
