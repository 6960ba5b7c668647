"""Kernels that are compiled ahead of time and linked into C and C++ programs."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b, row-major; the strides of a are free."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak, mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0)  # fmt: skip
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < K) & (columns[None, :] < N), other=0.0)  # fmt: skip
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def meet(counter_ptr, out_ptr, n):
    """Nobody goes on before all have come; then each writes how many have."""
    tl.atomic_add(counter_ptr, 1)
    while tl.atomic_add(counter_ptr, 0) < n:
        pass
    tl.store(out_ptr + tl.program_id(0), tl.load(counter_ptr, volatile=True))
