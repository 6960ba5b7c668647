"""Compiles a kernel ahead of time into C code that programs link.

    python -m triton.tools.compile kernels.py -n add_kernel -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" -g "(n + 1023) / 1024, 1, 1" -o add

writes `add.<hash>_<specialisation>.h`, `.c` and, for the CPU, `.o`: a C function that launches the kernel. `triton.tools.link` puts a dispatcher over several of them.

Each entry of the signature is a type (`*fp32`, `i32`), with `:16` if the value is divisible by 16 or `:1` if it is 1, or the value of a constexpr. The grid is three
C expressions over the names of the kernel's parameters.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import dataclass
from typing import Optional

import triton
from triton._C import libtriton
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
    """The value of an entry that is a constant."""
    if text.startswith("tl."):
        return getattr(triton.language, text[3:], None)
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        raise ValueError(f"'{text}' is neither a type such as *fp32:16 or i32, nor a constant") from None


def _source(kernel, variant):
    """What is compiled for a variant. Its code has a name of its own, so that several can be linked together."""
    types, constants, attrs = {}, {}, {}
    for index, (name, text, ty, hint) in enumerate(variant.entries):
        types[name] = "constexpr" if not ty or hint == 1 else ty
        if types[name] == "constexpr":
            constants[name] = 1 if ty else _literal(text)
        elif hint == 16:
            attrs[(index,)] = [["tt.divisibility", 16]]
    source = getattr(kernel, "ASTSource", ASTSource)(kernel, types, constants, attrs)
    source.symbol = lambda: variant.symbol
    return source


def load_kernel(path, name):
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
        return file.read()


def _file_base(path):
    """An ending that the user gave is replaced."""
    return os.path.splitext(path)[0]


def source_of_signature(kernel, name, signature, target, num_warps, num_stages, out_name=None):
    """(what is compiled of a kernel for the types of a signature, the variant that C programs know it as)"""
    variant = libtriton.make_c_variant(name, kernel.params, signature, out_name or name, target.backend, num_warps, num_stages)  # fmt: skip
    return _source(kernel, variant), variant


def compile_kernel(args: CompileArgs):
    """Writes the C files of one specialisation; gives (name of the C function, paths)."""
    kernel = load_kernel(args.path, args.kernel_name)
    target = parse_target(args.target)
    out_name = args.out_name or args.kernel_name
    source, variant = source_of_signature(kernel, args.kernel_name, args.signature, target, args.num_warps, args.num_stages, out_name)  # fmt: skip
    options = {"num_warps": args.num_warps, "num_stages": args.num_stages}
    compiled = triton.compile(source, target=target, options=options)
    for scratch in ("global_scratch_size", "profile_scratch_size"):
        if getattr(compiled.metadata, scratch, 0):
            raise RuntimeError(f"'{args.kernel_name}' needs memory at run time ({scratch}), which ahead-of-time code has not")  # fmt: skip
    base = _file_base(args.out_path or out_name)
    binary, metadata, is_cpu = compiled.kernel, compiled.metadata, target.backend == "cpu"
    contents = {}
    for ending, template in {
        "h": "compile.h",
        "c": "waiting.c" if metadata.waits_for_programs else "compile.c",
    }.items():
        text = libtriton.fill_c_template(
            _template(target.backend, template), variant, str(target.arch), b"" if is_cpu else bytes(binary), metadata.shared,
            metadata.num_ctas, metadata.num_warps * target.warp_size, os.path.basename(base), args.grid,
        )  # fmt: skip
        contents[f"{base}.{variant.suffix}.{ending}"] = text.encode()
    if is_cpu:
        contents[f"{base}.{variant.suffix}.o"] = binary
    for path, content in contents.items():
        with open(path, "wb") as file:
            file.write(content)
    return variant.function, list(contents)


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
    except (OSError, RuntimeError, ValueError, triton.TritonError) as error:
        raise SystemExit(f"error: {error}") from None
    print(function, *paths, sep="\n")


if __name__ == "__main__":
    main()
