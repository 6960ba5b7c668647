"""`triton.heuristics`: meta-parameters computed from the arguments."""

from __future__ import annotations

from .jit import KernelInterface


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
