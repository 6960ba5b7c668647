"""Triton: kernels in Python syntax, compiled for GPUs and CPUs."""

import os as _os

if _os.environ.get("TRITON_ENABLE_PYTHON_STACKTRACE", "").lower() in ("1", "on", "true"):
    import faulthandler as _faulthandler

    _faulthandler.enable()  # a crash of native code shows where Python was

from ._C.libtriton import __version__  # the stamp of the build (docs/reference/versions.md)
from .errors import TritonError  # isort: skip

if _os.environ.get("TRITON_PLUGIN_PATHS"):
    from . import _plugin_loader

    _plugin_loader.load(_os.environ["TRITON_PLUGIN_PATHS"], __version__)
from . import knobs
from .runtime import (
    Config,
    InterpreterError,
    JITFunction,
    KernelInterface,
    MockTensor,
    OutOfResources,
    TensorWrapper,
    autotune,
    heuristics,
    reinterpret,
)
from .runtime._allocation import set_allocator
from .runtime._async_compile import AsyncCompileMode, FutureKernel
from .runtime.jit import constexpr_function, jit
from .compiler import CompilationError, compile, max_shared_mem  # noqa: F401  (the last is Triton 3.7's)
from . import language, runtime
from .language.core import _aggregate as aggregate
from .language.core import must_use_result
from .tools import tensor_descriptor as _tensor_descriptor  # noqa: F401  (first launches look for it: not in a thread while another forks)

__all__ = [
    "aggregate",
    "AsyncCompileMode",
    "autotune",
    "cdiv",
    "CompilationError",
    "compile",
    "Config",
    "constexpr_function",
    "FutureKernel",
    "heuristics",
    "InterpreterError",
    "jit",
    "JITFunction",
    "KernelInterface",
    "language",
    "MockTensor",
    "must_use_result",
    "next_power_of_2",
    "OutOfResources",
    "reinterpret",
    "runtime",
    "set_allocator",
    "TensorWrapper",
    "TritonError",
    "testing",
    "tools",
]


def __getattr__(name):
    # Not needed to run kernels, so only loaded when asked for.
    if name in ("testing", "tools"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


@constexpr_function
def cdiv(x, y):
    """x / y, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n):
    """The smallest power of two that is not smaller than `n`."""
    n -= 1
    n |= n >> 1
    n |= n >> 2
    n |= n >> 4
    n |= n >> 8
    n |= n >> 16
    n |= n >> 32
    n += 1
    return n


if knobs.runtime.sanitize:
    from .runtime import sanitizer

    sanitizer.install()
