"""Scopes inside kernels: `with pl.scope("loads"): …`. A session with `backend="instrumentation"` shows how long each warp was in them.

In kernels that no such session is active for they cost nothing.
"""

from __future__ import annotations

from ..language.builtins import builtin, define
from ..language.constants import constexpr
from ..language.values import tuple
from .flags import flags  # noqa: F401  (known to live here)

define(globals(), __name__)
_SEMANTICS = {"gluon"}
_ALL_SEMANTICS = ("triton", "gluon")


def _known(semantic_name: str) -> str:
    if semantic_name not in _ALL_SEMANTICS:
        raise ValueError(f"Unknown semantic: {semantic_name}; expected one of {', '.join(_ALL_SEMANTICS)}")
    return semantic_name


def enable_semantic(semantic_name: str) -> None:
    """Says that kernels of this language ("triton" or "gluon") may have scopes. They always may here; others ask for it first."""
    _SEMANTICS.add(_known(semantic_name))


def disable_semantic(semantic_name: str) -> None:
    """Takes `enable_semantic` back."""
    _SEMANTICS.discard(_known(semantic_name))


@builtin
def record(is_start, scope_name, semantic=None, _semantic=None) -> None:
    """Notes that a scope begins, or ends."""
    note = enter_scope if getattr(is_start, "value", is_start) else exit_scope  # noqa: F821  (made by `define`)
    note(scope_name, _semantic=_semantic if semantic is None else semantic)


class scope:
    """`with pl.scope("loads"): …` in a kernel."""

    def __init__(self, name: str, _semantic=None):
        self.name = name

    def __enter__(self, _semantic=None):
        enter_scope(self.name, _semantic=_semantic)  # noqa: F821

    def __exit__(self, exc_type, exc_value, traceback, _semantic=None):
        exit_scope(self.name, _semantic=_semantic)  # noqa: F821


@builtin
def allocate_event(name, _semantic=None) -> tuple:
    """A part of a kernel that may begin and end in different places, such as iterations or partitions of warps. It is known by its name."""
    return tuple([constexpr(getattr(name, "value", name))])


@builtin
def record_event(event, is_start, _semantic=None) -> None:
    """An event begins, or ends."""
    record(is_start, event[0], _semantic=_semantic)


@builtin
def start_event(event, _semantic=None) -> None:
    """An event begins."""
    record(True, event[0], _semantic=_semantic)


@builtin
def end_event(event, _semantic=None) -> None:
    """An event ends."""
    record(False, event[0], _semantic=_semantic)
