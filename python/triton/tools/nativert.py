"""A kernel of the CPU as the two libraries that torch's AOTInductor loads: `so` has the code, `launcher.so` a function that launches it.

void run_from_nativert(uint32_t gx, uint32_t gy, uint32_t gz, int num_cpu_threads, void **args, void *kernel_fn)
"""

from __future__ import annotations

import os
import string
import tempfile

from ..runtime import build


def kernel_library(name, code):
    """The bytes of a shared library with the code of an object; the kernel's symbol is its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{name}.o")
        with open(path, "wb") as file:
            file.write(code)
        return _read(build.link(path, os.path.join(folder, f"{name}.so"), ["-lm"]))


def launcher_library(metadata, signature):
    """The bytes of a shared library whose `run_from_nativert` launches a kernel with this metadata; `signature` has the types of all its parameters."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "extra", "cpu", "nativert.c")) as file:
        template = string.Template(file.read())
    source = template.substitute(
        kernel_name=metadata.name,
        arena_bytes=metadata.shared,
        argument_bytes=max(metadata.argument_bytes, 1),
        waits=int(metadata.waits_for_programs),
        copies="\n".join(_copies(metadata, signature)),
    )
    return _read(build.compile_so_from_src(source, "nativert", ccflags=["-pthread"]))


def _copies(metadata, signature):
    """A statement for each argument of the code."""
    positions = [index for index, ty in enumerate(signature.values()) if ty != "constexpr"]
    types = list(signature.values())
    unknown = [ty for ty in types if not isinstance(ty, str) or ty.startswith("tensordesc")]
    if unknown:
        raise RuntimeError(f"kernel '{metadata.name}' cannot be launched ahead of time: it takes a {unknown[0]}")
    for position, (_, _, offset, size, *_) in zip(positions, metadata.argument_layout, strict=True):
        slot, ty = f"args[{position}]", types[position]
        if ty in _FROM_FLOAT:
            yield f"  {{ {_FROM_FLOAT[ty].format(slot=slot)} memcpy(arguments + {offset}, &value, {size}); }}"
        else:
            yield f"  memcpy(arguments + {offset}, {'&' if ty.startswith('*') else ''}{slot}, {size});"


# Numbers with a fraction come as C's float, whatever the kernel's type for them: Inductor has no other for its arguments.
_FROM_FLOAT = {
    "fp64": "double value = *(const float *){slot};",
    "fp16": "_Float16 value = (_Float16) * (const float *){slot};",
    "bf16": "uint16_t value = (uint16_t)(*(const uint32_t *){slot} >> 16);",
}


def _read(path):
    with open(path, "rb") as file:
        return file.read()
