"""Launches on a simulated GPU: which memory a kernel may touch."""

from __future__ import annotations

import sys

from .._C import libtriton


def _stretch(value):
    """(begin, end, whether its numbers may be addresses) of the memory that an array lies in; None where that is not known."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), value.dtype in (torch.int64, torch.uint64)
    interface = getattr(value, "__array_interface__", None)
    if interface is None:
        return None
    owner = value
    while getattr(getattr(owner, "base", None), "__array_interface__", None) is not None:
        owner = owner.base
    numpy = sys.modules["numpy"]
    bounds = numpy.lib.array_utils.byte_bounds if hasattr(numpy.lib, "array_utils") else numpy.byte_bounds
    return *bounds(owner), interface["typestr"][1:] in ("i8", "u8")


def _memory(value, name, into):
    """Adds the memory behind an argument; False where it is not known, or holds what may be addresses of more."""
    if isinstance(value, (int, float, bool, str, type(None))):
        return True
    if isinstance(value, tuple):
        return all([_memory(element, name, into) for element in value])
    while (
        not hasattr(value, "untyped_storage") and not hasattr(value, "__array_interface__") and hasattr(value, "base")
    ):
        value = value.base  # of descriptors, and of tensors seen as another type
    found = _stretch(value)
    if found is None:
        return not hasattr(value, "data_ptr") and not hasattr(value, "__dlpack__")
    begin, end, may_hold_addresses = found
    into.append((begin, end, name))
    return not may_hold_addresses


def with_bounds(launcher, metadata):
    """The launcher of a kernel, which tells the simulator the bounds of the arrays where it is given all that the kernel can reach."""
    if metadata.global_scratch_size or metadata.profile_scratch_size:
        return launcher
    first = 9  # behind the grid, the stream, the function, metadata and hooks

    def launch(*arguments):
        memory = []
        parameters = enumerate(arguments[first:])
        is_known = all([_memory(argument, f"argument {index}", memory) for index, argument in parameters])
        libtriton.cuda.note_memory(memory if is_known else [])
        try:
            launcher(*arguments)
        finally:
            libtriton.cuda.note_memory([])  # an empty grid, or a hook that raises, leaves them to the next launch

    return launch
