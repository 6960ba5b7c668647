"""
Programmatic dependent launch
=============================

Kernels that start before the one in front of them has ended. You will see:

* `gdc_launch_dependents`: what follows may start now,
* `gdc_wait`: from here on we read what the kernel in front of us wrote,
* `launch_pdl=True`, without which neither means anything.

Run it with `python tutorials/11-programmatic-dependent-launch.py`. It needs torch; without a GPU of compute capability 9.0 or newer the
same kernel runs, one launch after the other.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_CPU = DEVICE.type == "cpu"
HAS_PDL = not ON_CPU and torch.cuda.get_device_capability()[0] >= 9

# The idea
# --------
#
# Between two kernels of a stream a GPU is idle for a microsecond or two: the second one's blocks are not placed before the first has
# ended. What a kernel does before it reads anything, it could do in that time. With `launch_pdl=True` it is started early: as soon as every
# program of the kernel in front has called `gdc_launch_dependents` (or has ended). It must then call `gdc_wait` before it reads what that
# kernel writes: this waits until the kernel in front has ended and its writes can be seen.


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr, USE_GDC: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    if USE_GDC:
        # What is above may run beside the kernel in front of us. What is below may read what it wrote.
        tl.extra.cuda.gdc_wait()
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    if USE_GDC:
        # The next kernel may be placed on processors that we leave idle. It will wait for us before it reads.
        tl.extra.cuda.gdc_launch_dependents()
    tl.store(output_ptr + offsets, x + y, mask=mask)


def add(x, y, use_pdl=HAS_PDL):
    output = torch.empty_like(x)
    n = output.numel()
    options = {"launch_pdl": True} if use_pdl else {}
    add_kernel[(triton.cdiv(n, 1024),)](x, y, output, n, BLOCK_SIZE=1024, USE_GDC=use_pdl, **options)
    return output


# Is it right?
# ------------
#
# A chain of sums, each of which reads what the one before wrote.

torch.manual_seed(0)
x = torch.randn(1 << 16, device=DEVICE)
chained, expected = x, x
for _ in range(50):
    chained, expected = add(chained, x), expected + x
torch.testing.assert_close(chained, expected)
print("a chain of 50 launches matches torch")

# Is it fast?
# -----------


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[2**i for i in (range(16, 20) if ON_CPU else range(16, 28, 2))],
        x_log=True,
        line_arg="provider",
        line_vals=["pdl", "plain"] if HAS_PDL else ["plain"],
        line_names=["Triton, PDL", "Triton"] if HAS_PDL else ["Triton"],
        ylabel="GB/s",
        plot_name="pdl-performance",
        args={},
    )
)
def benchmark(size, provider):
    x = torch.rand(size, device=DEVICE)
    y = torch.rand(size, device=DEVICE)
    measure = triton.testing.do_bench if ON_CPU else triton.testing.do_bench_cudagraph
    ms, low, high = measure(lambda: add(x, y, provider == "pdl"), quantiles=[0.5, 0.2, 0.8])
    rate = lambda ms: 3 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


benchmark.run(print_data=True, save_path=".")
