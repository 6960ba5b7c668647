"""`triton.autotune`: meta-parameters chosen by measuring."""

from __future__ import annotations

import contextlib
import contextvars
import copy
import inspect
import json
import os
import threading
import time
import warnings
import weakref
from functools import cached_property
from typing import Dict, List, Optional, Tuple

from .. import knobs
from .._C.libtriton import tuning
from .._utils import release
from ..errors import AutotunerError, CompileTimeAssertionFailure, OutOfResources, PTXASError
from . import fleet
from ._async_compile import active_mode
from ._heuristics import Heuristics, heuristics  # noqa: F401  (part of this module's interface)
from ._trial import TrialProcess, describe, prepare
from ._tuning import Progress, compile_all, harm_of, thread_count
from .cache import get_cache_manager, triton_key  # noqa: F401  (clients take these from here too)
from .config import Config, choose, question, quicker, read_kept, seal_timings, undecided
from .driver import driver
from .jit import JITFunction, KernelInterface
from .mock import TensorWrapper

# What a configuration may raise and only lose by it.
_FAILURES = OutOfResources, CompileTimeAssertionFailure, PTXASError


def _chain(fn):
    """A decorated function and everything inside it."""
    while fn is not None:
        yield fn
        fn = None if inspect.isfunction(fn) else getattr(fn, "fn", None)


def _check_names(parameter, names, arg_names):
    """Names that a decorator lists and the kernel does not have: an error from Triton 3.9 on, which before had no effect."""
    unknown = [name for name in names if name not in arg_names]
    if unknown and release() >= (3, 9):
        raise ValueError(
            f"{parameter} contains names that are not kernel arguments: {', '.join(unknown)}. "
            f"Valid argument names are: {', '.join(arg_names)}."
        )


def _memory_of(value):
    """The array that a kernel changes through an argument: what a wrapper or a descriptor is about, without gradients, of which kernels know nothing."""
    while isinstance(value, TensorWrapper) or hasattr(value, "block_shape"):
        value = value.base
    return value.detach() if hasattr(value, "detach") else value


def _innermost(fn):
    """The Python function inside all decorators."""
    return list(_chain(fn))[-1]


_tuners: weakref.WeakSet = weakref.WeakSet()


def _forget_other_threads():
    """In a forked child: a tuner that another thread of the parent's had in hand is free."""
    for tuner in list(_tuners):
        if not tuner._lock._is_owned():
            tuner._lock._at_fork_reinit()


os.register_at_fork(after_in_child=_forget_other_threads)


class Autotuner(KernelInterface):
    """Measures each configuration the first time a key is seen, and launches with the best from then on.

    Any number of threads may launch: one at a time tunes, and arguments are those of the thread that asks.
    """

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
        for parameter, names in (("key", key), ("reset_to_zero", reset_to_zero), ("restore_value", restore_value)):
            _check_names(parameter, names or (), arg_names)
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
        self._harms: dict = {}  # configuration -> what it did to another process, while tuning
        self._trial: Optional[TrialProcess] = None
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
        self._call = (), {}  # arguments of the call that is tuned
        self._begin()
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

    def _begin(self):
        """What belongs to one process, and is not copied."""
        self._lock = threading.RLock()  # of whoever tunes
        self._nargs: Dict[int, Dict] = {}  # thread -> arguments of the launch that it is in
        _tuners.add(self)

    @property
    def nargs(self):
        """The positional arguments, by name, of the launch that this thread is in; None outside of launches."""
        return self._nargs.get(threading.get_ident())

    @nargs.setter
    def nargs(self, value):
        if value is None:
            self._nargs.pop(threading.get_ident(), None)
        else:
            self._nargs[threading.get_ident()] = value

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_nargs", "_trial")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._trial = None
        self._begin()

    # Arguments that benchmarking must not change.

    def _default_pre_hook(self, kwargs, reset_only=False):
        arrays = {
            name: _memory_of(kwargs[name])
            for name in {*self.reset_to_zero, *self.restore_value}
            if kwargs.get(name) is not None
        }
        for name in arrays.keys() & set(self.reset_to_zero):
            arrays[name].zero_() if hasattr(arrays[name], "zero_") else arrays[name].fill(0)
        if not reset_only:
            self._restore_copies = {
                name: arrays[name].clone() if hasattr(arrays[name], "clone") else arrays[name].copy()
                for name in arrays.keys() & set(self.restore_value)
            }

    def _default_post_hook(self, kwargs, exception):
        for name, kept in self._restore_copies.items():
            array = _memory_of(kwargs[name])
            if hasattr(array, "copy_"):
                array.copy_(kept)
            else:
                array[...] = kept
        self._restore_copies = {}

    def _jit_function(self):
        """The jitted function inside all decorators, or None."""
        return next((inner for inner in _chain(self.fn) if isinstance(inner, JITFunction)), None)

    def _launch_kwargs(self, config):
        """What a configuration adds to a launch. A tuner inside this one brings launch options of its own, so only the meta-parameters."""
        return config.kwargs if self._is_outer else config.all_kwargs()

    @cached_property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        return driver.active.get_benchmarker()

    def _bench(self, *args, config, _clock=None, **meta):
        """Times of one configuration (median, 20%, 80%) by the kernel's own clock, or another; infinite if it cannot run."""
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

        harm = self._harm_of(config, kernel_call, args, current) if knobs.autotuning.isolate else None
        if harm is not None:
            warnings.warn(f"configuration {config} of {self._name} is left out: {harm}", stacklevel=2)
            return [float("inf"), float("inf"), float("inf")]
        try:
            return (_clock or self.do_bench)(kernel_call, quantiles=(0.5, 0.2, 0.8))
        except _FAILURES as error:
            if verbose:
                print(f"Autotuning failed with {error}")
            return [float("inf"), float("inf"), float("inf")]

    def _harm_of(self, config, kernel_call, args, current):
        """What a launch would do to this process, found out in another; None if nothing, or if that cannot be found out."""
        if config in self._harms or self._is_outer:  # a tuner inside tries for itself
            return self._harms.get(config)
        if driver.active.get_current_target().backend == "cpu":
            self._harms[config] = harm_of(kernel_call, knobs.autotuning.timeout)
            return self._harms[config]
        # A context of a GPU does not live on in a forked child: another process launches what this one has compiled.
        try:
            request = describe(*prepare(self.fn, args, current))
        except _FAILURES:
            return None  # the measurement will see it
        except Exception as error:
            warnings.warn(
                f"configuration {config} of {self._name} cannot be tried in another process: {error}", stacklevel=3
            )
            return None
        self._trial = self._trial or TrialProcess()
        full_nargs = {**self.nargs, **current}
        if config.pre_hook:
            config.pre_hook(full_nargs)
        self.pre_hook(full_nargs)
        try:
            driver.active.get_device_interface().synchronize()
            self._harms[config] = self._trial.harm_of(request, knobs.autotuning.timeout)
        finally:
            self.post_hook(full_nargs, exception=None)
        return self._harms[config]

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """True if the timings of this key were on disk; otherwise measures and stores them."""
        fn = self._jit_function()
        if not tuning_key or any(config.pre_hook for config in configs) or fn is None:
            bench_fn()
            return False
        asked = question(fn, tuning_key, configs)
        hash = tuning.hash(asked)
        if hash is None:  # something in it cannot be written down
            bench_fn()
            return False
        manager, file_name = get_cache_manager(hash), tuning.file_name(fn.__name__)
        timings, code = read_kept(manager.get_file(file_name)) or ({}, "")
        if timings and set(timings) <= set(configs):
            best = choose(timings, self._rank(configs))
            if code == self._code_of(best):  # what the kernel depends on is as it was
                self.cache[tuning_key] = best
                self.configs_timings = timings
                return True
        bench_fn()
        measured = [(config, self.configs_timings[config]) for config in configs]
        text = seal_timings(tuning_key, measured, self._code_of(self.cache[tuning_key]), asked)
        with contextlib.suppress(OSError):  # a full disk: the next process tunes again
            manager.put(text, file_name, binary=False)
        return False

    def _code_of(self, config):
        """A digest of what a configuration compiles to, for the call that is tuned; empty where it does not, or nobody calls."""
        args, kwargs = self._call
        options = {name: value for name, value in kwargs.items() if name != "warmup"}
        try:
            code = self.fn.warmup(*args, **options, **self._launch_kwargs(config)).kernel
        except Exception:
            return ""
        return tuning.code_digest(code.encode() if isinstance(code, str) else code)

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

    def _first_of_code(self, configs):
        """For each configuration the first that has the same code: compiling and measuring that one is enough. Where the user looks on, each is measured."""
        if not self._keeps_results:
            return range(len(configs))
        backend = driver.active.get_current_target().backend
        asked = json.dumps({"backend": backend, "configs": [config.__dict__ for config in configs]}, default=str)
        return tuning.representatives(asked) or range(len(configs))

    def _rank(self, configs):
        """What decides between configurations that are equally fast: nothing but the clock or, where the choice must not depend on noise, their order."""
        if not knobs.autotuning.deterministic:
            return None
        order = {config: index for index, config in enumerate(configs)}
        return order.__getitem__

    def _measure(self, configs, args, kwargs, progress, lost):
        """Config -> timings. Where the choice must not depend on noise, several rounds over all, and more for those that could go either way."""
        timings: dict = {}

        def measure_all(chosen):
            for config in chosen:
                if config in lost:
                    timings[config] = [float("inf")] * 3
                    continue
                timing = self._bench(*args, config=config, **kwargs)
                timings[config] = quicker(timings[config], timing) if config in timings else timing
                progress.measured(len(timings), timings[config])

        measure_all(configs)
        if knobs.autotuning.deterministic:
            for _ in range(2):
                measure_all([config for config in configs if timings[config] != [float("inf")] * 3])
            for _ in range(3):
                measure_all(undecided(timings))
        return timings

    def _benchmark(self, key, all_configs, args, kwargs):
        begin = time.time()
        first = self._first_of_code(all_configs)
        configs = [all_configs[index] for index, same in enumerate(first) if same == index]
        progress = Progress(self._name, len(configs))
        self._harms = {}

        def compile_and_measure(some):
            lost = self._compile_all(some, args, kwargs, progress)
            for config in lost:
                warnings.warn(f"configuration {config} of {self._name} is left out: it is not compiled within {knobs.autotuning.timeout} s", stacklevel=4)  # fmt: skip
            return self._measure(some, args, kwargs, progress, lost)

        try:
            # Clocks and hooks of the user's may wait for those of other processes.
            shared = self._shared_key(key, all_configs) if self._keeps_results else None
            timings = fleet.measure_together(shared, configs, compile_and_measure) if shared else compile_and_measure(configs)  # fmt: skip
        finally:
            progress.close()
            if self._trial is not None:
                self._trial.close()
        timings = {config: timings[all_configs[same]] for config, same in zip(all_configs, first)}
        self.bench_time = time.time() - begin
        self.cache[key] = choose(timings, self._rank(all_configs))
        self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
        self.configs_timings = timings

    def _best_of(self, key, args, kwargs):
        """The configuration for a key. Who comes while it is tuned waits: at the same time, kernels would disturb each other's times."""
        if key not in self.cache:
            with self._lock:
                if key not in self.cache:
                    self._tune(key, args, kwargs)
        return self.cache[key]

    def _tune(self, key, args, kwargs):
        # Of a launch that is tuned, and that launches this kernel.
        before = self._call, self._restore_copies, self._harms
        self._call = args, kwargs
        try:
            self._tune_call(key, args, kwargs)
        finally:
            self._call, self._restore_copies, self._harms = before

    def _tune_call(self, key, args, kwargs):
        pruned = self.prune_configs(kwargs)
        if len(pruned) == 1:  # nothing to choose from
            self.cache[key] = pruned[0]
            return
        if knobs.autotuning.first:
            self.cache[key] = self._first_that_runs(pruned, args, kwargs)
            return
        shared = self._shared_key(key, pruned)
        used_cache = shared is not None and self._adopt(key, pruned, *fleet.agree_on(shared, None, None))
        if not used_cache:
            used_cache = self._tune_here(key, pruned, args, kwargs)
            if shared is not None:
                timings = [self.configs_timings[config] for config in pruned]
                self._adopt(key, pruned, *fleet.agree_on(shared, pruned.index(self.cache[key]), timings))
        self._tell(key, used_cache)

    def _shared_key(self, key, configs):
        """What a choice is called among the processes of a job; None where there is no job, or it cannot be written down."""
        fn = self._jit_function()
        if fn is None or not key or fleet.current() is None:
            return None
        alike = [copy.copy(config) for config in configs]
        for config in alike:
            config.pre_hook = config.pre_hook and "hook"  # which is another object in every process
        return tuning.hash(question(fn, key, alike))

    def _adopt(self, key, configs, winner, timings):
        """Takes what the job has agreed on; False if it has not yet."""
        if winner is None:
            return False
        self.cache[key], self.configs_timings = configs[winner], dict(zip(configs, timings))
        return True

    def _first_that_runs(self, configs, args, kwargs):
        def run_once(call, quantiles):
            call()
            return [0.0] * 3

        for config in configs:
            if self._bench(*args, config=config, _clock=run_once, **kwargs)[0] == 0:
                self.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()}, reset_only=True)
                return config
        raise AutotunerError(f"none of the {len(configs)} configurations of {self._name} runs")

    def _tune_here(self, key, pruned, args, kwargs):
        """Finds the best configuration; True if that was kept from before."""

        def benchmark():
            self._benchmark(key, pruned, args, kwargs)

        is_kept = knobs.autotuning.persist and (self._keeps_results or knobs.autotuning.deterministic)
        if self.cache_results or (is_kept and not knobs.runtime.interpret):
            return self.check_disk_cache(key, pruned, benchmark)
        benchmark()
        return False

    def _tell(self, key, used_cache):
        if knobs.autotuning.print and not used_cache:
            print(
                f"Triton autotuning for function {self._name},\nwith key as {key},\n"
                f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.cache[key]};"
            )
        if knobs.autotuning.listener is not None:
            knobs.autotuning.listener(
                fn=self._jit_function() or self.fn,
                key=key,
                best_config=self.cache[key],
                configs_timings=self.configs_timings,
                duration=None if used_cache else self.bench_time,
                cache_hit=used_cache,
            )

    def run(self, *args, **kwargs):
        """Launches with the best configuration for these arguments."""
        before, self.nargs = self.nargs, dict(zip(self.arg_names, args))  # a hook or a grid may launch this kernel too
        try:
            config = self.configs[0]
            if len(self.configs) > 1:
                config = self._best_of(self._tuning_key(kwargs), args, kwargs)
            self.best_config = config
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **kwargs, **self._launch_kwargs(config))
        finally:
            self.nargs = before

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
            top_k = max(1, int(len(pruned) * top_k))
        elif not isinstance(top_k, int):
            raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
        if len(pruned) > top_k:
            estimates = {config: self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()) for config in pruned}
            pruned = sorted(estimates, key=estimates.get)[:top_k]
        return pruned

    def warmup(self, *args, **kwargs):
        """Compiles every configuration worth measuring; gives the kernels."""
        before, self.nargs = self.nargs, dict(zip(self.arg_names, args))
        try:
            configs = self.prune_configs(kwargs)
            return [self.fn.warmup(*args, **kwargs, **self._launch_kwargs(config)) for config in configs]
        finally:
            self.nargs = before


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
