"""Writes Python stubs for the functions of a bitcode library, so that kernels can call them.

    python -m triton.tools.build_extern --llvm-dis llvm-dis --lib-path libdevice.10.bc --lib-name libdevice --output ./
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from abc import ABC, abstractmethod
from collections import defaultdict
from typing import Dict, List, Sequence


class Symbol:
    """One function of a library: what kernels call it, and what it takes and gives."""

    def __init__(self, name: str, op_name: str, ret_type: str, arg_names: List[str], arg_types: List[str]) -> None:
        self.name = name
        self.op_name = op_name
        self.ret_type = ret_type
        self.arg_names = list(arg_names)
        self.arg_types = list(arg_types)


def convert_type(type_str) -> str | None:
    """LLVM's name of a type as kernels write it; None if no kernel can pass it."""
    return {"i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "half": "fp16", "float": "fp32", "double": "fp64"}.get(type_str)  # fmt: skip


def to_unsigned(type_str) -> str:
    """The unsigned type of the same width; floats stay."""
    return "u" + type_str if type_str in ("int32", "int64") else type_str


class ExternLibrary(ABC):
    """The functions of a library, and how they are written down."""

    def __init__(self, name: str, path: str, format: bool = True, grouping: bool = True) -> None:
        self.name = name
        self.path = path
        self.symbols: Dict[str, Symbol] = {}
        self.format = format
        self.grouping = grouping

    @abstractmethod
    def parse_symbols(self, input_file) -> None:
        """Reads the functions from disassembled bitcode."""

    @abstractmethod
    def _output_stubs(self) -> str:
        """The stubs as Python text."""

    def generate_stub_file(self, output_dir) -> str:
        """Writes `<name>.py`; gives its path."""
        path = os.path.join(output_dir, f"{self.name}.py")
        with open(path, "w") as file:
            file.write(self._output_stubs())
        return path


class Libdevice(ExternLibrary):
    """NVIDIA's `__nv_*` functions: those that differ only in types become one function."""

    DEFINITION = re.compile(r"^define\s+(?:[\w()]+\s+)*?(\w+)\s+@(__nv_(\w+))\s*\(([^)]*)\)")
    # What the type suffixes of names leave out of the function's own: `fabsf` is `fabs` of floats.
    UNSIGNED = ("u", "ul", "ull", "uint")

    def __init__(self, path) -> None:
        super().__init__("libdevice", path)
        self._groups: Dict[str, List[Symbol]] = defaultdict(list)

    @staticmethod
    def _argument_type(text):
        return convert_type(text.split()[0]) if text.split() else None

    def _symbol(self, line):
        found = self.DEFINITION.match(line)
        if not found:
            return None
        ret_type, name, op_name, arguments = found.groups()
        types = [self._argument_type(part.strip()) for part in arguments.split(",") if part.strip()]
        ret_type = convert_type(ret_type)
        if ret_type is None or not types or None in types:
            return None
        if op_name.startswith(("umul", "uhadd", "urhadd", "usad")) or re.match(r"^(u|ul|ull)(min|max|int)", op_name):
            ret_type, types = to_unsigned(ret_type), list(map(to_unsigned, types))
        return Symbol(name, op_name, ret_type, [f"arg{i}" for i in range(len(types))], types)

    def parse_symbols(self, input_file) -> None:
        with open(input_file) as file:
            for line in file:
                symbol = self._symbol(line)
                if symbol is not None:
                    self.symbols[symbol.name] = symbol
        self._group_symbols()

    def _group_symbols(self) -> None:
        """A name that is another one with an `f`, or `ll`, behind it and as many arguments is the same function of other types."""
        self._groups.clear()
        by_op = {symbol.op_name: symbol for symbol in self.symbols.values()}
        for op_name, symbol in sorted(by_op.items()):
            base = op_name
            for prefix, suffix in (("", "f"), ("ll", ""), ("f", "")):
                stem = op_name[len(prefix) : len(op_name) - len(suffix) if suffix else None]
                other = by_op.get(stem)
                fits = op_name == prefix + stem + suffix and stem != op_name
                if self.grouping and fits and other and len(other.arg_types) == len(symbol.arg_types) and other.arg_types != symbol.arg_types:  # fmt: skip
                    base = stem
                    break
            self._groups[base].append(symbol)

    def _output_stubs(self) -> str:
        text = '"""Functions of NVIDIA\'s libdevice."""\n\nfrom triton.language import core\n'
        for op_name, symbols in sorted(self._groups.items()):
            names = symbols[0].arg_names
            rows = "".join(
                f"            ({', '.join(f'core.dtype({ty!r})' for ty in symbol.arg_types)},): ({symbol.name!r}, core.dtype({symbol.ret_type!r})),\n"
                for symbol in symbols
            )
            text += (
                f"\n\n@core.extern\ndef {op_name}({', '.join(names)}, _semantic=None):\n    return core.extern_elementwise(\n"
                f'        "", "", [{", ".join(names)}],\n        {{\n{rows}        }},\n        is_pure=True, _semantic=_semantic,\n    )\n'
            )
        return text


class LLVMDisassembler:
    """Runs llvm-dis."""

    def __init__(self, path) -> None:
        self._path = path
        self._ll_file = "/tmp/extern_lib.ll"

    def disasm(self, lib_path: str) -> None:
        subprocess.run([self._path, lib_path, "-o", self.ll_file], check=True)

    @property
    def ll_file(self) -> str:
        return self._ll_file

    @property
    def path(self) -> str:
        return self._path


extern_libs: Sequence[str] = ["libdevice"]


def build(llvm_dis_path: str, lib_path: str, lib_name: str, output_dir: str) -> str:
    """Writes the stubs of one library; gives the path of the file."""
    if lib_name not in extern_libs:
        raise ValueError(f"unknown library '{lib_name}', known are {', '.join(extern_libs)}")
    library = Libdevice(lib_path)
    disassembler = LLVMDisassembler(llvm_dis_path)
    disassembler.disasm(lib_path)
    library.parse_symbols(disassembler.ll_file)
    return library.generate_stub_file(output_dir)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m triton.tools.build_extern", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--llvm-dis", dest="llvm_dis_path", default="llvm-dis", help="path of llvm-dis")
    parser.add_argument("--lib-path", required=True, help="path of the bitcode")
    parser.add_argument("--lib-name", required=True, choices=extern_libs, help="name of the library")
    parser.add_argument("--output", dest="output_dir", default="/tmp/", help="folder for the stubs")
    print(build(**vars(parser.parse_args())))
