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

from triton._C import libtriton


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

    def function(variant):
        return variant.function, list(zip(variant.arg_ctypes, variant.arg_names, variant.sizes))

    described = [
        (name, [(algorithm, [*map(function, variants)]) for algorithm, variants in algorithms.items()])
        for name, algorithms in kernels.items()
    ]
    paths = [Path(f"{out}.h"), Path(f"{out}.c")]
    texts = libtriton.link_c_kernels(os.path.basename(str(out)), paths[0].name, backends.pop(), described)
    for path, text in zip(paths, texts):
        path.write_text(text)
    return list(map(str, paths))


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
