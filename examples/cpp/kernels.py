"""Kernels for the C++ example. The same file works in Python: `from kernels import add_kernel`."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def softmax_kernel(out_ptr, in_ptr, row_stride, n_columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_columns
    values = tl.load(in_ptr + row * row_stride + columns, mask=mask, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out_ptr + row * row_stride + columns, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_a,
    stride_b,
    stride_c,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    ACTIVATION: tl.constexpr = None,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_a + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * stride_b + columns[None, :]
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(inner[:, None] < K - k) & (columns[None, :] < N), other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
    if ACTIVATION == "relu":
        accumulator = relu(accumulator)
    tl.store(
        c_ptr + rows[:, None] * stride_c + columns[None, :],
        accumulator,
        mask=(rows[:, None] < M) & (columns[None, :] < N),
    )
