"""What hints about indices do to the code of a GPU that need not be there."""

import re

import gpu_code
import triton
import triton.language as tl


@triton.jit
def shifted_kernel(x_ptr, start_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Nobody but the hint knows that groups of four begin at multiples of four."""
    index = tl.max_contiguous(tl.multiple_of(tl.load(start_ptr) + tl.arange(0, BLOCK), 4), 4)
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + (index + n)))


@triton.jit
def plain_kernel(x_ptr, start_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.load(start_ptr) + tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + (index + n)))


def wide_loads(kernel):
    signature = {"x_ptr": "*fp32", "start_ptr": "*i32", "out_ptr": "*fp32", "n": "i32", "BLOCK": 1024}
    return len(re.findall(r"ld\.global\S*\.v4", gpu_code.compile(kernel, signature).asm["ptx"]))


def test_hints_outlive_a_sum():
    assert wide_loads(shifted_kernel) > 0
    assert wide_loads(plain_kernel) == 0
