"""Puts dispatchers over kernels that `triton.tools.compile` made.

    python -m triton.tools.link add.*.h -o add

writes `add.h` and `add.c`: for each algorithm (a choice of constexprs, warps and stages) a function that takes the variant whose specialisations hold for its
arguments, most specialised first; for each kernel a function that takes an algorithm's number, and one that takes the first.
"""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence


class LinkerError(Exception):
    """Headers that do not fit together."""


@dataclass
class KernelLinkerMeta:
    """One variant of a kernel, as its header tells."""

    orig_kernel_name: str
    arg_names: Sequence[str]
    arg_ctypes: Sequence[str]
    sizes: Sequence[int]  # per argument: 16 if it is divisible by 16, 1 if it is 1, else 0
    sig_hash: str
    triton_suffix: str
    suffix: str  # the algorithm
    num_specs: int
    backend: str = "cuda"

    @property
    def function(self):
        return f"{self.orig_kernel_name}_{self.sig_hash}_{self.triton_suffix}"


class HeaderParser:
    """Collects the variants that headers describe: `kernels` maps an algorithm's name to its variants."""

    def __init__(self):
        self.linker_directives = re.compile(r"^//[\s]*tt-linker:[\s]*(\w+):(.*):(\w+)\s*$")
        self.targets = re.compile(r"^//[\s]*tt-linker-target:[\s]*(\w+):(\w+):([\d ]*)\s*$")
        self.kernel_name = re.compile(r"^(\w+)_([0-9a-f]{8})_(\w+)$")
        self.kernels: dict[str, list[KernelLinkerMeta]] = defaultdict(list)

    def extract_linker_meta(self, header: str):
        """Reads one header."""
        lines = header.splitlines()
        targets = {found[1]: (found[2], [int(i) for i in found[3].split()]) for found in map(self.targets.match, lines) if found}  # fmt: skip
        for line in lines:
            found = self.linker_directives.match(line)
            if not found:
                continue
            function, signature, algorithm = found.groups()
            name = self.kernel_name.match(function)
            if not name:
                raise LinkerError(f"{function} is not the name of a compiled kernel")
            types, names = self._match_c_args(signature)
            backend, positions = targets.get(function, ("cuda", list(range(len(names)))))
            sizes = self._match_suffix(name[3], positions)
            self._add(KernelLinkerMeta(name[1], names, types, sizes, name[2], name[3], algorithm, sum(bool(size) for size in sizes), backend))  # fmt: skip

    def _match_c_args(self, signature):
        types, names = [], []
        for part in filter(None, map(str.strip, signature.split(","))):
            found = re.match(r"^(.*?)\s*(\w+)$", part)
            if not found:
                raise LinkerError(f"'{part}' is no C argument")
            types.append(found[1])
            names.append(found[2])
        return types, names

    def _match_suffix(self, suffix, positions):
        """`0d12c` -> what holds for the arguments at `positions` of the kernel's parameters."""
        rest, index, hints = suffix, 0, {}
        while rest:
            if not rest.startswith(str(index)):
                raise LinkerError(f"'{suffix}' is not the suffix of a compiled kernel")
            rest = rest[len(str(index)) :]
            hints[index] = {"c": 1, "d": 16}.get(rest[:1], 0)
            rest = rest[1:] if hints[index] else rest
            index += 1
        return [hints.get(position, 0) for position in positions]

    def _add(self, kernel):
        variants = self.kernels[f"{kernel.orig_kernel_name}_{kernel.suffix}"]
        if variants and (variants[0].arg_ctypes != kernel.arg_ctypes or variants[0].backend != kernel.backend):
            raise LinkerError(
                f"mismatched signature for {kernel.orig_kernel_name}:\n\texisting sig: {', '.join(variants[0].arg_ctypes)}\n\tcurrent: {', '.join(kernel.arg_ctypes)}"
            )
        if all(other.function != kernel.function for other in variants):
            variants.append(kernel)


def _declaration(ty, name):
    return f"{ty}{name}" if ty.endswith("*") else f"{ty} {name}"


def make_parameters(meta, skip_ones=False):
    """The arguments as a C prototype lists them, each after a comma."""
    sizes = meta.sizes if skip_ones else [0] * len(meta.arg_names)
    return "".join(f", {_declaration(ty, name)}" for ty, name, size in zip(meta.arg_ctypes, meta.arg_names, sizes) if size != 1)  # fmt: skip


def make_condition(meta):
    """The C condition under which a variant may be taken."""
    parts = []
    for name, ty, size in zip(meta.arg_names, meta.arg_ctypes, meta.sizes):
        value = f"(uintptr_t){name}" if ty.endswith("*") else name
        if size == 16:
            parts.append(f"{value} % 16 == 0")
        elif size == 1:
            parts.append(f"{name} == 1")
    return " && ".join(parts)


def make_algorithm(name, variants):
    """The functions of one algorithm."""
    variants = sorted(variants, key=lambda variant: -variant.num_specs)
    meta = variants[0]
    error = "TT_ERROR_INVALID_VALUE" if meta.backend == "cpu" else "CUDA_ERROR_INVALID_VALUE"
    text = "".join(
        f"TT_ResultTy {variant.function}(TT_StreamTy stream{make_parameters(variant, skip_ones=True)});\n"
        f"void load_{variant.function}(void);\nvoid unload_{variant.function}(void);\n"
        for variant in variants
    )
    text += f"\nTT_ResultTy {name}(TT_StreamTy stream{make_parameters(meta)}) {{\n"
    for variant in variants:
        condition = make_condition(variant)
        passed = "".join(f", {arg}" for arg, size in zip(variant.arg_names, variant.sizes) if size != 1)
        call = f"return {variant.function}(stream{passed});"
        text += f"  if ({condition})\n    {call}\n" if condition else f"  {call}\n"
    if make_condition(variants[-1]):
        text += f"  return {error};\n"
    text += "}\n"
    for verb in ("load", "unload"):
        calls = "".join(f"  {verb}_{variant.function}();\n" for variant in variants)
        text += f"\nvoid {verb}_{name}(void) {{\n{calls}}}\n"
    return text


def make_kernel(name, algorithms, meta):
    """The functions of one kernel over its algorithms."""
    parameters, passed = make_parameters(meta), "".join(f", {arg}" for arg in meta.arg_names)
    error = "TT_ERROR_INVALID_VALUE" if meta.backend == "cpu" else "CUDA_ERROR_INVALID_VALUE"
    text = f"typedef TT_ResultTy (*{name}_kernel_func_t)(TT_StreamTy stream{parameters});\n"
    text += f"{name}_kernel_func_t {name}_kernels[] = {{{', '.join(algorithms)}}};\n\n"
    text += f"int {name}_get_num_algos(void) {{ return {len(algorithms)}; }}\n\n"
    text += f"TT_ResultTy {name}(TT_StreamTy stream{parameters}, int algo_id) {{\n"
    text += f"  if (algo_id < 0 || algo_id >= {len(algorithms)})\n    return {error};\n"
    text += f"  return {name}_kernels[algo_id](stream{passed});\n}}\n\n"
    text += f"TT_ResultTy {name}_default(TT_StreamTy stream{parameters}) {{ return {name}(stream{passed}, 0); }}\n"
    for verb in ("load", "unload"):
        calls = "".join(f"  {verb}_{algorithm}();\n" for algorithm in algorithms)
        text += f"\nvoid {verb}_{name}(void) {{\n{calls}}}\n"
    return text


_TYPES = {
    "cuda": "#include <cuda.h>\n#include <stdint.h>\n\n#ifndef TT_CUDA_TYPES\n#define TT_CUDA_TYPES\ntypedef CUresult TT_ResultTy;\ntypedef CUstream TT_StreamTy;\n#endif\n",
    "cpu": (
        "#include <stdint.h>\n\n#ifndef TT_CPU_TYPES\n#define TT_CPU_TYPES\ntypedef int TT_ResultTy;\ntypedef void *TT_StreamTy;\n"
        "enum { TT_SUCCESS = 0, TT_ERROR_INVALID_VALUE = 1, TT_ERROR_OUT_OF_MEMORY = 2 };\n#endif\n"
    ),
}


def make_header(guard, kernels, backend):
    """`kernels`: name -> {algorithm -> variants}"""
    text = f'/* Made by triton.tools.link. */\n#ifndef TT_{guard}_H\n#define TT_{guard}_H\n\n{_TYPES[backend]}\n#ifdef __cplusplus\nextern "C" {{\n#endif\n'
    for name, algorithms in kernels.items():
        parameters = make_parameters(next(iter(algorithms.values()))[0])
        text += f"\n/* Kernel {name}: {len(algorithms)} algorithms. */\n"
        for algorithm in algorithms:
            text += f"TT_ResultTy {algorithm}(TT_StreamTy stream{parameters});\nvoid load_{algorithm}(void);\nvoid unload_{algorithm}(void);\n"
        text += f"int {name}_get_num_algos(void);\nTT_ResultTy {name}_default(TT_StreamTy stream{parameters});\n"
        text += f"TT_ResultTy {name}(TT_StreamTy stream{parameters}, int algo_id);\nvoid load_{name}(void);\nvoid unload_{name}(void);\n"
    return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"


def link(headers, out):
    """Writes `<out>.h` and `<out>.c` for the kernels that the headers describe; gives their paths."""
    parser = HeaderParser()
    for path in headers:
        parser.extract_linker_meta(Path(path).read_text())
    kernels: dict[str, dict[str, list[KernelLinkerMeta]]] = defaultdict(dict)
    for algorithm, variants in parser.kernels.items():
        kernels[variants[0].orig_kernel_name][algorithm] = variants
    backends = {variant.backend for variants in parser.kernels.values() for variant in variants}
    if len(backends) != 1:
        raise LinkerError(
            f"{len(backends)} backends in the headers: {', '.join(sorted(backends)) or 'no kernel at all'}"
        )
    for name, algorithms in kernels.items():
        signatures = {tuple(variants[0].arg_ctypes) for variants in algorithms.values()}
        if len(signatures) != 1:
            raise LinkerError(f"the algorithms of {name} take different arguments: {signatures}")
    guard = re.sub(r"\W", "_", os.path.basename(str(out))).upper()
    header, source = Path(f"{out}.h"), Path(f"{out}.c")
    header.write_text(make_header(guard, kernels, backends.pop()))
    text = f'/* Made by triton.tools.link. */\n#include "{header.name}"\n'
    for name, algorithms in kernels.items():
        for algorithm, variants in algorithms.items():
            text += "\n" + make_algorithm(algorithm, variants)
        meta = next(iter(algorithms.values()))[0]
        text += "\n" + make_kernel(name, list(algorithms), meta)
    source.write_text(text)
    return [str(header), str(source)]


def main(arguments=None):
    parser = ArgumentParser(
        prog="python -m triton.tools.link", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("headers", nargs="+", help="headers that triton.tools.compile wrote")
    parser.add_argument("--out", "-o", type=Path, required=True, help="base of the output files' names")
    parser.add_argument("--prefix", type=str, default="", help="accepted for compatibility, not used")
    given = parser.parse_args(arguments)
    try:
        print(*link(given.headers, given.out), sep="\n")
    except (LinkerError, OSError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
