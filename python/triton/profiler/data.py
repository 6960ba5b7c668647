"""What a session has measured so far, read while the program goes on. It comes in phases: `advance_phase` ends one and begins the next."""

from __future__ import annotations

import json

from .._C.libtriton import profiler as native
from .profile import _advance_phase


def get(session: int = 0, phase: int = 0) -> list:
    """The tree of a phase, as `finalize` writes it: a list of the root and of what is known about the devices."""
    return json.loads(native.data(session, phase, "hatchet"))


def get_msgpack(session: int = 0, phase: int = 0) -> bytes:
    """The same, packed by msgpack."""
    return native.data(session, phase, "hatchet_msgpack")


def advance_phase(session: int = 0) -> int:
    """Ends the current phase; gives the number of the next one. With mode="periodic_flushing" the one that ended is written to its file."""
    return _advance_phase(session)


def is_phase_complete(session: int = 0, phase: int = 0) -> bool:
    """Whether a phase has ended and all its kernels have been measured."""
    return native.is_phase_complete(session, phase)


def clear(session: int = 0, phase: int = 0, clear_up_to_phase: bool = False) -> None:
    """Forgets what was measured in a phase, or in all phases up to it."""
    native.clear(session, phase, clear_up_to_phase)
