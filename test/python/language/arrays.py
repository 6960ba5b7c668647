"""Inputs for language tests: torch tensors of every dtype, with the values that find bugs, and their references in numpy."""

import numpy as np
import torch
import triton
import triton.language as tl

INTS = ["int8", "int16", "int32", "int64"]
UINTS = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]

TORCH = {name: getattr(torch, name) for name in INTS + UINTS + FLOATS + ["bool"]}
LANGUAGE = {**{name: getattr(tl, name) for name in INTS + UINTS + FLOATS}, "bool": tl.int1}


def is_float(dtype):
    return dtype in FLOATS


def values(dtype, n, seed=0, low=None, high=None):
    """`n` values of `dtype`: small ones, random ones and the extremes."""
    generator = np.random.default_rng(seed)
    if dtype == "bool":
        return torch.from_numpy(generator.integers(0, 2, n).astype(bool))
    if is_float(dtype):
        data = generator.standard_normal(n) if low is None else generator.uniform(low, high, n)
        return torch.from_numpy(data).to(TORCH[dtype])
    info = np.iinfo(dtype)
    low, high = info.min if low is None else low, info.max if high is None else high
    data = generator.integers(low, high, n, dtype=dtype, endpoint=True)
    return (
        torch.from_numpy(data.view("int64") if dtype == "uint64" else data).view(TORCH[dtype])
        if dtype == "uint64"
        else torch.from_numpy(data)
    )


def reference(tensor):
    """The tensor as a numpy array that holds its values exactly."""
    if tensor.dtype == torch.bfloat16:
        return tensor.float().numpy()
    return tensor.numpy()


def random_bits(dtype, shape, seed=0):
    """A tensor of `dtype` whose elements are any bits: infinities, NaNs and subnormal numbers included."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = getattr(torch, dtype)
    count, generator = int(np.prod(shape)), np.random.default_rng(seed)
    data = generator.integers(0, 256, max(count, 1) * dtype.itemsize, dtype="uint8")
    if dtype == torch.bool:
        return torch.from_numpy(data[:count] % 2 == 1).view(shape)
    return torch.from_numpy(data).view(dtype)[:count].view(shape)


def bits(tensor):
    """The bits of a tensor's elements, as an array of unsigned numbers."""
    width = tensor.element_size()
    view = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[width]
    return tensor.contiguous().view(view).numpy().view(f"uint{8 * width}")


def ctas(wanted):
    """As many CTAs for each program as the GPU can give it, at most `wanted`."""
    target = triton.runtime.driver.active.get_current_target()
    return wanted if target.backend == "cuda" and target.arch >= 90 else 1
