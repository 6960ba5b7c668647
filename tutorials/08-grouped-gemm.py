"""
Grouped matrix multiplication
=============================

Many products of different sizes in one launch. You will see:

* pointers to pointers: a kernel that finds its matrices through arrays of addresses,
* a launch whose size does not depend on the work: a fixed number of programs that take tile after tile,
* tensor descriptors made inside of a kernel, while it walks from one problem to the next.

Run it with `python tutorials/08-grouped-gemm.py`: it needs no GPU, but torch.
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
# A mixture of experts multiplies a few rows by one matrix, some more by another, and so on: products that are each too small to keep a
# machine busy. Launched one after the other they leave most of it idle. In one launch, program 0 takes the first tile of the first problem,
# program 1 the next one, and when a program is done it goes on NUM_SM tiles further, into the next problem if need be. So all of them are
# busy until the end.
#
#     problem     0        1     2
#     tiles       0 1 2 3  4 5   6 7 8       with three programs, program 0 takes 0, 3, 6
#
# The host hands over three arrays of addresses, the sizes (M, N, K of each problem) and the distances between rows.


def configurations():
    if ON_CPU:
        return [
            triton.Config({"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": 32}) for m, n in ((64, 64), (128, 128))
        ]
    if ON_AMD:  # what the next iteration needs lies in registers: two stages
        return [
            triton.Config(
                {"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "kpack": 2}, num_warps=w, num_stages=2
            )
            for m, n, k, w in ((256, 128, 32, 8), (128, 128, 32, 4), (128, 128, 64, 4), (64, 64, 32, 4))
        ]
    return [
        triton.Config({"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k}, num_warps=w, num_stages=s)
        for m, n, k, w, s in ((128, 128, 32, 4, 4), (64, 64, 32, 4, 4), (128, 128, 64, 8, 3), (64, 128, 64, 4, 3))
    ]


@triton.autotune(configs=configurations(), key=["group_size"])
@triton.jit
def grouped_matmul_kernel(
    group_a_ptrs,
    group_b_ptrs,
    group_c_ptrs,
    group_gemm_sizes,
    g_lds,
    group_size,
    NUM_SM: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
):
    tile = tl.program_id(0)
    first_tile = 0  # of the problem at hand
    for g in range(group_size):
        M = tl.load(group_gemm_sizes + g * 3)
        N = tl.load(group_gemm_sizes + g * 3 + 1)
        K = tl.load(group_gemm_sizes + g * 3 + 2)
        columns = tl.cdiv(N, BLOCK_SIZE_N)
        last_tile = first_tile + tl.cdiv(M, BLOCK_SIZE_M) * columns
        # A while loop, since how many tiles of this problem are ours is not known.
        while tile < last_tile:
            lda = tl.load(g_lds + g * 3)
            ldb = tl.load(g_lds + g * 3 + 1)
            ldc = tl.load(g_lds + g * 3 + 2)
            # An address is an integer until the kernel says what it points to.
            a_ptr = tl.load(group_a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(group_b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(group_c_ptrs + g).to(tl.pointer_type(tl.float16))
            row = (tile - first_tile) // columns * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
            column = (tile - first_tile) % columns * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
            depth = tl.arange(0, BLOCK_SIZE_K)
            a_ptrs = a_ptr + row[:, None] * lda + depth[None, :]
            b_ptrs = b_ptr + depth[:, None] * ldb + column[None, :]
            accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
            for k in range(0, K, BLOCK_SIZE_K):
                a = tl.load(a_ptrs, mask=(row[:, None] < M) & (depth[None, :] < K - k), other=0.0)
                b = tl.load(b_ptrs, mask=(depth[:, None] < K - k) & (column[None, :] < N), other=0.0)
                accumulator = tl.dot(a, b, accumulator)
                a_ptrs += BLOCK_SIZE_K
                b_ptrs += BLOCK_SIZE_K * ldb
            c_ptrs = c_ptr + row[:, None] * ldc + column[None, :]
            tl.store(c_ptrs, accumulator.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
            tile += NUM_SM
        first_tile = last_tile


# The launch
# ----------


def addresses(tensors):
    return torch.tensor([tensor.data_ptr() for tensor in tensors], device=DEVICE, dtype=torch.int64)


def arguments(group_a, group_b, group_c):
    """What both kernels read: addresses, sizes, distances between rows."""
    sizes = [(a.shape[0], c.shape[1], a.shape[1]) for a, c in zip(group_a, group_c)]
    lds = [(a.stride(0), b.stride(0), c.stride(0)) for a, b, c in zip(group_a, group_b, group_c)]
    numbers = lambda rows: torch.tensor(rows, device=DEVICE, dtype=torch.int32).flatten()
    return addresses(group_a), addresses(group_b), addresses(group_c), numbers(sizes), numbers(lds), len(sizes)


def num_programs():
    return 4 if ON_CPU else torch.cuda.get_device_properties(DEVICE).multi_processor_count


def group_gemm(group_a, group_b):
    group_c = [torch.empty((a.shape[0], b.shape[1]), device=DEVICE, dtype=a.dtype) for a, b in zip(group_a, group_b)]
    count = num_programs()
    grouped_matmul_kernel[(count,)](*arguments(group_a, group_b, group_c), NUM_SM=count)
    return group_c


# With descriptors
# ----------------
#
# A tensor descriptor says where a matrix lies, how large it is and in which blocks it is taken. Loads and stores through it need no
# masks: what lies outside reads as zero and is not written. Newer GPUs copy whole blocks by descriptor without the help of the program.
# Here each problem has its own, so they are made in the kernel. B comes transposed, so that both operands run along K.


@triton.autotune(configs=configurations(), key=["group_size"])
@triton.jit
def grouped_matmul_descriptor_kernel(
    group_a_ptrs,
    group_b_ptrs,
    group_c_ptrs,
    group_gemm_sizes,
    g_lds,
    group_size,
    NUM_SM: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
):
    tile = tl.program_id(0)
    first_tile = 0
    for g in range(group_size):
        M = tl.load(group_gemm_sizes + g * 3)
        N = tl.load(group_gemm_sizes + g * 3 + 1)
        K = tl.load(group_gemm_sizes + g * 3 + 2)
        columns = tl.cdiv(N, BLOCK_SIZE_N)
        last_tile = first_tile + tl.cdiv(M, BLOCK_SIZE_M) * columns
        if tile < last_tile:
            a_ptr = tl.load(group_a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(group_b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(group_c_ptrs + g).to(tl.pointer_type(tl.float16))
            a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [tl.load(g_lds + g * 3), 1], [BLOCK_SIZE_M, BLOCK_SIZE_K])
            b_desc = tl.make_tensor_descriptor(
                b_ptr, [N, K], [tl.load(g_lds + g * 3 + 1), 1], [BLOCK_SIZE_N, BLOCK_SIZE_K]
            )
            c_desc = tl.make_tensor_descriptor(
                c_ptr, [M, N], [tl.load(g_lds + g * 3 + 2), 1], [BLOCK_SIZE_M, BLOCK_SIZE_N]
            )
            while tile < last_tile:
                row = (tile - first_tile) // columns * BLOCK_SIZE_M
                column = (tile - first_tile) % columns * BLOCK_SIZE_N
                accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
                for k in range(0, K, BLOCK_SIZE_K):
                    a = a_desc.load([row, k])
                    b = b_desc.load([column, k])
                    accumulator = tl.dot(a, b.T, accumulator)
                c_desc.store([row, column], accumulator.to(tl.float16))
                tile += NUM_SM
        first_tile = last_tile


def group_gemm_descriptors(group_a, group_b_transposed):
    group_c = [
        torch.empty((a.shape[0], b.shape[0]), device=DEVICE, dtype=a.dtype) for a, b in zip(group_a, group_b_transposed)
    ]
    count = num_programs()
    grouped_matmul_descriptor_kernel[(count,)](*arguments(group_a, group_b_transposed, group_c), NUM_SM=count)
    return group_c


if not ON_CPU:
    # Descriptors that a kernel makes on a GPU lie in memory that the host provides.
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device=DEVICE, dtype=torch.int8))

# Is it right?
# ------------

torch.manual_seed(0)
scale = 4 if ON_CPU else 1
shapes = [(1024, 1024, 1024), (512, 512, 512), (256, 256, 256), (128, 128, 128)]
group_a, group_b = [], []
for M, N, K in shapes:
    group_a.append(torch.rand((M // scale, K // scale), device=DEVICE).half())
    group_b.append(torch.rand((K // scale, N // scale), device=DEVICE).half())
expected = [(a.float() @ b.float()).half() for a, b in zip(group_a, group_b)]
by_descriptors = group_gemm_descriptors(group_a, [b.T.contiguous() for b in group_b])
for shape, c, d, reference in zip(shapes, group_gemm(group_a, group_b), by_descriptors, expected):
    torch.testing.assert_close(c, reference, atol=1e-2, rtol=1e-2)
    torch.testing.assert_close(d, reference, atol=1e-2, rtol=1e-2)
    print(f"{' x '.join(str(size // scale) for size in shape):20} both kernels match torch")

# Is it fast?
# -----------
#
# Four products of N x N matrices, together and one after the other.


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["N"],
        x_vals=[2**i for i in (range(6, 10) if ON_CPU else range(7, 11))],
        line_arg="provider",
        line_vals=["triton", "descriptors", "torch"],
        line_names=["Triton", "Triton, descriptors", "Torch, one by one"],
        ylabel="GFLOPS",
        plot_name="group-gemm-performance",
        args={},
    )
)
def benchmark(N, provider):
    group_a = [torch.rand((N, N), device=DEVICE).half() for _ in range(4)]
    group_b = [torch.rand((N, N), device=DEVICE).half() for _ in range(4)]
    group_b_transposed = [b.T.contiguous() for b in group_b]
    run = {
        "triton": lambda: group_gemm(group_a, group_b),
        "descriptors": lambda: group_gemm_descriptors(group_a, group_b_transposed),
        "torch": lambda: [a @ b for a, b in zip(group_a, group_b)],
    }[provider]
    ms, low, high = triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8])
    rate = lambda ms: 4 * 2 * N**3 * 1e-9 / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


benchmark.run(print_data=True, save_path=".")
