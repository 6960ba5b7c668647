"""Attention kernels in the style people write them: flash attention, paged decoding, chunked linear attention, rotary embedding."""

import pytest
import torch
import triton
import triton.language as tl

torch.manual_seed(0)


@triton.jit
def flash_attention_kernel(
    Q,
    K,
    V,
    O,
    scale,
    stride_h,
    stride_m,
    N_CTX,
    CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    D: tl.constexpr,
):
    start_m = tl.program_id(0) * BLOCK_M
    base = tl.program_id(1) * stride_h
    offs_m = start_m + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    q = tl.load(Q + base + offs_m[:, None] * stride_m + offs_d[None, :], mask=offs_m[:, None] < N_CTX, other=0.0)
    m_i = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    l_i = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    qk_scale = scale * 1.4426950408889634
    hi = tl.minimum(start_m + BLOCK_M, N_CTX) if CAUSAL else N_CTX
    for start_n in range(0, hi, BLOCK_N):
        n = start_n + offs_n
        k = tl.load(K + base + n[None, :] * stride_m + offs_d[:, None], mask=n[None, :] < N_CTX, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale
        valid = n[None, :] < N_CTX
        if CAUSAL:
            valid = valid & (offs_m[:, None] >= n[None, :])
        qk = tl.where(valid, qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp2(qk - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + base + n[:, None] * stride_m + offs_d[None, :], mask=n[:, None] < N_CTX, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(
        O + base + offs_m[:, None] * stride_m + offs_d[None, :],
        acc.to(O.dtype.element_ty),
        mask=offs_m[:, None] < N_CTX,
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [64, 100])
def test_flash_attention(dtype, causal, n):
    heads, d = 3, 32
    q, k, v = (torch.randn(heads, n, d).to(dtype) for _ in range(3))
    out = torch.empty_like(q)
    flash_attention_kernel[(triton.cdiv(n, 32), heads)](q, k, v, out, d**-0.5, n * d, d, n, causal, 32, 32, d)
    expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
    tolerance = {torch.float32: 1e-5, torch.float16: 3e-3, torch.bfloat16: 3e-2}[dtype]
    torch.testing.assert_close(out.float(), expected, rtol=tolerance, atol=tolerance)


@triton.jit
def paged_attention_kernel(
    out,
    query,
    k_cache,
    v_cache,
    block_tables,
    context_lens,
    scale,
    stride_block,
    stride_token,
    max_blocks,
    BLOCK_SIZE: tl.constexpr,
    D: tl.constexpr,
):
    sequence = tl.program_id(0)
    length = tl.load(context_lens + sequence)
    d = tl.arange(0, D)
    slot = tl.arange(0, BLOCK_SIZE)
    q = tl.load(query + sequence * D + d).to(tl.float32)
    running_max = float("-inf")
    running_sum = 0.0
    acc = tl.zeros((D,), tl.float32)
    for i in range(0, tl.cdiv(length, BLOCK_SIZE)):
        block = tl.load(block_tables + sequence * max_blocks + i).to(tl.int64)
        offsets = block * stride_block + slot[:, None] * stride_token + d[None, :]
        valid = i * BLOCK_SIZE + slot < length
        k = tl.load(k_cache + offsets, mask=valid[:, None], other=0.0).to(tl.float32)
        scores = tl.where(valid, tl.sum(k * q[None, :], 1) * scale, float("-inf"))
        new_max = tl.maximum(running_max, tl.max(scores, 0))
        p = tl.exp(scores - new_max)
        correction = tl.exp(running_max - new_max)
        v = tl.load(v_cache + offsets, mask=valid[:, None], other=0.0).to(tl.float32)
        acc = acc * correction + tl.sum(p[:, None] * v, 0)
        running_sum = running_sum * correction + tl.sum(p, 0)
        running_max = new_max
    tl.store(out + sequence * D + d, acc / running_sum)


def test_paged_attention():
    d, block_size, lengths = 64, 16, [5, 16, 33, 70]
    blocks = [triton.cdiv(n, block_size) for n in lengths]
    permutation = torch.randperm(sum(blocks)).to(torch.int32)
    k_cache, v_cache = (torch.randn(sum(blocks), block_size, d).half() for _ in range(2))
    tables = torch.zeros(len(lengths), max(blocks), dtype=torch.int32)
    start = 0
    for i, n in enumerate(blocks):
        tables[i, :n] = permutation[start : start + n]
        start += n
    query, out = torch.randn(len(lengths), d), torch.empty(len(lengths), d)
    paged_attention_kernel[(len(lengths),)](
        out,
        query,
        k_cache,
        v_cache,
        tables,
        torch.tensor(lengths, dtype=torch.int32),
        d**-0.5,
        block_size * d,
        d,
        max(blocks),
        block_size,
        d,
    )
    for i, n in enumerate(lengths):
        k = k_cache[tables[i, : blocks[i]].long()].reshape(-1, d)[:n].float()
        v = v_cache[tables[i, : blocks[i]].long()].reshape(-1, d)[:n].float()
        expected = torch.softmax(query[i] @ k.T * d**-0.5, 0) @ v
        torch.testing.assert_close(out[i], expected, rtol=1e-4, atol=1e-4)


@triton.jit
def linear_attention_kernel(q, k, v, decay, out, T, CHUNK: tl.constexpr, DK: tl.constexpr, DV: tl.constexpr):
    """The recurrence h = g h + k v, o = q h, done chunk by chunk: inside a chunk as a masked product, between chunks by a carried state."""
    t = tl.arange(0, CHUNK)
    dk, dv = tl.arange(0, DK), tl.arange(0, DV)
    state = tl.zeros((DK, DV), tl.float32)
    for start in range(0, T, CHUNK):
        rows = start + t
        b_q = tl.load(q + rows[:, None] * DK + dk[None, :])
        b_k = tl.load(k + rows[None, :] * DK + dk[:, None])
        b_v = tl.load(v + rows[:, None] * DV + dv[None, :])
        g = tl.cumsum(tl.load(decay + rows), 0)
        total = tl.sum(tl.load(decay + rows), 0)
        scores = tl.dot(b_q, b_k, input_precision="ieee") * tl.exp(g[:, None] - g[None, :])
        scores = tl.where(t[:, None] >= t[None, :], scores, 0.0)
        o = tl.dot(scores, b_v, input_precision="ieee") + tl.dot(
            b_q * tl.exp(g)[:, None], state, input_precision="ieee"
        )
        tl.store(out + rows[:, None] * DV + dv[None, :], o)
        state = state * tl.exp(total) + tl.dot(b_k * tl.exp(total - g)[None, :], b_v, input_precision="ieee")


def test_chunked_linear_attention():
    T, dk, dv = 128, 32, 16
    q, k, v = torch.randn(T, dk), torch.randn(T, dk), torch.randn(T, dv)
    decay = -torch.rand(T) * 0.2
    out = torch.empty(T, dv)
    linear_attention_kernel[(1,)](q, k, v, decay, out, T, 32, dk, dv)
    state, expected = torch.zeros(dk, dv, dtype=torch.float64), torch.empty(T, dv, dtype=torch.float64)
    for i in range(T):
        state = state * decay[i].double().exp() + k[i].double()[:, None] * v[i].double()[None, :]
        expected[i] = q[i].double() @ state
    torch.testing.assert_close(out.double(), expected, rtol=1e-3, atol=1e-3)


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, seq_len, stride_row, HALF: tl.constexpr, BACKWARD: tl.constexpr):
    row = tl.program_id(0)
    position = row % seq_len
    offsets = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + position * HALF + offsets)
    sin = tl.load(sin_ptr + position * HALF + offsets)
    if BACKWARD:
        sin = -sin
    first = x_ptr + row * stride_row + offsets
    second = first + HALF
    x1 = tl.load(first)
    x2 = tl.load(second)
    tl.store(first, x1 * cos - x2 * sin)
    tl.store(second, x2 * cos + x1 * sin)


def test_rotary_embedding_in_place():
    heads, seq, half = 4, 24, 32
    x = torch.randn(heads * seq, 2 * half)
    angles = torch.rand(seq, half) * 6
    expected = torch.cat(
        [
            x[:, :half] * angles.cos().repeat(heads, 1) - x[:, half:] * angles.sin().repeat(heads, 1),
            x[:, half:] * angles.cos().repeat(heads, 1) + x[:, :half] * angles.sin().repeat(heads, 1),
        ],
        1,
    )
    start = x.clone()
    rope_kernel[(heads * seq,)](x, angles.cos(), angles.sin(), seq, 2 * half, half, False)
    torch.testing.assert_close(x, expected, rtol=1e-5, atol=1e-5)
    rope_kernel[(heads * seq,)](x, angles.cos(), angles.sin(), seq, 2 * half, half, True)
    torch.testing.assert_close(x, start, rtol=1e-4, atol=1e-4)
