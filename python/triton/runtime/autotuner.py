"""`triton.autotune` and `triton.heuristics`: meta-parameters chosen by measuring, or computed from the arguments."""

from __future__ import annotations

import builtins
import contextlib
import contextvars
import hashlib
import inspect
import json
import time
import warnings
from functools import cached_property
from typing import Dict, List, Optional, Tuple

from .. import knobs
from ._async_compile import active_mode
from ._tuning import Progress, can_isolate, compile_all, harm_of, thread_count
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface


class Config:
    """One way to run a kernel: meta-parameters and launch options."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        self.kwargs = state.get("kwargs", {})
        self.num_warps = state.get("num_warps", 4)
        self.num_stages = state.get("num_stages", 3)
        self.num_ctas = state.get("num_ctas", 1)
        self.maxnreg = state.get("maxnreg", None)
        self.pre_hook = state.get("pre_hook", None)
        self.ir_override = state.get("ir_override", None)
        self.__dict__.update({name: value for name, value in state.items() if name not in self.__dict__})

    def all_kwargs(self):
        """Everything a launch is given."""
        options = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
        given = {name: getattr(self, name) for name in options}
        return {**self.kwargs, **{name: value for name, value in given.items() if value is not None}}

    def __str__(self):
        parts = [f"{name}: {value}" for name, value in self.kwargs.items()]
        parts += [f"{name}: {getattr(self, name)}" for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")]
        return ", ".join(parts)

    def __hash__(self):
        return hash((*self.all_kwargs().items(), self.pre_hook))

    def __eq__(self, other):
        if not isinstance(other, Config):
            return NotImplemented
        return (tuple(self.all_kwargs().items()), self.pre_hook) == (tuple(other.all_kwargs().items()), other.pre_hook)


def _read_timings(path):
    """Config -> timings from a file of an earlier process; None if there is none, or it cannot be read."""
    if path is None:
        return None
    try:
        with open(path) as stored:
            return {Config(**config): timing for config, timing in json.load(stored)["configs_timings"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _chain(fn):
    """A decorated function and everything inside it."""
    while fn is not None:
        yield fn
        fn = None if inspect.isfunction(fn) else getattr(fn, "fn", None)


def _innermost(fn):
    """The Python function inside all decorators."""
    return list(_chain(fn))[-1]


class Autotuner(KernelInterface):
    """Measures each configuration the first time a key is seen, and launches with the best from then on."""

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero,
        restore_value,
        pre_hook=None,
        post_hook=None,
        prune_configs_by: Optional[Dict] = None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=False,
    ):
        self.configs = configs or [Config({}, num_warps=4, num_stages=3, num_ctas=1)]
        self.keys = key
        self.cache: Dict[Tuple, Config] = {}
        self.arg_names = arg_names
        self.cache_results = (cache_results or knobs.autotuning.cache) and not knobs.runtime.interpret
        # Clocks and hooks of the user's are called as often as they expect.
        self._keeps_results = do_bench is None and pre_hook is None and post_hook is None
        self.reset_to_zero = list(reset_to_zero) if reset_to_zero is not None else []
        self.restore_value = list(restore_value) if restore_value is not None else []
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = pre_hook or self._default_pre_hook
        self.post_hook = post_hook or self._default_post_hook
        self._restore_copies = {}
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.fn = fn
        self.base_fn = _innermost(fn)
        self._is_outer = any(isinstance(inner, Autotuner) for inner in _chain(fn))
        self._name = getattr(self.base_fn, "__name__", type(self.base_fn).__name__)
        self._do_bench = do_bench
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        self.nargs = None
        if warmup is not None or rep is not None or use_cuda_graph:
            self._use_deprecated_timing(warmup, rep, use_cuda_graph)

    def _use_deprecated_timing(self, warmup, rep, use_cuda_graph):
        from ..testing import do_bench, do_bench_cudagraph

        warnings.warn(
            "warmup, rep, and use_cuda_graph parameters are deprecated: pass do_bench instead",
            DeprecationWarning,
            stacklevel=4,
        )
        if use_cuda_graph:
            self._do_bench = lambda call, quantiles: do_bench_cudagraph(
                call, rep=100 if rep is None else rep, quantiles=quantiles
            )
        else:
            times = {"warmup": 25 if warmup is None else warmup, "rep": 100 if rep is None else rep}
            self._do_bench = lambda call, quantiles: do_bench(call, quantiles=quantiles, **times)

    # Arguments that benchmarking must not change.

    def _default_pre_hook(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            kwargs[name].zero_() if hasattr(kwargs[name], "zero_") else kwargs[name].fill(0)
        if not reset_only:
            self._restore_copies = {
                name: kwargs[name].clone() if hasattr(kwargs[name], "clone") else kwargs[name].copy()
                for name in self.restore_value
            }

    def _default_post_hook(self, kwargs, exception):
        for name, copy in self._restore_copies.items():
            if hasattr(kwargs[name], "copy_"):
                kwargs[name].copy_(copy)
            else:
                kwargs[name][...] = copy
        self._restore_copies = {}

    def _launch_kwargs(self, config):
        """What a configuration adds to a launch. A tuner inside this one brings launch options of its own, so only the meta-parameters."""
        return config.kwargs if self._is_outer else config.all_kwargs()

    @cached_property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        from . import driver

        return driver.active.get_benchmarker()

    def _bench(self, *args, config, **meta):
        """Times of one configuration (median, 20%, 80%); infinite if it cannot run."""
        from ..compiler.errors import CompileTimeAssertionFailure

        verbose = knobs.autotuning.print
        if verbose:
            print(f"Autotuning kernel {self._name} with config {config}")
        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(
                f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}. Make sure that you don't re-define auto-tuned symbols."
            )
        current = {**meta, **self._launch_kwargs(config)}
        full_nargs = {**self.nargs, **current}

        def kernel_call():
            if config.pre_hook:
                config.pre_hook(full_nargs)
            self.pre_hook(full_nargs)
            try:
                self.fn.run(*args, **current)
            except Exception as error:
                try:
                    self.post_hook(full_nargs, exception=error)
                finally:
                    raise
            self.post_hook(full_nargs, exception=None)

        if can_isolate():
            harm = harm_of(kernel_call, knobs.autotuning.timeout)
            if harm is not None:
                warnings.warn(f"configuration {config} of {self._name} is left out: {harm}", stacklevel=2)
                return [float("inf"), float("inf"), float("inf")]
        try:
            return self.do_bench(kernel_call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            if verbose:
                print(f"Autotuning failed with {error}")
            return [float("inf"), float("inf"), float("inf")]

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """True if the timings of this key were on disk; otherwise measures and stores them."""
        fn = next((inner for inner in _chain(self.fn) if isinstance(inner, JITFunction)), None)
        if not tuning_key or any(config.pre_hook for config in configs) or fn is None:
            bench_fn()
            return False
        from ..compiler.compiler import get_cache_invalidating_env_vars, make_backend
        from . import driver
        from .cache import get_cache_manager, triton_key

        backend = make_backend(driver.active.get_current_target())
        variables = str(sorted(get_cache_invalidating_env_vars().items()))
        device = driver.active.get_current_device()
        machine = str(sorted(driver.active.utils.get_device_properties(device).items()))
        parts = [triton_key(), backend.hash(), fn.cache_key, variables, machine, str(tuning_key), *map(str, configs)]
        manager = get_cache_manager(hashlib.sha256("-".join(parts).encode("utf-8")).hexdigest())
        file_name = f"{fn.__name__[:150]}.autotune.json"
        timings = _read_timings(manager.get_file(file_name))
        if timings and set(timings) <= set(configs):
            self.cache[tuning_key] = builtins.min(timings, key=timings.get)
            self.configs_timings = timings
            return True
        bench_fn()
        stored = [(config.__dict__, self.configs_timings[config]) for config in configs]
        with contextlib.suppress(OSError):  # a full disk: the next process tunes again
            manager.put(
                json.dumps({"key": tuning_key, "configs_timings": stored}, default=str), file_name, binary=False
            )
        return False

    def _tuning_key(self, kwargs):
        arguments = {**self.nargs, **{name: value for name, value in kwargs.items() if name in self.arg_names}}
        key = [arguments[name] for name in self.keys if name in arguments]
        key += [str(value.dtype) for value in arguments.values() if hasattr(value, "dtype")]
        return tuple(key)

    def _compile_all(self, configs, args, kwargs, progress):
        """Compiles the configurations at the same time; gives those that do not get done. Where hooks prepare the arguments of a launch, launches compile."""
        has_hooks = any(config.pre_hook for config in configs) or getattr(self.fn, "pre_run_hooks", None)
        is_possible = isinstance(self.fn, KernelInterface) and not has_hooks and not knobs.runtime.interpret
        if not is_possible or len(configs) < 2 or thread_count() < 2 or active_mode.get() is not None:
            return []
        options = {name: value for name, value in kwargs.items() if name != "warmup"}
        context = contextvars.copy_context()

        def compile_one(config):
            if not options.keys() & config.kwargs.keys():
                context.copy().run(self.fn.warmup, *args, **options, **self._launch_kwargs(config))

        return compile_all(compile_one, configs, progress)

    def _choose_without_clock(self, configs, args, kwargs):
        """The configuration that the performance model likes best, else the first that compiles."""
        from ..compiler.errors import CompileTimeAssertionFailure

        if self.perf_model:
            estimates = [self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()) for config in configs]
            configs = [config for _, _, config in sorted(zip(estimates, range(len(configs)), configs))]
        options = {name: value for name, value in kwargs.items() if name != "warmup"}
        for config in configs:
            try:
                self.fn.warmup(*args, **options, **config.all_kwargs())
                return config
            except (OutOfResources, CompileTimeAssertionFailure, PTXASError):
                continue
        return configs[0]

    def _tune(self, key, args, kwargs):
        pruned = self.prune_configs(kwargs)
        if knobs.autotuning.deterministic:
            self.bench_time, self.configs_timings = 0.0, {}
            self.cache[key] = self._choose_without_clock(pruned, args, kwargs)
            return

        def benchmark():
            begin = time.time()
            progress = Progress(self._name, len(pruned))
            lost = self._compile_all(pruned, args, kwargs, progress)
            timings = {}
            for done, config in enumerate(pruned, 1):
                if config in lost:
                    warnings.warn(f"configuration {config} of {self._name} is left out: it is not compiled within {knobs.autotuning.timeout} s", stacklevel=2)  # fmt: skip
                    timings[config] = [float("inf")] * 3
                else:
                    timings[config] = self._bench(*args, config=config, **kwargs)
                progress.measured(done, timings[config])
            progress.close()
            self.bench_time = time.time() - begin
            self.cache[key] = builtins.min(timings, key=timings.get)
            self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
            self.configs_timings = timings

        is_kept = knobs.autotuning.persist and self._keeps_results and not knobs.runtime.interpret
        if self.cache_results or is_kept:
            used_cache = self.check_disk_cache(key, pruned, benchmark)
        else:
            benchmark()
            used_cache = False
        if knobs.autotuning.print and not used_cache:
            print(
                f"Triton autotuning for function {self._name},\nwith key as {key},\n"
                f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.cache[key]};"
            )

    def run(self, *args, **kwargs):
        """Launches with the best configuration for these arguments."""
        self.nargs = dict(zip(self.arg_names, args))
        try:
            if len(self.configs) > 1:
                key = self._tuning_key(kwargs)
                if key not in self.cache:
                    self._tune(key, args, kwargs)
                config = self.cache[key]
            else:
                config = self.configs[0]
            self.best_config = config
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **kwargs, **self._launch_kwargs(config))
        finally:
            self.nargs = None

    def prune_configs(self, kwargs: Dict) -> List[Config]:
        """The configurations worth measuring."""
        pruned = self.configs
        if self.early_config_prune:
            pruned = list(self.early_config_prune(self.configs, self.nargs, **kwargs) or [])
            if not pruned:
                raise AutotunerError(
                    "No valid autotuner configs after pruning. `early_config_prune` should return at least one config."
                )
        if not self.perf_model:
            return pruned
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            top_k = int(len(self.configs) * top_k)
        elif not isinstance(top_k, int):
            raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
        if len(pruned) > top_k:
            estimates = {config: self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()) for config in pruned}
            pruned = sorted(estimates, key=estimates.get)[:top_k]
        return pruned

    def warmup(self, *args, **kwargs):
        """Compiles every configuration worth measuring; gives the kernels."""
        self.nargs = dict(zip(self.arg_names, args))
        try:
            return [
                self.fn.warmup(*args, **kwargs, **self._launch_kwargs(config)) for config in self.prune_configs(kwargs)
            ]
        finally:
            self.nargs = None


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=False,
):
    """Decorator: tries `configs` whenever the values of the arguments named in `key` are new, and keeps the fastest.

    The kernel runs several times while it is tuned: name arguments it changes in `reset_to_zero` or `restore_value`.
    """

    def decorator(fn):
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            use_cuda_graph=use_cuda_graph,
            do_bench=do_bench,
            cache_results=cache_results,
        )

    return decorator


class Heuristics(KernelInterface):
    """Computes meta-parameters from the arguments of each launch."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names

    def run(self, *args, **kwargs):
        for name, heuristic in self.values.items():
            kwargs[name] = heuristic({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def heuristics(values):
    """Decorator: `values` maps a meta-parameter to a function of the arguments by name."""

    def decorator(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorator
