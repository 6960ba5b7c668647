"""`TRITON_SANITIZE=address,race`: memory accesses of kernels on the CPU and in interpreter mode are watched.

`address` reports accesses out of bounds, misaligned ones, and reads of memory that `torch.empty`, `numpy.empty` and their like made and that nobody
has written since. `race` reports two programs on one element, one of them writing, that nothing orders; atomics on single elements order as their
`sem` says. A launch fails at the first report.
"""

import functools
import os
import sys

from .. import knobs
from .._C import libtriton
from .driver import driver
from .jit import JITFunction

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def modes():
    """What is asked for: a set of "address" and "race"; "async" and "shared" are about simulated GPUs, which read the variable themselves."""
    wanted = {mode.strip() for mode in (knobs.runtime.sanitize or "").split(",")} - {""}
    unknown = wanted - {"address", "race", "async", "shared"}
    if unknown:
        raise ValueError(f"TRITON_SANITIZE may name address, race, async and shared, not {', '.join(sorted(unknown))}")
    return wanted


def _describe(tensor):
    """(dtype, address, bytes per element, shape, strides in elements) of host memory; None for anything else."""
    if hasattr(tensor, "data_ptr") and hasattr(tensor, "stride"):
        if tensor.device.type != "cpu":
            return None
        dtype = str(tensor.dtype).removeprefix("torch.")
        return dtype, tensor.data_ptr(), tensor.element_size(), list(tensor.shape), list(tensor.stride())
    interface = getattr(tensor, "__array_interface__", None)
    if interface is None and hasattr(tensor, "__dlpack__"):
        import numpy as np

        tensor = np.from_dlpack(tensor)
        interface = tensor.__array_interface__
    if interface is None:
        return None
    import numpy as np

    size = np.dtype(interface["typestr"]).itemsize
    shape = list(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        strides = [size] * len(shape)
        for dim in range(len(shape) - 2, -1, -1):
            strides[dim] = strides[dim + 1] * shape[dim + 1]
    return str(np.dtype(interface["typestr"])), interface["data"][0], size, shape, [s // size for s in strides]


def _tensors(name, value):
    """The tensors of one argument, each with the name that kernels know it by."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", range(len(value)))
        for field, part in zip(fields, value):
            yield from _tensors(f"{name}.{field}", part)
        return
    base = getattr(value, "base", None)
    if base is not None and (hasattr(value, "block_shape") or type(value).__name__ == "TensorWrapper"):
        value = base
    described = _describe(value)
    if described:
        yield name, described


def watch(arguments):
    """A launch with these arguments, by name: watched until it is let go."""
    wanted = modes()
    launch = libtriton.sanitizer.CheckedLaunch(address="address" in wanted, race="race" in wanted)
    for argument, value in arguments.items():
        for name, (dtype, address, size, shape, strides) in _tensors(argument, value):
            launch.add_tensor(name, f"{dtype}{shape}", address, size, shape, strides)
    return launch


def place():
    """Where the kernel that is interpreted is: "file:line:column"."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return ""
    column = 0
    if hasattr(frame.f_code, "co_positions"):
        for index, position in enumerate(frame.f_code.co_positions()):
            if index == frame.f_lasti // 2:
                column = position[2] or 0
                break
    return f"{frame.f_code.co_filename}:{frame.f_lineno}:{column + 1}"


class SanitizedFunction(JITFunction):
    """A kernel whose launches on the CPU are watched."""

    def __getitem__(self, grid):
        return functools.partial(self.run, grid=grid, warmup=False)

    def run(self, *args, grid, warmup, **kwargs):
        if driver.active.get_current_target().backend != "cpu" or not modes():
            return self._run_generally(*args, grid=grid, warmup=warmup, **kwargs)
        kwargs["check_accesses"] = True
        if warmup:
            return self._run_generally(*args, grid=grid, warmup=True, **kwargs)
        _, _, _, _, binder = self.device_caches[driver.active.get_current_device()]
        bound, _, _ = binder(*args, **kwargs)
        watched = watch(bound)
        try:
            return self._run_generally(*args, grid=grid, warmup=False, **kwargs)
        finally:
            del watched


def _poisoning(allocate):
    @functools.wraps(allocate)
    def wrapped(*args, **kwargs):
        tensor = allocate(*args, **kwargs)
        # An array of objects holds pointers.
        described = _describe(tensor) if getattr(tensor.dtype, "kind", "f") in "biufc" else None
        if described:
            _, address, size, shape, strides = described
            if all(strides) and all(shape):
                extent = sum((n - 1) * abs(stride) for n, stride in zip(shape, strides)) + 1
                libtriton.sanitizer.poison(address, extent * size)
        return tensor

    return wrapped


def _mark_written(part):
    """Whatever is in this array or tensor has been written, even where it is what was there before."""
    described = _describe(part)
    if described:
        _, address, size, shape, strides = described
        libtriton.sanitizer.mark_written(address, size, shape, strides)


def _note_array_assignment(array, key):
    """After `array[key] = ...`: only a part that is a view of the array can have kept what it was made with."""
    import numpy

    keys = key if isinstance(key, tuple) else (key,)
    part = array[keys if any(one is ... for one in keys) else (*keys, ...)]
    if part.dtype.kind in "biufc" and numpy.may_share_memory(part, array):
        _mark_written(part)


def _marking(assign, part_of):
    @functools.wraps(assign)
    def wrapped(tensor, *args, **kwargs):
        result = assign(tensor, *args, **kwargs)
        _mark_written(part_of(tensor, *args))
        return result

    return wrapped


def _part_of_tensor(tensor, key, value):
    """What `tensor[key] = value` has written: a view, or for keys that pick elements one by one, nothing that is looked at."""
    part = tensor.detach()[key]
    is_view = part.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
    return part if is_view else part[:0]


def _replace(owner, name, wrap):
    function = getattr(owner, name)
    if not hasattr(function, "__triton_sanitized__"):
        replacement = wrap(function)
        replacement.__triton_sanitized__ = True
        setattr(owner, name, replacement)


def install():
    """Lets memory that is allocated without a value be known as such, and assignments as what gives it one."""
    if "address" not in modes():
        return
    try:
        import torch
    except ImportError:
        pass
    else:
        for name in ("empty", "empty_like", "empty_strided", "empty_permuted"):
            _replace(torch, name, _poisoning)
        for name in ("new_empty", "new_empty_strided"):
            _replace(torch.Tensor, name, _poisoning)
        _replace(torch.Tensor, "__setitem__", lambda assign: _marking(assign, _part_of_tensor))
        _replace(torch.Tensor, "copy_", lambda assign: _marking(assign, lambda tensor, *_: tensor))
    try:
        import numpy
    except ImportError:
        pass
    else:
        for name in ("empty", "empty_like"):
            _replace(numpy, name, _poisoning)
        _replace(numpy, "copyto", lambda assign: _marking(assign, lambda array, *_: array))
        libtriton.sanitizer.watch_assignments(numpy.ndarray, _note_array_assignment)
