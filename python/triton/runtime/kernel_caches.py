"""The compiled kernels of a jitted function in memory: per device, under keys made of the types and options of a launch."""

from __future__ import annotations

from .._utils import is_namedtuple
from ..compiler.fingerprints import memory_key
from ..language.callables import JITCallable


def _replace_objects(value):
    """Jitted functions by their keys, objects by what tells them from others, all the way down."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, list):
        return [_replace_objects(element) for element in value]
    if is_namedtuple(type(value)):
        return type(value)(*map(_replace_objects, value))
    if isinstance(value, tuple):
        return tuple(map(_replace_objects, value))
    return value.cache_key if isinstance(value, JITCallable) else memory_key(value)


def compute_cache_key(kernel_key_cache, specialization, options):
    """The in-memory key of a launch. `kernel_key_cache` is not used: 1, True and 1.0 are equal as keys of a dict, and warm launches do not come here."""
    return str(_replace_objects(specialization)) + str(options)


def _telling(method):
    def wrapped(self, *args, **kwargs):
        self.owner._forget_launches()
        return method(self, *args, **kwargs)

    return wrapped


class _ObservedDict(dict):
    """A dict that tells its kernel when something is taken out or replaced, so that launches do not go on using it."""

    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def __setitem__(self, key, value):
        if key in self:
            self.owner._forget_launches()
        super().__setitem__(key, value)

    __delitem__ = _telling(dict.__delitem__)
    clear = _telling(dict.clear)
    pop = _telling(dict.pop)
    popitem = _telling(dict.popitem)


class KernelCache(_ObservedDict):
    """In-memory key of a launch -> compiled kernel."""


class DeviceCaches(_ObservedDict):
    """device index -> (kernel_cache, kernel_key_cache, target, backend, binder), made on first use."""

    def __missing__(self, device):
        if device == "cpu":  # what `torch.cpu.current_device()` says
            return self[0]
        self[device] = self.owner.create_binder()
        return self[device]
