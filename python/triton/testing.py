"""`triton.testing`: time a function, compare results, and turn a benchmark into a table, a plot and a CSV file.

On a GPU times come from device events and the cache is cleared before each call. On the CPU they come from the monotonic clock, and the
cache is left warm, as it is when a program calls a kernel in a loop.
"""

import contextlib
import functools
import math
import os
import time
from typing import Any

_RETURN_MODES = ("min", "max", "mean", "median", "all")


def nvsmi(attrs):
    """What `nvidia-smi --query-gpu` says about the GPUs: one integer per attribute and GPU."""
    import subprocess

    query = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"]
    return [
        int(field) for field in subprocess.check_output(query, text=True).replace("\n", ",").split(",") if field.strip()
    ]


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
    from .runtime import driver

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
    if _on_cpu():
        clock = _HostClock()
        fn()
        estimate = _mean(clock.time_each(5, lambda: None, fn))
        calls = max(1, int(rep / estimate)) if estimate > 0 else 1000

        def many():
            for _ in range(calls):
                fn()

        times = clock.time_each(rounds, lambda: None, many)
        return _summarize_statistics([total / calls for total in times], quantiles, return_mode)

    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        clock = _DeviceClock(_active_driver())
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
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


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| everywhere, a NaN being close to a NaN.

    `atol` (default 1e-2) and `rtol` (default 0) may be functions of the dtype of `x`.
    """
    import numpy as np

    def tolerance(value, default):
        if value is None:
            return default
        return value(getattr(x, "dtype", None)) if callable(value) else value

    atol, rtol = tolerance(atol, 1e-2), tolerance(rtol, 0.0)
    x, y = _as_numpy(x), _as_numpy(y)
    if x.size > 1 or y.size > 1:
        np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
        return
    if not np.allclose(x, y, atol=atol, rtol=rtol):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})".strip())


# Benchmarks: what to run, and what to make of it.


class Benchmark:
    """One plot: what stands on the x axis, which lines there are, and how the picture looks."""

    def __init__(
        self,
        x_names: list[str],
        x_vals: list[Any],
        line_arg: str,
        line_vals: list[Any],
        line_names: list[str],
        plot_name: str,
        args: dict[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles=None,
    ):
        """
        :param x_names: the arguments that vary along the x axis
        :param x_vals: their values: a number given to all of them, or a tuple with one for each
        :param line_arg: the argument that tells the lines apart
        :param line_vals: its value for each line
        :param line_names: the name of each line in the legend and the table
        :param plot_name: the title, and the name of the files; no picture is made when it is empty
        :param args: arguments that stay the same
        :param styles: a (color, linestyle) for each line
        """
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles

    def points(self):
        """The arguments along the x axis, one tuple per point."""
        for value in self.x_vals:
            point = tuple(value) if isinstance(value, (list, tuple)) else (value,) * len(self.x_names)
            if len(point) != len(self.x_names):
                raise ValueError(f"expected {len(self.x_names)} values for {self.x_names}, got {point}")
            yield point


class Mark:
    """A function to measure with the benchmarks that `perf_report` gave it."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Runs every benchmark. The function gives a number, or (value, low, high) for a band around the line.

        :param print_data: print a table
        :param save_path: write `<plot_name>.png`, `<plot_name>.csv` and `results.html` into this folder
        :param return_df: return the tables as pandas data frames (one, or a list as `perf_report` was given a list)
        :param kwargs: passed on to the function; except `diff_col` (add a column with the difference of two lines) and
            `save_precision` (digits in the CSV file)
        """
        single = isinstance(self.benchmarks, Benchmark)
        frames, pictures = [], []
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        try:
            for benchmark in [self.benchmarks] if single else self.benchmarks:
                frames.append(self._run(benchmark, save_path, show_plots, print_data, **kwargs))
                if benchmark.plot_name:
                    pictures.append(f"{benchmark.plot_name}.png")
        finally:
            if save_path:
                images = "".join(f'<image src="{name}"/>\n' for name in pictures)
                with open(os.path.join(save_path, "results.html"), "w") as file:
                    file.write(f"<html><body>\n{images}</body></html>\n")
        if return_df:
            return frames[0] if single else frames
        return None

    def _run(self, benchmark, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        import pandas

        unit = f" ({benchmark.ylabel})" if benchmark.ylabel else ""
        names = [name + unit for name in benchmark.line_names]
        rows, bands = [], []
        for point in benchmark.points():
            results = []
            for line in benchmark.line_vals:
                arguments = {**dict(zip(benchmark.x_names, point)), benchmark.line_arg: line, **benchmark.args}
                result = self.fn(**arguments, **kwargs)
                results.append(tuple(result) if isinstance(result, (list, tuple)) else (result, None, None))
            rows.append([*point, *(value for value, _, _ in results)])
            bands.append([(low, high) for _, low, high in results])
        frame = pandas.DataFrame(rows, columns=[*benchmark.x_names, *names])

        if benchmark.plot_name and (show_plots or save_path):
            _plot(benchmark, frame, names, bands, save_path, show_plots)
        if diff_col and len(names) == 2:
            frame["Diff"] = frame[names[1]] - frame[names[0]]
        if print_data:
            print(benchmark.plot_name + ":")
            print(frame.to_string())
        if save_path and benchmark.plot_name:
            path = os.path.join(save_path, f"{benchmark.plot_name}.csv")
            frame.to_csv(path, float_format=f"%.{save_precision}f", index=False)
        return frame


def _plot(benchmark, frame, names, bands, save_path, show_plots):
    import matplotlib

    if not show_plots:
        matplotlib.use("Agg")  # a picture in a file needs no display
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.8))
    x = frame[benchmark.x_names[0]]
    for index, name in enumerate(names):
        color, line_style = benchmark.styles[index] if benchmark.styles else (None, None)
        (line,) = axes.plot(x, frame[name], label=benchmark.line_names[index], color=color, linestyle=line_style)
        low, high = zip(*(band[index] for band in bands))
        if None not in low and None not in high:
            axes.fill_between(x, low, high, alpha=0.15, color=line.get_color())
    axes.set_title(benchmark.plot_name)
    axes.set_xlabel(benchmark.xlabel or ", ".join(benchmark.x_names))
    axes.set_ylabel(benchmark.ylabel)
    axes.set_xscale("log", base=2) if benchmark.x_log else axes.set_xscale("linear")
    axes.set_yscale("log" if benchmark.y_log else "linear")
    if not benchmark.y_log:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    if save_path:
        figure.savefig(os.path.join(save_path, f"{benchmark.plot_name}.png"), dpi=120)
    if show_plots:
        pyplot.show()
    pyplot.close(figure)


def perf_report(benchmarks):
    """Decorates a function to measure with one Benchmark or a list of them; then call `.run()` on it."""
    return lambda fn: Mark(fn, benchmarks)


# What a GPU could do at best.


def _gpu_properties(device, wanted):
    if _on_cpu():
        raise RuntimeError(f"{wanted} is known for GPUs only, and the active target is cpu")
    driver = _active_driver()
    device = driver.get_current_device() if device is None else device
    return driver.utils.get_device_properties(device)


def get_dram_gbps(device=None):
    """Peak memory bandwidth in GB/s."""
    properties = _gpu_properties(device, "peak memory bandwidth")
    return properties["mem_clock_rate"] * properties["mem_bus_width"] * 2 / 1e6 / 8


def _peak_tflops(wanted, dtype, clock_rate, device, per_sub_core):
    import torch

    properties = _gpu_properties(device, wanted)
    sub_cores = properties["multiprocessor_count"] * 4
    major = torch.cuda.get_device_capability(device)[0]
    operations = per_sub_core(major).get(str(dtype).removeprefix("torch."))
    if operations is None:
        raise RuntimeError("dtype not supported")
    return sub_cores * clock_rate * operations * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """Peak of the tensor cores in TFLOPS at `clock_rate` kHz."""

    def per_sub_core(major):
        if major < 8:
            return {"float16": 256}
        table = {"float32": 256, "int32": 256, "float16": 512, "bfloat16": 512, "int16": 512, "int8": 1024}
        eight_bit = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8e4nv", "float8e5")
        return table | dict.fromkeys(eight_bit, 1024)

    return _peak_tflops("the peak of tensor cores", dtype, clock_rate, device, per_sub_core)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """Peak of the ordinary arithmetic units in TFLOPS at `clock_rate` kHz."""

    def per_sub_core(major):
        return {"float32": 32, "float16": 64} | ({"bfloat16": 64} if major >= 8 else {})

    return _peak_tflops("the peak of arithmetic units", dtype, clock_rate, device, per_sub_core)


def cuda_memcheck(**target_kwargs):
    """Decorates a test: where its arguments include these, it runs once more in a process under cuda-memcheck, which must find nothing."""

    def decorator(test):
        @functools.wraps(test)
        def checked(*args, **kwargs):
            import subprocess

            import psutil

            inside = psutil.Process(os.getppid()).name() == "cuda-memcheck"
            if inside or not target_kwargs.items() <= kwargs.items():
                return test(*args, **kwargs)
            assert "request" in kwargs, "a test under cuda_memcheck takes the fixture `request`"
            path = os.path.realpath(test.__globals__["__file__"])
            name = f"{path}::{test.__name__}[{kwargs['request'].node.callspec.id}]"
            # Memory from torch's pool would hide accesses beyond a tensor.
            environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
            run = subprocess.run(
                ["cuda-memcheck", "pytest", "-vs", name], capture_output=True, text=True, env=environment
            )
            assert run.returncode == 0, f"cuda-memcheck failed:\n{run.stdout}"
            assert "ERROR SUMMARY: 0 errors" in run.stdout, run.stdout
            return None

        return checked

    return decorator


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Holds the clocks of GPU 0 (MHz) while inside; gives what an A100 reaches at them: (TFLOPS in float16, GB/s)."""
    import subprocess

    def control(*arguments):
        subprocess.check_output(["nvidia-smi", "-i", "0", *arguments])

    try:
        control("-pm", "1")
        control(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        control(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        sm_clock, memory_clock = nvsmi(["clocks.current.sm", "clocks.current.memory"])
        assert abs(sm_clock - ref_sm_clock) < 10, f"the GPU runs at {sm_clock} MHz, asked for {ref_sm_clock}"
        assert abs(memory_clock - ref_mem_clock) < 10, (
            f"the memory runs at {memory_clock} MHz, asked for {ref_mem_clock}"
        )
        # 108 multiprocessors of 4 sub-cores with 256 fused multiply-adds a cycle; a bus of 640 bytes at double data rate.
        yield 2 * 108 * 4 * 256 * ref_sm_clock * 1e-6, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        control("-pm", "0")
        control("-rgc")
        control("-rmc")
