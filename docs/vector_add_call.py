"""One call of the kernel in vector_add.py, step by step: `python docs/vector_add_call.py STEP` prints what docs/architecture.md shows of it."""

import os
import sys
import tempfile

import numpy as np
from vector_add import add_kernel

x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
output = np.empty_like(x)
call = x, y, output, 1000, 1024


def bind():
    """What the call's arguments are to the kernel: (values by name, what is known of each, options)."""
    return add_kernel.device_caches[0][4](*call)


def facts():
    for name, known in zip(add_kernel.arg_names, bind()[1]):
        print(f"{name:10} {known}")


def key():
    (text,) = add_kernel.device_caches[0][0]
    print(text)


def entry():
    (folder,) = os.scandir(os.environ["TRITON_CACHE_DIR"])
    print("\n".join(sorted(os.listdir(folder))))


def block():
    metadata = kernel.metadata
    for name, type_name, offset, size, stored in metadata.argument_layout:
        print(f"{offset:2}  {size} bytes  {type_name:5}  {name}{', stored to' if stored else ''}")
    print(f"{metadata.argument_bytes} bytes in all")


def launch():
    kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, *call)
    print(output[:4], output[-1])


with tempfile.TemporaryDirectory() as directory:
    os.environ["TRITON_CACHE_DIR"] = directory
    kernel = add_kernel[(1,)](*call)
    {"facts": facts, "key": key, "entry": entry, "block": block, "launch": launch}[sys.argv[1]]()
