"""The errors that Triton raises on its own account. Those of compiles are public as `triton.compiler.errors`, those of launches and tuning as `triton.runtime.errors`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from ._C.libtriton import shortage_message


class TritonError(Exception):
    """Base of every error class of this package."""


class OptionError(AssertionError, ValueError):
    """An option of a launch that no target can compile with. Programs know it as an AssertionError (the number of warps) or a ValueError."""


# Of a compile.


@dataclass
class SourcePosition:
    """Where an error is, with the attribute names of an AST node: lines count from the `def` line (1), columns from 0."""

    lineno: int
    col_offset: int
    end_lineno: Optional[int] = None
    end_col_offset: Optional[int] = None


class CompilationError(TritonError):
    """A kernel does not compile. `str()` shows its source up to the offending line, a caret, and what is wrong."""

    source_line_count_max_in_message = 12

    def __init__(self, src: Optional[str], node, error_message: Optional[str] = None):
        self.src = src
        self.node = node
        self.error_message = error_message
        self.message = self._format_message()
        self.diagnostic: Optional[str] = None  # the compiler's own text, with file name and line

    def _format_message(self) -> str:
        if self.node is None:
            text = " <source unavailable>"
        elif self.src is None:
            text = f"at {self.node.lineno}:{self.node.col_offset}: <source unavailable>"
        else:
            lines = self.src.split("\n")[: self.node.lineno][-self.source_line_count_max_in_message :]
            shown = "\n".join([*lines, " " * self.node.col_offset + "^"])
            text = f"at {self.node.lineno}:{self.node.col_offset}:\n{shown}"
        return f"{text}\n{self.error_message}" if self.error_message else text

    def __str__(self):
        return self.message

    def __reduce__(self):
        return type(self), (self.src, self.node, self.error_message)


class CompileTimeAssertionFailure(CompilationError):
    """`tl.static_assert` failed."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that kernels cannot contain."""


class CompilationRuntimeError(CompilationError, RuntimeError):
    """A pass or the code generator cannot go on. A RuntimeError too, as clients expect of what the frontend lets through."""


class MultipleTargetsError(UnsupportedLanguageConstruct, TypeError):
    """`a = b = c` in a kernel, seen when its dependencies are looked for."""


# Of launches and tuning.


class InterpreterError(TritonError):
    """A kernel failed while it was interpreted; the cause is the original exception."""

    def __init__(self, error_message: str | None = None):
        self.error_message = error_message

    def __str__(self) -> str:
        return self.error_message or ""


class OutOfResources(TritonError):
    """The device has too little of something for this kernel."""

    def __init__(self, required, limit, name):
        self.required, self.limit, self.name = required, limit, name

    def __str__(self) -> str:
        return shortage_message(self.required, self.limit, self.name)

    def __reduce__(self):
        return type(self), (self.required, self.limit, self.name)


class PTXASError(TritonError):
    """ptxas rejected the code."""

    def __init__(self, error_message: str | None = None):
        self.error_message = error_message

    def __str__(self) -> str:
        return f"PTXAS error: {self.error_message or ''}"


class AutotunerError(TritonError):
    """Tuning cannot go on."""

    def __init__(self, error_message: str | None = None):
        self.error_message = error_message

    def __str__(self) -> str:
        return f"Autotuner error: {self.error_message or ''}"


class CacheMissError(TritonError):
    """With TRITON_STRICT_CACHE: a kernel that is in no cache and no bundle."""


def _publish(module, *classes):
    """Tracebacks and pickles name a class by its public module."""
    for cls in classes:
        cls.__module__ = module


_publish(
    "triton.compiler.errors",
    SourcePosition,
    CompilationError,
    CompileTimeAssertionFailure,
    UnsupportedLanguageConstruct,
    CompilationRuntimeError,
    MultipleTargetsError,
)
_publish("triton.runtime.errors", InterpreterError, OutOfResources, PTXASError, AutotunerError, CacheMissError)
