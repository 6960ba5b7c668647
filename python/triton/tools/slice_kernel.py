"""Cuts kernels, and everything they need, out of a program into one file.

    python -m triton.tools.slice_kernel package.module:kernel … --output-path one.py

Statements at the top of modules are what is taken: definitions with their decorators, assignments, what stands under an `if`. Names that lead into other modules are
followed, and become the names that things have in the one file. Modules that are leaves stay imports: triton, the standard library and installed packages, unless the
caller says otherwise.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import sysconfig
from argparse import ArgumentParser
from dataclasses import dataclass, field
from typing import Optional

from .triton_to_gluon_translator import TranslatorTarget, translate_paths


@dataclass
class Module:
    """The source of a module: its top-level statements, by the names they bind."""

    name: str
    text: str
    bindings: dict = field(default_factory=dict)  # name -> statement

    @staticmethod
    def read(name):
        module = importlib.import_module(name)
        path = getattr(module, "__file__", None)
        if not path or not path.endswith(".py"):
            raise ValueError(f"module {name} has no source: name it as a leaf")
        with open(path) as file:
            text = file.read()
        made = Module(name, text)
        for statement in ast.parse(text).body:
            for bound in _bound_names(statement):
                made.bindings[bound] = statement
        return made


def _bindings(statement):
    """(name, node that assigns it or None) of what a statement binds in the scope it stands in."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name, None
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0], None
    elif isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
        yield statement.id, statement
    elif not isinstance(statement, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for node in ast.iter_child_nodes(statement):
            yield from _bindings(node)


def _bound_names(statement):
    return [name for name, _ in _bindings(statement)]


class _Names(ast.NodeVisitor):
    """The places where a statement reads names of its module: (name, attributes after it, node)."""

    def __init__(self):
        self.found = []
        self.locals: list[set] = []

    def _read(self, node):
        attributes, base = [], node
        while isinstance(base, ast.Attribute):
            attributes.insert(0, base.attr)
            base = base.value
        if not isinstance(base, ast.Name):
            return False
        if isinstance(base.ctx, ast.Load) and not any(base.id in scope for scope in self.locals):
            self.found.append((base.id, attributes, node))
        return True

    def visit_Attribute(self, node):
        if not self._read(node):
            self.generic_visit(node)

    def visit_Name(self, node):
        self._read(node)

    def _visit_function(self, node):
        arguments = node.args
        for outside in [
            *getattr(node, "decorator_list", ()),
            *arguments.defaults,
            *filter(None, arguments.kw_defaults),
        ]:
            self.visit(outside)
        every = [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *filter(None, (arguments.vararg, arguments.kwarg)),
        ]
        for annotation in [*(argument.annotation for argument in every), getattr(node, "returns", None)]:
            if annotation is not None:
                self.visit(annotation)
        body = node.body if isinstance(node.body, list) else [node.body]
        scope = {argument.arg for argument in every} | {name for statement in body for name in _bound_names(statement)}
        shared = {name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names}
        self.locals.append(scope - shared)
        for statement in body:
            self.visit(statement)
        self.locals.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function

    def _visit_comprehension(self, node):
        self.locals.append({name for generator in node.generators for name in _bound_names(generator)})
        self.generic_visit(node)
        self.locals.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension


@dataclass
class Piece:
    """A statement that is taken along."""

    module: Module
    statement: ast.stmt
    edits: list = field(default_factory=list)  # (node, key of what it leads to, attributes that are left)

    def render(self, names):
        """Its text, with names as they are in the one file."""
        lines = self.module.text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line.encode()))

        def place(line, column):
            return starts[line - 1] + column

        first = min([self.statement.lineno, *(node.lineno for node in getattr(self.statement, "decorator_list", ()))])
        begin, end = place(first, 0), place(self.statement.end_lineno, self.statement.end_col_offset)
        text, at = b"", begin
        source = self.module.text.encode()
        for node, key, attributes in sorted(self.edits, key=lambda edit: place(edit[0].lineno, edit[0].col_offset)):
            start, stop = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
            text += source[at:start] + ".".join([names[key], *attributes]).encode()
            at = stop
        text = (text + source[at:end]).decode()
        own = getattr(self.statement, "name", None)
        wanted = names.get((self.module.name, own), own)
        return (
            text
            if own == wanted
            else text.replace(f"def {own}(", f"def {wanted}(", 1).replace(f"class {own}", f"class {wanted}", 1)
        )


class _Slicer:
    def __init__(self, leaf_modules, include_below, leaf_paths):
        self.leaf_modules, self.include_below, self.leaf_paths = leaf_modules, include_below, set(leaf_paths)
        self.modules: dict[str, Module] = {}
        self.pieces: dict[tuple, Piece] = {}  # in the order in which they are needed
        self.begun: set = set()
        self.names: dict[tuple, str] = {}
        self.imports: dict[str, str] = {}  # name in the file -> statement

    def module(self, name):
        if name not in self.modules:
            self.modules[name] = Module.read(name)
        return self.modules[name]

    def _is_leaf(self, name):
        def is_below(roots):
            return any(name == root or name.startswith(root + ".") for root in roots)

        if is_below(self.include_below):
            return False
        if is_below(["triton", *self.leaf_modules]) or name.split(".")[0] in sys.stdlib_module_names:
            return True
        path = getattr(importlib.import_module(name), "__file__", None)
        return path is None or os.path.realpath(path).startswith(
            os.path.realpath(sysconfig.get_path("purelib")) + os.sep
        )

    def _give_name(self, key, wanted):
        taken = {*self.names.values(), *self.imports}
        name, number = wanted, 1
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        self.names[key] = name

    def _import(self, module, attribute, wanted):
        """The key of something that stays in its module."""
        key = (module, attribute, "imported")
        if key not in self.names:
            self._give_name(key, wanted)
            name = self.names[key]
            if attribute is not None:
                self.imports[name] = f"from {module} import {attribute}" + (f" as {name}" if name != attribute else "")
            else:
                self.imports[name] = f"import {module}" + (f" as {name}" if name != module else "")
        return key

    def need(self, module, name, attributes, wanted):
        """(key, attributes left) of `module.name.attributes`, which is taken along; None for what is no name of the module."""
        if self._is_leaf(module.name) or f"{module.name}:{name}" in self.leaf_paths:
            return self._import(module.name, name, wanted), attributes
        statement = module.bindings.get(name)
        if statement is None:
            return None
        if isinstance(statement, ast.ImportFrom):
            return self._follow_from(module, statement, name, attributes)
        if isinstance(statement, ast.Import):
            alias = next(alias for alias in statement.names if name in (alias.asname, alias.name.split(".")[0]))
            return self._follow_module(alias.name if alias.asname else alias.name.split(".")[0], attributes, name)
        self._take(module, statement)
        return (module.name, name), attributes

    def _follow_from(self, module, statement, name, attributes):
        original = next(alias.name for alias in statement.names if name == (alias.asname or alias.name))
        base = "." * statement.level + (statement.module or "")
        package = module.name if hasattr(sys.modules[module.name], "__path__") else module.name.rpartition(".")[0]
        source = importlib.util.resolve_name(base, package) if statement.level else base
        found = getattr(importlib.import_module(source), original, None)
        if type(found) is type(sys):
            return self._follow_module(found.__name__, attributes, name)
        if self._is_leaf(source):
            return self._import(source, original, name), attributes
        return self.need(self.module(source), original, attributes, name)

    def _follow_module(self, name, attributes, wanted):
        """Goes through modules as far as attributes lead."""
        while attributes and type(
            getattr(sys.modules.get(name) or importlib.import_module(name), attributes[0], None)
        ) is type(sys):
            inner = getattr(sys.modules[name], attributes[0]).__name__
            if self._is_leaf(name):
                break
            name, attributes = inner, attributes[1:]
        if self._is_leaf(name) or not attributes:
            return self._import(name, None, wanted), attributes
        return self.need(self.module(name), attributes[0], attributes[1:], attributes[0])

    def _take(self, module, statement):
        place = module.name, statement.lineno
        if place in self.begun:
            return
        self.begun.add(place)
        for name in dict.fromkeys(_bound_names(statement)):
            self._give_name((module.name, name), name)
        piece, names = Piece(module, statement), _Names()
        piece.edits = [(node, (module.name, name), []) for name, node in _bindings(statement) if node is not None]
        names.visit(statement)
        for name, attributes, node in names.found:
            found = self.need(module, name, attributes, name)
            if found is not None:
                piece.edits.append((node, *found))
        self.pieces[place] = piece


def slice_kernel(
    root_paths, leaf_modules=(), include_below: Optional[list] = None, leaf_paths: Optional[list] = None
) -> str:
    """The text of one file with what `root_paths` name (`package.module:object`) and all they need."""
    slicer = _Slicer(list(leaf_modules), list(include_below or ()), list(leaf_paths or ()))
    for path in root_paths:
        module, separator, name = path.partition(":")
        if not separator or not name:
            raise ValueError(f"'{path}' is not of the form module.path:object")
        if slicer._is_leaf(module):
            raise ValueError(f"{module} is a leaf, of which nothing is taken")
        if slicer.need(slicer.module(module), name, [], name) is None:
            raise ValueError(f"{module} has no '{name}'")
    imports = "\n".join(sorted(set(slicer.imports.values())))
    bodies = [piece.render(slicer.names) for piece in slicer.pieces.values()]
    return "\n\n\n".join([*filter(None, [imports]), *bodies]) + "\n"


def main(arguments=None):
    parser = ArgumentParser(prog="python -m triton.tools.slice_kernel", description=__doc__.split("\n\n")[0])
    parser.add_argument("root_paths", nargs="+", metavar="ROOT", help="what to keep, as module.path:object")
    parser.add_argument(
        "--leaf-module", action="append", default=[], help="a module that stays an import, with those below it"
    )
    parser.add_argument(
        "--include-below", action="append", default=[], help="a module that does not, though it is below a leaf"
    )
    parser.add_argument(
        "--leaf-path", action="append", default=[], help="an object that stays an import, as module.path:object"
    )
    parser.add_argument("--translate-to-gluon", action="store_true", help="write the kernels as Gluon")
    parser.add_argument(
        "--target", default="generic", choices=[target.value for target in TranslatorTarget], help="the GPU, for Gluon"
    )
    parser.add_argument("--output-path", help="the file to write (default: standard output)")
    options = parser.parse_args(arguments)
    try:
        if options.translate_to_gluon:
            text = translate_paths(options.root_paths, TranslatorTarget(options.target))
        else:
            text = slice_kernel(options.root_paths, options.leaf_module, options.include_below, options.leaf_path)
    except (ImportError, ValueError) as error:
        raise SystemExit(f"error: {error}") from None
    if options.output_path is None:
        print(text, end="")
        return
    with open(options.output_path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
