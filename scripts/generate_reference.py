"""Writes the type stubs of triton.language and of Gluon's layouts, and docs/reference/language.md, from the compiler's registry of the language.

usage: generate_reference.py [--check]

Both say what the compiler itself answers for a name: its signature, its documentation, whether it is a method too. --check writes nothing, and fails
if a file is not what would be written.
"""

import argparse
import ast
import sys
from pathlib import Path

from triton._C import libtriton

ROOT = Path(__file__).resolve().parent.parent
LANGUAGE = ROOT / "python" / "triton" / "language"
LAYOUTS = ROOT / "python" / "triton" / "experimental" / "gluon" / "language" / "_layouts.pyi"
PAGE = ROOT / "docs" / "reference" / "language.md"
NOTE = "scripts/generate_reference.py writes this file: run it after a change of the language."

# Results that are not one tensor.
RESULTS = {
    "None": "store atomic_store store_tensor_descriptor static_print static_assert device_print device_assert debug_barrier assume gdc_wait gdc_launch_dependents",
    "tuple[tensor, tensor]": "broadcast split swizzle2d pair_uniform_to_normal",
    "tuple[tensor, tensor, tensor, tensor]": "philox philox_impl rand4x randint4x randn4x",
    "tensor_descriptor": "make_tensor_descriptor",
    "Any": "reduce associative_scan max min map_elementwise inline_asm_elementwise extern_elementwise str_to_ty get_int_dtype builtin_min builtin_max item",
    "bool": "is_cuda cuda_capability_geq is_hip is_hip_cdna3 is_hip_cdna4 is_hip_gfx1250",
    "int": "num_warps num_threads",
}
RESULT_OF = {name: result for result, names in RESULTS.items() for name in names.split()}

OPERATORS = {
    "tensor": "add sub mul truediv floordiv mod and or xor lshift rshift radd rsub rmul rtruediv rfloordiv rmod rand ror rxor rlshift rrshift "
    "eq ne lt le gt ge",
}

# The first name of each part of the page, in the order of the registry.
PARTS = {
    "program_id": "Programs", "arange": "Creation", "broadcast": "Shapes", "cast": "Casts, selection and arithmetic", "exp": "Mathematics",
    "load": "Memory", "atomic_add": "Atomics", "reduce": "Reductions and scans", "dot": "Matrix products",
    "make_block_ptr": "Block pointers and tensor descriptors", "map_elementwise": "Functions of elements", "range": "Loops",
    "multiple_of": "Hints", "static_print": "Debugging", "tensor": "Classes", "cdiv": "Library", "philox_impl": "Random numbers",
}  # fmt: skip


class Entry:
    """A name of the language, as the registry knows it."""

    def __init__(self, module, name):
        kind, path, signature, documentation, self.is_method, self.must_use, _ = libtriton.language_entry(module, name)
        self.module, self.name, self.kind = module, name, kind
        self.home = path.rpartition(".")[0] or module
        self.signature = signature
        self.documentation = "\n".join(line.strip() for line in documentation.strip().splitlines())

    @property
    def is_function(self):
        return self.kind in ("builtin", "function") and not self.is_class

    @property
    def is_class(self):
        return self.signature and self.name in CLASSES


CLASSES = set(
    "tensor constexpr dtype pointer_type block_type tuple slice tensor_descriptor const tuple_type constexpr_type slice_type "
    "tensor_descriptor_type tensor_descriptor_base tensor_descriptor_base_type base_value base_type range static_range condition".split()
)


def entries(module):
    return [Entry(module, name) for name in libtriton.language_names(module)]


def arguments_of(entry, first_is_self=False):
    """The parameters, without annotations; defaults that are not literals are left open."""
    arguments = ast.parse(f"def f{entry.signature}: ...").body[0].args
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs + [arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None

    def literal(default):
        return default if default is None or isinstance(default, (ast.Constant, ast.Tuple)) else ast.Constant(...)

    arguments.defaults = [literal(default) for default in arguments.defaults]
    arguments.kw_defaults = [literal(default) for default in arguments.kw_defaults]
    if first_is_self:
        (arguments.posonlyargs or arguments.args)[0].arg = "self"
    return ast.unparse(arguments)


def stub(entry, indent="", is_method=False):
    text = f"{indent}def {entry.name}({arguments_of(entry, is_method)}) -> {RESULT_OF.get(entry.name, 'tensor')}:\n"
    if entry.documentation:
        escaped = entry.documentation.replace("\\", "\\\\").replace('"""', r"\"\"\"")
        lines = [f"{indent}    {line}".rstrip() for line in escaped.splitlines()]
        lines[0] = f'{indent}    """{escaped.splitlines()[0]}'
        closing = '"""' if len(lines) == 1 and not lines[0].endswith('"') else f'\n{indent}    """'
        text += "\n".join(lines) + closing + "\n"
    return text + f"{indent}    ...\n"


def head(summary):
    return f'"""{summary}"""\n\n# {NOTE}\n\nfrom typing import Any\n\n'


def imports_of_core():
    """What core.py imports from the package, each name shown as core's own."""
    lines = []
    for node in ast.parse((LANGUAGE / "core.py").read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [
                alias for alias in node.names if alias.name != "tensor" and not (alias.asname or "").startswith("_")
            ]
            lines += [f"from {'.' * node.level}{node.module} import {alias.name} as {alias.name}" for alias in names]
    return "\n".join(sorted(set(lines))) + "\n"


def functions_of_core():
    """Functions that core.py has of its own."""
    return "".join(
        f"def {node.name}({ast.unparse(node.args)}) -> Any: ...\n"
        for node in ast.parse((LANGUAGE / "core.py").read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )


def tensor_class(methods):
    parts = ["class tensor(base_value):\n", f'    """{Entry("triton.language.core", "tensor").documentation}"""\n\n']
    parts.append(
        "    type: Any\n    dtype: dtype\n    shape: tuple\n    numel: constexpr\n    handle: Any\n"
        "    @property\n    def T(self) -> tensor: ...\n    def __getitem__(self, slices: Any) -> tensor: ...\n"
        "    def item(self) -> tensor: ...\n"
    )
    for operator in OPERATORS["tensor"].split():
        parts.append(f"    def __{operator}__(self, other: Any) -> tensor: ...\n")
    parts.append("    def __neg__(self) -> tensor: ...\n    def __invert__(self) -> tensor: ...\n")
    own = entries("triton.language.tensor")
    known = {entry.name for entry in own} | {"item"}
    methods = own + [entry for entry in methods if entry.name not in known]
    parts += [stub(entry, "    ", is_method=True) for entry in methods]
    return "".join(parts)


def stubs():
    """Path -> text of every stub."""
    core = [entry for entry in entries("triton.language.core") if entry.is_function]
    top = entries("triton.language")
    methods = [entry for entry in top if entry.is_function and entry.is_method]
    files = {}
    files["core.pyi"] = (
        head("The heart of the language: its types, its values, and the functions the compiler provides.")
        + "from .types import _DtypeClass as _DtypeClass\n" + imports_of_core()
        + "\nextern = builtin\nCONSTEXPR_0: constexpr\n\n" + tensor_class(methods) + "\n"
        + functions_of_core() + "\n" + "\n".join(stub(entry) for entry in core)
    )  # fmt: skip
    needs = "from .core import tensor, tensor_descriptor\n\n"
    for module, summary in (
        ("math", "`tl.math`: elementwise mathematics."),
        ("standard", "Functions of the language written in it."),
        ("random", "Random numbers, counter-based."),
        ("target_info", "What kernels are compiled for."),
    ):
        functions = [entry for entry in entries(f"triton.language.{module}") if entry.is_function]
        constants = "N_ROUNDS_DEFAULT: Any\n\n" if module == "random" else ""
        if module == "target_info":
            constants = "def current_target() -> Any: ...\n"
        files[f"{module}.pyi"] = head(summary) + needs + constants + "\n".join(stub(entry) for entry in functions)
    libdevice = [entry for entry in entries("triton.language.extra.libdevice") if entry.is_function]
    text = "from triton.language.core import tensor\n\n" + "\n".join(stub(entry) for entry in libdevice)
    files["extra/libdevice.pyi"] = head("Functions of libdevice, one table for all targets.") + text
    files["extra/cuda/libdevice.pyi"] = files["extra/hip/libdevice.pyi"] = (
        f'"""Functions of libdevice."""\n\n# {NOTE}\n\nfrom triton.language.extra.libdevice import *  # noqa: F403\n'
    )
    for vendor, summary in (("cuda", "What only NVIDIA GPUs have."), ("hip", "What only AMD GPUs have.")):
        functions = [entry for entry in entries(f"triton.language.extra.{vendor}") if entry.is_function]
        files[f"extra/{vendor}/__init__.pyi"] = (
            head(summary)
            + "from triton.language.core import tensor\nfrom . import libdevice as libdevice\n\n"
            + "\n".join(stub(entry) for entry in functions)
        )
    files["__init__.pyi"] = package_stub(top)
    return {LANGUAGE / name: text for name, text in files.items()}


def package_stub(top):
    lines = []
    for entry in top:
        if entry.kind == "module":
            lines.append(f"from . import {entry.name} as {entry.name}")
            continue
        home = "core"
        if entry.is_function and entry.home.startswith("triton.language."):
            home = entry.home.removeprefix("triton.language.")
        lines.append(f"from .{home} import {entry.name} as {entry.name}")
    return (
        f'"""The words of the kernel language. `import triton.language as tl`."""\n\n# {NOTE}\n\n'
        + "\n".join(lines)
        + "\n"
    )


def parameters_text(fields):
    """`dim: int, parent: DistributedLayout`, with defaults."""
    return ", ".join(f"{name}: {kind}" + (f" = {default[0]!r}" if default else "") for name, kind, default in fields)


def layouts_stub():
    """The classes of layouts as text: `_layouts.py` makes them from the same table."""
    parts = [
        head("Layouts: which thread holds which element of a tensor, and where in memory an element of a buffer lies."),
        "CLASSES: dict[str, type[_Layout]]\n\n",
        "class _Layout:\n    @property\n    def type(self) -> Any: ...\n    def mangle(self) -> str: ...\n\n",
        "class DistributedLayout(_Layout):\n    @property\n    def rank(self) -> int: ...\n\n",
        "class SharedLayout(_Layout): ...\n\n",
    ]
    functions = libtriton.gluon_layouts.functions()
    kinds = {"rank": "int", "cga_layout": "list[list[int]]", "shape": "list[int]"}
    for name, _, base, documentation, fields, parameters, properties in libtriton.gluon_layouts.classes():
        parts.append(f'class {name}({base}):\n    """{documentation}"""\n\n')
        parts += [f"    {field}: {kind}\n" for field, kind, _ in fields]
        if parameters:
            parts.append(f"    def __init__(self, {parameters_text(parameters)}) -> None: ...\n")
        parts += [f"    @property\n    def {each}(self) -> {kinds[each]}: ...\n" for each in properties]
        for owner, function, summary, given in functions:
            if owner == name:
                parts.append(
                    f"    @staticmethod\n    def {function}({parameters_text(given)}) -> {name}:\n"
                    f'        """{summary}"""\n'
                )
        parts.append("\n")
    for owner, function, summary, given in functions:
        if not owner:
            parts.append(f'def {function}({parameters_text(given)}) -> list:\n    """{summary}"""\n\n')
    return "".join(parts).rstrip("\n") + "\n"


def page():
    """The reference page."""
    lines = [
        "# The language",
        "",
        f"<!-- {NOTE} -->",
        "",
        "Every name of `triton.language` (`tl`), as the compiler knows it. The rules of typing, promotion and control flow apply to all of them. Functions",
        "marked *method* can also be written `x.name(...)`; dropping the result of one marked *must be used* is an error.",
        "",
    ]
    top = entries("triton.language")
    types = [f"`{entry.name}`" for entry in top if entry.kind == "type"]
    lines += ["## Types", "", ", ".join(types) + ".", ""]
    for entry in top:
        if not entry.signature:
            continue
        if entry.name in PARTS:
            lines += [f"## {PARTS[entry.name]}", ""]
        lines += section(f"tl.{entry.name}", entry)
    lines += ["## `tl.target_info`", ""]
    for entry in entries("triton.language.target_info"):
        lines += section(f"tl.target_info.{entry.name}", entry)
    for vendor in ("cuda", "hip"):
        lines += [f"## `tl.extra.{vendor}`", ""]
        for entry in entries(f"triton.language.extra.{vendor}"):
            if entry.is_function:
                lines += section(f"tl.extra.{vendor}.{entry.name}", entry)
    return "\n".join(lines + libdevice_lines()) + "\n"


def libdevice_lines():
    """All have one thing to say of themselves, so their names are listed, by how many arguments they take."""
    functions = [entry for entry in entries("triton.language.extra.libdevice") if entry.is_function]
    (summary,) = {entry.documentation for entry in functions}
    lines = ["## `tl.extra.libdevice`", "", "Each is: " + summary[0].lower() + summary[1:]]
    by_count = {}
    for entry in sorted(functions, key=lambda entry: entry.name):
        by_count.setdefault(len(plain_signature(entry).args), []).append(f"`{entry.name}`")
    for count, names in sorted(by_count.items()):
        lines += ["", f"Of {count} argument{'' if count == 1 else 's'}: {', '.join(names)}."]
    return lines


def section(shown, entry):
    marks = [text for text, holds in (("method", entry.is_method), ("must be used", entry.must_use)) if holds]
    signature = ast.unparse(plain_signature(entry))
    lines = [f"### `{shown}({signature})`" + (f" *{', '.join(marks)}*" if marks else ""), ""]
    return lines + ([entry.documentation, ""] if entry.documentation else [])


def plain_signature(entry):
    arguments = ast.parse(f"def f{entry.signature}: ...").body[0].args
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs + [arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None
    return arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for path, text in {**stubs(), LAYOUTS: layouts_stub(), PAGE: page()}.items():
        if path.exists() and path.read_text() == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if check and stale:
        sys.exit(f"not up to date: {', '.join(stale)}; run scripts/generate_reference.py")


if __name__ == "__main__":
    main()
