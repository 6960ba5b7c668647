"""What objects and functions of the program are, for the keys of kernels that depend on them (the native half: bindings/host/Fingerprint.h, bindings/host/Answers.h).

A kernel that reads a variable, or calls a compile-time function, is compared by the answer it got. What cannot be compared that way is described here: objects by their
class and, where it is their nature, their value; functions that emit code by their bytecode and the variables it reads.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import inspect
import sys
import types

from .._C import libtriton
from ..language.callables import JITCallable
from ..language.core import constexpr, dtype

# Builtins of Python whose result depends on more than their arguments.
_IMPURE_BUILTINS = {"__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "globals", "hash", "id", "input", "locals", "next", "open", "print", "setattr", "vars"}  # fmt: skip
_PURE_MODULES = {"builtins", "collections", "dataclasses", "enum", "functools", "itertools", "math", "operator", "typing"}  # fmt: skip


def _class_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


def _is_of_package(name):
    return name == "triton" or name.startswith("triton.")


def _is_library(name):
    """Whether a module comes with Python or with this package, so that the key of the build stands for it."""
    return _is_of_package(name) or name.partition(".")[0] in sys.stdlib_module_names


def _fields(value):
    """The attributes that an object of a Python class has of its own; None if it keeps more than that."""
    if type(value).__basicsize__ > object.__basicsize__ + 2 * 8 + 8 * len(_slots(type(value))):
        return None  # a subclass of something native, whose content cannot be seen
    found = dict(getattr(value, "__dict__", {}))
    for name in _slots(type(value)):
        if hasattr(value, name):
            found[name] = getattr(value, name)
    return found


def _slots(cls):
    names = []
    for base in cls.__mro__:
        own = base.__dict__.get("__slots__", ())
        names += [own] if isinstance(own, str) else list(own)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


# Values.


def _own_key(value):
    """What an object says it is keyed by; None if it says nothing. One whose `__getattr__` answers for any name is not asked."""
    names = ("cache_key", "cache_key_part")
    stated = (getattr(value, name) for name in names if inspect.getattr_static(value, name, None) is not None)
    return next(stated, None)


def object_key(value):
    """An object as the compiler is given it. Its attributes are asked for one by one, so its class is enough, but for objects that are values themselves."""
    name = _class_name(type(value))
    if isinstance(value, enum.Enum):
        return f"{name}.{value.name} {libtriton.fingerprint(value.value)}"
    own = _own_key(value)
    if isinstance(own, str):
        return f"{name} {own}"
    if dataclasses.is_dataclass(value):
        fields = [f"{field.name}={libtriton.fingerprint(getattr(value, field.name, None))}" for field in dataclasses.fields(value)]  # fmt: skip
        return f"{name} {fields}"
    return name


def memory_key(value):
    """Tells an object from every other one in this process, unless they are equal in all that they hold."""
    return _memory_key(value, 0)


def _memory_key(value, depth):
    if isinstance(value, JITCallable):
        return value.cache_key
    if value is None or type(value) in (bool, int, float, str, bytes):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (dtype, enum.Enum)):
        return f"{_class_name(type(value))} {value}"
    if isinstance(value, (type, types.ModuleType)):
        return f"{value.__name__}@{id(value)}"
    if depth < 16:
        if isinstance(value, constexpr):
            return f"constexpr({_memory_key(value.value, depth + 1)})"
        if isinstance(value, (tuple, list)):
            parts = ", ".join(_memory_key(element, depth + 1) for element in value)
            return f"{_class_name(type(value))}({parts})"
        own = _own_key(value)
        if isinstance(own, str):
            return f"{_class_name(type(value))} {own}"
        fields = _fields(value)
        # An object with nothing in it is told from others of its class by identity only.
        if fields and type(value).__eq__ is not object.__eq__:
            parts = ", ".join(f"{name}={_memory_key(part, depth + 1)}" for name, part in sorted(fields.items()))
            return f"{_class_name(type(value))}({parts})"
    return f"{_class_name(type(value))}@{id(value)}"


def is_value(value):
    """Whether an object says the same for good: an enum's member, a frozen dataclass or a named tuple of such, an object of the language."""
    if isinstance(value, enum.Enum) or _is_of_package(type(value).__module__):
        return True
    if isinstance(value, tuple):
        return all(_is_unchanging(element) for element in value)
    parameters = getattr(type(value), "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return all(_is_unchanging(getattr(value, field.name, None)) for field in dataclasses.fields(value))
    return False


def _is_unchanging(value):
    if isinstance(value, constexpr):
        value = value.value
    plain = (bool, int, float, str, bytes, type(None), types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
    return type(value) in plain or isinstance(value, (type, dtype, JITCallable)) or is_value(value)


# Functions.


def _python_function(callable):
    """The function in Python behind a callable; None if there is none."""
    for _ in range(32):
        if isinstance(callable, types.FunctionType):
            return callable
        callable = getattr(callable, "__func__", None) or getattr(callable, "fn", None)
    return None


def _code_objects(code):
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_objects(constant)


def _variables(function):
    """(dict or cell's function, name, value) of what a function's code may read: globals, and attributes of modules that it names; captured values."""
    names = [name for code in _code_objects(function.__code__) for name in code.co_names]
    modules = []
    for name in dict.fromkeys(names):
        if name in function.__globals__:
            value = function.__globals__[name]
            yield function.__globals__, name, value
            if isinstance(value, types.ModuleType):
                modules.append(value)
    while modules:
        module = modules.pop()
        if _is_library(module.__name__):
            continue
        for name in dict.fromkeys(names):
            value = vars(module).get(name)
            if value is not None:
                yield vars(module), name, value
            if isinstance(value, types.ModuleType) and value is not module and value.__name__.startswith(module.__name__ + "."):  # fmt: skip
                modules.append(value)


def _captured(function):
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def code_key(callable):
    """What a callable that emits code consists of: bytecode, constants, defaults and the variables it reads, in all functions of the program that it can reach."""
    parts: list[str] = []
    _add_code(callable, parts, set())
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _add_code(value, parts, seen):
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, JITCallable):
        parts.append(value.cache_key)
        return
    if isinstance(value, type):
        parts.append(_class_name(value))
        for base in value.__mro__ if not _is_library(value.__module__) else ():
            for name, member in sorted(vars(base).items()) if not _is_library(base.__module__) else ():
                parts.append(name)
                _add_code(member, parts, seen)
        return
    function = _python_function(value)
    if function is None:
        if not isinstance(value, types.ModuleType):
            parts.append(libtriton.fingerprint(value))
        return
    receiver = getattr(value, "__self__", None)
    if receiver is not None:
        parts.append(memory_key(receiver) if _is_unchanging(receiver) else libtriton.fingerprint(receiver))
    parts.append(f"{function.__module__}.{function.__qualname__}")
    if _is_library(function.__module__ or ""):
        for captured in _captured(function):  # a decorator of ours around a function of theirs
            _add_code(captured, parts, seen)
        return
    for code in _code_objects(function.__code__):
        constants = [constant for constant in code.co_consts if not isinstance(constant, types.CodeType)]
        parts.append(f"{code.co_code.hex()} {code.co_names} {constants!r}")
    for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *_captured(function)):
        _add_code(part, parts, seen)
    for _, name, part in _variables(function):
        parts.append(name)
        _add_code(part, parts, seen)


def pure_reads(callable):
    """[(dict, name)] of the variables that decide what a callable gives for the same arguments; None if more than variables may decide."""
    reads: list[tuple[dict, str]] = []
    return reads if _add_reads(callable, reads, set()) else None


def _add_reads(value, reads, seen):
    if id(value) in seen:
        return True
    seen.add(id(value))
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, types.BuiltinFunctionType):
        return value.__name__ not in _IMPURE_BUILTINS if module in _PURE_MODULES else False
    if isinstance(value, type):
        return _is_of_package(module) or module in _PURE_MODULES or _makes_values(value)
    if _is_of_package(module) and not getattr(value, "__closure__", None):
        return True
    function = _python_function(value)
    if function is None:
        return _is_unchanging(value)
    if function.__module__ in _PURE_MODULES:
        return True
    receiver = getattr(value, "__self__", None)
    if receiver is not None and not _is_unchanging(receiver):
        return False
    for code in _code_objects(function.__code__):
        if any(name in _IMPURE_BUILTINS and name not in function.__globals__ for name in code.co_names) or _imports(
            code
        ):
            return False
    for part in _captured(function):
        if not _add_reads(part, reads, seen):
            return False
    for scope, name, part in _variables(function):
        if isinstance(part, types.ModuleType):
            if _is_library(part.__name__) and not (_is_of_package(part.__name__) or part.__name__ in _PURE_MODULES):
                return False  # os, sys, time: what they tell is not theirs
            continue
        if not _add_reads(part, reads, seen):
            return False
        reads.append((scope, name))
    return True


def _makes_values(cls):
    """Whether calling a class only makes an object of its arguments."""
    if issubclass(cls, enum.Enum) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return True
    parameters = getattr(cls, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and "__post_init__" not in dir(cls)


def _imports(code):
    import dis

    return any(instruction.opname == "IMPORT_NAME" for instruction in dis.get_instructions(code))
