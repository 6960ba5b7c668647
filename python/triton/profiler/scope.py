"""Scopes: named parts of a program, to which the kernels that they launch belong. Each thread has its own."""

from __future__ import annotations

import functools
import threading
from typing import Optional, Union

from .._C.libtriton import profiler as native
from .flags import flags
from .hooks.launch import next_number

MetricValueType = Union[float, int, str, list]

thread_local_scopes = threading.local()  # .scopes: (number, name) of what `enter_scope` entered, innermost last


class scope:
    """`with scope("layer", {"flops": 1e9}): …`, or a decorator of a function. Entering it adds the metrics to those that it has.

    Numbers add up, also with what is below; " (exc)" behind a name keeps them out of the sums above, " (pty)" sets a property instead, which may be
    a text. Lists and tensors of one dimension add up element by element.
    """

    _is_timed = False

    def __init__(self, name: str, metrics: Optional[dict[str, MetricValueType]] = None) -> None:
        self.name = name
        self.metrics = metrics
        self.id: Optional[int] = None

    def _enter_scope(self):
        self.id = next_number()
        native.enter(self.name, self.metrics, self._is_timed, self.id)

    def _exit_scope(self):
        native.leave(self.name, None)

    def __enter__(self):
        self._enter_scope()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if exc_type is None:
            self._exit_scope()
        else:  # what the exception left open is left along
            native.leave(None, None)

    def __call__(self, func):
        @functools.wraps(func)
        def within(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return within


class cpu_timed_scope(scope):
    """A scope that also measures how long the thread was in it: the metric `cpu_time`."""

    _is_timed = True

    def __init__(self, name: str, metrics: Optional[dict[str, MetricValueType]] = None) -> None:
        if metrics and "cpu_time (ns)" in metrics:
            raise ValueError("the metric 'cpu_time (ns)' of a cpu_timed_scope is measured, not given")
        super().__init__(name, metrics)


def _entered() -> list:
    if not hasattr(thread_local_scopes, "scopes"):
        thread_local_scopes.scopes = []
    return thread_local_scopes.scopes


def enter_scope(name: str, *, metrics: Optional[dict[str, MetricValueType]] = None) -> Optional[int]:
    """Enters a scope, where a `with` would not do. Gives its number; None if nothing is profiled."""
    number = next_number()
    native.enter(name, metrics, False, number)
    _entered().append((number, name))
    return number if flags.profiling_on else None


def exit_scope(name: Optional[str] = None, *, metrics: Optional[dict[str, MetricValueType]] = None) -> Optional[int]:
    """Leaves the scope that was entered last. A name that is not its name is a ValueError; metrics are added to it."""
    native.leave(name, metrics)
    number, _ = _entered().pop() if _entered() else (None, None)
    return number if flags.profiling_on else None
