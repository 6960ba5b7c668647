"""Comparisons for tests, with tolerances that suit matrix products, and a way to run a test under the GPU's sanitizer."""

from __future__ import annotations

import functools
import inspect
import os
import subprocess
import sys

import torch

from .numerics import (
    MAX_FINITE_FLOAT8E4B8,
    MAX_FINITE_FLOAT8E4NV,
    MAX_FINITE_FLOAT8E5,
)

_MAX_TOLERANCE, _RMS_TOLERANCE = 2e-2, 4e-3


def assert_equal(ref, tri):
    """Equality of tensors (shape and every element), or of anything else."""
    if isinstance(ref, torch.Tensor):
        assert isinstance(tri, torch.Tensor), f"a tensor is expected, not {type(tri).__name__}"
        assert ref.shape == tri.shape, f"shapes differ: {tuple(ref.shape)} is expected, not {tuple(tri.shape)}"
        assert torch.all(ref == tri), f"{int((ref != tri).sum())} of {ref.numel()} elements differ"
    else:
        assert ref == tri, f"{ref} is expected, not {tri}"


def _as_float(x):
    return x.to(torch.float32)


def assert_close(ref, tri, maxtol=None, rmstol=None, description="--", verbose=True):
    """Compares with a reference. Errors are relative to the larger of an element's magnitude and the root mean square of all. Numbers of 8 bits that both
    have must be the same, unless a tolerance is given."""
    if tri.dtype.itemsize == 1:
        as_type = ref.to(tri.dtype)
        if ref.dtype == tri.dtype and maxtol is None and rmstol is None:
            assert torch.equal(as_type.view(torch.uint8), tri.view(torch.uint8)), f"{description}: elements differ"
            return
        ref = as_type
    assert ref.shape == tri.shape, f"{description}: shape {tuple(ref.shape)} is expected, not {tuple(tri.shape)}"
    maxtol = _MAX_TOLERANCE if maxtol is None else maxtol
    rmstol = _RMS_TOLERANCE if rmstol is None else rmstol
    if ref.numel() == 0:
        return
    ref, tri = _as_float(ref.detach()), _as_float(tri.detach()).to(ref.device)
    infinite = torch.isinf(ref)
    assert torch.equal(infinite, torch.isinf(tri)), f"{description}: infinities differ"
    assert torch.equal(ref[infinite], tri[infinite]), f"{description}: the signs of infinities differ"
    nan = torch.isnan(ref)
    assert torch.equal(nan, torch.isnan(tri)), f"{description}: NaNs differ"
    left_out = infinite | nan
    ref, tri = ref.masked_fill(left_out, 0), tri.masked_fill(left_out, 0)
    rms = torch.sqrt(torch.mean(ref.double() ** 2)).float()
    error = (ref - tri).abs() / torch.maximum(rms, ref.abs()).clamp(min=1e-30)
    largest, mean = error.max().item(), torch.sqrt(torch.mean(error.double() ** 2)).item()
    if verbose:
        print(
            f"{description}: largest relative error {largest:.3g} (limit {maxtol}), root mean square {mean:.3g} (limit {rmstol})"
        )
    if largest > maxtol:
        at = [index.item() for index in torch.unravel_index(error.argmax(), error.shape)]
        shown = f"{ref[tuple(at)].item():.6g} is expected, not {tri[tuple(at)].item():.6g}, at {at}"
        raise AssertionError(f"{description}: relative error {largest:.3g} is above {maxtol}: {shown}")
    assert mean <= rmstol, f"{description}: root mean square error {mean:.3g} is above {rmstol}"


def compute_actual_scale(x, dtype, per_batch_scale=False):
    """The scale that flexpoint finds for `x` stored as `dtype`; one, or one per batch."""
    largest = {
        torch.float8_e5m2: MAX_FINITE_FLOAT8E5,
        torch.float8_e4m3fn: MAX_FINITE_FLOAT8E4NV,
        torch.float8_e4m3fnuz: MAX_FINITE_FLOAT8E4B8,
    }[dtype]
    absmax = x.abs().amax(dim=tuple(range(1, x.ndim))) if per_batch_scale else x.abs().max()
    return absmax / largest


def _slice_sizes(n_slices, total, device):
    """Sizes that add up to `total`, one of them zero; always the same."""
    if n_slices == 1:
        return torch.tensor([total], dtype=torch.int32, device=device)
    generator = torch.Generator().manual_seed(n_slices)
    weights = torch.rand(n_slices, generator=generator).to(device)
    weights[torch.randint(n_slices, (1,), generator=generator)] = 0
    ends = torch.round(torch.cumsum(weights, 0) / weights.sum().clamp(min=1e-9) * total).to(torch.int32)
    ends[-1] = total
    return torch.diff(ends, prepend=ends.new_zeros(1))


def _random_values(shape, dtype, mxfp_dim, device):
    """Normally distributed; numbers of 8 bits without scales are powers of two whose sums are exact in any order, so that results round alike."""
    if dtype.torch_dtype.itemsize > 1 or mxfp_dim is not None:
        return torch.randn(shape, device=device)
    signs = 1.0 - 2.0 * torch.randint(0, 2, shape, device=device)
    return signs * torch.exp2(-torch.randint(4, 8, shape, device=device).float())


def make_random_tensor(
    shape,
    n_slices,
    ragged_dim,
    device,
    dtype,
    mxfp_dim=None,
    transpose=False,
    ragged_padding=False,
    squeeze_batch_dim=False,
    is_mx_rowmajor=False,
    value_hbm_swizzling=None,
    scale_hbm_swizzling=None,
    slice_sizes_divisibility=None,
):
    """(tensor, its MX scales or None, its RaggedTensorMetadata or None) for products.

    `dtype` has `torch_dtype`, and says with `has_mx_scale` and `is_mxfloat4` what it is. Without `ragged_dim` there are `n_slices` batches. With
    `ragged_padding` slices are padded with zeros to a multiple of 128 (`slice_sizes_divisibility`) along it. `transpose` makes the last dimension but
    one that of stride 1. The layouts rearrange values and scales; that of scales may be a function of the metadata.
    """
    from .numerics_details.mxfp import downcast_to_mxfp
    from .tensor import FP4, convert_layout, make_ragged_tensor_metadata, wrap_torch_tensor

    rows, columns = shape
    metadata, sizes = None, None
    if ragged_dim is not None:
        total = shape[ragged_dim]
        sizes = _slice_sizes(n_slices, total, device)
        padded = sizes
        step = slice_sizes_divisibility
        if ragged_padding:
            step = step or 128
            padded = (sizes + step - 1) // step * step
        n_total = int(padded.sum()) if ragged_padding else total
        metadata = make_ragged_tensor_metadata(padded, n_total)
        metadata.slice_sizes_divisibility = step if ragged_padding else slice_sizes_divisibility
        full = [rows, columns]
        full[ragged_dim] = n_total
        data = _random_values(full, dtype, mxfp_dim, device)
        if ragged_padding:
            begins = torch.cumsum(padded, 0) - padded
            for begin, size, room in zip(begins.tolist(), sizes.tolist(), padded.tolist()):
                data.narrow(ragged_dim, begin + size, room - size).zero_()
    else:
        data = _random_values((n_slices, rows, columns), dtype, mxfp_dim, device)
        data = data.squeeze(0) if squeeze_batch_dim and n_slices == 1 else data
    scales = None
    if mxfp_dim is None:
        data = data.to(dtype.torch_dtype)
        if transpose:
            data = data.mT.contiguous().mT
        return data, None, metadata
    data, scales = downcast_to_mxfp(data.to(torch.bfloat16), dtype.torch_dtype, axis=mxfp_dim)
    if is_mx_rowmajor and dtype.is_mxfloat4:
        # Pairs along the columns: unpacked, and packed the other way.
        nibbles = torch.stack([data & 0xF, data >> 4], dim=mxfp_dim if mxfp_dim >= 0 else data.ndim + mxfp_dim + 1)
        nibbles = nibbles.flatten(
            mxfp_dim - 1 if mxfp_dim < 0 else mxfp_dim, mxfp_dim if mxfp_dim < 0 else mxfp_dim + 1
        )
        data = (nibbles[..., ::2] | (nibbles[..., 1::2] << 4)).contiguous()
    elif is_mx_rowmajor:
        data = data.contiguous()
    data = wrap_torch_tensor(data, dtype=FP4 if dtype.is_mxfloat4 else None)
    scales = wrap_torch_tensor(scales)
    if value_hbm_swizzling is not None:
        data = convert_layout(data, value_hbm_swizzling)
    if scale_hbm_swizzling is not None:
        layout = scale_hbm_swizzling(metadata) if callable(scale_hbm_swizzling) else scale_hbm_swizzling
        scales = convert_layout(scales, layout)
    return data, scales, metadata


_TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


def compute_sanitizer(**target_kwargs):
    """Decorator: where the test's arguments are these, it runs in a process of its own under compute-sanitizer's tools.

    `tools_to_check` chooses tools (default: memcheck). `SKIP_COMPUTE_SANITIZER=1` in the environment runs the test as it is.
    """
    tools = target_kwargs.pop("tools_to_check", ("memcheck",))
    for tool in tools:
        if tool not in _TOOLS:
            raise ValueError(f"compute-sanitizer has no tool {tool!r}; it has {', '.join(_TOOLS)}")

    def decorator(test):
        @functools.wraps(test)
        def wrapper(*args, **kwargs):
            bound = inspect.signature(test).bind(*args, **kwargs).arguments
            chosen = all(bound.get(name) == value for name, value in target_kwargs.items())
            if not chosen or os.environ.get("SKIP_COMPUTE_SANITIZER") == "1" or not torch.cuda.is_available():
                return test(*args, **kwargs)
            name = os.environ["PYTEST_CURRENT_TEST"].split(" ")[0]
            environment = {**os.environ, "SKIP_COMPUTE_SANITIZER": "1", "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
            for tool in tools:
                command = [
                    "compute-sanitizer",
                    f"--tool={tool}",
                    "--target-processes=application-only",
                    "--error-exitcode=1",
                ]
                run = subprocess.run(
                    [*command, sys.executable, "-m", "pytest", "-vsx", name],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
                )  # fmt: skip
                assert run.returncode == 0 and "ERROR SUMMARY: 0 errors" in run.stdout, f"{tool}:\n{run.stdout}"

        return wrapper

    return decorator
