"""What the host sees of a kernel that is interpreted: the numbers in tensors, and what `device_print` prints."""

import threading

from .._C.libtriton import emission
from .types import float32

# Of the thread's launch: `session` (the tensors and what is done with them), `program` (its place in the grid) and `watched` (accesses that are checked).
state = threading.local()


def stored_data_of(tensor):
    """The elements of a tensor as a numpy array, those of types that numpy does not have as their codes; None while a kernel is compiled."""
    session = getattr(state, "session", None)
    if session is None:
        return None
    import numpy as np

    dtype = tensor.dtype
    names = {"fp16": "float16", "fp32": "float32", "fp64": "float64", "int1": "bool", "bf16": "uint16"}
    name = "uint64" if dtype.is_ptr() else "uint8" if dtype.is_fp8() else names.get(dtype.name, dtype.name)
    return np.frombuffer(session.data(tensor), name).reshape([int(dim) for dim in tensor.shape])


def data_of(tensor):
    """The numbers in a tensor as a numpy array; None while a kernel is compiled."""
    data = stored_data_of(tensor)
    if data is None or tensor.dtype.is_ptr():
        return data
    if tensor.dtype.name == "bf16" or tensor.dtype.name in _FP8:
        return stored_data_of(tensor.to(float32))
    return data


def device_print(prefix, *args, hex=False):
    """What `tl.device_print` does in interpreter mode: `(x, y, z) prefix data`, one line per value."""
    prefix = getattr(prefix, "value", prefix)
    if not (prefix.isascii() and prefix.isprintable()):
        raise ValueError(f"prefix of device_print must be printable ASCII, got {prefix!r}")
    place = f"({', '.join(map(str, state.program))}) {prefix}"
    if not args:
        print(place)
    for arg in args:
        data = data_of(emission.to_tensor(arg))
        if getattr(hex, "value", hex):
            import numpy as np

            bits = np.asarray(data).view(f"u{data.dtype.itemsize}")
            data = np.array2string(bits, formatter={"all": lambda word: f"0x{word:0{2 * bits.dtype.itemsize}x}"})
        print(place, data)


_FP8 = ("fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16")
