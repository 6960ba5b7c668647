"""What the environment asks to be seen of a compile, or to be different in it: dumps, timings, files in place of stages."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import warnings

from .. import knobs
from .._C.libtriton import getenv_bool, llvm
from ..runtime.cache import get_dump_manager, get_override_manager
from .entries import file_name
from .kernel import AsmDict
from .stages import is_native

_OFF = ("", "0", "off", "false")


def _list(name):
    """A variable that holds names separated by commas."""
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]


def _locations(src, manager):
    shown: dict = {"print_locations": not knobs.compilation.disable_line_info}
    if stage := knobs.compilation.use_ir_loc:
        stored = os.path.join(getattr(manager, "cache_dir", knobs.cache.dir), f"{file_name(src)}.{stage}")
        is_given = getattr(src, "ext", None) == stage  # then the text is in the user's file
        shown |= {"location_stage": stage, "location_file": getattr(src, "path", stored) if is_given else stored}
    return shown


def _dumps(src):
    shown: dict = {}
    dump = os.environ.get("MLIR_ENABLE_DUMP", "")
    if dump.lower() not in _OFF and (dump.lower() in ("1", "on", "true") or dump == src.name.lstrip("@")):
        shown["print_around_all"] = os.environ.get("MLIR_DUMP_PATH") or "-"
    if os.environ.get("TRITON_REPRODUCER_PATH"):
        shown["reproducer_path"] = os.environ["TRITON_REPRODUCER_PATH"]
    if os.environ.get("TRITON_DUMP_MIR"):
        shown["machine_ir_folder"] = os.environ["TRITON_DUMP_MIR"]
    return shown


@functools.cache
def _show_debug_output(types):
    if not llvm.show_debug_output(list(types)):
        names = "TRITON_ENABLE_LLVM_DEBUG and TRITON_LLVM_DEBUG_ONLY"
        warnings.warn(f"{names} show nothing: this LLVM was built without debug output", stacklevel=2)


def shown_options(src, manager):
    """What is to be seen on the way, as options of the native compiler."""
    debug_only = _list("TRITON_LLVM_DEBUG_ONLY")
    if debug_only or getenv_bool("TRITON_ENABLE_LLVM_DEBUG", False):
        _show_debug_output(tuple(debug_only))
    switches = {
        "time_ir_passes": "MLIR_ENABLE_TIMING",
        "time_llvm_passes": "LLVM_ENABLE_TIMING",
        "print_llvm_after_all": "LLVM_IR_ENABLE_DUMP",
    }
    shown = {option: True for option, name in switches.items() if getenv_bool(name, False)}
    kinds = {"operations": "operations", "stacktraces": "stack_traces", "warnings": "warnings", "remarks": "remarks"}
    shown |= {f"show_{kinds[kind]}": True for kind in _list("MLIR_ENABLE_DIAGNOSTICS") if kind in kinds}
    return {"keep_source": True, **_locations(src, manager), **_dumps(src), **shown}


def print_texts(artifact):
    """Prints what knobs ask to be printed of what was made."""
    if knobs.amd.dump_amdgcn and "amdgcn" in artifact.stages:
        print(artifact.stages["amdgcn"])
    if knobs.nvidia.dump_nvptx and "ptx" in artifact.stages:
        print(artifact.stages["ptx"])
    if knobs.nvidia.dump_ptxas_log and getattr(artifact, "assembler_log", ""):
        print(artifact.assembler_log)


def dump(src, stages):
    """Writes every stage to the dump directory, with the disassembly where there is a disassembler."""
    manager = get_dump_manager(src.hash())
    for extension, content in stages.items():
        manager.put(content, f"{file_name(src)}.{extension}")
    if "cubin" in stages:
        with contextlib.suppress(RuntimeError, OSError):
            manager.put(AsmDict(stages)["sass"] or "", f"{file_name(src)}.sass")


class Replacements:
    """Files that the user wants in place of stages: those in the override directory, else the one that the option `ir_override` names. The native compiler reads
    the latter itself; here it is read for stages in Python."""

    def __init__(self, src, backend, options):
        self.paths = {}
        if knobs.compilation.override:
            manager = get_override_manager(src.hash())
            for extension in ("ttir", "ttgir", "llir", "ptx", "cubin", "amdgcn", "hsaco", "obj"):
                path = manager.get_file(f"{file_name(src)}.{extension}")
                if path is not None:
                    self.paths[extension] = path
        elif getattr(options, "ir_override", None) and not is_native(backend):
            self.paths[os.path.splitext(options.ir_override)[1][1:]] = options.ir_override
        self.contents = {}
        for extension, path in self.paths.items():
            with open(path, "rb") as file:
                self.contents[extension] = file.read()

    def key(self):
        """Part of the key: what was made with a file in place of a stage is not what is made without it."""
        if not self.contents:
            return ""
        return "-" + "-".join(f"{name}:{hashlib.sha256(text).hexdigest()}" for name, text in self.contents.items())

    def announce(self):
        if knobs.compilation.override:
            for path in self.paths.values():
                print(f"\nOverriding kernel with file {path}")
