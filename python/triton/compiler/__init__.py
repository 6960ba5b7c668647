"""Compiling kernels."""

from . import code_generator  # noqa: F401
from .compiler import (
    ASTSource,
    CompiledKernel,
    IRSource,
    LazyDict,
    compile,
    get_cache_key,
    make_backend,
    max_shared_mem,
)
from .errors import CompilationError

__all__ = [
    "compile",
    "make_backend",
    "ASTSource",
    "IRSource",
    "CompiledKernel",
    "CompilationError",
    "LazyDict",
    "get_cache_key",
    "max_shared_mem",
]
