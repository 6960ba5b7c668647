"""Passes that other packages add to a backend's stages: callbacks at named points, while options ask for instrumentation."""

from __future__ import annotations

import threading
import warnings
from typing import Callable

POINTS = ("load-dialects", "ttgpuir-to-llvmir", "llvmir-to-llvm")

KNOWN = ("consan", "fpsan", "gsan", "iisan", "proton")

_callbacks: dict[tuple[str, str], Callable] = {}  # (backend, point) -> callback
_lock = threading.Lock()


def _modes(options) -> list[str]:
    """What options, a mapping or an object, ask for: `instrumentation_mode` with its commas."""
    is_mapping = hasattr(options, "keys")
    mode = options.get("instrumentation_mode") if is_mapping else getattr(options, "instrumentation_mode", None)
    return [part.strip() for part in (mode or "").split(",") if part.strip()]


def is_enabled(options, name) -> bool:
    """Whether options, a mapping or an object, list an instrumentation."""
    return name in _modes(options)


def warn_of_missing(options, kernel):
    """Says which instrumentation options ask for in vain: the kernel runs without it. What other packages have registered may have any name."""
    for mode in _modes(options):
        name = mode.partition(":")[0]
        if name not in KNOWN and not _callbacks:
            warnings.warn(f"the kernel '{kernel}' is compiled without the instrumentation ({mode}), which is not there", stacklevel=3)  # fmt: skip


def is_instrumented(backend) -> bool:
    """Whether anything is registered for a backend."""
    return any(known == backend for known, _ in _callbacks)


def _check_point(point):
    if point not in POINTS:
        raise ValueError(f"'{point}' is no point of instrumentation; they are {', '.join(POINTS)}")


def register_instrumentation(*, point, backend, callback) -> None:
    """Has `callback` called at a point of a backend's stages. One at each: a second is an error."""
    _check_point(point)
    with _lock:
        if (backend, point) in _callbacks:
            raise RuntimeError(f"the point '{point}' of the backend '{backend}' is instrumented already")
        _callbacks[backend, point] = callback


def unregister_instrumentation(*, point, backend) -> None:
    """Takes back what was registered, if anything was."""
    _check_point(point)
    with _lock:
        _callbacks.pop((backend, point), None)


def instrument(*args, point, backend, context=None) -> bool:
    """Calls what is registered for a point, after the dialects that it needs have been loaded into the context. Says whether there was something."""
    _check_point(point)
    callback = _callbacks.get((backend, point))
    if callback is None:
        return False
    load_dialects = _callbacks.get((backend, "load-dialects"))
    if point != "load-dialects" and load_dialects is not None:
        load_dialects(context)
    callback(*args)
    return True
