"""
Matrix multiplication
=====================

A tiled product of matrices that keeps pace with the vendors' libraries. You will see:

* blocks of two dimensions, and pointers to them from row and column strides,
* a loop that carries an accumulator, and `tl.dot`,
* why the order in which programs take tiles matters to the cache,
* the autotuner, which tries several tilings and keeps the fastest,
* an activation fused into the kernel.

Run it with `python tutorials/03-matrix-multiplication.py`: it needs no GPU, but torch.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_CPU = DEVICE.type == "cpu"
ON_AMD = triton.runtime.driver.active.get_current_target().backend == "hip"

# The idea
# --------
#
# To multiply A (M x K) by B (K x N), cut C into tiles of BLOCK_SIZE_M x BLOCK_SIZE_N. A program computes one tile: it walks along K,
# each time loads a block of A and a block of B, and adds their product to an accumulator. Each element loaded is used BLOCK_SIZE times.
#
# Pointers to a block: element [i, j] of a row-major matrix lies at `base + i * stride_row + j * stride_column`. Indexing a block with
# [:, None] makes a column of it and with [None, :] a row, and broadcasting does the rest.
#
# Which program takes which tile? In plain row order, by the time the second row of tiles begins, the columns of B that it needs have
# long left the cache. Going through GROUP_SIZE_M rows of tiles together, column after column, uses what is there:
#
#     plain order         groups of 2 rows
#     0  1  2  3           0  2  4  6
#     4  5  6  7           1  3  5  7
#     8  9 10 11           8 10 12 14
#
# The autotuner compiles the kernel once for each of these configurations, measures them at the first launch with new sizes (`key`), and
# remembers the best.


def configurations():
    if ON_AMD:
        # A wave has 64 lanes, and loads of the next iteration lie in registers while this one is computed: two stages. One read of an operand may feed two
        # matrix instructions (kpack), and small instructions often win (matrix_instr_nonkdim).
        tiles = [(256, 256, 32, 8, 16), (256, 128, 32, 8, 16), (128, 128, 64, 4, 16), (128, 128, 32, 4, 32), (64, 64, 32, 4, 16)]  # fmt: skip
        tiles = tiles[-1:] if ON_CPU else tiles  # simulated
        return [
            triton.Config(
                {
                    "BLOCK_SIZE_M": m,
                    "BLOCK_SIZE_N": n,
                    "BLOCK_SIZE_K": k,
                    "GROUP_SIZE_M": 8,
                    "matrix_instr_nonkdim": size,
                    "kpack": 2,
                },
                num_stages=2,
                num_warps=warps,
            )  # fmt: skip
            for m, n, k, warps, size in tiles
        ]
    if ON_CPU:
        # (rows, columns, depth) of the blocks. Large tiles reuse more, and small ones waste less at the edges.
        tiles = [(128, 128, 64), (64, 64, 64), (32, 64, 64)]
        return [
            triton.Config({"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": 4})
            for m, n, k in tiles
        ]
    tiles = [
        (128, 256, 64, 3, 8),
        (64, 256, 32, 4, 4),
        (128, 128, 32, 4, 4),
        (128, 64, 32, 4, 4),
        (64, 128, 32, 4, 4),
        (64, 32, 32, 5, 2),
    ]
    return [
        triton.Config(
            {"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": 8},
            num_stages=stages,
            num_warps=warps,
        )
        for m, n, k, stages, warps in tiles
    ]


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
    ACTIVATION: tl.constexpr,
):
    # Which tile is ours?
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    programs_in_group = GROUP_SIZE_M * num_pid_n
    first_pid_m = (pid // programs_in_group) * GROUP_SIZE_M
    rows_in_group = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (pid % programs_in_group) % rows_in_group
    pid_n = (pid % programs_in_group) // rows_in_group

    # Promises that the compiler may use when it simplifies addresses.
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)

    # The first blocks. Rows and columns beyond the edge wrap around instead of being masked: what they compute is never stored, and
    # the loop needs no mask for them.
    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)

    # Along K, in float32 whatever the inputs are.
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    # ACTIVATION is a constexpr: this is decided when the kernel is compiled, and costs nothing when it runs.
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)

    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=c_mask)


# A kernel may call other jitted functions; they become part of it.
@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


def matmul(a, b, activation=""):
    assert a.shape[1] == b.shape[0], f"cannot multiply {tuple(a.shape)} by {tuple(b.shape)}"
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_SIZE_M"]) * triton.cdiv(N, meta["BLOCK_SIZE_N"]),)
    matmul_kernel[grid](
        a,
        b,
        c,
        M,
        N,
        K,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        c.stride(0),
        c.stride(1),
        ACTIVATION=activation,
    )
    return c


# Is it right?
# ------------


def check(dtype, tolerance, shape=(512, 512, 512), activation=""):
    M, N, K = shape
    a = torch.rand((M, K), device=DEVICE) - 0.5
    b = torch.rand((K, N), device=DEVICE) - 0.5
    a, b = a.to(dtype), b.to(dtype)
    expected = a.float() @ b.float()
    if activation:
        expected = torch.nn.functional.leaky_relu(expected, 0.01)
    error = (matmul(a, b, activation).float() - expected).abs().max().item()
    verdict = "matches" if error <= tolerance else "DIFFERS FROM"
    print(
        f"{str(dtype):15} {M} x {N} x {K} {activation or 'plain':10} triton {verdict} torch, largest difference {error:.1e}"
    )
    assert error <= tolerance


torch.manual_seed(0)
IS_EXACT = triton.runtime.driver.active.get_current_target().backend == "cpu"
check(torch.float32, 1e-4 if IS_EXACT else 2e-2)  # a GPU multiplies float32 as tf32, with 10 bits of mantissa
check(torch.float16, 1e-2)
check(torch.bfloat16, 1e-1)
check(torch.float16, 1e-2, (400, 300, 200), "leaky_relu")

# Is it fast?
# -----------
#
# A product of N x N matrices is 2N³ additions and multiplications. On a GPU this shows float16 on the tensor cores; on the CPU float32.

vendor = "Torch (CPU)" if ON_CPU else "Torch (rocBLAS)" if torch.version.hip else "Torch (cuBLAS)"


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["M", "N", "K"],
        x_vals=[128 * i for i in range(1, 9)] if ON_CPU else [128 * i for i in range(2, 33)],
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", vendor],
        ylabel="GFLOPS" if ON_CPU else "TFLOPS",
        plot_name="matmul-performance-" + ("fp32" if ON_CPU else "fp16"),
        args={},
    )
)
def benchmark(M, N, K, provider):
    dtype = torch.float32 if ON_CPU else torch.float16
    a = torch.randn((M, K), device=DEVICE, dtype=dtype)
    b = torch.randn((K, N), device=DEVICE, dtype=dtype)
    run = (lambda: matmul(a, b)) if provider == "triton" else (lambda: torch.matmul(a, b))
    ms, low, high = triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8])
    rate = lambda ms: 2 * M * N * K * (1e-9 if ON_CPU else 1e-12) / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


benchmark.run(print_data=True, save_path=".")
