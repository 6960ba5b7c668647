"""Scopes: named parts of a program, to which the kernels that they launch belong. Each thread has its own."""

from __future__ import annotations

import functools
from typing import Optional

from .._C.libtriton import profiler as native


class scope:
    """`with scope("layer", {"flops": 1e9}): …`, or a decorator of a function. Entering it adds the metrics to those that it has."""

    _is_timed = False

    def __init__(self, name: str, metrics: Optional[dict[str, float]] = None):
        self.name = name
        self.metrics = metrics

    def __enter__(self):
        native.enter(self.name, self.metrics, self._is_timed)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        native.leave(None if exc_type else self.name, None)

    def __call__(self, func):
        @functools.wraps(func)
        def within(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return within


class cpu_timed_scope(scope):
    """A scope that also measures how long the thread was in it: the metric `cpu_time`."""

    _is_timed = True


def enter_scope(name: str, *, metrics: Optional[dict[str, float]] = None) -> None:
    """Enters a scope, where a `with` would not do."""
    native.enter(name, metrics, False)


def exit_scope(name: Optional[str] = None, *, metrics: Optional[dict[str, float]] = None) -> None:
    """Leaves the scope that was entered last. A name that is not its name is a ValueError; metrics are added to it."""
    native.leave(name, metrics)
