"""
Low-memory dropout
==================

Dropout without a mask in memory: which elements survive is computed, from a seed, whenever it is asked for. You will see:

* why random numbers in kernels come from a counter and not from a state,
* `tl.rand`, and how a seed makes a result repeatable,
* how the backward pass draws the same numbers again instead of reading them.

Run it with `python tutorials/04-low-memory-dropout.py`: it needs no GPU, but torch.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()

# With a mask
# -----------
#
# Dropout sets each element to zero with probability p, and scales the others by 1 / (1 - p) so that their sum stays the same on average.
# The plain way is to draw a mask first. It is as long as x, it is written once and read twice (the gradient needs it too), and it has to
# be kept until the gradient has been computed.


@triton.jit
def _dropout(x_ptr, x_keep_ptr, output_ptr, n_elements, p, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.load(x_keep_ptr + offsets, mask=mask)
    # Both sides are computed, then one is taken. A division by zero is only possible for p = 1, where nothing is kept.
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def grid(meta):
    return (triton.cdiv(meta["n_elements"], meta["BLOCK_SIZE"]),)


def dropout(x, keep, p):
    output = torch.empty_like(x)
    _dropout[grid](x, keep, output, x.numel(), p, BLOCK_SIZE=1024)
    return output


def show(**rows):
    """A small table."""
    for name, values in rows.items():
        print(f"{name:20}" + "".join(f"{value:9.4g}" for value in values.tolist()))


torch.manual_seed(0)
p = 0.5
x = torch.randn(10, device=DEVICE)
keep = torch.rand(10, device=DEVICE) > p
show(input=x, keep=keep.int(), output=dropout(x, keep, p))
torch.testing.assert_close(dropout(x, keep, p), x * keep / (1 - p))

# Without a mask
# --------------
#
# A generator with a state would make programs wait for each other: each number follows from the one before. `tl.rand(seed, offsets)`
# is a function instead: it scrambles a seed and a counter (the Philox construction) so thoroughly that the results pass for random. The
# counter here is the element's own offset. So every program finds its numbers by itself, in any order, and finds the same ones again
# whenever it is given the same seed.


@triton.jit
def _seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def seeded_dropout(x, p, seed):
    output = torch.empty_like(x)
    _seeded_dropout[grid](x, output, x.numel(), p, seed, BLOCK_SIZE=1024)
    return output


first, again, other = (seeded_dropout(x, p, seed) for seed in (123, 123, 512))
show(**{"input": x, "seed 123": first, "seed 123 again": again, "seed 512": other})
assert torch.equal(first, again) and not torch.equal(first, other)

# In a network
# ------------
#
# The gradient of dropout is dropout of the gradient, with the same elements kept. What forward leaves for backward is one integer.


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        return seeded_dropout(x, p, seed)

    @staticmethod
    def backward(ctx, gradient):
        return seeded_dropout(gradient.contiguous(), ctx.p, ctx.seed), None, None


x = torch.randn(1_000_000, device=DEVICE, requires_grad=True)
y = Dropout.apply(x, 0.3, 7)
y.sum().backward()
kept = (y != 0).float().mean().item()
print(f"of {x.numel()} elements {kept:.2%} are kept, wanted 70%")
assert abs(kept - 0.7) < 0.005
torch.testing.assert_close(x.grad, (y != 0).float() / 0.7)
print("the gradient keeps the elements that were kept")
