"""What objects and functions of the program are, for the keys of kernels that depend on them, and for the answers that kernels got (`host`).

A fingerprint is text that is equal for equal values in every process: a number is its value, a tuple its elements, a jitted function its own source; a module or an object
of the user's is only its name or class, because what kernels read of it are further questions. Functions that emit code are described by their bytecode and the variables
it reads.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import inspect
import sys
import types

from .._C.libtriton import KernelBase, ValueHandle
from ..language import core
from ..language.callables import JITCallable
from ..language.core import constexpr, dtype

# Builtins of Python whose result depends on more than their arguments.
_IMPURE_BUILTINS = {"__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "globals", "hash", "id", "input", "locals", "next", "open", "print", "setattr", "vars"}  # fmt: skip
_PURE_MODULES = {"builtins", "collections", "dataclasses", "enum", "functools", "itertools", "math", "operator", "typing"}  # fmt: skip


def _class_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


def is_of_package(name):
    """Whether a module of that name is one of this package."""
    return name == "triton" or name.startswith("triton.")


def _is_library(name):
    """Whether a module comes with Python or with this package, so that the key of the build stands for it."""
    return is_of_package(name) or name.partition(".")[0] in sys.stdlib_module_names


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

_PLAIN = (type(None), bool, int, float, str, bytes)
_HEAP_TYPE = 1 << 9  # the flag of classes that a program has made


def is_run_time(value):
    """Whether it stands for a value that the kernel computes."""
    return isinstance(getattr(value, "handle", None) if isinstance(value, core.base_value) else value, ValueHandle)


def parts_of(value):
    """[(name, object)] of what comes with an object: the compiler gets these without asking (elements of tuples, the value in a constexpr, defaults)."""
    if type(value) in _PLAIN or isinstance(value, (types.ModuleType, type, dtype)) or is_run_time(value):
        return []
    parts = []
    if isinstance(value, constexpr):
        parts = [("value", value.value)]
    elif isinstance(value, core.tuple):
        parts = [("values", value.values)]
    elif isinstance(value, tuple) or type(value) is list:
        parts = [(str(index), element) for index, element in enumerate(value)]
    elif isinstance(value, KernelBase):
        parts = [(param.name, param.default) for param in value.params if param.has_default]
    elif isinstance(value, core.base_value) and hasattr(value, "__triton_aggregate__"):
        parts = [(name, getattr(value, name)) for name in type(value)._aggregate_fields]
    elif isinstance(value, (slice, core.slice)):
        parts = [(name, getattr(value, name)) for name in ("start", "stop", "step")]
    if type(value).__flags__ & _HEAP_TYPE:
        parts.append(("__class__", type(value)))
    return parts


def fingerprint(value, depth=0):
    """Text that is equal for equal compile-time values in every process."""
    if depth > 64:
        raise RecursionError("a compile-time value contains itself, or is nested too deeply")
    if type(value) in _PLAIN:
        return f"{type(value).__name__} {value.hex() if type(value) is float else repr(value)}"
    if is_run_time(value):
        return "run-time value"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return f"class {_class_name(value)}"
    if isinstance(value, dtype):
        return f"type {value!r}"
    parts = parts_of(value)
    text = ""
    if isinstance(value, JITCallable):
        text = f"function {value._own_key}"
    elif not parts or parts[0][0] == "__class__":
        text = object_key(value)
    return f"{text}({''.join(f'{name}={fingerprint(part, depth + 1)}, ' for name, part in parts)})"


def _own_key(value):
    """What an object says it is keyed by; None if it says nothing. One whose `__getattr__` answers for any name is not asked."""
    names = ("cache_key", "cache_key_part")
    stated = (getattr(value, name) for name in names if inspect.getattr_static(value, name, None) is not None)
    return next(stated, None)


def object_key(value):
    """An object as the compiler is given it. Its attributes are asked for one by one, so its class is enough, but for objects that are values themselves."""
    name = _class_name(type(value))
    if isinstance(value, enum.Enum):
        return f"{name}.{value.name} {fingerprint(value.value)}"
    own = _own_key(value)
    if isinstance(own, str):
        return f"{name} {own}"
    if dataclasses.is_dataclass(value):
        fields = [f"{field.name}={fingerprint(getattr(value, field.name, None))}" for field in dataclasses.fields(value)]  # fmt: skip
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
    if isinstance(value, enum.Enum) or is_of_package(type(value).__module__):
        return True
    if isinstance(value, tuple):
        return all(map(is_unchanging, value))
    parameters = getattr(type(value), "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return all(is_unchanging(getattr(value, field.name, None)) for field in dataclasses.fields(value))
    return False


def is_unchanging(value):
    """Whether it is the same as long as it is the same object: numbers, text, types, functions, modules, classes, and what `is_value` adds."""
    if isinstance(value, constexpr):
        value = value.value
    plain = (*_PLAIN, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
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
        value = value.fn  # what it reads of modules and objects is not in that
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
            parts.append(fingerprint(value))
        return
    receiver = getattr(value, "__self__", None)
    if receiver is not None:
        parts.append(memory_key(receiver) if is_unchanging(receiver) else fingerprint(receiver))
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
        return is_of_package(module) or module in _PURE_MODULES or _makes_values(value)
    if is_of_package(module) and not getattr(value, "__closure__", None):
        return True
    function = _python_function(value)
    if function is None:
        return is_unchanging(value)
    if function.__module__ in _PURE_MODULES:
        return True
    receiver = getattr(value, "__self__", None)
    if receiver is not None and not is_unchanging(receiver):
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
            if _is_library(part.__name__) and not (is_of_package(part.__name__) or part.__name__ in _PURE_MODULES):
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
