"""
Functions of libraries
======================

Functions that the language itself does not have. You will see:

* `libdevice`: about 200 mathematical functions under the names of NVIDIA's library, on every target,
* that their argument types decide which function is meant,
* a kernel that fetches its function by name.

Run it with `python tutorials/07-extern-functions.py`: it needs no GPU, but torch.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

DEVICE = triton.runtime.driver.active.get_active_torch_device()

# asin
# ----
#
# `tl` has the functions most kernels need: exp, log, sin, sqrt and some more. The others are in `libdevice`. On NVIDIA GPUs a call
# becomes a call of the function of that name in the library that comes with CUDA; on the CPU the compiler brings its own. The
# function of float32 and that of float64 have one name here: the type of the argument decides. A type for which there is no function is
# an error when the kernel is compiled; nothing is converted behind your back.


@triton.jit
def asin_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, libdevice.asin(x), mask=mask)


def asin(x, **options):
    y = torch.empty_like(x)
    n_elements = x.numel()
    asin_kernel[(triton.cdiv(n_elements, 1024),)](x, y, n_elements, BLOCK_SIZE=1024, **options)
    return y


torch.manual_seed(0)
x = torch.rand(98432, device=DEVICE)
print(torch.asin(x))
print(asin(x))
for dtype, tolerance in ((torch.float32, 1e-6), (torch.float64, 1e-14)):
    difference = (asin(x.to(dtype)) - torch.asin(x.to(dtype))).abs().max().item()
    print(f"{dtype}: the maximum difference between torch and triton is {difference:.1e}")
    assert difference <= tolerance

# Another library
# ---------------
#
# A launch may name the file that a library is read from: `extern_libs={"libdevice": path}`. On NVIDIA GPUs that is a file of LLVM
# bitcode, which is linked into the kernel. Where no file is given, the one that comes with the compiler is used.

# By name
# -------
#
# Modules are known when a kernel is compiled, and so are strings that are passed as constexpr: `getattr` finds the function then. One
# kernel serves a whole family.


@triton.jit
def elementwise_kernel(x_ptr, y_ptr, n_elements, NAME: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, getattr(libdevice, NAME)(x), mask=mask)


references = {
    "tanh": torch.tanh, "log1p": torch.log1p, "expm1": torch.expm1, "erfinv": torch.erfinv, "lgamma": torch.lgamma,
    "cyl_bessel_i0": torch.special.i0, "atan": torch.atan, "cosh": torch.cosh,
}  # fmt: skip
x = torch.linspace(0.01, 0.99, 4096, device=DEVICE)
for name, reference in references.items():
    y = torch.empty_like(x)
    elementwise_kernel[(4,)](x, y, 4096, NAME=name, BLOCK_SIZE=1024)
    difference = (y - reference(x)).abs().max().item()
    print(f"{name:15} the maximum difference between torch and triton is {difference:.1e}")
    assert difference <= 1e-5
