"""`launch`: launches any function of a module, given the types of its arguments. Clients that keep launchers of their own call it; kernels of this package have a
`KernelLauncher` each.

A tree of annotations says of each parameter whether the code has it: constants it has not, tuples it has element by element. The types of what is left, one byte each,
are the signature.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import NamedTuple, Optional

from .._C import libtriton
from .._utils import C_TYPES
from .driver import expand_signature

ARG_CONSTEXPR, ARG_KERNEL, ARG_TUPLE = range(3)


class PyKernelArg(NamedTuple):
    """What a parameter is for the code; `nested_tuple` describes the elements of a tuple."""

    nested_tuple: Optional[tuple]
    type: int


def _annotate(ty):
    if isinstance(ty, tuple):
        return PyKernelArg(nested_tuple=annotate_arguments(ty), type=ARG_TUPLE)
    return PyKernelArg(nested_tuple=None, type=ARG_CONSTEXPR if ty == "constexpr" else ARG_KERNEL)


def annotate_arguments(types):
    """The annotations of parameters of these types."""
    return tuple(map(_annotate, types.values() if isinstance(types, dict) else types))


# The bytes of signatures: a position in this list. Pointers are alike, whatever they point to.
_TYPES = ["*i8", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64", "nvTmaDesc"]  # fmt: skip
_CODES = {**{ty: code for code, ty in enumerate(_TYPES)}, "i1": _TYPES.index("u1"), "f32": _TYPES.index("fp32")}


def build_signature_metadata(types):
    """The signature of code whose arguments have these types, one byte for each."""
    unknown = [ty for ty in types if not ty.startswith("*") and ty not in _CODES]
    if unknown:
        raise ValueError(f"'{unknown[0]}' is no type of a kernel's argument")
    return bytes(0 if ty.startswith("*") else _CODES[ty] for ty in types)


def make_kernel_signature(types):
    """The same from the types of parameters, of which some are constants or tuples."""
    flat: list = []

    def add(ty):
        if isinstance(ty, tuple):
            for element in ty:
                add(element)
        elif ty != "constexpr":
            flat.append(ty)

    for ty in types.values() if isinstance(types, dict) else types:
        add(ty)
    return build_signature_metadata(flat)


def _flatten(annotations, values, out):
    for annotation, value in zip(annotations, values, strict=True):
        if annotation.type == ARG_TUPLE:
            _flatten(annotation.nested_tuple, value, out)
        elif annotation.type == ARG_KERNEL:
            out.append(value)


@functools.lru_cache(maxsize=256)
def _launcher(signature, packed_metadata, cooperative, programmatic, warp_size):
    """What launches code of a signature, with room for the two scratch buffers behind its arguments."""
    num_warps, num_ctas, shared = packed_metadata
    types, layout, end = [_TYPES[code] for code in (*signature, 0, 0)], [], 0
    for position, ty in enumerate(types):
        offset, size = libtriton.place_argument(ty, end)
        layout.append((f"arg{position}", ty, offset, size))
        end = offset + size
    metadata = SimpleNamespace(argument_bytes=end, argument_layout=layout, num_warps=num_warps, warp_size=warp_size, shared=shared,
                               num_ctas=num_ctas, launch_cooperative_grid=cooperative, launch_pdl=programmatic)  # fmt: skip
    return libtriton.CudaLauncherBase(types, metadata)


def launch_code(grid, stream, function, cooperative, programmatic, warp_size, packed_metadata, hooks, scratch, annotations, signature, values):  # fmt: skip
    """Queues `function` on a stream. `packed_metadata` is (num_warps, num_ctas, shared); `hooks` what they are told, and those before and after; the two scratch buffers are
    addresses, objects with one, or None."""
    flat: list = []
    _flatten(annotations, values, flat)
    if len(flat) != len(signature):
        raise TypeError(f"the code takes {len(signature)} arguments, got {len(flat)}")
    run = _launcher(bytes(signature), tuple(packed_metadata), bool(cooperative), bool(programmatic), warp_size)
    run(*grid, stream, function, packed_metadata, *hooks, *flat, *(buffer or 0 for buffer in scratch))


def launch(
    gridX, gridY, gridZ, stream, function, cooperative, pdl, packed_metadata, launch_metadata, enter_hook, exit_hook,
    global_scratch, profile_scratch, arg_annotations, signature_bytes, kernel_args,
):  # fmt: skip
    """`launch_code` with the parameters that clients of NVIDIA's driver give."""
    hooks = (launch_metadata, enter_hook, exit_hook)
    launch_code((gridX, gridY, gridZ), stream, function, cooperative, pdl, 32, packed_metadata, hooks,
                (global_scratch, profile_scratch), arg_annotations, signature_bytes, kernel_args)  # fmt: skip


def expand_launcher(template, constants, signature, tensordesc_meta, c_type, **further):
    """C source of a function that launches kernels of a signature: `template` with the parameters that the code takes, and the array of pointers to them."""
    constants = {path if isinstance(path, tuple) else (path,) for path in constants}

    def passed(types, path=()):
        for index, ty in enumerate(types):
            place = (*path, index)
            if isinstance(ty, tuple):
                yield from passed(ty, place)
            elif ty != "constexpr" and place not in constants:
                yield ty

    parts = expand_signature(passed(signature.values()), tensordesc_meta, "nvTmaDesc")
    types = [C_TYPES.get(ty) or c_type(ty) for ty in parts]
    return template.format(
        parameters="".join(f", {ty} arg{index}" for index, ty in enumerate(types)),
        arguments="".join(f"&arg{index}, " for index in range(len(types))),
        **further,
    )
