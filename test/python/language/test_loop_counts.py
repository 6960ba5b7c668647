"""Loops run as often as Python's `range` says, and for the same numbers: near the ends of their types, far apart, backwards, not at all."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import INTS, UINTS

ROOM = 64
LOW, HIGH = -(2**31), 2**31 - 1
RANGES = [
    (0, 10, 3),
    (10, 0, -3),
    (5, 5, 1),
    (6, 5, 1),
    (6, 5, 4),
    (5, 6, -1),
    (0, 10, HIGH),
    (-2000000000, 2000000000, 1000000000),
    (2000000000, -2000000000, -1000000000),
    (2147480000, 2147483600, 1024),
    (HIGH - 5, HIGH, 3),
    (HIGH - 1, HIGH, 1),
    (LOW, HIGH, HIGH),
    (LOW, HIGH, 2**28),
    (LOW, LOW + 10, 1024),
    (LOW + 10, LOW, -7),
    (LOW + 10, LOW, -1024),
    (HIGH, LOW, LOW),
    (HIGH, LOW, -(2**27)),
    (-1, HIGH, 2**30),
]


@triton.jit
def note(out, n, i):
    """Notes what the variable is in iteration `n`, and how many there were."""
    tl.store(out, n + 1)
    tl.store(out + 1 + n, i.to(tl.int64), mask=n < 63)
    return n + 1


@triton.jit
def constant_kernel(out, START: tl.constexpr, STOP: tl.constexpr, STEP: tl.constexpr):
    n = 0
    for i in range(START, STOP, STEP):
        n = note(out, n, i)


@triton.jit
def constant_step_kernel(out, start, stop, STEP: tl.constexpr):
    n = 0
    for i in range(start, stop, STEP):
        n = note(out, n, i)


@triton.jit
def argument_kernel(out, start, stop, step):
    n = 0
    for i in range(start, stop, step):
        n = note(out, n, i)


@triton.jit
def count(out, start, stop, STEP: tl.constexpr):
    n = 0
    for i in range(start, stop, STEP):
        n = note(out, n, i)


@triton.jit
def folded_kernel(out, zero, START: tl.constexpr, STOP: tl.constexpr, STEP: tl.constexpr):
    """Bounds that are constants only behind the frontend."""
    count(out, zero * 0 + START, zero * 0 + STOP, STEP)


@triton.jit
def options_kernel(
    out, start, stop, STEP: tl.constexpr, STAGES: tl.constexpr, UNROLL: tl.constexpr, WARPS: tl.constexpr
):
    n = 0
    for i in tl.range(start, stop, STEP, num_stages=STAGES, loop_unroll_factor=UNROLL, warp_specialize=WARPS):
        n = note(out, n, i)


@triton.jit
def flattened_kernel(out, start, stop, STEP: tl.constexpr):
    n = 0
    for _outer in tl.range(0, 1, flatten=True):
        for i in tl.range(start, stop, STEP):
            n = note(out, n, i)


@triton.jit
def loaded_kernel(out, bounds):
    n = 0
    for i in range(tl.load(bounds), tl.load(bounds + 1), tl.load(bounds + 2)):
        n = note(out, n, i)


@triton.jit
def loaded_bounds_kernel(out, bounds, STEP: tl.constexpr):
    n = 0
    for i in range(tl.load(bounds), tl.load(bounds + 1), STEP):
        n = note(out, n, i)


def noted(kernel, *args, **options):
    out = torch.zeros(ROOM, dtype=torch.int64)
    kernel[(1,)](out, *args, **options)
    n = int(out[0])
    assert n < ROOM, f"{n} iterations"
    return out[1 : n + 1].tolist()


def expected(start, stop, step):
    return list(range(start, stop, step))


@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("kernel", ["constant", "constant_step", "argument", "folded", "flattened"])
def test_counts(kernel, bounds):
    if kernel == "folded":
        assert noted(folded_kernel, 3, *bounds) == expected(*bounds)
    else:
        assert noted(globals()[f"{kernel}_kernel"], *bounds) == expected(*bounds)


@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize(
    "stages, unroll, warps", [(3, None, False), (None, 2, False), (2, 5, False), (None, None, True)]
)
def test_options(bounds, stages, unroll, warps):
    assert noted(options_kernel, *bounds, stages, unroll, warps) == expected(*bounds)


def edges(dtype):
    """Starts, stops and steps at the ends of a type, with few numbers between them."""
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    third = (high - low) // 3
    ranges = [
        (high - 10, high, 4),
        (high - 1, high, high // 2),
        (low, high, third),
        (low, low, 1),
        (low + 1, low, 1),
        (low, low + 5, 2),
    ]
    if low:
        ranges += [
            (high, low, -third),
            (low + 5, low, -2),
            (high, high - 9, -4),
            (low, high, -1),
            (high, low, low),
            (-1, 1, high),
        ]
    return ranges


def numbers(dtype, kernel, *args):
    return np.array(noted(kernel, *args), dtype="int64").astype(dtype).tolist()


@pytest.mark.parametrize("dtype", INTS + UINTS)
def test_types(dtype):
    for bounds in edges(dtype):
        array = torch.from_numpy(np.array(bounds, dtype=dtype))
        assert numbers(dtype, loaded_kernel, array) == expected(*bounds), bounds


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int64"])
def test_descending_by_a_constant(dtype):
    high = int(np.iinfo(dtype).max)
    for start, stop, step in [
        (high, high - 9, -4),
        (high, 0, -(high // 3)),
        (3, 0, -1),
        (0, 3, -1),
        (high - 3, high, 2),
    ]:
        array = torch.from_numpy(np.array([start, stop], dtype=dtype))
        assert numbers(dtype, loaded_bounds_kernel, array, step) == expected(start, stop, step)


@pytest.mark.parametrize(
    "bounds", [(0, 3 * 10**9, 10**9), (2**31, 2**32 - 1, 2**30), (0, 2**63, 2**61), (2**62, 2**63 - 1, 2**60)]
)
def test_large_constants(bounds):
    assert numbers("uint64", constant_kernel, *bounds) == expected(*bounds)


@pytest.mark.skipif(triton.knobs.runtime.interpret, reason="there it is always an error")
@pytest.mark.parametrize("start, stop", [(0, 10), (10, 0), (LOW, HIGH), (3, 3)])
def test_step_zero_at_run_time_runs_nothing(start, stop):
    assert noted(argument_kernel, start, stop, 0) == []
    assert noted(loaded_kernel, torch.tensor([start, stop, 0], dtype=torch.int32)) == []


@pytest.mark.cpu_only
def test_step_zero_is_an_error_with_debug():
    error = triton.runtime.errors.InterpreterError if triton.knobs.runtime.interpret else RuntimeError
    with pytest.raises(error, match="must not be zero"):
        noted(argument_kernel, 0, 10, 0, debug=True)
    assert noted(argument_kernel, 0, 10, 4, debug=True) == [0, 4, 8]


@triton.jit
def copying_kernel(x_ptr, out, start, stop, base, STEP: tl.constexpr, STAGES: tl.constexpr, N: tl.constexpr):
    """A loop whose loads run ahead: places behind its end must not be read."""
    total = tl.zeros((N,), tl.float32)
    offsets = tl.arange(0, N)
    for i in tl.range(start, stop, STEP, num_stages=STAGES):
        total += tl.load(x_ptr + (i - base) + offsets) + (i - base)
    tl.store(out + offsets, total)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "start, stop, step",
    [
        (HIGH - 1000, HIGH, 128),
        (HIGH - 100, HIGH, 512),
        (LOW, LOW + 100, 512),
        (LOW, LOW + 1000, 128),
        (0, 1000, 128),
        (0, -5, 128),
    ],
)
def test_loads_ahead_at_the_ends(start, stop, step, stages):
    x, out = torch.arange(2048.0), torch.zeros(64)
    copying_kernel[(1,)](x, out, start, stop, start, step, stages, 64)
    places = [i - start for i in range(start, stop, step)]
    assert torch.equal(out, sum((x[p : p + 64] + p for p in places), torch.zeros(64)))
