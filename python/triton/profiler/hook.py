"""`hook="triton"`: launches of Triton kernels appear under the names, and with the metrics, that their `launch_metadata` gives."""

from __future__ import annotations

from .. import knobs
from .._C.libtriton import profiler as native
from .state import state

# Kernels that a `launch_metadata` function itself launches belong here; the viewer leaves it out.
METADATA_STATE = "__proton_launch_metadata"
METRICS = ("flops8", "flops16", "flops32", "flops64", "flops", "bytes")

_sessions: set[int] = set()


def _enter(lazy_metadata) -> None:
    with state(METADATA_STATE):
        metadata = lazy_metadata.get()
    metrics = {name: metadata[name] for name in METRICS if metadata.get(name) is not None}
    native.enter_operation(metadata["name"], metrics)


def _exit(lazy_metadata) -> None:
    native.leave_operation()


def check() -> None:
    """A client may have put something else in the place of a chain of hooks."""
    for name in ("launch_enter_hook", "launch_exit_hook"):
        hook = getattr(knobs.runtime, name)
        if not isinstance(hook, knobs.HookChain):
            raise RuntimeError(f'hook="triton" needs knobs.runtime.{name} to be a knobs.HookChain, but it is {hook!r}')


def follow(session: int, is_active: bool) -> None:
    """Hooks are there while a session is active that wants them."""
    (_sessions.add if is_active else _sessions.discard)(session)
    for chain, hook in ((knobs.runtime.launch_enter_hook, _enter), (knobs.runtime.launch_exit_hook, _exit)):
        if isinstance(chain, knobs.HookChain):
            (chain.add if _sessions else chain.remove)(hook)
