"""What launches under gsan do, as programs set it."""

from __future__ import annotations

import enum
import os

from ... import knobs

_SEED = "TRITON_SIMULATE_SEED"

_frozen = False
_undo: dict = {}  # of each thing that was set: puts back what was there before


class ShareableHandleType(enum.Enum):
    """How other processes get at memory."""

    POSIX_FILE_DESCRIPTOR = "posix_file_descriptor"
    FABRIC = "fabric"


def _putting_back_variable(name):
    text = os.environ.get(name)

    def put_back():
        if text is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = text

    return put_back


def _putting_back_size():
    # A value that Python assigned, and the variable in which the knob mirrors it.
    group = knobs.compilation
    assigned = vars(group).get("gsan_clock_buffer_size", knobs.env)
    put_back_variable = _putting_back_variable(group.knob_descriptors["gsan_clock_buffer_size"].key)

    def put_back():
        group.gsan_clock_buffer_size = assigned
        put_back_variable()

    return put_back


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
        _undo.setdefault("size", _putting_back_size())
        knobs.compilation.gsan_clock_buffer_size = clock_buffer_size
    if rng_seed is not None:
        seed = str(int(rng_seed))
        _undo.setdefault("seed", _putting_back_variable(_SEED))
        os.environ[_SEED] = seed


def freeze_config() -> None:
    """Lets nobody configure it any more."""
    global _frozen
    _frozen = True


def reset() -> None:
    """Puts back what was set before `configure`, in Python or in the environment. What kernels know of memory is theirs, and each launch begins anew."""
    global _frozen
    _frozen = False
    for put_back in _undo.values():
        put_back()
    _undo.clear()
