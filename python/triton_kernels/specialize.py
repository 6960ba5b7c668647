"""Kernels made from kernels: a function that a kernel takes as an argument is built in, and its arguments become the kernel's own.

Errors and line tables of what is made here still point at the file and the lines of the original.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import textwrap
import types
from dataclasses import dataclass
from typing import Any

import triton
import triton.language as tl
from triton.runtime.jit import JITFunction


@dataclass(frozen=True)
class FnSpecs:
    """A device function for others to call, by `name`: its further arguments, and by how much it shrinks the last dimension."""

    name: str
    fn: Any
    fn_arg_names: tuple[str, ...] = ()
    fn_arg_do_not_specialize: tuple[str, ...] = ()
    reduction_n: int = 1

    @staticmethod
    def default():
        return FnSpecs("dflt", None, ())


@dataclass(frozen=True)
class ClosureArg:
    """Where a kernel takes a function: the parameter for the function, and the one for the tuple of its arguments."""

    fn_name: str
    fn_params_name: str


_count = itertools.count()


def define_kernel(src, module, attrs=None, jit_function_cls=JITFunction, **globals):
    """The kernel that the text `src` defines, as a member of `module`; it sees `globals`. `attrs` are keyword arguments of `triton.jit`, or of the
    class that makes it."""
    return _define(src, module, attrs, globals, jit_function_cls)


def _define(src, module, attrs, globals, jit_function_cls=JITFunction):
    src = textwrap.dedent(src)
    functions = [node for node in ast.parse(src).body if isinstance(node, ast.FunctionDef)]
    assert len(functions) == 1, f"the text must define one function, not {len(functions)}"
    name = functions[0].name
    file = f"<{module.__name__}.{name} {next(_count)}>"
    # A text that no file holds is found by inspect where tracebacks look for it.
    linecache.cache[file] = (len(src), None, src.splitlines(keepends=True), file)
    scope = {"triton": triton, "tl": tl, **globals, "__name__": module.__name__}
    exec(compile(src, file, "exec"), scope)
    function = scope[name]
    function.__module__ = module.__name__
    make = triton.jit if jit_function_cls is JITFunction else jit_function_cls
    kernel = make(function, **(attrs or {}))
    setattr(module, name, kernel)
    return kernel


def _text_of(fn):
    return fn.src if isinstance(fn, JITFunction) else textwrap.dedent(inspect.getsource(fn.fn))


def _rewrite(src, name, constants, tuples):
    """(text, how many lines later than `src` it must begin for its body to be where it was)"""
    function = next(node for node in ast.parse(src).body if isinstance(node, ast.FunctionDef))
    arguments = function.args
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    known = {argument.arg for argument in plain}
    for missing in [*constants, *tuples]:
        if missing not in known:
            raise ValueError(f"{function.name} has no parameter {missing}")
    parameters = []
    for argument, default in zip(plain, defaults):
        if argument.arg in tuples:
            parameters += tuples[argument.arg]
        elif argument.arg not in constants:
            text = argument.arg
            if argument.annotation is not None:
                text += f": {ast.unparse(argument.annotation)}"
            parameters.append(text if default is None else f"{text} = {ast.unparse(default)}")
    first = function.body[0]
    lines = src.splitlines()
    if first.lineno == function.lineno:
        body, indent = ["    " + ast.unparse(statement) for statement in function.body], "    "
    else:
        body, indent = lines[first.lineno - 1 : function.end_lineno], " " * first.col_offset
    # A tuple of one argument needs its comma, and none has none.
    gathered = [f"{tuple_} = ({''.join(f'{each}, ' for each in names)})" for tuple_, names in tuples.items()]
    prelude = [indent + "; ".join(gathered)] if gathered else []
    text = "\n".join([f"def {name}({', '.join(parameters)}):", *prelude, *body]) + "\n"
    return text, first.lineno - 2 - len(prelude)


def specialize(fn, module, constants, tuples, name=None, do_not_specialize=()):
    """`fn` without some of its parameters: those in `constants` have their value for good, those in `tuples` become the arguments named there."""
    name = fn.__name__ if name is None else name
    text, line = _rewrite(_text_of(fn), name, constants, tuples)
    function = fn.fn
    closure = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    scope = fn.get_capture_scope() if isinstance(fn, JITFunction) else {**function.__globals__, **closure}
    is_compiled = isinstance(fn, JITFunction)  # and not interpreted: then values are Python's
    values = {
        key: tl.constexpr(value) if is_compiled and not hasattr(value, "fn") else value
        for key, value in constants.items()
    }
    given = vars(fn) if is_compiled else fn.kwargs
    attrs = {
        "do_not_specialize": [
            *(each for each in given.get("do_not_specialize") or () if each not in constants),
            *do_not_specialize,
        ],
        **{name: given.get(name) for name in ("debug", "noinline", "launch_metadata", "version")},
        "repr": given.get("_repr" if is_compiled else "repr"),
    }
    scope = {key: value for key, value in scope.items() if not (key.startswith("__") and key != "__builtins__")}
    kernel = _define(text, module, attrs, {**scope, **values})
    if isinstance(kernel, JITFunction):
        file, first_line, column = fn._source_place
        kernel.starting_line_number = first_line + line
        kernel.raw_src = [" " * column + each for each in kernel.raw_src]
        kernel.fn.__code__ = kernel.fn.__code__.replace(co_filename=file, co_firstlineno=first_line)
    return kernel


def cacheable(fn):
    """Decorator: `fn()` generates a kernel, which takes the function's place, and its name: who imports that name finds the kernel."""
    kernel = fn()
    if not isinstance(kernel, JITFunction):
        return kernel  # which nobody imports again
    for named in (kernel, kernel.fn):
        named.__name__, named.__qualname__, named.__module__ = fn.__name__, fn.__qualname__, fn.__module__
    kernel._fn_name = f"{fn.__module__}.{fn.__qualname__}"
    kernel.module = fn.__module__
    return kernel


class SpecializationModule:
    """Kernels that take functions; `get` gives them with the functions built in."""

    def __init__(self, module_name, kernels, closure_args):
        self.module_name = module_name
        self.kernels = list(kernels.items() if isinstance(kernels, dict) else kernels)
        self.closure_args = dict(closure_args)
        self._modules = {}

    def get(self, **specs):
        """A module that holds each kernel by its name, for these `FnSpecs`; functions that are not named are absent ones."""
        for key in specs:
            if key not in self.closure_args:
                raise ValueError(f"{self.module_name} has no function {key}; it has {', '.join(self.closure_args)}")
        chosen = {key: specs.get(key) or FnSpecs.default() for key in self.closure_args}
        identity = tuple(
            (spec.name, id(spec.fn), spec.fn_arg_names, tuple(spec.fn_arg_do_not_specialize), spec.reduction_n)
            for spec in chosen.values()
        )
        module = self._modules.get(identity)
        if module is None:
            module = self._modules[identity] = self._make(chosen)
        return module

    def _make(self, specs):
        suffix = "".join(f"_{spec.name}" for spec in specs.values() if spec.fn is not None)
        module = types.ModuleType(self.module_name + suffix)
        constants, tuples, unspecialized = {}, {}, []
        taken = {argument for _, kernel in self.kernels for argument in kernel.arg_names}
        for key, argument in self.closure_args.items():
            spec = specs[key]
            # Functions that know nothing of each other may call their arguments the same.
            names = {each: f"{key}_{each}" if each in taken else each for each in spec.fn_arg_names}
            taken |= set(names.values())
            constants[argument.fn_name] = spec.fn
            tuples[argument.fn_params_name] = list(names.values())
            unspecialized += [names[each] for each in spec.fn_arg_do_not_specialize]
        for name, kernel in self.kernels:
            made = specialize(kernel, module, constants, tuples, kernel.__name__ + suffix, unspecialized)
            setattr(module, name, made)
        module.specs = specs
        return module
