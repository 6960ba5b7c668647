"""Where the calling thread is."""

from __future__ import annotations

from typing import Optional

from .._C.libtriton import profiler as native
from .flags import flags


def depth(session: Optional[int] = 0) -> Optional[int]:
    """How many scopes, and with context="python" functions, the calling thread is in; None if nothing is profiled."""
    return native.depth(session) if flags.profiling_on else None
