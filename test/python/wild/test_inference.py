"""Quantised and grouped products, sampling: kernels in the style of inference engines."""

import pytest
import torch
import triton
import triton.language as tl

torch.manual_seed(2)


@triton.jit
def grouped_matmul_kernel(
    a_ptrs,
    b_ptrs,
    c_ptrs,
    sizes,
    lds,
    group_count,
    PROGRAMS: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """A fixed number of programs walks the tiles of several problems; addresses are data."""
    tile = tl.program_id(0)
    last_end = 0
    for g in range(group_count):
        m = tl.load(sizes + g * 3)
        n = tl.load(sizes + g * 3 + 1)
        k = tl.load(sizes + g * 3 + 2)
        tiles_n = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * tiles_n
        while tile >= last_end and tile < last_end + tiles:
            lda = tl.load(lds + g * 3)
            ldb = tl.load(lds + g * 3 + 1)
            ldc = tl.load(lds + g * 3 + 2)
            a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float32))
            b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float32))
            c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float32))
            local = tile - last_end
            rows = (local // tiles_n) * BM + tl.arange(0, BM)
            columns = (local % tiles_n) * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), tl.float32)
            for kk in range(0, tl.cdiv(k, BK)):
                inner = kk * BK + tl.arange(0, BK)
                a = tl.load(
                    a_ptr + rows[:, None] * lda + inner[None, :],
                    mask=(rows[:, None] < m) & (inner[None, :] < k),
                    other=0.0,
                )
                b = tl.load(
                    b_ptr + inner[:, None] * ldb + columns[None, :],
                    mask=(inner[:, None] < k) & (columns[None, :] < n),
                    other=0.0,
                )
                acc += tl.dot(a, b, input_precision="ieee")
            tl.store(
                c_ptr + rows[:, None] * ldc + columns[None, :], acc, mask=(rows[:, None] < m) & (columns[None, :] < n)
            )
            tile += PROGRAMS
        last_end = last_end + tiles


def test_grouped_matmul(device):
    problems = [(64, 48, 32), (17, 100, 50), (128, 16, 64), (5, 5, 5)]
    # The kernel reads these addresses from memory: nobody copies what they point to.
    a = [torch.randn(m, k, device=device) for m, n, k in problems]
    b = [torch.randn(k, n, device=device) for m, n, k in problems]
    c = [torch.zeros(m, n, device=device) for m, n, k in problems]
    addresses = lambda tensors: torch.tensor([t.data_ptr() for t in tensors], dtype=torch.int64)
    sizes = torch.tensor(problems, dtype=torch.int32)
    lds = torch.tensor([(k, n, n) for m, n, k in problems], dtype=torch.int32)
    grouped_matmul_kernel[(4,)](addresses(a), addresses(b), addresses(c), sizes, lds, len(problems), 4, 32, 32, 16)
    for left, right, result in zip(a, b, c):
        torch.testing.assert_close(result, left @ right, rtol=1e-4, atol=1e-4)


@triton.jit
def int4_matmul_kernel(
    a_ptr,
    q_ptr,
    scale_ptr,
    zero_ptr,
    c_ptr,
    M,
    N,
    K,
    GROUP: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Weights of 4 bits, eight to an int32 along K, a scale and a zero point per group of K and column."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    shifts = (tl.arange(0, BK) % 8) * 4
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=rows[:, None] < M, other=0.0)
        packed = tl.load(q_ptr + (inner[:, None] // 8) * N + columns[None, :])
        group = k // GROUP
        scale = tl.load(scale_ptr + group * N + columns)
        zero = tl.load(zero_ptr + group * N + columns)
        weight = (((packed >> shifts[:, None]) & 0xF).to(tl.float32) - zero[None, :]) * scale[None, :]
        acc = tl.dot(a, weight.to(a.dtype), acc, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=rows[:, None] < M)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_int4_matmul(dtype):
    M, N, K, group = 20, 64, 128, 32
    a = torch.randn(M, K).to(dtype)
    q = torch.randint(0, 16, (K, N), dtype=torch.int64)
    scale, zero = torch.rand(K // group, N) * 0.1, torch.randint(0, 16, (K // group, N)).float()
    packed = sum(q.view(K // 8, 8, N)[:, i] << (4 * i) for i in range(8))
    packed = torch.where(packed >= 2**31, packed - 2**32, packed).to(torch.int32)
    out = torch.zeros(M, N)
    int4_matmul_kernel[(triton.cdiv(M, 16), N // 32)](a, packed, scale, zero, out, M, N, K, group, 16, 32, 32)
    weight = ((q - zero.repeat_interleave(group, 0)) * scale.repeat_interleave(group, 0)).to(dtype)
    torch.testing.assert_close(out, a.float() @ weight.float(), rtol=1e-3, atol=1e-3)


@triton.jit
def fp8_matmul_kernel(
    a_ptr, b_ptr, a_scale, b_scale, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
        b = tl.load(b_ptr + columns[None, :] * K + inner[:, None])
        acc += tl.dot(a, b) * (tl.load(a_scale + rows)[:, None] * tl.load(b_scale))
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty))


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8_matmul(dtype):
    M, N, K = 32, 64, 128
    a, b = torch.randn(M, K).to(dtype), torch.randn(N, K).to(dtype)
    a_scale, b_scale, out = torch.rand(M), torch.rand(1), torch.zeros(M, N, dtype=torch.bfloat16)
    fp8_matmul_kernel[(1, 2)](a, b, a_scale, b_scale, out, N, K, 32, 32, 64)
    expected = (a.float() @ b.float().T) * a_scale[:, None] * b_scale
    torch.testing.assert_close(out.float(), expected, rtol=1e-2, atol=1e-2)


@triton.jit
def quantize_kernel(x_ptr, q_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + columns, mask=columns < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x)), 1e-10) / 448.0
    tl.store(scale_ptr + row, scale)
    tl.store(q_ptr + row * n + columns, tl.clamp(x / scale, -448.0, 448.0).to(q_ptr.dtype.element_ty), mask=columns < n)


def test_fp8_quantisation_is_exact():
    x = torch.randn(16, 200)
    q, scale = torch.zeros(16, 200, dtype=torch.float8_e4m3fn), torch.zeros(16)
    quantize_kernel[(16,)](x, q, scale, 200, 256)
    torch.testing.assert_close(scale, x.abs().amax(1) / 448, rtol=1e-6, atol=0)
    assert torch.equal(q.float(), (x / scale[:, None]).clamp(-448, 448).to(torch.float8_e4m3fn).float())


@triton.jit
def top_p_kernel(logits_ptr, out_ptr, n, p, K: tl.constexpr, BLOCK: tl.constexpr):
    """The smallest set of the K best candidates whose probability reaches p; the others become -inf."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(logits_ptr + row * n + columns, mask=columns < n, other=float("-inf"))
    best = tl.topk(x, K)
    probabilities = tl.exp(best - tl.max(best, 0))
    probabilities = probabilities / tl.sum(probabilities, 0)
    kept = (tl.cumsum(probabilities, 0) - probabilities) < p
    threshold = tl.min(tl.where(kept, best, float("inf")), 0)
    tl.store(out_ptr + row * n + columns, tl.where(x >= threshold, x, float("-inf")), mask=columns < n)


def test_top_p_sampling():
    rows, n, k, p = 6, 200, 64, 0.9
    logits, out = torch.randn(rows, n) * 3, torch.zeros(rows, n)
    top_p_kernel[(rows,)](logits, out, n, p, k, 256)
    values = logits.topk(k).values
    probabilities = torch.softmax(values, 1)
    kept = (probabilities.cumsum(1) - probabilities) < p
    threshold = torch.where(kept, values, torch.inf).amin(1, keepdim=True)
    torch.testing.assert_close(out, torch.where(logits >= threshold, logits, -torch.inf))


@triton.jit
def moe_align_kernel(topk_ids, counts_ptr, n, EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ids = tl.load(topk_ids + offsets, mask=offsets < n, other=0)
    counts = tl.histogram(ids, EXPERTS, mask=offsets < n)
    tl.atomic_add(counts_ptr + tl.arange(0, EXPERTS), counts)


def test_moe_counts():
    ids = torch.randint(0, 16, (1000,), dtype=torch.int32)
    counts = torch.zeros(16, dtype=torch.int32)
    moe_align_kernel[(triton.cdiv(1000, 128),)](ids, counts, 1000, 16, 128)
    assert torch.equal(counts, torch.bincount(ids, minlength=16).to(torch.int32))
