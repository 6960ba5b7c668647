"""Tests of the IR that a kernel becomes: FileCheck directives in the kernel's comments."""

from __future__ import annotations

import functools
import inspect

from . import knobs
from ._C.libtriton import ir, llvm
from .backends.compiler import GPUTarget
from .compiler import ASTSource, make_backend
from .runtime.jit import JITFunction, create_function_from_signature

stub_target = GPUTarget("cuda", 100, 32)


class MatchError(ValueError):
    """The IR is not what the directives say."""

    def __init__(self, message, module_str):
        super().__init__(message)
        self.module_str = module_str

    def __str__(self):
        return f"{super().__str__()}\n{self.module_str}"


def run_parser(kernel_fn, args=(), kwargs=None, target=stub_target):
    """The IR of a kernel called with these arguments, before any pass."""
    kwargs = {"sanitize_overflow": False, **(kwargs or {})}
    backend = make_backend(target)
    binder = create_function_from_signature(kernel_fn.signature, kernel_fn.params, backend, kernel_fn.__name__)
    bound_args, specialization, _ = binder(*args, **kwargs)
    options, signature, constexprs, attrs = kernel_fn._pack_args(backend, kwargs, bound_args, specialization, {})
    source = getattr(kernel_fn, "ASTSource", ASTSource)(kernel_fn, signature, constexprs, attrs)
    context = ir.context()
    codegen = backend.get_codegen_implementation(options)
    return source.make_ir(target, options, codegen, backend.get_module_map(), context)


def run_filecheck(name, module_str, check_template):
    """Raises MatchError unless the module's text is what the directives say."""
    said = llvm.file_check(check_template, f"{name}.checks", module_str, f"{name}.module")
    if said:
        raise MatchError(said, module_str)


def run_filecheck_test(kernel_fn):
    """Checks a kernel without arguments against the directives in its source."""
    assert isinstance(kernel_fn, JITFunction)
    checks = kernel_fn.src
    if "CHECK" not in checks:
        raise ValueError(f"{kernel_fn} has no FileCheck directives in its comments")
    with knobs.runtime.scope():
        module = run_parser(kernel_fn)
    run_filecheck(kernel_fn.__name__, module.str_nodebug(), checks)


def filecheck_test(fn):
    """Decorator: the kernel becomes a test of its own IR."""

    @functools.wraps(fn)
    def test():
        run_filecheck_test(fn if isinstance(fn, JITFunction) else JITFunction(fn))

    test.__signature__ = inspect.Signature()
    return test
