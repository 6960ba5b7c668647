"""Ordinary kernels of every family, as people write them: what audit.py measures beside torch."""

import triton
import triton.language as tl

# Elementwise


@triton.jit
def add(X, Y, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(Out + at, tl.load(X + at, mask=mask) + tl.load(Y + at, mask=mask), mask=mask)


@triton.jit
def gelu_tanh(X, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(X + at, mask=mask).to(tl.float32)
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    t = 1 - 2 / (1 + tl.exp(2 * inner))
    tl.store(Out + at, (0.5 * x * (1 + t)).to(Out.dtype.element_ty), mask=mask)


@triton.jit
def gelu_erf(X, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(X + at, mask=mask).to(tl.float32)
    tl.store(Out + at, (0.5 * x * (1 + tl.erf(x * 0.70710678))).to(Out.dtype.element_ty), mask=mask)


@triton.jit
def silu_mul(X, Out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        mask = at < columns
        gate = tl.load(X + row * 2 * columns + at, mask=mask).to(tl.float32)
        up = tl.load(X + row * 2 * columns + columns + at, mask=mask).to(tl.float32)
        tl.store(Out + row * columns + at, (gate * tl.sigmoid(gate) * up).to(Out.dtype.element_ty), mask=mask)


@triton.jit
def dropout(X, Out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(X + at, mask=mask)
    keep = tl.rand(seed, at) > p
    tl.store(Out + at, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@triton.jit
def where_chain(X, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(X + at, mask=mask)
    y = tl.where(x > 1, x * 2, x)
    y = tl.where(y < -1, -y, y)
    y = tl.where((x > 0) & (y < 0.5), y + 3, y - 1)
    y = tl.minimum(tl.maximum(y, -2.0), 2.0)
    tl.store(Out + at, tl.where(at % 2 == 0, y, x), mask=mask)


@triton.jit
def convert(X, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(Out + at, tl.load(X + at, mask=mask).to(Out.dtype.element_ty), mask=mask)


@triton.jit
def strided_index(X, Out, n, W, stride, BLOCK: tl.constexpr):
    """The index arithmetic of generated code: rows and columns by division of a flat index."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    row, column = at // W, at % W
    tl.store(Out + at, tl.load(X + row * stride + column, mask=mask) * 2, mask=mask)


@triton.jit
def integer_division(X, Y, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(Out + at, tl.load(X + at, mask=mask) // tl.load(Y + at, mask=mask, other=1), mask=mask)


@triton.jit
def rotary(Q, Cos, Sin, Out, heads, HALF: tl.constexpr):
    position, head = tl.program_id(0), tl.program_id(1)
    at = tl.arange(0, HALF)
    base = (position * heads + head) * 2 * HALF
    low, high = tl.load(Q + base + at), tl.load(Q + base + HALF + at)
    c, s = tl.load(Cos + position * HALF + at), tl.load(Sin + position * HALF + at)
    tl.store(Out + base + at, low * c - high * s)
    tl.store(Out + base + HALF + at, high * c + low * s)


@triton.jit
def rotary_interleaved(Q, Cos, Sin, Out, heads, HALF: tl.constexpr):
    position = tl.program_id(0)
    at = tl.arange(0, HALF)
    c, s = tl.load(Cos + position * HALF + at), tl.load(Sin + position * HALF + at)
    for head in range(heads):
        base = (position * heads + head) * 2 * HALF
        even, odd = tl.load(Q + base + 2 * at), tl.load(Q + base + 2 * at + 1)
        tl.store(Out + base + 2 * at, even * c - odd * s)
        tl.store(Out + base + 2 * at + 1, odd * c + even * s)


@triton.jit
def rotary_joined(Q, Cos, Sin, Out, heads, HALF: tl.constexpr):
    position = tl.program_id(0)
    at = tl.arange(0, HALF)
    c, s = tl.load(Cos + position * HALF + at), tl.load(Sin + position * HALF + at)
    for head in range(heads):
        base = (position * heads + head) * 2 * HALF
        q = tl.load(Q + base + tl.arange(0, 2 * HALF))
        even, odd = tl.split(tl.reshape(q, (HALF, 2)))
        tl.store(Out + base + tl.arange(0, 2 * HALF), tl.interleave(even * c - odd * s, odd * c + even * s))


# Rows: softmax, norms, losses


@triton.jit
def softmax(X, Out, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Out + row * stride + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def softmax_rows(X, Out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    at = r[:, None] * columns + c[None, :]
    x = tl.load(X + at, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(Out + at, e / tl.sum(e, axis=1)[:, None], mask=mask)


@triton.jit
def softmax_online(X, Out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * columns
    Out += row * columns
    largest, total = -float("inf"), 0.0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < columns, other=-float("inf"))
        new = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new), axis=0)
        largest = new
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < columns, other=-float("inf"))
        tl.store(Out + at, tl.exp(x - largest) / total, mask=at < columns)


@triton.jit
def rms_norm(X, W, Out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(X + row * columns + at, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    w = tl.load(W + at, mask=mask).to(tl.float32)
    tl.store(Out + row * columns + at, (x * scale * w).to(Out.dtype.element_ty), mask=mask)


@triton.jit
def layer_norm_loops(X, Out, W, B, Mean, Rstd, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * columns
    Out += row * columns
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        sums += tl.load(X + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < columns, other=0.0).to(tl.float32)
        x = tl.where(at < columns, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        mask = at < columns
        w, b = tl.load(W + at, mask=mask), tl.load(B + at, mask=mask)
        x = tl.load(X + at, mask=mask, other=0.0).to(tl.float32)
        tl.store(Out + at, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def layer_norm_backward(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, columns, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    lock_id = row % GROUP
    Lock += lock_id
    Count = Lock + GROUP
    DW += lock_id * columns + at
    DB += lock_id * columns + at
    x = tl.load(X + row * columns + at, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + row * columns + at, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + at, mask=mask).to(tl.float32)
    mean, rstd = tl.load(Mean + row), tl.load(Rstd + row)
    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1, c2 = tl.sum(xhat * wdy, axis=0) / columns, tl.sum(wdy, axis=0) / columns
    tl.store(DX + row * columns + at, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    partial_dw, partial_db = dy * xhat, dy
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def column_sums(DW, Out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_M):
        rows = i + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        total += tl.load(DW + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Out + cols, tl.sum(total, axis=0), mask=cols < N)


@triton.jit
def cross_entropy(X, Y, Loss, DX, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    X += row * columns
    DX += row * columns
    y = tl.load(Y + row)
    largest, total = -float("inf"), 0.0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < columns, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(x))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new))
        largest = new
    tl.store(Loss + row, largest + tl.log(total) - tl.load(X + y).to(tl.float32))
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < columns, other=-float("inf")).to(tl.float32)
        g = tl.exp(x - largest) / total
        g = tl.where(at == y, g - 1, g)
        tl.store(DX + at, g.to(DX.dtype.element_ty), mask=at < columns)


# Reductions and scans of tiles


@triton.jit
def reduce_2d(X, Out, M, N, AXIS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(X + r[:, None] * N + c[None, :])
    s = tl.sum(x, axis=AXIS)
    if AXIS == 0:
        tl.store(Out + tl.program_id(0) * N + c, s)
    else:
        tl.store(Out + r * (N // BN) + tl.program_id(1), s)


@triton.jit
def argmax_2d(X, Out, N, AXIS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    s = tl.argmax(tl.load(X + r[:, None] * N + c[None, :]), axis=AXIS)
    if AXIS == 0:
        tl.store(Out + tl.program_id(0) * N + c, s)
    else:
        tl.store(Out + r * (N // BN) + tl.program_id(1), s)


@triton.jit
def reduce_3d(X, Out, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    base = tl.program_id(0) * A * B * C
    x = tl.load(X + base + a[:, None, None] * (B * C) + b[None, :, None] * C + c[None, None, :])
    s = tl.sum(x, axis=AXIS)
    if AXIS == 0:
        tl.store(Out + tl.program_id(0) * B * C + b[:, None] * C + c[None, :], s)
    elif AXIS == 1:
        tl.store(Out + tl.program_id(0) * A * C + a[:, None] * C + c[None, :], s)
    else:
        tl.store(Out + tl.program_id(0) * A * B + a[:, None] * B + b[None, :], s)


@triton.jit
def argmax_row(X, Out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(X + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(Out + row, tl.argmax(x, axis=0))


@triton.jit
def welford_combine(mean_a, m2_a, w_a, mean_b, m2_b, w_b):
    delta = mean_b - mean_a
    w = w_a + w_b
    ratio = tl.where(w == 0.0, 0.0, w_b / w)
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * w_a * ratio, w


@triton.jit
def welford(X, Mean, Var, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(X + row * columns + at)
    mean, m2, w = tl.reduce((x, tl.zeros([BLOCK], tl.float32), tl.full([BLOCK], 1.0, tl.float32)), 0, welford_combine)
    tl.store(Mean + row, mean)
    tl.store(Var + row, m2 / w)


@triton.jit
def cumsum_2d(X, Out, N, AXIS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    at = r[:, None] * N + c[None, :]
    tl.store(Out + at, tl.cumsum(tl.load(X + at), axis=AXIS))


@triton.jit
def linear_recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scan_recurrence(A, B, Out, N, AXIS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    at = r[:, None] * N + c[None, :]
    _, h = tl.associative_scan((tl.load(A + at), tl.load(B + at)), AXIS, linear_recurrence)
    tl.store(Out + at, h)


@triton.jit
def scan_row(A, B, Out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    _, h = tl.associative_scan((tl.load(A + at), tl.load(B + at)), 0, linear_recurrence)
    tl.store(Out + at, h)


# Products


@triton.jit
def matvec(A, X, Out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros([BM], dtype=tl.float32)
    for start in range(0, N, BN):
        c = start + tl.arange(0, BN)
        mask = (r[:, None] < M) & (c[None, :] < N)
        a = tl.load(A + r[:, None] * N + c[None, :], mask=mask, other=0.0).to(tl.float32)
        x = tl.load(X + c, mask=c < N, other=0.0).to(tl.float32)
        total += tl.sum(a * x[None, :], axis=1)
    tl.store(Out + r, total, mask=r < M)


@triton.jit
def vecmat(A, X, Out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    c = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros([BN], dtype=tl.float32)
    for start in range(0, M, BM):
        r = start + tl.arange(0, BM)
        a = tl.load(A + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        x = tl.load(X + r, mask=r < M, other=0.0)
        total += tl.sum(a * x[:, None], axis=0)
    tl.store(Out + c, total, mask=c < N)


@triton.jit
def matmul(
    A,
    B,
    C,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    scm,
    scn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    ACC: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * tiles_n
    group = pid // in_group
    first = group * GROUP
    size = min(tiles_m - first, GROUP)
    pid_m = first + ((pid % in_group) % size)
    pid_n = (pid % in_group) // size
    offs_am = (pid_m * BM + tl.arange(0, BM)) % M
    offs_bn = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = A + (offs_am[:, None] * sam + offs_k[None, :] * sak)
    b_ptrs = B + (offs_k[:, None] * sbk + offs_bn[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BK, other=0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    offs_cm = pid_m * BM + tl.arange(0, BM)
    offs_cn = pid_n * BN + tl.arange(0, BN)
    c_ptrs = C + scm * offs_cm[:, None] + scn * offs_cn[None, :]
    mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, acc.to(C.dtype.element_ty), mask=mask)


@triton.jit
def matmul_block_pointers(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    a = tl.make_block_ptr(A, (M, K), (K, 1), (pid_m * BM, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(B, (K, N), (N, 1), (0, pid_n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)))
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(C, (M, N), (N, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    tl.store(c, acc.to(C.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def matmul_descriptors(A, B, C, M, N, K, programs, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Persistent."""
    a = tl.make_tensor_descriptor(A, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(B, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c = tl.make_tensor_descriptor(C, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    tiles_n = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, programs):
        m, n = (tile // tiles_n) * BM, (tile % tiles_n) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        c.store([m, n], acc.to(C.dtype.element_ty))


@triton.jit
def batched_matmul(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    A += batch * M * K
    B += batch * K * N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        acc += tl.dot(
            tl.load(A + m[:, None] * K + (start + k)[None, :]), tl.load(B + (start + k)[:, None] * N + n[None, :])
        )
    tl.store(C + batch * M * N + m[:, None] * N + n[None, :], acc)


@triton.jit
def split_k(A, B, C, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, tl.cdiv(K, BK * SPLIT)):
        left = K - start * BK * SPLIT
        a = tl.load(A + m[:, None] * K + (start * BK * SPLIT + k)[None, :], mask=k[None, :] < left, other=0.0)
        b = tl.load(B + (start * BK * SPLIT + k)[:, None] * N + n[None, :], mask=k[:, None] < left, other=0.0)
        acc += tl.dot(a, b)
    tl.atomic_add(C + m[:, None] * N + n[None, :], acc)


@triton.jit
def dequantised_matmul(A, Q, Scales, C, M, N, K, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of 4 bits, eight along k in an int32; a scale for every G of them."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    shift = (k % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(A + m[:, None] * K + (start + k)[None, :])
        q = tl.load(Q + ((start + k) // 8)[:, None] * N + n[None, :])
        s = tl.load(Scales + ((start + k) // G)[:, None] * N + n[None, :])
        b = (((q >> shift[:, None]) & 15) - 8).to(tl.float32) * s
        acc = tl.dot(a, b.to(a.dtype), acc)
    tl.store(C + m[:, None] * N + n[None, :], acc)


@triton.jit
def convolution(
    X,
    W,
    Out,
    batch,
    C,
    H,
    Wd,
    K,
    R: tl.constexpr,
    S: tl.constexpr,
    P,
    Q,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """NCHW, stride 1, no padding, as an implicit product."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    image, pixel = m // (P * Q), m % (P * Q)
    p, q = pixel // Q, pixel % Q
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, C * R * S, BK):
        k = start + tl.arange(0, BK)
        c, r, s = k // (R * S), (k // S) % R, k % S
        at = (
            image[:, None] * (C * H * Wd)
            + c[None, :] * (H * Wd)
            + (p[:, None] + r[None, :]) * Wd
            + q[:, None]
            + s[None, :]
        )
        x = tl.load(X + at, mask=(image[:, None] < batch) & (k[None, :] < C * R * S), other=0.0)
        w = tl.load(
            W + n[None, :] * (C * R * S) + k[:, None], mask=(n[None, :] < K) & (k[:, None] < C * R * S), other=0.0
        )
        acc = tl.dot(x, w, acc)
    at = image[:, None] * (K * P * Q) + n[None, :] * (P * Q) + pixel[:, None]
    tl.store(Out + at, acc, mask=(image[:, None] < batch) & (n[None, :] < K))


# Attention


@triton.jit
def attention(Q, K, V, Out, Lse, scale, N, CAUSAL: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start = tl.program_id(0) * BM
    base = tl.program_id(1) * N * D
    m, d = start + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(Q + base + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    largest = tl.full([BM], -float("inf"), dtype=tl.float32)
    end = start + BM if CAUSAL else N
    for first in range(0, end, BN):
        n = first + tl.arange(0, BN)
        k = tl.load(K + base + n[:, None] * D + d[None, :])
        s = tl.dot(q, tl.trans(k)) * (scale * 1.44269504)
        if CAUSAL:
            s = tl.where(m[:, None] >= n[None, :], s, -float("inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        shrink = tl.math.exp2(largest - new)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        v = tl.load(V + base + n[:, None] * D + d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc)
        largest = new
    tl.store(Lse + tl.program_id(1) * N + m, largest + tl.math.log2(total))
    tl.store(Out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(Out.dtype.element_ty))


@triton.jit
def attention_backward(
    Q,
    K,
    V,
    DO,
    DQ,
    DK,
    DV,
    Lse,
    Delta,
    scale,
    N,
    CAUSAL: tl.constexpr,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    """dK and dV of a block of keys, dQ by atomics."""
    first = tl.program_id(0) * BN
    base = tl.program_id(1) * N * D
    row = tl.program_id(1) * N
    n, d = first + tl.arange(0, BN), tl.arange(0, D)
    k = tl.load(K + base + n[:, None] * D + d[None, :])
    v = tl.load(V + base + n[:, None] * D + d[None, :])
    dk = tl.zeros([BN, D], dtype=tl.float32)
    dv = tl.zeros([BN, D], dtype=tl.float32)
    begin = first if CAUSAL else 0
    for start in range(begin, N, BM):
        m = start + tl.arange(0, BM)
        at = base + m[:, None] * D + d[None, :]
        q, do = tl.load(Q + at), tl.load(DO + at)
        lse, delta = tl.load(Lse + row + m), tl.load(Delta + row + m)
        p = tl.math.exp2(tl.dot(q, tl.trans(k)) * (scale * 1.44269504) - lse[:, None])
        if CAUSAL:
            p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        dv = tl.dot(tl.trans(p.to(do.dtype)), do, dv)
        ds = p * (tl.dot(do, tl.trans(v)) - delta[:, None]) * scale
        dk = tl.dot(tl.trans(ds.to(q.dtype)), q, dk)
        tl.atomic_add(DQ + at, tl.dot(ds.to(k.dtype), k), sem="relaxed")
    tl.store(DK + base + n[:, None] * D + d[None, :], dk)
    tl.store(DV + base + n[:, None] * D + d[None, :], dv)


# Movement


@triton.jit
def transpose(X, Out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(X + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N))
    tl.store(Out + c[:, None] * M + r[None, :], tl.trans(x), mask=(c[:, None] < N) & (r[None, :] < M))


@triton.jit
def permute_102(X, Out, A, B, C, BA: tl.constexpr, BB: tl.constexpr, BC: tl.constexpr):
    """(A, B, C) to (B, A, C), C contiguous in both."""
    a = tl.program_id(0) * BA + tl.arange(0, BA)
    b = tl.program_id(1) * BB + tl.arange(0, BB)
    c = tl.arange(0, BC)
    x = tl.load(X + a[:, None, None] * (B * C) + b[None, :, None] * C + c[None, None, :])
    tl.store(Out + b[:, None, None] * (A * C) + a[None, :, None] * C + c[None, None, :], tl.permute(x, (1, 0, 2)))


@triton.jit
def flip(X, Out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(Out + at, tl.flip(tl.load(X + at)))


@triton.jit
def embedding(Index, Table, Out, D: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.load(Index + r)
    d = tl.arange(0, D)
    tl.store(Out + r[:, None] * D + d[None, :], tl.load(Table + i[:, None] * D + d[None, :]))


@triton.jit
def embedding_backward(Index, DOut, DTable, D: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.load(Index + r)
    d = tl.arange(0, D)
    tl.atomic_add(DTable + i[:, None] * D + d[None, :], tl.load(DOut + r[:, None] * D + d[None, :]), sem="relaxed")


@triton.jit
def gather_elements(X, Index, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(Out + at, tl.load(X + tl.load(Index + at, mask=mask, other=0), mask=mask), mask=mask)


@triton.jit
def gather_in_block(X, Index, Out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(Out + at, tl.gather(tl.load(X + at), tl.load(Index + at), 0))


@triton.jit
def atomic_add_row(X, Out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.atomic_add(Out + at, tl.load(X + at, mask=mask), mask=mask, sem="relaxed")


@triton.jit
def histogram(X, Out, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.histogram(tl.load(X + at), BINS)
    tl.atomic_add(Out + tl.arange(0, BINS), h, sem="relaxed")


@triton.jit
def sort_rows(X, Out, N: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = r[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(Out + at, tl.sort(tl.load(X + at)))


@triton.jit
def sort_row(X, Out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(Out + at, tl.sort(tl.load(X + at)))


@triton.jit
def topk_row(X, Out, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(X + row * N + tl.arange(0, N))
    tl.store(Out + row * K + tl.arange(0, K), tl.topk(x, K))


@triton.jit
def mandelbrot(Out, W, steps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cx, cy = (at % W) * (3.0 / W) - 2.0, (at // W) * (3.0 / W) - 1.5
    x, y = tl.zeros([BLOCK], tl.float32), tl.zeros([BLOCK], tl.float32)
    count = tl.zeros([BLOCK], tl.int32)
    for _ in range(steps):
        inside = x * x + y * y < 4
        new = x * x - y * y + cx
        y = tl.where(inside, 2 * x * y + cy, y)
        x = tl.where(inside, new, x)
        count += inside.to(tl.int32)
    tl.store(Out + at, count)


@triton.jit
def nothing(X):
    pass


@triton.jit
def one_element(X, Out):
    i = tl.program_id(0)
    tl.store(Out + i, tl.load(X + i) + 1)
