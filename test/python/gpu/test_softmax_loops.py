"""What loops with a softmax in them leave out: masks of blocks that are all inside, multiplications by a scale before a maximum.

Results are compared on the device that the tests run on; what code comes out is looked at for sm_90a."""

import re

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from gpu_code import compile


@triton.jit
def attend(q, k, v, o, scale, S, B: tl.constexpr, N: tl.constexpr, D: tl.constexpr, HIDDEN: tl.constexpr):
    """HIDDEN: the score of what lies in the future; None: nothing does."""
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.arange(0, N)
    dims = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + dims[None, :])
    most = tl.full((B,), -float("inf"), tl.float32)
    weight = tl.zeros((B,), tl.float32)
    total = tl.zeros((B, D), tl.float32)
    for at in range(0, S, N):
        keys = tl.load(k + (at + columns)[None, :] * D + dims[:, None])
        scores = tl.dot(queries, keys) * scale
        if HIDDEN is not None:
            scores = tl.where(rows[:, None] >= at + columns[None, :], scores, HIDDEN)
        now = tl.maximum(most, tl.max(scores, 1))
        p = tl.exp2(scores - now[:, None])
        shrink = tl.exp2(most - now)
        weight = weight * shrink + tl.sum(p, 1)
        total = total * shrink[:, None]
        values = tl.load(v + (at + columns)[:, None] * D + dims[None, :])
        total = tl.dot(p.to(values.dtype), values, total)
        most = now
    tl.store(o + rows[:, None] * D + dims[None, :], total / weight[:, None])


@pytest.mark.parametrize("B, N, D, warps", [(128, 64, 64, 8), (64, 64, 64, 4), (128, 128, 128, 8)])
@pytest.mark.parametrize("hidden", [None, -1.0e6, -float("inf")])
@pytest.mark.parametrize("scale", [0.18, -0.18, 0.0])
def test_attention(device, B, N, D, warps, hidden, scale):
    S = 512
    torch.manual_seed(0)
    q, k, v = (torch.randn(S, D).to(torch.float16).to(device) for _ in range(3))
    out = torch.empty(S, D, device=device)
    attend[(S // B,)](q, k, v, out, scale, S, B, N, D, hidden, num_warps=warps)
    scores = (q.cpu().double() @ k.cpu().double().T) * scale * np.log(2)
    if hidden is not None:
        scores = scores.masked_fill(~torch.ones(S, S).tril().bool(), -float("inf"))
    expected = torch.softmax(scores, 1) @ v.cpu().double()
    assert torch.allclose(out.cpu().double(), expected, rtol=2e-2, atol=4e-3)


@triton.jit
def largest(x, factors, out, blocks, B: tl.constexpr, N: tl.constexpr, MASKED: tl.constexpr):
    """Rows of `x`, block by block, times one factor for each program. MASKED: without the last column."""
    row = tl.program_id(0)
    factor = tl.load(factors + row)
    rows = tl.arange(0, B)
    most = tl.full((B,), -float("inf"), tl.float32)
    for at in range(blocks):
        block = tl.load(x + (at * B + rows[:, None]) * N + tl.arange(0, N)[None, :])
        products = block * factor
        if MASKED:
            products = tl.where(tl.arange(0, N)[None, :] < N - 1, products, -float("inf"))
        most = tl.maximum(most, tl.max(products, 1))
    tl.store(out + row * B + rows, most)


@pytest.mark.parametrize("masked", [False, True])
def test_largest_product(device, masked):
    """For every kind of factor, with infinities, zeros and numbers that are none among the elements."""
    B, N, blocks = 16, 256, 3
    factors = torch.tensor([1.5, -2.5, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 3e38, -3e38])
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(blocks, B, N, generator=generator)
    kinds = [np.inf, -np.inf, 0.0, -0.0, np.nan, 1e-40]
    x = torch.where(
        torch.rand(x.shape, generator=generator) < 0.1, x.new_tensor(np.random.default_rng(0).choice(kinds, x.shape)), x
    )
    x[:, 0] = 0.0
    x[:, 1] = -1.0
    x[:, 2] = np.inf
    x[:, 3] = np.nan
    x[:, 4] = x[:, 4].clamp(max=0.0)
    x[:, 5] = x[:, 5].clamp(min=0.0)
    out = torch.empty(len(factors), B)
    arrays = [each.to(device) for each in (x, factors, out)]
    largest[(len(factors),)](*arrays, blocks, B, N, masked, num_warps=1)
    with np.errstate(all="ignore"):
        products = x.numpy()[None] * factors.numpy()[:, None, None, None]
        if masked:
            products[..., -1] = -np.inf
        expected = np.fmax.reduce(np.fmax.reduce(products, 3), 1, initial=-np.inf)
    np.testing.assert_array_equal(arrays[2].cpu().numpy(), expected)


def test_code():
    """Scores are multiplied where their exponents are computed, in one instruction, and masks are looked at in a branch."""
    types = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "o": "*fp32", "scale": "fp32", "S": "i32"}
    blocks = {"B": 128, "N": 64, "D": 64}
    plain, causal, infinite = (
        compile(attend, {**types, **blocks, "HIDDEN": hidden}, num_warps=8).asm
        for hidden in (None, -1.0e6, -float("inf"))
    )
    scores = 128 * 64 // 256  # of a thread
    # As many sums are rescaled, and divided in the end, which are two products each. Under a mask products are computed too, in its branch, where factors are no
    # numbers.
    for asm, products in ((plain, 4), (infinite, 5)):
        assert len(re.findall(r"\bmul(?:\.rn)?\.f32", asm["ptx"])) < products * scores
        assert len(re.findall(r"\bfma\.rn\.f32", asm["ptx"])) >= scores
    loop = causal["ttgir"][causal["ttgir"].index("scf.for") :]
    assert re.search(r"scf\.if %\S+ -> \(tensor<128x64xf32.*?else.*?arith\.select", loop, re.DOTALL)
