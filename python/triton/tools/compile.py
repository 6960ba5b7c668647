"""Compiles a kernel ahead of time into C code that programs link.

    python -m triton.tools.compile kernels.py -n add_kernel -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" -g "(n + 1023) / 1024, 1, 1" -o add

writes `add.<hash>_<specialisation>.h`, `.c` and, for the CPU, `.o`: a C function that launches the kernel. `triton.tools.link` puts a dispatcher over several of them.

Each entry of the signature is a type (`*fp32`, `i32`), with `:16` if the value is divisible by 16 or `:1` if it is 1, or the value of a constexpr. The grid is three
C expressions over the names of the kernel's parameters.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import string
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import dataclass
from typing import Optional

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@dataclass
class CompileArgs:
    """What to compile; the fields are the options of the command."""

    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: Optional[str] = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: Optional[str] = None
    out_path: Optional[str] = None


def _named_source(kernel, symbol, *specialisation):
    """A kernel whose code has a name of its own, so that several specialisations can be linked together."""
    source = getattr(kernel, "ASTSource", ASTSource)(kernel, *specialisation)
    source.symbol = lambda: symbol
    return source


def parse_target(text):
    """`cuda:80:32` or `cpu:x86-64-v3:1`; None: the active device's."""
    if not text:
        return triton.runtime.driver.active.get_current_target()
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise ValueError(f"a target is written <backend>:<arch>:<warp-size>, not '{text}'")
    backend, arch = parts[0], parts[1]
    warp_size = int(parts[2]) if len(parts) == 3 else {"cuda": 32, "hip": 64}.get(backend, 1)
    return GPUTarget(backend, int(arch) if arch.isdigit() else arch, warp_size)


def _literal(text):
    """The value of an entry that is a constant, or None."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"True": True, "False": False}.get(text)


_C_TYPES = {
    "i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
    "fp16": "uint16_t", "bf16": "uint16_t", "fp32": "float", "f32": "float", "fp64": "double", "f64": "double",
}  # fmt: skip


def c_type(ty, backend):
    """The C type of an argument. 16-bit floats are passed as their bits, others in their own width."""
    if ty.startswith("*"):
        if backend != "cpu":
            return "CUdeviceptr"
        return "const void *" if ty.startswith("*k") else "void *"
    if ty not in _C_TYPES:
        raise ValueError(f"type '{ty}' has no counterpart in C; known are pointers and {', '.join(_C_TYPES)}")
    return _C_TYPES[ty]


def declare(ty, name):
    return f"{ty}{name}" if ty.endswith("*") else f"{ty} {name}"


def _split(text):
    """Parts between commas that stand outside of parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


class _Signature:
    """A signature taken apart: one entry per parameter of the kernel."""

    def __init__(self, text, kernel):
        self.items = _split(text)
        self.names = kernel.arg_names
        if len(self.items) != len(self.names):
            raise ValueError(
                f"'{kernel.__name__}' has {len(self.names)} parameters ({', '.join(self.names)}), the signature has {len(self.items)} entries"
            )
        self.types, self.hints, self.literals = {}, {}, {}
        for name, item in zip(self.names, self.items):
            value = _literal(item)
            if value is not None:
                self.literals[name] = value
                continue
            ty, _, hint = item.partition(":")
            self.types[name] = ty.strip()
            if hint.strip():
                assert hint.strip() in ("1", "16"), f"Only 1 and 16 are valid hints, got {item}"
                self.hints[name] = int(hint)

    @property
    def ones(self):
        return [name for name, hint in self.hints.items() if hint == 1]

    @property
    def runtime_names(self):
        return [name for name in self.types if name not in self.ones]

    def suffix(self):
        letters = {1: "c", 16: "d"}
        return "".join(f"{index}{letters.get(self.hints.get(name), '')}" for index, name in enumerate(self.names))

    def source(self, kernel, symbol):
        types = {name: "constexpr" if name in self.literals or name in self.ones else self.types[name] for name in self.names}  # fmt: skip
        constants = {**self.literals, **dict.fromkeys(self.ones, 1)}
        attrs = {(index,): [["tt.divisibility", 16]] for index, name in enumerate(self.names) if self.hints.get(name) == 16}  # fmt: skip
        return _named_source(kernel, symbol, types, constants, attrs)


def _identifier(text):
    return re.sub(r"\W", "_", str(text).replace("-", "m"))


def _load_kernel(path, name):
    """Runs a Python file and takes the kernel out of it, decorators removed."""
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    kernel = getattr(module, name, None)
    while kernel is not None and not isinstance(kernel, triton.JITFunction):
        kernel = getattr(kernel, "fn", None)
    if kernel is None:
        raise ValueError(f"{path} has no jitted function '{name}'")
    return kernel


def _template(backend, name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "extra", backend, name)
    if not os.path.exists(path):
        raise ValueError(f"there is no ahead-of-time template for backend '{backend}'")
    with open(path) as file:
        return string.Template(file.read())


def _file_base(path):
    """An ending that the user gave is replaced."""
    return os.path.splitext(path)[0]


def compile_kernel(args: CompileArgs):
    """Writes the C files of one specialisation; gives (name of the C function, paths)."""
    kernel = _load_kernel(args.path, args.kernel_name)
    signature = _Signature(args.signature, kernel)
    grid = _split(args.grid)
    assert len(grid) == 3, f"a grid has three extents, got {len(grid)}: '{args.grid}'"
    target = parse_target(args.target)
    meta = f"warps{args.num_warps}xstages{args.num_stages}"
    sig_hash = hashlib.sha256(" ".join([*signature.items, meta]).encode()).hexdigest()[:8]
    suffix = signature.suffix()
    out_name = args.out_name or args.kernel_name
    function = f"{out_name}_{sig_hash}_{suffix}"
    symbol = f"{function}_code" if target.backend == "cpu" else args.kernel_name
    options = {"num_warps": args.num_warps, "num_stages": args.num_stages}
    compiled = triton.compile(signature.source(kernel, symbol), target=target, options=options)
    for scratch in ("global_scratch_size", "profile_scratch_size"):
        if getattr(compiled.metadata, scratch, 0):
            raise RuntimeError(f"'{args.kernel_name}' needs memory at run time ({scratch}), which ahead-of-time code has not")  # fmt: skip

    types = {name: c_type(ty, target.backend) for name, ty in signature.types.items()}
    runtime = signature.runtime_names
    base = f"{_file_base(args.out_path or out_name)}.{sig_hash}_{suffix}"
    constants = {**signature.literals, **dict.fromkeys(signature.ones, 1)}
    values = [*map(_identifier, signature.literals.values()), *("1" for _ in signature.ones)]
    positions = [index for index, name in enumerate(signature.names) if name in types]
    binary = compiled.kernel
    values_by_key = {
        "kernel_name": args.kernel_name,
        "target": f"{target.backend} {target.arch}",
        "guard": _identifier(function).upper(),
        "function": function,
        "symbol": symbol,
        "header": os.path.basename(base) + ".h",
        "object": os.path.basename(base) + ".o",
        "prototype": "".join(f", {declare(types[name], name)}" for name in runtime),
        "full_signature": ", ".join(declare(types[name], name) for name in signature.types),
        "algo_info": f"{'x'.join(values)}_{meta}",
        "positions": " ".join(map(str, positions)),
        "fields": "\n".join(f"  {declare(types[name], name)};" for name in runtime) or "  char unused;",
        "values": ", ".join(runtime) or "0",
        "addresses": "".join(f"(void *)&{name}, " for name in runtime),
        "constants": "\n".join(f"  const long {name} = {int(value)};\n  (void){name};" for name, value in constants.items() if isinstance(value, int)),
        "grid": ", ".join(f"({extent})" for extent in grid),
        "arena_bytes": compiled.metadata.shared,
        "shared": compiled.metadata.shared,
        "num_ctas": compiled.metadata.num_ctas,
        "threads": compiled.metadata.num_warps * target.warp_size,
        "binary_size": len(binary) + 1,  # PTX, where there was no assembler, is a string to the driver
        "binary": "" if target.backend == "cpu" else ", ".join(f"0x{byte:02x}" for byte in [*binary, 0]),
    }  # fmt: skip
    # Code whose programs may wait for what others write says so by a symbol.
    waits = target.backend == "cpu" and f"{symbol}.waits".encode() in binary
    templates = {"h": "compile.h", "c": "waiting.c" if waits else "compile.c"}
    paths = []
    for ending in ("h", "c"):
        paths.append(f"{base}.{ending}")
        with open(paths[-1], "w") as file:
            file.write(_template(target.backend, templates[ending]).substitute(values_by_key))
    if target.backend == "cpu":
        paths.append(f"{base}.o")
        with open(paths[-1], "wb") as file:
            file.write(binary)
    return function, paths


def main(arguments=None):
    parser = ArgumentParser(
        prog="python -m triton.tools.compile", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("path", help="Python file that defines the kernel; it is run")
    parser.add_argument("--kernel-name", "-n", required=True, help="the jitted function")
    parser.add_argument("--signature", "-s", required=True, help="one entry per parameter")
    parser.add_argument("--grid", "-g", required=True, help="three C expressions over the parameters' names")
    parser.add_argument("--target", "-t", help="<backend>:<arch>:<warp-size> (default: the active device)")
    parser.add_argument("--num-warps", "-w", type=int, default=1)
    parser.add_argument("--num-stages", "-ns", type=int, default=3)
    parser.add_argument("--out-name", "-on", help="base of the C function's name (default: the kernel's)")
    parser.add_argument("--out-path", "-o", help="base of the files' names (default: the C function's base)")
    try:
        function, paths = compile_kernel(CompileArgs(**vars(parser.parse_args(arguments))))
    except (AssertionError, OSError, RuntimeError, ValueError, triton.TritonError) as error:
        raise SystemExit(f"error: {error}") from None
    print(function, *paths, sep="\n")


if __name__ == "__main__":
    main()
