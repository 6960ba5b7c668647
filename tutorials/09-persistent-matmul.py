"""
Persistent matrix multiplication
================================

One program for each processor of the GPU, which takes tile after tile. You will see:

* a loop over tiles around the loop over K, and `tl.range(..., flatten=True)`, which makes one of the two,
* tensor descriptors made by the host, and their block shapes set by a hook of the autotuner,
* tensor descriptors made by the kernel,
* an epilogue in two halves, which needs half the shared memory,
* `launch_metadata`, with which a profiler learns what a launch computes, and the profiler that comes with Triton.

Run it with `python tutorials/09-persistent-matmul.py`: it needs no GPU, but torch.
"""

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.viewer as proton_viewer
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_CPU = DEVICE.type == "cpu"
ON_AMD = triton.runtime.driver.active.get_current_target().backend == "hip"

# The idea
# --------
#
# A launch of one program per tile leaves two gaps: a program that starts has nothing to multiply until its first blocks have come, and
# while it stores its tile the tensor cores are idle. In the last wave, most processors may have no tile at all. A persistent kernel starts
# as many programs as there are processors; each takes tiles `start`, `start + NUM_SMS`, `start + 2 * NUM_SMS`, … With both loops flattened
# into one, blocks of the next tile are on their way while the last ones of this tile are multiplied.
#
# All kernels compute C = A B^T, with A (M x K) and B (N x K) both running along K.


def report(grid, kernel, args):
    """What a profiler shows beside a launch: its name, and how much it computes and moves."""
    M, N, K = args["M"], args["N"], args["K"]
    c = args.get("c_ptr", args.get("c_desc"))
    bits = 8 * (c.base if isinstance(c, TensorDescriptor) else c).element_size()
    return {"name": f"{kernel.name} [M={M}, N={N}, K={K}]", f"flops{bits}": 2.0 * M * N * K, "bytes": bits // 8 * (M * K + N * K + M * N)}  # fmt: skip


@triton.jit
def tile_place(tile, num_pid_m, num_pid_n, GROUP_SIZE_M: tl.constexpr):
    """Row and column of a tile, in groups of rows (see the tutorial on matrix multiplication)."""
    tiles_in_group = GROUP_SIZE_M * num_pid_n
    first = tile // tiles_in_group * GROUP_SIZE_M
    rows = min(num_pid_m - first, GROUP_SIZE_M)
    return first + tile % rows, tile % tiles_in_group // rows


def configurations(pre_hook=None, subtiles=(False,)):
    if ON_CPU:
        shapes = [(64, 64, 64, 4, 1), (128, 128, 64, 4, 1)]
    elif ON_AMD:  # what the next iteration needs lies in registers: two stages
        shapes = [(128, 128, 32, 4, 2), (128, 128, 64, 4, 2), (256, 128, 32, 8, 2)]
    else:
        shapes = [(128, n, k, w, s) for n, w in ((128, 4), (256, 8)) for k, s in ((64, 3), (64, 4))]
    return [
        triton.Config(
            {"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": 8, **({"EPILOGUE_SUBTILE": s} if len(subtiles) > 1 else {})},
            num_warps=warps, num_stages=stages, pre_hook=pre_hook,
        )
        for m, n, k, warps, stages in shapes
        for s in subtiles
    ]  # fmt: skip


# With pointers
# -------------


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.jit(launch_metadata=report)
def matmul_kernel_persistent(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_bn,
    stride_cm,
    NUM_SMS: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
):
    start = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    # The epilogue counts its tiles by itself: once the loops are one, `tile` may already be the next one's when a tile is stored.
    stored = start - NUM_SMS
    for tile in tl.range(start, num_pid_m * num_pid_n, NUM_SMS, flatten=True):
        pid_m, pid_n = tile_place(tile, num_pid_m, num_pid_n, GROUP_SIZE_M)
        rows = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
        columns = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        # Outside of the matrices any row that exists will do, as its products are not stored.
        rows = tl.max_contiguous(tl.multiple_of(tl.where(rows < M, rows, 0), BLOCK_SIZE_M), BLOCK_SIZE_M)
        columns = tl.max_contiguous(tl.multiple_of(tl.where(columns < N, columns, 0), BLOCK_SIZE_N), BLOCK_SIZE_N)
        accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_SIZE_K):
            depth = k + tl.arange(0, BLOCK_SIZE_K)
            a = tl.load(a_ptr + rows[:, None] * stride_am + depth[None, :], mask=depth[None, :] < K, other=0.0)
            b = tl.load(b_ptr + columns[:, None] * stride_bn + depth[None, :], mask=depth[None, :] < K, other=0.0)
            accumulator = tl.dot(a, b.T, accumulator)

        stored += NUM_SMS
        pid_m, pid_n = tile_place(stored, num_pid_m, num_pid_n, GROUP_SIZE_M)
        rows = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
        columns = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        c = accumulator.to(c_ptr.dtype.element_ty)
        tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :], c, mask=mask)


def num_programs(tiles):
    processors = 4 if ON_CPU else torch.cuda.get_device_properties(DEVICE).multi_processor_count
    return min(processors, tiles)


def grid(M, N):
    return lambda meta: (num_programs(triton.cdiv(M, meta["BLOCK_SIZE_M"]) * triton.cdiv(N, meta["BLOCK_SIZE_N"])),)


def matmul_persistent(a, b):
    (M, K), N = a.shape, b.shape[0]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    sms = num_programs(1 << 30)
    matmul_kernel_persistent[grid(M, N)](a, b, c, M, N, K, a.stride(0), b.stride(0), c.stride(0), NUM_SMS=sms)
    return c


# With descriptors of the host
# ----------------------------
#
# A descriptor is made for blocks of one shape, and which shape is best is what the autotuner is to find out. So it is made with any, and
# a hook that runs before each launch of a configuration sets the shape which that configuration needs.


def set_block_shapes(args):
    m, n, k = args["BLOCK_SIZE_M"], args["BLOCK_SIZE_N"], args["BLOCK_SIZE_K"]
    args["a_desc"].block_shape = [m, k]
    args["b_desc"].block_shape = [n, k]
    args["c_desc"].block_shape = [m, n // 2 if args["EPILOGUE_SUBTILE"] else n]


@triton.autotune(configs=configurations(set_block_shapes, subtiles=(False, True)), key=["M", "N", "K"])
@triton.jit(launch_metadata=report)
def matmul_kernel_tma_persistent(
    a_desc,
    b_desc,
    c_desc,
    M,
    N,
    K,
    NUM_SMS: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
    EPILOGUE_SUBTILE: tl.constexpr,
    WARP_SPECIALIZE: tl.constexpr,
):
    start = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    stored = start - NUM_SMS
    for tile in tl.range(start, num_pid_m * num_pid_n, NUM_SMS, flatten=True, warp_specialize=WARP_SPECIALIZE):
        pid_m, pid_n = tile_place(tile, num_pid_m, num_pid_n, GROUP_SIZE_M)
        accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_SIZE_K):
            a = a_desc.load([pid_m * BLOCK_SIZE_M, k])
            b = b_desc.load([pid_n * BLOCK_SIZE_N, k])
            accumulator = tl.dot(a, b.T, accumulator)

        stored += NUM_SMS
        pid_m, pid_n = tile_place(stored, num_pid_m, num_pid_n, GROUP_SIZE_M)
        row, column = pid_m * BLOCK_SIZE_M, pid_n * BLOCK_SIZE_N
        if EPILOGUE_SUBTILE:
            # A tile's stores pass through shared memory. In halves, they need half of it, and there is room for one more stage of loads.
            halves = tl.permute(tl.reshape(accumulator, (BLOCK_SIZE_M, 2, BLOCK_SIZE_N // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c_desc.store([row, column], left.to(c_desc.dtype))
            c_desc.store([row, column + BLOCK_SIZE_N // 2], right.to(c_desc.dtype))
        else:
            c_desc.store([row, column], accumulator.to(c_desc.dtype))


def matmul_tma_persistent(a, b, warp_specialize=False):
    (M, K), N = a.shape, b.shape[0]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    any_shape = [1, 16]
    descriptors = [TensorDescriptor(x, x.shape, x.stride(), any_shape) for x in (a, b, c)]
    sms = num_programs(1 << 30)
    matmul_kernel_tma_persistent[grid(M, N)](*descriptors, M, N, K, NUM_SMS=sms, WARP_SPECIALIZE=warp_specialize)
    return c


# With descriptors of the kernel
# ------------------------------


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.jit(launch_metadata=report)
def matmul_kernel_descriptor_persistent(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    NUM_SMS: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
    FLATTEN: tl.constexpr,
):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_SIZE_M, BLOCK_SIZE_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_SIZE_N, BLOCK_SIZE_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_SIZE_M, BLOCK_SIZE_N])
    start = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    stored = start - NUM_SMS
    for tile in tl.range(start, num_pid_m * num_pid_n, NUM_SMS, flatten=FLATTEN):
        pid_m, pid_n = tile_place(tile, num_pid_m, num_pid_n, GROUP_SIZE_M)
        accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_SIZE_K):
            a = a_desc.load([pid_m * BLOCK_SIZE_M, k])
            b = b_desc.load([pid_n * BLOCK_SIZE_N, k])
            accumulator = tl.dot(a, b.T, accumulator)
        stored += NUM_SMS
        pid_m, pid_n = tile_place(stored, num_pid_m, num_pid_n, GROUP_SIZE_M)
        c_desc.store([pid_m * BLOCK_SIZE_M, pid_n * BLOCK_SIZE_N], accumulator.to(c_ptr.dtype.element_ty))


def matmul_descriptor_persistent(a, b, flatten=True):
    (M, K), N = a.shape, b.shape[0]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    if not ON_CPU:  # where the kernel's descriptors will lie
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device=DEVICE, dtype=torch.int8))
    sms = num_programs(1 << 30)
    matmul_kernel_descriptor_persistent[grid(M, N)](a, b, c, M, N, K, NUM_SMS=sms, FLATTEN=flatten)
    return c


# Are they right?
# ---------------

KERNELS = {
    "persistent": matmul_persistent,
    "descriptors": matmul_tma_persistent,
    "descriptors, warps specialised": lambda a, b: matmul_tma_persistent(a, b, warp_specialize=True),
    "descriptors of the kernel": matmul_descriptor_persistent,
    "the same, not flattened": lambda a, b: matmul_descriptor_persistent(a, b, flatten=False),
}

torch.manual_seed(0)
for M, N, K in [(32, 32, 32), (200, 264, 136) if ON_CPU else (8192, 8192, 512)]:
    a = torch.randn((M, K), device=DEVICE).half()
    b = torch.randn((N, K), device=DEVICE).half()
    expected = (a.float() @ b.float().T).half()
    for name, matmul in KERNELS.items():
        torch.testing.assert_close(matmul(a, b), expected, atol=2e-1, rtol=1e-2)
        print(f"{M} x {N} x {K}: {name} matches torch")

# Are they fast?
# --------------


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["K"],
        x_vals=[256, 512] if ON_CPU else [512, 1024, 2048, 4096, 8192],
        line_arg="provider",
        line_vals=[*KERNELS, "torch"],
        line_names=["Triton, " + name for name in KERNELS] + ["Torch"],
        ylabel="GFLOPS" if ON_CPU else "TFLOPS",
        plot_name="persistent-matmul-performance",
        args={},
    )
)
def benchmark(K, provider):
    M = N = 512 if ON_CPU else 8192
    a = torch.randn((M, K), device=DEVICE).half()
    b = torch.randn((N, K), device=DEVICE).half()
    run = KERNELS.get(provider, lambda a, b: a @ b.T)
    ms, low, high = triton.testing.do_bench(lambda: run(a, b), quantiles=[0.5, 0.2, 0.8])
    rate = lambda ms: 2 * M * N * K * (1e-9 if ON_CPU else 1e-12) / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


benchmark.run(print_data=True, save_path=".")

# Where does the time go?
# -----------------------
#
# The profiler measures every kernel by itself, without the time between launches. `hook="triton"` shows kernels of Triton with the names and numbers
# that `report` gives; what a library computes is said by a scope around it.


def profile(K, repetitions):
    M = N = 256 if ON_CPU else 8192
    a = torch.randn((M, K), device=DEVICE).half()
    b = torch.randn((N, K), device=DEVICE).half()
    for run in KERNELS.values():  # tuned before anything is measured
        run(a, b)
    session = proton.start("matmul", hook="triton")
    for _ in range(repetitions):
        with proton.scope(
            f"torch [M={M}, N={N}, K={K}]", {"flops16": 2 * M * N * K, "bytes": 2 * (M * K + N * K + M * N)}
        ):
            a @ b.T
        for name, run in KERNELS.items():
            with proton.scope(name):
                run(a, b)
    proton.finalize(session)
    unit = "gflop16/s" if ON_CPU else "tflop16/s"
    proton_viewer.print_tree(*proton_viewer.parse([unit, "avg_time/us"], "matmul.hatchet"))


profile(K=256 if ON_CPU else 4096, repetitions=3 if ON_CPU else 100)
