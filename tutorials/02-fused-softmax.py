"""
Fused softmax
=============

A softmax over the rows of a matrix, in one kernel that reads each element once. You will see:

* why fusing pays: how much memory traffic a chain of separate operations costs,
* reductions over a block,
* a loop inside a kernel, so that a fixed number of programs can share any number of rows,
* blocks that are larger than the row they hold.

Run it with `python tutorials/02-fused-softmax.py`: it needs no GPU.
"""

import numpy as np
import triton
import triton.language as tl

try:
    import torch
except ImportError:
    torch = None

DEVICE = triton.runtime.driver.active.get_active_torch_device() if torch else "cpu"
ON_CPU = "cpu" in str(DEVICE)
library = torch or np


def on_device(array):
    return torch.from_numpy(array).to(DEVICE) if torch else array


# What a chain of operations costs
# --------------------------------
#
# Written with whole-array operations, each step reads a matrix from memory and writes one back. For M rows of N columns that is
# 5MN + 2M elements read and 3MN + 2M written, where 2MN would do: read the matrix, write the result.


def naive_softmax(x):
    maximum = (
        x.max(axis=1, keepdims=True) if isinstance(x, np.ndarray) else x.max(dim=1, keepdim=True)[0]
    )  # reads MN, writes M
    shifted = x - maximum  # reads MN + M, writes MN
    numerator = np.exp(shifted) if isinstance(x, np.ndarray) else torch.exp(shifted)  # reads MN, writes MN
    denominator = numerator.sum(1)  # reads MN, writes M
    return numerator / denominator[:, None]  # reads MN + M, writes MN


# The kernel
# ----------
#
# A program holds a whole row as one block. Block lengths are powers of two and rows are not, so the block is the next power of two and
# what lies beyond the row is loaded as -inf: it changes neither the maximum nor, after exp, the sum.
#
# Subtracting the maximum first keeps exp from overflowing, and changes nothing in the result.
#
# Programs take rows in turn: program 0 the rows 0, P, 2P, … of P programs. `num_stages` allows the compiler, where the hardware can, to
# load the next rows while it works on this one.


@triton.jit
def softmax_kernel(
    output_ptr,
    input_ptr,
    input_row_stride,
    output_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
    num_stages: tl.constexpr,
):
    first_row = tl.program_id(0)
    step = tl.num_programs(0)
    for row_idx in tl.range(first_row, n_rows, step, num_stages=num_stages):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float("inf"))
        numerator = tl.exp(row - tl.max(row, axis=0))
        denominator = tl.sum(numerator, axis=0)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, numerator / denominator, mask=mask)


# How many programs?
# ------------------
#
# On the CPU a program is a call, and the cores take calls from a queue: one program per row keeps all of them busy to the end.
#
# On a GPU programs run side by side on each multiprocessor, as many as its registers and shared memory hold. To start exactly that many,
# compile without launching (`warmup`), and ask the compiled kernel what it uses.


def programs_that_fit(kernel, num_warps):
    properties = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)
    kernel._init_handles()
    registers_per_program = kernel.n_regs * properties["warpSize"] * num_warps
    per_multiprocessor = properties["max_num_regs"] // registers_per_program
    if kernel.metadata.shared:
        per_multiprocessor = min(per_multiprocessor, properties["max_shared_mem"] // kernel.metadata.shared)
    return properties["multiprocessor_count"] * per_multiprocessor


programs = {}


def softmax(x):
    n_rows, n_cols = x.shape
    y = library.empty_like(x)
    # Strides count elements: how far the next row is.
    stride = lambda a: a.stride(0) if torch else a.strides[0] // a.itemsize
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = 8
    arguments = (y, x, stride(x), stride(y), n_rows, n_cols, BLOCK_SIZE, 2)
    if ON_CPU:
        num_programs = n_rows
    else:
        if n_cols not in programs:
            kernel = softmax_kernel.warmup(*arguments, num_warps=num_warps, grid=(1,))
            programs[n_cols] = programs_that_fit(kernel, num_warps)
        num_programs = min(programs[n_cols], n_rows)
    softmax_kernel[(num_programs, 1, 1)](*arguments, num_warps=num_warps)
    return y


# Is it right?
# ------------
#
# An odd shape: 781 columns in a block of 1024.

rng = np.random.default_rng(0)
x = rng.standard_normal((1823, 781), dtype=np.float32)
expected = naive_softmax(x)
actual = softmax(on_device(x))
actual = actual.cpu().numpy() if torch else actual
print(f"The maximum difference between numpy and triton is {np.max(np.abs(expected - actual)):.2e}")
assert np.allclose(expected, actual)

# Is it fast?
# -----------
#
# GB/s count what must move at least: the matrix once in, the result once out.

others = {"torch": "Torch"} if torch else {}
others["naive"] = "Naive softmax"


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["N"],
        x_vals=[256 * i for i in range(1, 17)] if ON_CPU else [128 * i for i in range(2, 100)],
        line_arg="provider",
        line_vals=["triton", *others],
        line_names=["Triton", *others.values()],
        ylabel="GB/s",
        plot_name="softmax-performance",
        args={"M": 1024 if ON_CPU else 4096},
    )
)
def benchmark(M, N, provider):
    x = torch.randn((M, N), device=DEVICE) if torch else rng.standard_normal((M, N), dtype=np.float32)
    run = {"triton": lambda: softmax(x), "torch": lambda: torch.softmax(x, dim=-1), "naive": lambda: naive_softmax(x)}[
        provider
    ]
    ms, low, high = triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8])
    gigabytes_per_second = lambda ms: 2 * M * N * 4 * 1e-9 / (ms * 1e-3)
    return gigabytes_per_second(ms), gigabytes_per_second(high), gigabytes_per_second(low)


benchmark.run(print_data=True, save_path=".")
