"""States: what a thread is doing, whichever scope it is in. A kernel's context ends with the state, after all scopes."""

from __future__ import annotations

import functools
import threading
from typing import Optional

from .._C.libtriton import profiler as native


class _Before(threading.local):
    """The states that this thread comes back to, innermost last."""

    def __init__(self):
        self.names: list[str] = []


_before = _Before()


class state:
    """`with state("loading"): …`, or a decorator. There is one at a time: an inner state hides the outer one."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self):
        enter_state(self.name)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        exit_state()

    def __call__(self, func):
        @functools.wraps(func)
        def within(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return within


def enter_state(name: str) -> None:
    """Enters a state until `exit_state`."""
    _before.names.append(native.set_mark(name))


def exit_state() -> None:
    """Goes back to the state before the last `enter_state`."""
    if not _before.names:
        raise ValueError("a state is left, but none was entered")
    native.set_mark(_before.names.pop())


# Kernels that a `launch_metadata` function itself launches belong here; the viewer leaves it out.
COMPUTE_METADATA_SCOPE_NAME = "__proton_launch_metadata"


class metadata_state(state):
    """What is launched inside belongs to the computation of metadata, not to the program; `kernel_name` says for which kernel."""

    def __init__(self, kernel_name: Optional[str] = None):
        super().__init__(COMPUTE_METADATA_SCOPE_NAME)
        self.kernel_name = kernel_name
