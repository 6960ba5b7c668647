"""What a jitted function depends on: the functions it calls and the globals it reads, found in its source.

The whole source is scanned, branches that a compile would drop included, so that a function's key does not depend on how it is called.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from types import FunctionType, ModuleType

from ..errors import CompilationError, CompilationRuntimeError, MultipleTargetsError
from .constants import constexpr

# Python builtins that kernels know by themselves.
KERNEL_BUILTINS = {"float", "getattr", "hasattr", "int", "isinstance", "len", "list", "max", "min", "print", "range"}
# Modules whose attributes may be read freely: their functions never change.
FREE_MODULES = {"copy", "math"}
LANGUAGE_MODULES = ("triton.language", "triton.experimental.gluon.language")


class _UnsupportedFunction(Exception):
    """A kernel refers to a function that is neither jitted nor of the language."""


class ClosureScope:
    """The variables that a nested function captures, read from their cells."""

    def __init__(self, fn):
        names = fn.__code__.co_freevars if hasattr(fn, "__code__") else ()
        self.cells = dict(zip(names, getattr(fn, "__closure__", None) or ()))

    def __contains__(self, name):
        return name in self.cells

    def get(self, name, default=None):
        try:
            return self.cells[name].cell_contents
        except (KeyError, ValueError):  # not captured, or not assigned yet
            return default


def _module_name(value):
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return name or ""


def _is_language_name(name):
    return any(name == module or name.startswith(module + ".") for module in LANGUAGE_MODULES)


def _is_language(value):
    return _is_language_name(_module_name(value))


def _is_jitted(value):
    return getattr(type(value), "__triton_jitted__", False) is True


def _copied(value):
    """A copy that later shows whether the value was changed in place; the value itself where it compares by identity, or cannot be copied."""
    try:
        copied = copy.deepcopy(value)
        return copied if copied == value else value
    except Exception:
        return value


def _deepest(tree):
    """The innermost of the expressions and statements in `tree`."""
    level, deepest = [tree], tree
    while level:
        deepest = next((node for node in level if hasattr(node, "lineno")), deepest)
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return deepest


class DependenciesFinder(ast.NodeVisitor):
    """Walks a function's AST. `ret` is the hash of its source and its callees', `used_global_vals` what it reads."""

    def __init__(self, name, globals, nonlocals, src):
        super().__init__()
        self.name = name
        self.src = src
        self.node = None  # the expression whose value is being recorded
        self.hasher = hashlib.sha256(src.encode("utf-8"))
        self.globals = globals
        self.nonlocals = nonlocals
        self.is_of_language = _is_language_name(globals.get("__name__") or "")
        self.used_global_vals: dict[tuple[str, int], tuple[object, object]] = {}
        self.readers: dict[tuple[str, int], str] = {}  # globals that a callee reads -> the callee's name
        self.local_names: set[str] = set()
        self.in_default = False

    @property
    def ret(self):
        return self.hasher.hexdigest()

    # References.

    def _add_callee(self, callee):
        assert hasattr(callee, "cache_key"), f"{callee} has no key"
        key = callee.cache_key
        for where, (value, scope) in callee.used_global_vals.items():
            self._check_agreement(where, self.used_global_vals.get(where, (value, scope))[0], value, callee.__name__)
            self.used_global_vals[where] = (value, scope)
            self.readers.setdefault(where, callee.__name__)
        self.hasher.update((key + str(getattr(callee, "noinline", False))).encode("utf-8"))

    def _check_agreement(self, where, mine, theirs, callee_name):
        if mine != theirs:
            raise RuntimeError(
                f"Global variable {where[0]} has value {mine} when compiling {self.name}, but inner kernel "
                f"{callee_name} has conflicting value {theirs} from when it was first compiled. This is not allowed."
            )

    def record(self, value, scope=None, name=None):
        if value is None or isinstance(value, ModuleType) or getattr(value, "__triton_aggregate__", False) is True:
            fields = {
                name: getattr(ty, "__qualname__", str(ty))
                for name, ty in getattr(value, "_aggregate_fields", {}).items()
            }
            self.hasher.update(f"{fields}{getattr(value, '__aggregate_defaults__', '')}".encode() if fields else b"")
            for part in getattr(value, "hash_attrs", ()):
                self.record(part)
            return
        if getattr(value, "__triton_builtin__", False) is True:
            return
        if _is_jitted(value):
            self._add_callee(value)
            return
        if callable(value) and not isinstance(value, (type, constexpr)):
            if self.is_of_language and _is_language(value):
                return  # the package's own code, such as `get_int_dtype`, is in every key
            instead = "decorate it with @triton.jit or @triton.constexpr_function"
            if not isinstance(value, FunctionType):
                instead = "kernels call jitted functions and those of triton.language"
            raise _UnsupportedFunction(f"Unsupported function referenced: {value}; {instead}")
        if isinstance(value, constexpr) and _is_jitted(value.value):
            self._add_callee(value.value)
            return
        if scope is not None and not self.in_default:
            where = (name, id(scope))
            if where in self.readers:
                self._check_agreement(where, value, self.used_global_vals[where][0], self.readers[where])
            self.used_global_vals[where] = (_copied(value), scope)

    # The walk. Python's own recurses, a few levels of its stack for each of the tree's.

    def walk(self, tree):
        """Visits all of `tree`; an error with a place where that is nested too deeply, or refers to what kernels cannot call."""
        try:
            self.visit(tree)
        except RecursionError:
            raise CompilationError(self.src, _deepest(tree), "nested too deeply") from None
        except _UnsupportedFunction as error:
            raise CompilationRuntimeError(self.src, self.node, str(error)) from None

    def visit_BinOp(self, node):
        """`a + b + c + …` is as deep as it is long."""
        operands = []
        while isinstance(node, ast.BinOp):
            operands.append(node.right)
            node = node.left
        for operand in (node, *reversed(operands)):
            self.visit(operand)

    # Names.

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load):
            return None
        if node.id in self.local_names:
            return None
        if node.id in self.nonlocals:
            value, scope = self.nonlocals.get(node.id), self.nonlocals
        elif node.id in self.globals:
            value, scope = self.globals[node.id], self.globals
        else:
            return None
        if node.id in KERNEL_BUILTINS and scope is not self.globals and value is None:
            return None
        self.node = node
        self.record(value, scope, node.id)
        return value

    def visit_Attribute(self, node):
        owner = self.visit(node.value)
        if owner is None or _is_language(owner) or _module_name(owner) in FREE_MODULES:
            return None
        value = getattr(owner, node.attr, None)
        if value is None or isinstance(value, ModuleType):
            return value
        if isinstance(owner, ModuleType) or isinstance(owner, type):
            self.node = node
            self.record(value)
        return value

    # Bindings: names assigned before they are used are local.

    def _bind(self, target):
        if isinstance(target, ast.Name):
            self.local_names.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._bind(element)
        elif isinstance(target, ast.Starred):
            self._bind(target.value)

    def visit_FunctionDef(self, node):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        self.local_names = {argument.arg for argument in every if argument}
        self.in_default = True
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        self.in_default = False
        for statement in node.body:
            self.visit(statement)

    def visit_Assign(self, node):
        if len(node.targets) != 1:
            raise MultipleTargetsError(self.src, node, "simultaneous multiple assignment is not supported")
        self.visit(node.value)
        self._bind(node.targets[0])

    def visit_AnnAssign(self, node):
        self.visit(node.annotation)
        if node.value:
            self.visit(node.value)
        self._bind(node.target)

    def visit_AugAssign(self, node):
        self.visit(node.value)
        if isinstance(node.target, ast.Name) and node.target.id not in self.local_names:
            self.visit_Name(ast.Name(node.target.id, ast.Load()))
        self._bind(node.target)

    def visit_For(self, node):
        self.visit(node.iter)
        self._bind(node.target)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_withitem(self, node):
        self.visit(node.context_expr)
        if node.optional_vars:
            self._bind(node.optional_vars)

    def _visit_comprehension(self, node):
        outer = set(self.local_names)
        for generator in node.generators:
            self.visit(generator.iter)
            self._bind(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        self.visit(node.elt)
        self.local_names = outer

    visit_ListComp = visit_GeneratorExp = visit_SetComp = _visit_comprehension
