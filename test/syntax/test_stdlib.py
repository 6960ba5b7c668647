"""Our parser against CPython's, on every file of the running Python's standard library.

Each tree, with all its positions, is compared as text in the form of `ast.dump(..., include_attributes=True)` of Python 3.14
with empty fields shown. `Dumper` writes CPython's trees in that form, whatever the running version leaves out or adds.
Files that CPython rejects must be rejected.
"""

import ast
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TRITON_BUILD_DIR", ROOT / "build"))
TOOL = BUILD / "bin" / "triton-ast"

# Fields that versions before 3.14 do not have, in their place at the end.
LATER_FIELDS = {
    "FunctionDef": ("type_params", []),
    "AsyncFunctionDef": ("type_params", []),
    "ClassDef": ("type_params", []),
    "TypeVar": ("default_value", None),
    "ParamSpec": ("default_value", None),
    "TypeVarTuple": ("default_value", None),
}

# Before 3.12, nodes inside of f-strings have the place of the whole string or worse: any position is right.
FORMAT_POSITIONS = sys.version_info >= (3, 12)
ANY_POSITION = "\0"
POSITION = re.compile(r"lineno=\d+, col_offset=\d+, end_lineno=\d+, end_col_offset=\d+")


@functools.lru_cache(maxsize=None)
def shape(cls):
    """(prefix of each field, its name), then the fields the running version lacks, and whether nodes have positions."""
    names = list(cls._fields)
    missing = ""
    if cls.__name__ in LATER_FIELDS and LATER_FIELDS[cls.__name__][0] not in names:
        name, default = LATER_FIELDS[cls.__name__]
        missing = f", {name}={default!r}"
    return [(f"{', ' if i else ''}{name}=", name) for i, name in enumerate(names)], missing, bool(cls._attributes)


class Dumper:
    def __init__(self):
        self.out = []
        self.in_format = False

    def value(self, value):
        if isinstance(value, ast.AST):
            self.node(value)
        elif isinstance(value, list):
            self.out.append("[")
            for i, element in enumerate(value):
                if i:
                    self.out.append(", ")
                self.value(element)
            self.out.append("]")
        else:
            self.out.append(ascii(value))  # what repr shows as it is depends on the version of Unicode

    def node(self, node):
        cls = type(node)
        fields, missing, has_position = shape(cls)
        if cls is ast.JoinedStr or cls.__name__ == "TemplateStr":
            # 3.12.1 leaves empty constants in some places.
            node.values = [v for v in node.values if not (isinstance(v, ast.Constant) and v.value == "")]
        if cls is ast.FormattedValue and isinstance(node.format_spec, ast.Constant):
            # 3.13.0 makes a specifier with an escape sequence a constant.
            constant = node.format_spec
            node.format_spec = ast.copy_location(ast.JoinedStr([constant]), constant)
            node.format_spec.col_offset -= 1
        position = ""
        if has_position:
            position = (
                f", lineno={node.lineno}, col_offset={node.col_offset}, "
                f"end_lineno={node.end_lineno}, end_col_offset={node.end_col_offset})"
            )
            if self.in_format:
                position = f", {ANY_POSITION})"
            if not fields:
                position = position[2:]
        outer = self.in_format
        if cls is ast.JoinedStr and not FORMAT_POSITIONS:
            self.in_format = True
        out = self.out
        out.append(cls.__name__)
        out.append("(")
        for prefix, name in fields:
            out.append(prefix)
            self.value(getattr(node, name, None))
        out.append(missing)
        out.append(position or ")")
        self.in_format = outer


def canonical(tree):
    dumper = Dumper()
    dumper.node(tree)
    return "".join(dumper.out)


def first_difference(expected, actual):
    """None if they agree; ANY_POSITION in `expected` stands for any position."""
    at = 0
    parts = expected.split(ANY_POSITION)
    for number, part in enumerate(parts):
        if not actual.startswith(part, at):
            while part and actual[at : at + 1] == part[0]:
                at, part = at + 1, part[1:]
            return f"expected ...{part[:200]!r}\n but got ...{actual[at : at + 200]!r}\n   after {actual[max(0, at - 300) : at]!r}"
        at += len(part)
        if number + 1 < len(parts):
            at = POSITION.match(actual, at).end()
    return None if at == len(actual) else f"more than expected: {actual[at : at + 200]!r}"


def parse_with_cpython(path):
    """The canonical text, or None if CPython rejects the file, or `...` if this CPython cannot say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return canonical(ast.parse(path.read_bytes()))
    except (SyntaxError, UnicodeDecodeError):
        return None
    except ValueError as error:
        return ... if "is required for" in str(error) else None  # 3.12.1 fails on some f-strings
    except (RecursionError, MemoryError):
        return ...


def compare(paths):
    """(number compared, messages about those that differ)"""
    with tempfile.NamedTemporaryFile("w", suffix=".list") as names:
        names.write("\n".join(map(str, paths)))
        names.flush()
        command = [TOOL, "--attributes", "--show-empty", "@" + names.name]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        read_line = lambda: process.stdout.readline().decode().rstrip("\n")
        differences = []
        for path in paths:
            status, _, name = read_line().partition(" ")
            if name != str(path):
                return 0, [f"{path}: triton-ast stopped with exit code {process.wait()}"]
            lines = []
            while line := read_line():
                lines.append(line)
            ours = "\n".join(lines).encode("ascii", "backslashreplace").decode()
            theirs = parse_with_cpython(path)
            if theirs is ...:
                continue
            if theirs is None:
                if status == "ok":
                    differences.append(f"{path}: CPython rejects it, we do not")
            elif status != "ok":
                differences.append(f"{path}: CPython accepts it, we do not:\n{ours}")
            elif (difference := first_difference(theirs, ours)) is not None:
                differences.append(f"{path}: {difference}")
        process.communicate()
        return len(paths), differences


@pytest.mark.skipif(not TOOL.exists(), reason=f"{TOOL} is not built")
def test_trees_equal_cpythons():
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = sorted(
        path
        for path in library.rglob("*.py")
        if "site-packages" not in path.parts and "dist-packages" not in path.parts
    )
    workers = os.cpu_count() or 1
    files.sort(key=lambda path: path.stat().st_size)
    chunks = [files[i :: workers * 8] for i in range(workers * 8)]
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        results = list(pool.map(compare, filter(None, chunks)))
    differences = [message for _, messages in results for message in messages]
    assert not differences, f"{len(differences)} of {len(files)} files differ\n\n" + "\n\n".join(differences[:20])
    assert sum(count for count, _ in results) == len(files) > 100
