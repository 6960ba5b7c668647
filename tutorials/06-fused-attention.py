"""
Fused attention
===============

Attention, forward and backward, that never writes the matrix of scores: memory grows with the length of the sequence, not with its square.
You will see:

* a softmax over a row that is never there as a whole,
* two products in one loop, with arithmetic in between,
* a loop that is split where the causal mask begins to matter, so that most of it needs no mask,
* a backward pass that computes the scores again instead of reading them.

Run it with `python tutorials/06-fused-attention.py`: it needs no GPU, but torch.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_CPU = DEVICE.type == "cpu"

# Forward
# -------
#
# For each head, with queries Q, keys K and values V of N_CTX rows each,
#
#     S = scale * Q Kᵀ        P = softmax of the rows of S        O = P V
#
# and with `causal` row i sees columns 0 to i only. S and P have N_CTX² elements: written to memory they would cost more than all the
# arithmetic. A program takes BLOCK_M rows of Q and walks over K and V in steps of BLOCK_N. What it needs to know of the columns it has seen
# is, for each row, the largest score m and the sum l of exp(s - m). When a larger score turns up, what has been summed so far is scaled
# down by exp(m_old - m_new): in the end the result is as if m had been known from the start.
#
# Powers of 2 are cheaper than powers of e, so scores are multiplied by log2(e) once, and `exp2` does the rest.


@triton.jit
def _attend(
    acc, l_i, m_i, q, k_ptrs, v_ptrs, qk_scale, stride, begin, end, offs_m, offs_n,
    IS_DIAGONAL: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    k_ptrs += begin * stride
    v_ptrs += begin * stride
    for start in range(begin, end, BLOCK_N):
        qk = tl.dot(q, tl.load(k_ptrs)) * qk_scale
        if IS_DIAGONAL:
            qk = tl.where(offs_m[:, None] >= start + offs_n[None, :], qk, -1.0e6)
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_new[:, None])
        scale = tl.math.exp2(m_i - m_new)
        l_i = l_i * scale + tl.sum(p, 1)
        acc = acc * scale[:, None]
        v = tl.load(v_ptrs)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_new
        k_ptrs += BLOCK_N * stride
        v_ptrs += BLOCK_N * stride
    return acc, l_i, m_i


@triton.jit
def _attn_fwd(
    Q, K, V, O, M, sm_scale, stride_head, stride_row, N_CTX,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    start_m = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1)
    base = head.to(tl.int64) * stride_head
    offs_m = start_m + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(Q + base + offs_m[:, None] * stride_row + offs_d[None, :])
    qk_scale = sm_scale * 1.44269504  # log2(e)
    k_ptrs = K + base + offs_n[None, :] * stride_row + offs_d[:, None]  # transposed
    v_ptrs = V + base + offs_n[:, None] * stride_row + offs_d[None, :]
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    # Columns before this block of rows are seen by all of them; those of the block itself only in part, those behind it not at all.
    whole = start_m if CAUSAL else N_CTX
    acc, l_i, m_i = _attend(
        acc, l_i, m_i, q, k_ptrs, v_ptrs, qk_scale, stride_row, 0, whole, offs_m, offs_n, False, BLOCK_N
    )
    if CAUSAL:
        acc, l_i, m_i = _attend(
            acc, l_i, m_i, q, k_ptrs, v_ptrs, qk_scale, stride_row, whole, start_m + BLOCK_M, offs_m, offs_n, True, BLOCK_N
        )  # fmt: skip
    # One number per row says what the backward pass needs: with m + log2(l), exp2(s - that) is the softmax at once.
    tl.store(M + head * N_CTX + offs_m, m_i + tl.math.log2(l_i))
    acc = acc / l_i[:, None]
    tl.store(O + base + offs_m[:, None] * stride_row + offs_d[None, :], acc.to(O.dtype.element_ty))


# Backward
# --------
#
# With dO the gradient that arrives, and D the sum along each row of dO * O:
#
#     dV = Pᵀ dO        dS = P * (dO Vᵀ - D)        dQ = scale * dS K        dK = scale * dSᵀ Q
#
# dK and dV of a block of columns sum over rows, dQ of a block of rows over columns: two kernels, each with its own loop, and no two programs
# that write to the same place. P is computed again from Q, K and the number kept per row.


@triton.jit
def _attn_bwd_preprocess(O, DO, Delta, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    o = tl.load(O + at).to(tl.float32)
    do = tl.load(DO + at).to(tl.float32)
    tl.store(Delta + rows, tl.sum(o * do, axis=1))


@triton.jit
def _attn_bwd_dkdv(
    Q, K, V, DO, DK, DV, M, Delta, sm_scale, stride_head, stride_row, N_CTX,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    start_n = tl.program_id(0) * BLOCK_N
    head = tl.program_id(1)
    base = head.to(tl.int64) * stride_head
    offs_n = start_n + tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    k = tl.load(K + base + offs_n[:, None] * stride_row + offs_d[None, :])
    v = tl.load(V + base + offs_n[:, None] * stride_row + offs_d[None, :])
    dk = tl.zeros([BLOCK_N, HEAD_DIM], dtype=tl.float32)
    dv = tl.zeros([BLOCK_N, HEAD_DIM], dtype=tl.float32)
    # With the mask, rows above this block of columns do not see it.
    first = start_n // BLOCK_M * BLOCK_M if CAUSAL else 0
    for start_m in range(first, N_CTX, BLOCK_M):
        offs_m = start_m + tl.arange(0, BLOCK_M)
        q = tl.load(Q + base + offs_m[:, None] * stride_row + offs_d[None, :])
        do = tl.load(DO + base + offs_m[:, None] * stride_row + offs_d[None, :])
        m = tl.load(M + head * N_CTX + offs_m)
        delta = tl.load(Delta + head * N_CTX + offs_m)
        # All of it transposed: rows are columns here.
        scores = tl.dot(k, q.T) * (sm_scale * 1.44269504)
        p = tl.math.exp2(scores - m[None, :])
        if CAUSAL:
            p = tl.where(offs_m[None, :] >= offs_n[:, None], p, 0.0)
        dv = tl.dot(p.to(do.dtype), do, dv)
        dp = tl.dot(v, do.T)
        ds = p * (dp - delta[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk)
    tl.store(DV + base + offs_n[:, None] * stride_row + offs_d[None, :], dv.to(DV.dtype.element_ty))
    tl.store(DK + base + offs_n[:, None] * stride_row + offs_d[None, :], (dk * sm_scale).to(DK.dtype.element_ty))


@triton.jit
def _attn_bwd_dq(
    Q, K, V, DO, DQ, M, Delta, sm_scale, stride_head, stride_row, N_CTX,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    start_m = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1)
    base = head.to(tl.int64) * stride_head
    offs_m = start_m + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(Q + base + offs_m[:, None] * stride_row + offs_d[None, :])
    do = tl.load(DO + base + offs_m[:, None] * stride_row + offs_d[None, :])
    m = tl.load(M + head * N_CTX + offs_m)
    delta = tl.load(Delta + head * N_CTX + offs_m)
    dq = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    end = start_m + BLOCK_M if CAUSAL else N_CTX
    for start_n in range(0, end, BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        k = tl.load(K + base + offs_n[:, None] * stride_row + offs_d[None, :])
        v = tl.load(V + base + offs_n[:, None] * stride_row + offs_d[None, :])
        p = tl.math.exp2(tl.dot(q, k.T) * (sm_scale * 1.44269504) - m[:, None])
        if CAUSAL:
            p = tl.where(offs_m[:, None] >= offs_n[None, :], p, 0.0)
        ds = p * (tl.dot(do, v.T) - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq)
    tl.store(DQ + base + offs_m[:, None] * stride_row + offs_d[None, :], (dq * sm_scale).to(DQ.dtype.element_ty))


# For torch
# ---------
#
# Tensors are (batch, heads, N_CTX, HEAD_DIM) and contiguous, so that a head is one piece of memory; the grid has one column per head.


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal, sm_scale):
        batch, heads, n_ctx, head_dim = q.shape
        block_m, block_n = (64, 32) if ON_CPU or q.dtype == torch.float32 else (128, 64)
        assert n_ctx % block_m == 0, f"the sequence must be a multiple of {block_m}, got {n_ctx}"
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        o = torch.empty_like(q)
        m = torch.empty((batch * heads, n_ctx), device=q.device, dtype=torch.float32)
        ctx.grid = (n_ctx // block_m, batch * heads)
        ctx.sizes = dict(HEAD_DIM=head_dim, BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal)
        ctx.sm_scale = sm_scale
        _attn_fwd[ctx.grid](q, k, v, o, m, sm_scale, q.stride(1), q.stride(2), n_ctx, **ctx.sizes)
        ctx.save_for_backward(q, k, v, o, m)
        return o

    @staticmethod
    def backward(ctx, do):
        q, k, v, o, m = ctx.saved_tensors
        do = do.contiguous()
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        delta = torch.empty_like(m)
        n_ctx, head_dim = q.shape[2:]
        sizes = {**ctx.sizes, "BLOCK_M": 64, "BLOCK_N": 64 if head_dim <= 64 else 32}
        _attn_bwd_preprocess[(m.numel() // 64,)](o, do, delta, HEAD_DIM=head_dim, BLOCK_M=64)
        common = (ctx.sm_scale, q.stride(1), q.stride(2), n_ctx)
        columns, rows = (n_ctx // sizes["BLOCK_N"], m.shape[0]), (n_ctx // sizes["BLOCK_M"], m.shape[0])
        _attn_bwd_dkdv[columns](q, k, v, do, dk, dv, m, delta, *common, **sizes)
        _attn_bwd_dq[rows](q, k, v, do, dq, m, delta, *common, **sizes)
        return dq, dk, dv, None, None


def attention(q, k, v, causal, sm_scale):
    return Attention.apply(q, k, v, causal, sm_scale)


# Is it right?
# ------------


def check(batch, heads, n_ctx, head_dim, causal, dtype, tolerance):
    make = lambda: torch.randn((batch, heads, n_ctx, head_dim), device=DEVICE).to(dtype).requires_grad_()
    q, k, v = make(), make(), make()
    gradient = torch.randn_like(q)
    sm_scale = 0.5
    wide = [tensor.detach().float().requires_grad_() for tensor in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=causal, scale=sm_scale)
    expected.backward(gradient.float())
    actual = attention(q, k, v, causal, sm_scale)
    actual.backward(gradient)
    pairs = [("o", actual, expected)] + [(f"d{n}", a.grad, e.grad) for n, a, e in zip("qkv", (q, k, v), wide)]
    errors = [f"{name} {(a.float() - e).abs().max().item():.1e}" for name, a, e in pairs]
    print(
        f"{str(dtype):15} {batch} x {heads} x {n_ctx} x {head_dim} causal={causal}: largest differences to torch: {', '.join(errors)}"
    )
    for _, a, e in pairs:
        torch.testing.assert_close(a.float(), e, atol=tolerance, rtol=tolerance)


torch.manual_seed(0)
length = 128 if ON_CPU else 1024
is_exact = triton.runtime.driver.active.get_current_target().backend == "cpu"  # a GPU multiplies float32 as tf32
for causal in (False, True):
    check(1, 2, length, 64, causal, torch.float32, 1e-4 if is_exact else 5e-2)
    check(1, 2, length, 64, causal, torch.float16, 3e-2)
check(1, 1, length, 32, True, torch.bfloat16, 2e-1)

# Is it fast?
# -----------
#
# Two products of N_CTX² * HEAD_DIM multiplications and additions per head, half of that with the mask; going back takes 2.5 times as many.


def benchmarks():
    for mode in ("fwd", "bwd"):
        yield triton.testing.Benchmark(
            x_names=["N_CTX"],
            x_vals=[2**i for i in (range(7, 11) if ON_CPU else range(10, 15))],
            line_arg="provider",
            line_vals=["triton", "torch"],
            line_names=["Triton", "Torch"],
            ylabel="GFLOPS",
            plot_name=f"fused-attention-{mode}-causal",
            args={"mode": mode},
        )


@triton.testing.perf_report(list(benchmarks()))
def benchmark(N_CTX, provider, mode):
    batch, heads, head_dim = (1, 4, 64) if ON_CPU else (4, 32, 64)
    dtype = torch.float32 if ON_CPU else torch.float16
    q, k, v = (
        torch.randn((batch, heads, N_CTX, head_dim), device=DEVICE, dtype=dtype, requires_grad=True) for _ in range(3)
    )
    theirs = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5)
    forward = (lambda: attention(q, k, v, True, 0.5)) if provider == "triton" else theirs
    run = forward
    if mode == "bwd":
        o = forward()
        do = torch.randn_like(o)
        run = lambda: o.backward(do, retain_graph=True)
    ms, low, high = triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8])
    work = 2 * 2 * batch * heads * N_CTX**2 * head_dim * 0.5 * (2.5 if mode == "bwd" else 1)
    rate = lambda ms: work * 1e-9 / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


benchmark.run(print_data=True, save_path=".")
