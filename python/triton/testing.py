"""`triton.testing`: time a function, compare results, and turn a benchmark into a table, a plot and a CSV file.

On a GPU times come from device events and the cache is cleared before each call. On the CPU they come from the monotonic clock, and the
cache is left warm, as it is when a program calls a kernel in a loop.
"""

import math
import time

from ._gpu_limits import (  # noqa: F401  (part of this module's interface)
    cuda_memcheck,
    get_dram_gbps,
    get_max_simd_tflops,
    get_max_tensorcore_tflops,
    nvsmi,
    set_gpu_clock,
)
from ._perf_report import Benchmark, Mark, perf_report  # noqa: F401  (likewise)
from .runtime.driver import driver

_RETURN_MODES = ("min", "max", "mean", "median", "all")

# Timing.


def _quantile(a, q):
    """The quantiles `q` (each in 0..1) of the numbers `a`, by linear interpolation between neighbours."""
    ordered = sorted(a)

    def at(fraction):
        if not 0 <= fraction <= 1:
            raise ValueError(f"a quantile lies between 0 and 1, got {fraction}")
        position = fraction * (len(ordered) - 1)
        low = math.floor(position)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (position - low)

    return [at(fraction) for fraction in q]


def _mean(numbers):
    return sum(numbers) / len(numbers)


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        values = _quantile(times, quantiles)
        return values[0] if len(values) == 1 else values
    if return_mode == "all":
        return list(times)
    if return_mode == "median":
        return _quantile(times, [0.5])[0]
    return {"min": min, "max": max, "mean": _mean}[return_mode](times)


def _active_driver():
    return driver.active


def _on_cpu():
    return _active_driver().get_current_target().backend == "cpu"


class _HostClock:
    """Times calls that have finished when they return."""

    def synchronize(self):
        pass

    def clear_cache(self):
        pass

    def time_each(self, calls, before, fn):
        times = []
        for _ in range(calls):
            before()
            begin = time.perf_counter_ns()
            fn()
            times.append((time.perf_counter_ns() - begin) * 1e-6)
        return times


class _DeviceClock:
    """Times calls that only queue work, by events on the device."""

    def __init__(self, driver):
        self.driver = driver
        self.device = driver.get_device_interface()
        self.cache = driver.get_empty_cache_for_benchmark()

    def synchronize(self):
        self.device.synchronize()

    def clear_cache(self):
        self.driver.clear_cache(self.cache)

    def time_each(self, calls, before, fn):
        pairs = [[self.device.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)]
        for begin, end in pairs:
            before()
            begin.record()
            fn()
            end.record()
        self.synchronize()
        return [begin.elapsed_time(end) for begin, end in pairs]


def _clock():
    return _HostClock() if _on_cpu() else _DeviceClock(_active_driver())


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """How long `fn()` takes, in milliseconds.

    :param warmup: milliseconds to spend on calls that are not counted
    :param rep: milliseconds to spend on calls that are
    :param grad_to_none: tensors whose gradient is dropped before each call
    :param quantiles: which quantiles to return (a list, or a number when there is one); None: what `return_mode` names
    :param return_mode: "min", "max", "mean", "median" or "all"
    """
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}; got {return_mode!r}"
    clock = _clock()

    def prepare():
        for tensor in grad_to_none or ():
            tensor.grad = None
        clock.clear_cache()

    fn()
    clock.synchronize()

    # The estimate pays for clearing the cache too, so that `rep` bounds the time spent here.
    trial_calls = 5

    def cleared_call():
        clock.clear_cache()
        fn()

    estimate = _mean(clock.time_each(trial_calls, lambda: None, cleared_call))
    calls_for = lambda milliseconds: max(1, int(milliseconds / estimate)) if estimate > 0 else 1000
    for _ in range(calls_for(warmup)):
        fn()
    return _summarize_statistics(clock.time_each(calls_for(rep), prepare, fn), quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """How long `fn()` takes, in milliseconds, with the cost of launching taken out: many calls are recorded in one CUDA graph.

    The CPU has no graphs, and a launch is a call: there the same number of calls is timed in one go.
    """
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}; got {return_mode!r}"
    rounds = 10

    def prepare():
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None

    if _on_cpu():
        clock = _HostClock()
        fn()
        prepare()
        estimate = _mean(clock.time_each(5, lambda: None, fn))
        calls = max(1, int(rep / estimate)) if estimate > 0 else 1000

        def many():
            for _ in range(calls):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()

        times = clock.time_each(rounds, lambda: None, many)
        return _summarize_statistics([total / calls for total in times], quantiles, return_mode)

    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        clock = _DeviceClock(_active_driver())
        fn()
        prepare()
        estimate = _mean(clock.time_each(5, lambda: None, fn))
        calls = max(1, int(rep / estimate)) if estimate > 0 else 1000
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        clock.synchronize()
        times = clock.time_each(rounds, lambda: None, graph.replay)
    return _summarize_statistics([total / calls for total in times], quantiles, return_mode)


# Comparing.


def _as_numpy(value):
    """A numpy array of any scalar, list, array or tensor; bfloat16 as float32, which numpy knows."""
    import numpy as np

    if hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach()
        if str(value.dtype) in ("torch.bfloat16",) or "float8" in str(value.dtype):
            value = value.float()
        return value.cpu().numpy()
    return np.asarray(value)


def _torch_dtype(value):
    import torch

    return value.dtype if isinstance(value, torch.Tensor) else torch.as_tensor(value).dtype


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| everywhere, a NaN being close to a NaN.

    `atol` (default 1e-2) and `rtol` (default 0) may be functions of the torch dtype of `x`.
    """
    import numpy as np

    def tolerance(value, default):
        if value is None:
            return default
        return value(_torch_dtype(x)) if callable(value) else value

    atol, rtol = tolerance(atol, 1e-2), tolerance(rtol, 0.0)
    x, y = _as_numpy(x), _as_numpy(y)
    if x.size > 1 or y.size > 1:
        np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
        return
    if not np.allclose(x, y, atol=atol, rtol=rtol):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})".strip())
