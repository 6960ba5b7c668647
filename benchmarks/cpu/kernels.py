"""The kernels that the benchmark measures, with their launches."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


@triton.jit
def softmax_kernel(output_ptr, input_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row_start = tl.program_id(0) * row_stride
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_cols
    row = tl.load(input_ptr + row_start + offsets, mask=mask, other=-float("inf"))
    numerator = tl.exp(row - tl.max(row, axis=0))
    tl.store(output_ptr + row_start + offsets, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def layer_norm_kernel(X, Y, W, B, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    centred = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / N + eps)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    b = tl.load(B + cols, mask=mask).to(tl.float32)
    tl.store(Y + row * stride + cols, centred * rstd * w + b, mask=mask)


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    pid = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    offs_m = (pid // columns) * BM + tl.arange(0, BM)
    offs_n = (pid % columns) * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :]
    accumulator = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < M) & (offs_k[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < K - k) & (offs_n[None, :] < N), other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BK
        b_ptrs += BK * stride_bk
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :]
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=mask)


def add(out, x, y, block=4096):
    n = x.shape[0]
    add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK_SIZE=block)


def softmax(out, x):
    rows, cols = x.shape
    softmax_kernel[(rows,)](out, x, cols, cols, BLOCK_SIZE=triton.next_power_of_2(cols))


def layer_norm(out, x, w, b):
    rows, cols = x.shape
    layer_norm_kernel[(rows,)](x, out, w, b, cols, cols, 1e-5, BLOCK_SIZE=triton.next_power_of_2(cols))


def matmul(out, a, b, tile):
    (M, K), N = a.shape, b.shape[1]
    grid = (triton.cdiv(M, tile) * triton.cdiv(N, tile),)
    matmul_kernel[grid](a, b, out, M, N, K, K, N, N, BM=tile, BN=tile, BK=64)
