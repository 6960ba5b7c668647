"""
Vector addition
===============

The smallest kernel that shows how Triton thinks. You will see:

* what a *program* is, and how a launch starts many of them,
* how a program works on a whole block of elements at a time,
* how masks keep the last block inside the array,
* how to measure a kernel and draw the result.

Run it with `python tutorials/01-vector-add.py`: it needs no GPU. Where there is one, the same kernel runs there.
"""

import numpy as np
import triton
import triton.language as tl

# Kernels take numpy arrays, torch tensors, and anything else that can say where its memory is. With torch installed this tutorial uses
# tensors on the active device; without it, numpy arrays.
try:
    import torch
except ImportError:
    torch = None

DEVICE = triton.runtime.driver.active.get_active_torch_device() if torch else "cpu"
ON_CPU = "cpu" in str(DEVICE)
library = torch or np


def on_device(array):
    return torch.from_numpy(array).to(DEVICE) if torch else array


# The kernel
# ----------
#
# A launch runs this function many times: each run is a program, with a number of its own, `tl.program_id`. No program knows of the
# others, so they may run in any order and at once: on the CPU they are shared out to the cores.
#
# A program does not handle one element but BLOCK_SIZE of them. `offsets` is a block of integers, `x_ptr + offsets` a block of
# pointers, and each line below acts on a whole block. BLOCK_SIZE is `constexpr`: known when the kernel is compiled, because the shape
# of every block is.


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    # The last block usually reaches beyond the end. Where the mask is false nothing is loaded, and nothing stored.
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


# The launch
# ----------
#
# `add_kernel[grid](...)` starts the programs. The grid says how many: a tuple of up to three numbers, or a function that makes one
# from the constexprs, so that block sizes are written down in one place. Arrays arrive in the kernel as pointers to their first element.
# The first launch compiles the kernel for these argument types; later ones find it ready.


def add(x, y):
    output = library.empty_like(x)
    n_elements = output.shape[0]
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=1024)
    return output


# Is it right?
# ------------
#
# 98432 is not a multiple of 1024, so that the mask has something to do.

rng = np.random.default_rng(0)
size = 98432
x, y = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)
expected = x + y
actual = add(on_device(x), on_device(y))
actual = actual.cpu().numpy() if torch else actual
print(expected)
print(actual)
difference = np.max(np.abs(expected - actual))
print(f"The maximum difference between numpy and triton is {difference}")
assert difference == 0

# Is it fast?
# -----------
#
# An addition reads two arrays and writes one, and does next to nothing in between: what counts is how many bytes a second pass through.
# `triton.testing.perf_report` runs the function for every size and every line, prints a table and draws a plot; `do_bench` times one
# call, and gives the median with the 20th and 80th percentile.

others = {"torch": "Torch"} if torch else {}
others |= {"numpy": "NumPy"} if ON_CPU else {}


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[2**i for i in range(12, 25 if ON_CPU else 28)],
        x_log=True,
        line_arg="provider",
        line_vals=["triton", *others],
        line_names=["Triton", *others.values()],
        ylabel="GB/s",
        plot_name="vector-add-performance",
        args={},
    )
)
def benchmark(size, provider):
    host_x, host_y = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)
    x, y = on_device(host_x), on_device(host_y)
    run = {"triton": lambda: add(x, y), "torch": lambda: x + y, "numpy": lambda: host_x + host_y}[provider]
    ms, low, high = triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8])
    gigabytes_per_second = lambda ms: 3 * size * 4 * 1e-9 / (ms * 1e-3)
    return gigabytes_per_second(ms), gigabytes_per_second(high), gigabytes_per_second(low)


benchmark.run(print_data=True, save_path=".")
