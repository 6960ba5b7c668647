"""`tl.range(..., warp_specialize=True)`: right wherever it runs, and on GPUs with TMA a warp of its own for copies.

What code comes out is looked at for sm_90a and sm_100a without a GPU; results are compared on the device that the tests run on."""

import re

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from gpu_code import compile
from triton.tools.tensor_descriptor import TensorDescriptor

LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), warp_specialize=WS):
        total = tl.dot(a.load([row, k * BK]), b.load([k * BK, column]), total)
    rows = row + tl.arange(0, BM)[:, None]
    columns = column + tl.arange(0, BN)[None, :]
    tl.store(c + rows * N + columns, total, (rows < M) & (columns < N))


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    across = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * across
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True, warp_specialize=WS):
        row = tile // across * BM
        column = tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            total = tl.dot(a.load([row, k * BK]), b.load([k * BK, column]), total)
        c.store([row, column], total.to(tl.float16))


@triton.jit
def attend(
    q, k, v, o, scale, S, B: tl.constexpr, BS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr, WS: tl.constexpr
):
    """Rows of all heads lie one below the other, S for each; the second axis of the grid counts heads."""
    first = tl.program_id(0) * B
    base = tl.program_id(1) * S
    queries = q.load([base + first, 0])
    rows = first + tl.arange(0, B)
    most = tl.full((B,), -float("inf"), tl.float32)
    weight = tl.zeros((B,), tl.float32)
    total = tl.zeros((B, D), tl.float32)
    end = tl.minimum(first + B, S) if CAUSAL else S
    for at in tl.range(0, end, BS, warp_specialize=WS):
        keys = k.load([base + at, 0])
        scores = tl.dot(queries, tl.trans(keys)) * scale
        columns = at + tl.arange(0, BS)
        inside = columns[None, :] < S
        if CAUSAL:
            inside = inside & (columns[None, :] <= rows[:, None])
        scores = tl.where(inside, scores, -1.0e30)
        now = tl.maximum(most, tl.max(scores, 1))
        p = tl.exp2(scores - now[:, None])
        shrink = tl.exp2(most - now)
        weight = weight * shrink + tl.sum(p, 1)
        total = total * shrink[:, None]
        values = v.load([base + at, 0])
        total = tl.dot(p.to(tl.float16), values, total)
        most = now
    at = base + first + tl.arange(0, B)
    out = o + at[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(out, (total / weight[:, None]).to(tl.float16), rows[:, None] < S)


def matrices(m, n, k):
    torch.manual_seed(0)
    return torch.randn((m, k), dtype=torch.float16), torch.randn((k, n), dtype=torch.float16)


# The last has no iteration.
@pytest.mark.parametrize("m, n, k", [(128, 128, 256), (200, 72, 104), (64, 64, 16), (128, 64, 0)])
@pytest.mark.parametrize("specialize", [False, True])
def test_product(m, n, k, specialize):
    a, b = matrices(m, n, max(k, 8))
    out = torch.empty((m, n))
    left = TensorDescriptor.from_tensor(a, [64, 32])
    right = TensorDescriptor.from_tensor(b, [32, 64])
    product[(triton.cdiv(m, 64), triton.cdiv(n, 64))](left, right, out, m, n, k, 64, 64, 32, specialize)
    expected = a[:, :k].float() @ b[:k].float()
    np.testing.assert_allclose(out.numpy(), expected.numpy(), atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("m, n, k", [(256, 256, 128), (200, 136, 104), (64, 64, 32)])
@pytest.mark.parametrize("specialize", [False, True])
def test_persistent_product(m, n, k, specialize):
    a, b = matrices(m, n, k)
    out = torch.empty((m, n), dtype=torch.float16)
    left = TensorDescriptor.from_tensor(a, [64, 32])
    right = TensorDescriptor.from_tensor(b, [32, 64])
    target = TensorDescriptor.from_tensor(out, [64, 64])
    persistent[(3,)](left, right, target, m, n, k, 64, 64, 32, specialize)
    expected = a.float() @ b.float()
    np.testing.assert_allclose(out.float().numpy(), expected.numpy(), atol=5e-2, rtol=1e-2)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("heads, length, width", [(2, 256, 64), (1, 200, 32)])
@pytest.mark.parametrize("specialize", [False, True])
def test_attention(causal, heads, length, width, specialize):
    torch.manual_seed(0)
    q, k, v = (torch.randn((heads * length, width), dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    scale = 1.4426950408889634 / width**0.5
    tile = TensorDescriptor.from_tensor(q, [128, width])
    keys, values = (TensorDescriptor.from_tensor(x, [64, width]) for x in (k, v))
    attend[(triton.cdiv(length, 128), heads)](
        tile, keys, values, out, scale, length, 128, 64, width, causal, specialize
    )
    split = [x.float().view(heads, length, width) for x in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(*split, is_causal=causal)
    np.testing.assert_allclose(out.float().numpy(), expected.reshape(-1, width).numpy(), atol=1e-2, rtol=1e-2)


def code(kernel):
    return re.sub(r"[ \t]+", " ", kernel.asm["ptx"])


def product_of(specialize, m=128, n=128, k=64):
    types = {"a": f"tensordesc<fp16[{m}, {k}]>", "b": f"tensordesc<fp16[{k}, {n}]>", "c": "*fp32"}
    return {**types, "M": "i32", "N": "i32", "K": "i32", "BM": m, "BN": n, "BK": k, "WS": specialize}


def attention_of(specialize, width=128, causal=False):
    block = f"tensordesc<fp16[128, {width}]>"
    types = {"q": block, "k": block, "v": block, "o": "*fp16", "scale": "fp32", "S": "i32"}
    return {**types, "B": 128, "BS": 128, "D": width, "CAUSAL": causal, "WS": specialize}


@pytest.mark.parametrize("warps, own, entry", [(4, 232, 128), (8, 240, 168)])
def test_code_of_a_product(warps, own, entry):
    kernel = compile(product, product_of(True), num_warps=warps)
    ptx = code(kernel)
    assert kernel.metadata.num_warps == warps + 4
    assert f".reqntid {32 * (warps + 4)}" in ptx and f".maxnreg {entry}" in ptx
    assert f"setmaxnreg.inc.sync.aligned.u32 {own};" in ptx and "setmaxnreg.dec.sync.aligned.u32 24;" in ptx
    assert "wgmma.mma_async" in ptx and ptx.count(LOAD) >= 2
    assert "mbarrier.try_wait.parity" in ptx and "mbarrier.arrive.shared::cta.b64" in ptx
    loop = ptx[ptx.index("wgmma.mma_async") : ptx.index("wgmma.wait_group.sync.aligned 0")]
    assert "bar.sync" not in loop  # nobody waits for all of the others


def test_nothing_changes_where_nobody_asks():
    kernel = compile(product, product_of(False), num_warps=8)
    assert kernel.metadata.num_warps == 8
    assert "setmaxnreg" not in code(kernel) and "ttg.warp_specialize" not in kernel.asm["ttgir"]


@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_code_of_attention(width, causal):
    kernel = compile(attend, attention_of(True, width, causal), num_warps=8, num_stages=2)
    ptx = code(kernel)
    assert kernel.metadata.num_warps == 12
    assert "setmaxnreg.inc.sync.aligned.u32 240;" in ptx and "setmaxnreg.dec.sync.aligned.u32 24;" in ptx
    assert "wgmma.mma_async" in ptx and "wgmma.wait_group.sync.aligned 1" in ptx
    ttgir = kernel.asm["ttgir"]
    work = ttgir[ttgir.index("partition0") :]
    assert work.count("ttng.wait_barrier") == 2 and work.count("ttng.async_tma_copy_global_to_local") == 2


def persistent_of(n):
    types = {"a": "tensordesc<fp16[128, 64]>", "b": f"tensordesc<fp16[64, {n}]>", "c": f"tensordesc<fp16[128, {n}]>"}
    return {**types, "M": "i32", "N": "i32", "K": "i32", "BM": 128, "BN": n, "BK": 64, "WS": True}


def test_code_of_a_persistent_product():
    kernel = compile(persistent, persistent_of(128), num_warps=8)
    assert kernel.metadata.num_warps == 12
    ttgir, ptx = kernel.asm["ttgir"], code(kernel)
    # Tiles are counted in both parts: copies for the next one begin while this one is stored.
    assert ttgir[ttgir.index("ttg.warp_specialize") :].count("scf.for") == 4
    assert "bar.sync 1, 256;" in ptx  # of those who store


def test_rings_leave_room_for_what_is_stored():
    kernel = compile(persistent, persistent_of(256), num_warps=8, num_stages=4)
    ttgir = kernel.asm["ttgir"]
    assert ttgir.index("scf.for") < ttgir.index("ttg.warp_specialize")  # the inner loop alone
    assert kernel.metadata.shared <= 232448 and kernel.metadata.num_warps == 12


def test_left_to_pipelining():
    """Pointers are copied by all threads; clusters have no partitions; one warp is no warpgroup."""

    @triton.jit
    def pointers(a, b, c, K, B: tl.constexpr):
        rows = tl.arange(0, B)[:, None]
        columns = tl.arange(0, B)[None, :]
        total = tl.zeros((B, B), tl.float32)
        for k in tl.range(0, K, B, warp_specialize=True):
            total = tl.dot(tl.load(a + rows * K + k + columns), tl.load(b + (rows + k) * B + columns), total)
        tl.store(c + rows * B + columns, total)

    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32", "B": 64}
    for kernel in (
        compile(pointers, types),
        compile(product, product_of(True), num_warps=2),
        compile(product, product_of(True), capability=80),
        compile(product, product_of(True, 64, 64), capability=120),
    ):
        assert "ttg.warp_specialize" not in kernel.asm["ttgir"] and "setmaxnreg" not in code(kernel)


def test_code_for_blackwell():
    kernel = compile(product, product_of(True), capability=100)
    ptx = code(kernel)
    assert "tcgen05.mma" in ptx and "setmaxnreg.dec.sync.aligned.u32 24;" in ptx and ptx.count(LOAD) >= 2


@triton.jit
def described(a, b, c, M, N, K, B: tl.constexpr, WS: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [B, B])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [B, B])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [B, B])
    across = tl.cdiv(N, B)
    for tile in tl.range(
        tl.program_id(0), tl.cdiv(M, B) * across, tl.num_programs(0), flatten=True, warp_specialize=WS
    ):
        row = tile // across * B
        column = tile % across * B
        total = tl.zeros((B, B), tl.float32)
        for k in range(tl.cdiv(K, B)):
            total = tl.dot(left.load([row, k * B]), right.load([k * B, column]), total)
        target.store([row, column], total.to(tl.float16))


@pytest.mark.parametrize("specialize", [False, True])
def test_descriptors_made_in_the_kernel(specialize):
    a, b = matrices(200, 136, 104)
    out = torch.empty((200, 136), dtype=torch.float16)
    described[(3,)](a, b, out, 200, 136, 104, 64, specialize)
    expected = a.float() @ b.float()
    np.testing.assert_allclose(out.float().numpy(), expected.numpy(), atol=5e-2, rtol=1e-2)


def test_other_warps_acquire_maps_themselves():
    pointers = dict.fromkeys("abc", "*fp16")
    kernel = compile(described, {**pointers, "M": "i32", "N": "i32", "K": "i32", "B": 64, "WS": True})
    own, others = code(kernel).split("setmaxnreg.dec")
    assert kernel.metadata.num_warps == 8 and LOAD in others and LOAD not in own
    assert others.count("fence.proxy.tensormap::generic.acquire.gpu") == 2 and "tensormap.replace" not in others


@triton.jit
def attend_part(
    state, queries, k, v, base, rows, low, high, scale, BS: tl.constexpr, MASK: tl.constexpr, WS: tl.constexpr
):
    total, most, weight = state
    for at in tl.range(low, high, BS, warp_specialize=WS):
        scores = tl.dot(queries, tl.trans(k.load([base + at, 0]))) * scale
        if MASK:
            columns = at + tl.arange(0, BS)
            scores = tl.where(columns[None, :] <= rows[:, None], scores, -1.0e30)
        now = tl.maximum(most, tl.max(scores, 1))
        p = tl.exp2(scores - now[:, None])
        shrink = tl.exp2(most - now)
        weight = weight * shrink + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), v.load([base + at, 0]), total * shrink[:, None])
        most = now
    return total, most, weight


@triton.jit
def attend_twice(q, k, v, o, scale, S, B: tl.constexpr, BS: tl.constexpr, D: tl.constexpr, WS: tl.constexpr):
    """Blocks below the diagonal, none at first, then those on it."""
    first = tl.program_id(0) * B
    base = tl.program_id(1) * S
    queries = q.load([base + first, 0])
    rows = first + tl.arange(0, B)
    state = (tl.zeros((B, D), tl.float32), tl.full((B,), -float("inf"), tl.float32), tl.zeros((B,), tl.float32))
    state = attend_part(state, queries, k, v, base, rows, 0, first, scale, BS, False, WS)
    state = attend_part(state, queries, k, v, base, rows, first, first + B, scale, BS, True, WS)
    out = o + (base + rows)[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(out, (state[0] / state[2][:, None]).to(tl.float16))


@pytest.mark.parametrize("specialize", [False, True])
def test_two_loops(specialize):
    torch.manual_seed(0)
    heads, length, width = 2, 256, 64
    q, k, v = (torch.randn((heads * length, width), dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    scale = 1.4426950408889634 / width**0.5
    tile = TensorDescriptor.from_tensor(q, [128, width])
    keys, values = (TensorDescriptor.from_tensor(x, [64, width]) for x in (k, v))
    attend_twice[(length // 128, heads)](tile, keys, values, out, scale, length, 128, 64, width, specialize)
    split = [x.float().view(heads, length, width) for x in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(*split, is_causal=True)
    np.testing.assert_allclose(out.float().numpy(), expected.reshape(-1, width).numpy(), atol=1e-2, rtol=1e-2)


def test_code_of_two_loops():
    signature = attention_of(True, 64)
    signature.pop("CAUSAL")
    kernel = compile(attend_twice, signature, num_warps=8, num_stages=2)
    assert kernel.asm["ttgir"].count("ttg.warp_specialize(") == 2 and kernel.metadata.num_warps == 12
    ptx = code(kernel)
    assert ptx.count("setmaxnreg") == 2  # once, where the kernel begins
    # Which of the two comes next, or the end, the other warps are told.
    place = re.search(r"st\.shared\.b32 \[(shared\+\d+)\], 2;", ptx)[1]
    assert f"[{place}], 1;" in ptx and f"[{place}], 0;" in ptx and f", [{place}];" in ptx
