"""Checks the order of the Python package: a module imports only what stands before it, at its top, and in no circle.

usage: check_imports.py [--root DIR] [--junit FILE]

The order is written down once, in LAYERS. An import of ours inside of a function hides an arrow that points the wrong way, or keeps something from being
loaded: each is listed in LAZY with its reason. Imports of other packages (torch, numpy) may stand anywhere.
"""

import argparse
import ast
import sys
from pathlib import Path

import junit

# A module of triton may import its own layer and those before it. The longest name that fits a module counts; whatever fits none is of the last layer.
LAYERS = [
    (
        "ground",
        [
            "_C",
            "_instrumentation",
            "_knob_mechanics",
            "_plugin_loader",
            "_plugins",
            "_tool_versions",
            "_utils",
            "errors",
            "knobs",
        ],
    ),
    ("language", ["language"]),
    ("backends", ["backends"]),
    (
        "store",
        ["runtime.cache", "runtime.driver", "runtime.errors", "runtime.fleet"],
    ),  # what compiled kernels are kept and loaded with
    ("compiler", ["compiler"]),
    ("runtime", ["runtime"]),
    ("surfaces", ["_C.libproton"]),  # testing, tools, cache, explain, profiler, experimental, and the package itself
]
PLACE = {name: index for index, (_, names) in enumerate(LAYERS) for name in names}

# (importing module, imported module): why not at its top.
LAZY = {
    ("backends.cpu.driver", "backends"): "the CPU is active where no other driver is, and those are found after it",
    ("backends.cpu.driver", "testing"): "measuring is loaded when something is measured",
    ("backends.gpu", "testing"): "measuring is loaded when something is measured",
    ("compiler.kernel", "tools.disasm"): "few kernels are disassembled",
    ("compiler.kernel", "tools.nativert"): "few kernels become libraries",
    ("knobs", "_tool_versions"): "few processes ask a tool for its version",
    ("language.semantic", "runtime.jit"): "operations of plug-ins are jitted functions",
    ("language.semantic", "language.core"): "core's functions are the methods of what it is made with",
    ("runtime.autotuner", "testing"): "measuring is loaded when something is measured",
    ("runtime.jit", "runtime.interpreter"): "loaded where interpreter mode is on",
    ("runtime.jit", "runtime.sanitizer"): "loaded where accesses are checked",
}


def layer(module):
    """The index of a module's layer; `module` is its name below triton, empty for the package itself."""
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        if (found := PLACE.get(".".join(parts[:end]))) is not None:
            return found
    return len(LAYERS) - 1


class Module:
    """A module's imports of our own modules: (imported module, line, whether inside of a function)."""

    def __init__(self, name, path, names):
        self.name, self.imports = name, []
        self._package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self._names = names
        self._visit(ast.parse(path.read_text()), False)

    def _visit(self, node, is_inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ImportFrom):
                for target in self._targets(child):
                    self.imports.append((target, child.lineno, is_inside))
            elif isinstance(child, ast.Import):
                for alias in child.names:
                    if alias.name == "triton" or alias.name.startswith("triton."):
                        self.imports.append((alias.name[len("triton.") :], child.lineno, is_inside))
            self._visit(child, is_inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    def _targets(self, node):
        source = node.module or ""
        if node.level:
            parts = self._package.split(".") if self._package else []
            parts = parts[: len(parts) - (node.level - 1)]
            source = ".".join([*parts, *([source] if source else [])])
        elif source == "triton" or source.startswith("triton."):
            source = source[len("triton.") :]
        else:
            return
        for alias in node.names:
            if alias.name == "__version__" and not source:
                continue  # the package's first line
            inner = f"{source}.{alias.name}" if source else alias.name
            yield inner if inner in self._names else source


def read(root):
    """name below triton -> Module, and name -> path from `root`."""
    package = root / "python" / "triton"
    paths = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: Module(name, path, paths) for name, path in paths.items()}, paths


def objection(source, target, is_inside):
    """Why the module `source` must not import `target` there, or None when it may."""
    if is_inside and (source, target) in LAZY:
        return None
    if layer(target) > layer(source):
        return f"{LAYERS[layer(target)][0]} stands after {LAYERS[layer(source)][0]}"
    return "imports of ours stand at the top of a module" if is_inside else None


def circle(modules):
    """The modules of one circle of imports at the top, in order; empty if there is none."""
    done, path = set(), []

    def visit(name):
        if name in done or name not in modules:
            return []
        if name in path:
            return [*path[path.index(name) :], name]
        path.append(name)
        for target, _, is_inside in modules[name].imports:
            # The package itself, and what is imported by its parts, is there before its parts are.
            if not is_inside and target != name and not name.startswith(f"{target}."):
                if found := visit(target):
                    return found
        path.pop()
        done.add(name)
        return []

    return next((found for name in modules if name and (found := visit(name))), [])


def violations(root):
    modules, paths = read(root)
    used = set()
    for name, module in modules.items():
        for target, line, is_inside in module.imports:
            if is_inside:
                used.add((name, target))
            if reason := objection(name, target, is_inside):
                yield f"{paths[name].relative_to(root)}:{line}: imports triton.{target}: {reason}"
    if found := circle(modules):
        yield "a circle of imports: " + " -> ".join(found)
    for source, target in sorted(set(LAZY) - used):
        yield f"scripts/check_imports.py lists an import of triton.{target} in triton.{source} that there is not"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--junit", type=Path)
    arguments = parser.parse_args()
    found = list(violations(arguments.root))
    print("\n".join(found) if found else "every import points the right way")
    if arguments.junit:
        junit.write(arguments.junit, "checks", "import directions", "\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
