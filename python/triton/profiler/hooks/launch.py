"""`hook="triton"`: launches of Triton kernels appear under the names, and with the metrics, that their `launch_metadata` gives."""

from __future__ import annotations

import itertools
import numbers
import re
from contextvars import ContextVar
from typing import Optional

from ..._C.libtriton import profiler as native
from ...compiler import LazyDict
from ..state import COMPUTE_METADATA_SCOPE_NAME, metadata_state
from .hook import Hook

op_name: ContextVar[Optional[str]] = ContextVar("op_name", default=None)  # of this thread's last launch
id: ContextVar[Optional[int]] = ContextVar("id", default=None)  # its number: each launch has its own

_numbers = itertools.count(1)


def next_number() -> int:
    """A number for a scope or a launch that no other has."""
    return next(_numbers)


def _is_metric(name: str, value) -> bool:
    is_tensor = hasattr(value, "tolist") and hasattr(value, "dtype")
    return name not in ("name", "function", "stream") and (
        is_tensor or (isinstance(value, (numbers.Number, list)) and not isinstance(value, bool))
    )


class LaunchHook(Hook):
    """There is one. `configure` says which kernels it looks at."""

    priority = 100
    flops_width = [8, 16, 32, 64]
    metrics = [f"flops{width}" for width in flops_width] + ["bytes", "flops"]
    _instance: Optional["LaunchHook"] = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.configure()
        return cls._instance

    def configure(self, *, include: Optional[str] = None, exclude: Optional[str] = None) -> None:
        """Regular expressions that a kernel's name must match from its beginning, and must not."""
        self._include = re.compile(include) if include else None
        self._exclude = re.compile(exclude) if exclude else None

    def _wants(self, name: str) -> bool:
        return not (self._include and not self._include.match(name)) and not (
            self._exclude and self._exclude.match(name)
        )

    def init_handle(self, module, function, name: str, metadata_group: dict, hash: str) -> None:
        pass

    def activate(self):
        pass

    def deactivate(self):
        pass

    def enter(self, metadata: LazyDict) -> None:
        name = metadata.data["name"]
        if not self._wants(name):
            return
        with metadata_state(name):
            found = metadata.get()
            metrics = {key: value for key, value in found.items() if _is_metric(key, value)}
        op_name.set(found["name"])
        id.set(next_number())
        native.enter_operation(found["name"], metrics, id.get())

    def exit(self, metadata: LazyDict) -> None:
        native.leave_operation()


__all__ = ["COMPUTE_METADATA_SCOPE_NAME", "LaunchHook", "id", "op_name"]
