"""What launches under gsan do, as programs set it."""

from __future__ import annotations

import enum
import os

from ... import knobs

_frozen = False


class ShareableHandleType(enum.Enum):
    """How other processes get at memory."""

    POSIX_FILE_DESCRIPTOR = "posix_file_descriptor"
    FABRIC = "fabric"


def configure(*, device_ranks=None, num_devices=None, rng_seed=None, clock_buffer_size=None, handle_type=None) -> None:
    """Sets what launches from now on do: how many programs of a launch are watched (`clock_buffer_size`), and the seed of the order in which a simulated GPU runs them.

    One device is watched: ranks and numbers of devices say so, or are an error.
    """
    if _frozen:
        raise RuntimeError("the configuration of gsan is frozen: configure it before the first launch")
    for name, value in [("device_ranks", device_ranks), ("num_devices", num_devices)]:
        count = len(value) if hasattr(value, "__len__") else value
        if count not in (None, 1):
            raise NotImplementedError(f"gsan watches the programs of one device; {name}={value} names {count}")
    if handle_type is not None and ShareableHandleType(handle_type) is ShareableHandleType.FABRIC:
        raise NotImplementedError("memory that gsan watches has no fabric handles: it is shared inside of one process")
    if clock_buffer_size is not None:
        if not isinstance(clock_buffer_size, int) or clock_buffer_size < 1:
            raise ValueError(f"clock_buffer_size is the number of programs that are watched, got {clock_buffer_size!r}")
        knobs.compilation.gsan_clock_buffer_size = clock_buffer_size
    if rng_seed is not None:
        os.environ["TRITON_SIMULATE_SEED"] = str(int(rng_seed))


def freeze_config() -> None:
    """Lets nobody configure it any more."""
    global _frozen
    _frozen = True


def reset() -> None:
    """Forgets the configuration. What kernels know of memory is theirs, and each launch begins anew."""
    global _frozen
    _frozen = False
    knobs.compilation.gsan_clock_buffer_size = 1024
