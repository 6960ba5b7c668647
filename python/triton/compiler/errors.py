"""Errors of a compile, and how the compiler's diagnostics become exceptions."""

from __future__ import annotations

import builtins

from .. import knobs
from .._C.libtriton import read_shortage
from ..errors import (
    CompilationError,
    CompilationRuntimeError,
    CompileTimeAssertionFailure,
    MultipleTargetsError,  # noqa: F401  (part of this module's interface)
    OutOfResources,
    PTXASError,
    SourcePosition,
    UnsupportedLanguageConstruct,
)
from ..language import core

_OWN_CLASSES = {
    "": CompilationError,
    "CompilationError": CompilationError,
    "CompileTimeAssertionFailure": CompileTimeAssertionFailure,
    "UnsupportedLanguageConstruct": UnsupportedLanguageConstruct,
}


# Errors of the runtime that a compile may raise.
_LAUNCH_CLASSES = {"PTXASError": PTXASError}


def _error_at(cls, place, message, rendered):
    if not place["file"]:
        error = cls(None, None, message)
    else:
        begin, column = place["line_in_text"], place["column_in_text"]
        end = begin + place["end_line"] - place["line"]
        position = SourcePosition(begin, column, end, column + place["end_column"] - place["column"])
        error = cls(place["text"], position, message)
    error.diagnostic = rendered
    return error


def _out_of_resources(diagnostic, rendered):
    """What a launch would raise: the compiler says it in the same words."""
    error = OutOfResources(*read_shortage(diagnostic["message"]))
    if hasattr(error, "add_note"):
        error.add_note(rendered.rstrip())
    return error


def _with_hint(message, hint):
    return f"{message}\nhint: {hint}" if hint else message


def _excerpt(diagnostic):
    """The lines of the source that the compiler shows below a message, with the calls that led there."""
    shown = diagnostic["rendered"].partition(diagnostic["message"])[2].strip("\n")
    place = diagnostic["place"]
    return [f"{place['file']}:{place['line']}:{place['column'] + 1}:", shown] if shown else []


def exception_from(diagnostics, origin):
    """The exception for the first error; `origin` is the Python exception it came from, if it came from Python code."""
    if origin is not None and not isinstance(origin, Exception):
        return origin  # KeyboardInterrupt, SystemExit: no mistake in the kernel
    errors = [diagnostic for diagnostic in diagnostics if diagnostic["severity"] == "error"]
    if not errors:
        return RuntimeError("the compiler failed without saying why")
    first = errors[0]
    rendered = "".join(diagnostic["rendered"] for diagnostic in diagnostics)
    message, name = _with_hint(first["message"], first["hint"]), first["exception"]
    if name == "OutOfResources":
        return _out_of_resources(first, rendered)
    cause = None
    if name in _OWN_CLASSES:
        error = _error_at(_OWN_CLASSES[name], first["place"], message, rendered)
    else:
        original = _LAUNCH_CLASSES.get(name) or getattr(builtins, name, None)
        is_exception = isinstance(original, type) and issubclass(original, Exception)
        if name in _LAUNCH_CLASSES:
            return original("\n".join([message, *_excerpt(first)]))
        if not first["place"]["file"]:
            return original(message) if is_exception else RuntimeError(message)
        if name == "NameError":
            message = _with_hint(repr(original(first["message"])), first["hint"])
        elif origin is not None and type(origin).__name__ == name:
            cause = origin
        elif is_exception:
            cause = core._raised(original(first["message"]))
        if cause is not None and knobs.compilation.front_end_debugging:
            return cause
        cls = CompilationRuntimeError if original is RuntimeError else CompilationError
        error = _error_at(cls, first["place"], message, rendered)
    error.__cause__ = cause
    outer_class = CompilationRuntimeError if isinstance(error, RuntimeError) else CompilationError
    for caller in first["callers"]:
        outer = _error_at(outer_class, caller, None, rendered)
        outer.__cause__ = error
        error = outer
    if hasattr(error, "add_note"):  # Python 3.11: tracebacks show it after the message
        error.add_note(rendered.rstrip())
    return error
