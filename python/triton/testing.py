"""`triton.testing`: time a function, compare results, and turn a benchmark into a table, a plot and a CSV file.

On a GPU times come from device events and the cache is cleared before each call. On the CPU they come from the monotonic clock, and the
cache is left warm, as it is when a program calls a kernel in a loop.
"""

import contextlib
import gc
import tempfile

from . import knobs, profiler
from ._C.libtriton import tuning
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
    return tuning.quantiles(list(a), list(q))


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
    """Whether the host's processor runs the kernels: it does those of simulated GPUs, too."""
    return bool(knobs.runtime.simulate) or _active_driver().get_current_target().backend == "cpu"


class _DeviceClock:
    """Times calls that only queue work, by events on the device. `libtriton.tuning.measure` asks it."""

    def __init__(self, driver, clears_cache=True):
        self.driver = driver
        self.device = driver.get_device_interface()
        self.cache = driver.get_empty_cache_for_benchmark() if clears_cache else None

    def synchronize(self):
        self.device.synchronize()

    def clear_cache(self):
        if self.cache is not None:
            self.driver.clear_cache(self.cache)

    def event(self):
        return self.device.Event(enable_timing=True)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """How long `fn()` takes, in milliseconds.

    :param warmup: milliseconds to spend on calls that are not counted
    :param rep: milliseconds to spend on calls that are
    :param grad_to_none: tensors whose gradient is dropped before each call
    :param quantiles: which quantiles to return (a list, or a number when there is one); None: what `return_mode` names
    :param return_mode: "min", "max", "mean", "median" or "all"
    """
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}; got {return_mode!r}"

    def forget_gradients():
        for tensor in grad_to_none or ():
            tensor.grad = None

    clock = None if _on_cpu() else _DeviceClock(_active_driver())
    # What a simulator takes says nothing of a GPU's time: once is enough.
    spent = {"repetitions": 1} if knobs.runtime.simulate else {"warmup": warmup, "rep": rep}
    times = tuning.measure(fn, forget_gradients, clock, **spent)
    return _summarize_statistics(times, quantiles, return_mode)


@contextlib.contextmanager
def cuda_graph_without_gc(*args, **kwargs):
    """`torch.cuda.graph` without the collector: a kernel that it unloads while a graph is captured would spoil the graph."""
    import torch

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with torch.cuda.graph(*args, **kwargs):
            yield
    finally:
        if was_enabled:
            gc.enable()


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

    def calls_of(clock):
        """How many calls a round has."""
        estimate = _mean(tuning.measure(fn, prepare, clock, repetitions=5))
        return max(1, int(rep / estimate)) if estimate > 0 else 1000

    def many(calls):
        for _ in range(calls):
            for tensor in grad_to_none or ():
                tensor.grad = None
            fn()

    if _on_cpu():
        calls = calls_of(None)
        times = tuning.measure(lambda: many(calls), None, None, repetitions=rounds)
        return _summarize_statistics([total / calls for total in times], quantiles, return_mode)

    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        clock = _DeviceClock(_active_driver(), clears_cache=False)
        calls = calls_of(clock)
        graph = torch.cuda.CUDAGraph()
        with cuda_graph_without_gc(graph):
            many(calls)
        times = tuning.measure(graph.replay, None, clock, repetitions=rounds)
    return _summarize_statistics([total / calls for total in times], quantiles, return_mode)


def _profiled_times(run, count):
    """Milliseconds that kernels took in each of `count` calls of `run`, as the profiler saw them."""
    with tempfile.TemporaryDirectory() as folder:
        session = profiler.start(f"{folder}/times")
        if session is None:
            raise RuntimeError("do_bench_proton needs a session of the profiler, which TRITON_PROTON_DISABLE forbids")
        try:
            for number in range(count):
                with profiler.scope(f"call {number}"):
                    run()
            profiler.deactivate(session, flushing=True)
            root, *_ = profiler.data.get(session)
        finally:
            profiler.finalize(session)
    sums = {f"call {number}": 0 for number in range(count)}

    def add_up(node, name):
        sums[name] += node["metrics"].get("time (ns)", 0)
        for child in node["children"]:
            add_up(child, name)

    for node in root["children"]:
        if node["frame"]["name"] in sums:
            add_up(node, node["frame"]["name"])
    return [nanoseconds * 1e-6 for nanoseconds in sums.values()]


def do_bench_proton(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """How long the kernels of `fn()` take, in milliseconds, as the profiler measures them: without copies, and without what lies between them.

    The parameters are those of `do_bench`.
    """
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}; got {return_mode!r}"

    def run():
        for tensor in grad_to_none or ():
            tensor.grad = None
        fn()

    clock = None if _on_cpu() else _DeviceClock(_active_driver(), clears_cache=False)
    estimate = max(_mean(tuning.measure(run, None, clock, repetitions=5)), 1e-3)
    for _ in range(int(warmup / estimate)):
        run()
    return _summarize_statistics(_profiled_times(run, max(1, int(rep / estimate))), quantiles, return_mode)


def do_bench_cudagraph_proton(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The same for `fn()` recorded in a CUDA graph, which is launched again and again."""
    assert return_mode in _RETURN_MODES, f"return_mode is one of {', '.join(_RETURN_MODES)}; got {return_mode!r}"
    if _on_cpu():
        raise RuntimeError("do_bench_cudagraph_proton measures graphs of CUDA, which the CPU has not")
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        clock = _DeviceClock(_active_driver(), clears_cache=False)
        estimate = max(_mean(tuning.measure(fn, None, clock, repetitions=5)), 1e-3)
        for tensor in grad_to_none or ():
            tensor.grad = None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            fn()
        times = _profiled_times(graph.replay, max(1, int(rep / estimate)))
    return _summarize_statistics(times, quantiles, return_mode)


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
