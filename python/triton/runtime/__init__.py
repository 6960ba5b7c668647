"""Launching kernels: the JIT, the autotuner, the cache, the drivers."""

import importlib

from . import _allocation, _async_compile, cache, errors
from .autotuner import Autotuner, Config, Heuristics, autotune, heuristics
from .cache import RedisRemoteCacheBackend, RemoteCacheBackend
from .driver import driver
from .errors import InterpreterError, OutOfResources
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

__all__ = [
    "autotune",
    "Autotuner",
    "Config",
    "driver",
    "Heuristics",
    "heuristics",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "RedisRemoteCacheBackend",
    "reinterpret",
    "RemoteCacheBackend",
    "TensorWrapper",
]


def __getattr__(name):
    if name == "build":  # brings much of the standard library, and few need it
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
