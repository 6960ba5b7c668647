import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride, BM: tl.constexpr, BN: tl.constexpr, ACT: tl.constexpr = "relu"):
    pid_m = tl.program_id(0) // tl.cdiv(N, BN)
    pid_n = tl.program_id(0) % tl.cdiv(N, BN)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, 16)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    a_ptrs = a_ptr + rm[:, None] * stride + rk[None, :]
    b_ptrs = b_ptr + rk[:, None] * stride + rn[None, :]
    for k in range(0, K, 16):
        a = tl.load(a_ptrs, mask=rk[None, :] < K - k, other=0.0)
        b = tl.load(b_ptrs, mask=rk[:, None] < K - k, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += 16
        b_ptrs += 16 * stride
    if ACT == "relu":
        acc = relu(acc)
    tl.store(c_ptr + rm[:, None] * stride + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))
