"""Kernels that use the rest of the language: reductions along each axis, scans, sorting, indirect access, atomics, fp8, attention."""

import triton
import triton.language as tl


@triton.jit
def sum_rows_kernel(X, Out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        acc += tl.load(X + row * N + start + tl.arange(0, BLOCK))
    tl.store(Out + row, tl.sum(acc, axis=0))


@triton.jit
def sum_columns_kernel(X, Out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_N], dtype=tl.float32)
    for start in range(0, M, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        acc += tl.sum(tl.load(X + rows[:, None] * N + cols[None, :]), axis=0)
    tl.store(Out + cols, acc)


@triton.jit
def cumsum_kernel(X, Out, N: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    tl.store(Out + at, tl.cumsum(tl.load(X + at), axis=0))


@triton.jit
def sort_kernel(X, Out, N: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(Out + at, tl.sort(tl.load(X + at)))


@triton.jit
def topk_kernel(X, Out, N: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    x = tl.load(X + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(Out + rows[:, None] * K + tl.arange(0, K)[None, :], tl.topk(x, K))


@triton.jit
def gather_kernel(X, Index, Out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Out + at, tl.load(X + tl.load(Index + at)))


@triton.jit
def scatter_kernel(X, Index, Out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Out + tl.load(Index + at), tl.load(X + at))


@triton.jit
def histogram_kernel(X, Out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(Out + tl.load(X + at), 1, sem="relaxed")


@triton.jit
def convert_kernel(X, Out, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Out + at, tl.load(X + at).to(DTYPE))


@triton.jit
def attention_kernel(Q, K, V, Out, scale, N, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start = tl.program_id(0) * BLOCK_M
    base = tl.program_id(1) * N * HEAD_DIM
    offs_m, offs_n, offs_d = start + tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, HEAD_DIM)
    q = tl.load(Q + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :])
    k_ptrs = K + base + offs_n[None, :] * HEAD_DIM + offs_d[:, None]
    v_ptrs = V + base + offs_n[:, None] * HEAD_DIM + offs_d[None, :]
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    largest = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    for _ in range(0, N, BLOCK_N):
        scores = tl.dot(q, tl.load(k_ptrs)) * (scale * 1.44269504)
        new = tl.maximum(largest, tl.max(scores, 1))
        p = tl.math.exp2(scores - new[:, None])
        shrink = tl.math.exp2(largest - new)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p, tl.load(v_ptrs), acc * shrink[:, None])
        largest = new
        k_ptrs += BLOCK_N * HEAD_DIM
        v_ptrs += BLOCK_N * HEAD_DIM
    tl.store(Out + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :], acc / total[:, None])


def sum_rows(out, x):
    sum_rows_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=1024)


def sum_columns(out, x):
    sum_columns_kernel[(x.shape[1] // 256,)](x, out, *x.shape, BLOCK_M=16, BLOCK_N=256)


def cumsum(out, x):
    cumsum_kernel[(x.shape[0],)](x, out, N=x.shape[1])


def sort(out, x):
    sort_kernel[(x.shape[0] // 8,)](x, out, N=x.shape[1], ROWS=8)


def topk(out, x):
    topk_kernel[(x.shape[0] // 8,)](x, out, N=x.shape[1], K=out.shape[1], ROWS=8)


def gather(out, x, index):
    gather_kernel[(index.shape[0] // 4096,)](x, index, out, BLOCK=4096)


def scatter(out, x, index):
    scatter_kernel[(index.shape[0] // 4096,)](x, index, out, BLOCK=4096)


def histogram(out, x):
    histogram_kernel[(x.shape[0] // 4096,)](x, out, BLOCK=4096)


def convert(out, x, dtype):
    convert_kernel[(x.shape[0] // 4096,)](x, out, DTYPE=dtype, BLOCK=4096)


def attention(out, q, k, v, scale):
    batch, n, dim = q.shape
    attention_kernel[(n // 64, batch)](q, k, v, out, scale, n, HEAD_DIM=dim, BLOCK_M=64, BLOCK_N=64)
