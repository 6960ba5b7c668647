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
    """Compares with a reference. Errors are relative to the larger of an element's magnitude and the root mean square of all."""
    if tri.dtype.itemsize == 1:
        as_type = ref.to(tri.dtype)
        if ref.dtype == tri.dtype:
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
