"""Python functions that kernels are compiled from, or that compute for them: their source, and the key that changes with whatever they depend on."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import re
import textwrap
import threading
import unicodedata
import weakref

from .composite_types import constexpr_type
from .constants import _unwrap_if_constexpr, constexpr
from .dependencies import ClosureScope, DependenciesFinder


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


# One for all: functions that call each other would take each other's locks, each in its own order.
_hash_lock = threading.RLock()
_being_hashed: list[JITCallable] = []


def _forget_hashing():
    """In a forked child, whose parent's other threads may have been at it: what they did not finish begins anew."""
    _hash_lock._at_fork_reinit()
    for function in _being_hashed:
        function.hash = None
    _being_hashed.clear()


os.register_at_fork(after_in_child=_forget_hashing)


def _check_function(fn):
    """Raises unless `fn` is a function that has a source: not one of C, a class, a method's wrapper, or what is decorated already."""
    if all(hasattr(fn, name) for name in ("__code__", "__globals__", "__qualname__")):
        return
    is_method = isinstance(fn, (staticmethod, classmethod))
    hint = f": put @{type(fn).__name__} above it" if is_method else ""
    raise TypeError(f"@jit and @constexpr_function decorate functions written with `def`, not {fn!r}{hint}")


class JITCallable:
    """A Python function whose source kernels are compiled from."""

    __triton_jitted__ = True
    known: weakref.WeakValueDictionary = weakref.WeakValueDictionary()  # "module:qualname" -> the last that was made

    def __init__(self, fn):
        _check_function(fn)
        self.known[f"{fn.__module__}:{fn.__qualname__}"] = self
        self.fn = fn
        self.signature = inspect.signature(fn)
        self._fn_name = get_full_name(fn)
        self._hash_lock = _hash_lock
        self.hash = None
        self.used_global_vals: dict[tuple[str, int], tuple[object, object]] = {}
        self.__doc__ = fn.__doc__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__globals__ = fn.__globals__
        self.__module__ = fn.__module__

    def _read_source(self):
        """Finds the function's text, from the first line that begins with its `def`."""
        fn = self.fn
        try:
            self.raw_src, self.starting_line_number = inspect.getsourcelines(fn)
        except (OSError, TypeError) as error:
            raise ValueError("@jit functions should be defined in a Python file") from error
        dedented = textwrap.dedent("".join(self.raw_src))
        code = getattr(fn, "__code__", None)
        name = code.co_name if code is not None else fn.__name__
        definitions = re.finditer(r"^def\s+(\w+)\s*[(\[]", dedented, re.MULTILINE)
        # Python knows a name by its normal form, which may be spelled in other characters.
        starts = [found.start() for found in definitions if unicodedata.normalize("NFKC", found.group(1)) == name]
        if not starts:
            raise ValueError("@jit functions should be defined in a Python file, with `def`")
        if len(starts) > 1:  # the argument of a decorator may hold such a line too
            line = ast.parse(dedented).body[0].lineno
            starts = [start for start in starts if dedented.count("\n", 0, start) + 1 == line]
        self._src = dedented[starts[0] :]
        self._lines_before_def = dedented.count("\n", 0, starts[0])

    @property
    def src(self):
        """The function's text, from `def`."""
        return self._src

    def _unsafe_update_src(self, new_src):
        """Replaces the source. The keys of functions that call this one must be reset by whoever does it."""
        self.hash = None
        self._src = new_src

    @property
    def _source_place(self):
        """(file, line of `def`, columns that dedenting cut)"""
        line = self.raw_src[self._lines_before_def] if self._lines_before_def < len(self.raw_src) else ""
        return (
            self.fn.__code__.co_filename,
            self.starting_line_number + self._lines_before_def,
            len(line) - len(line.lstrip()),
        )

    @property
    def _must_use_result_message(self):
        """What to tell a kernel that drops this function's result; None if it may."""
        value = self.__dict__.get("_must_use_result", getattr(self.fn, "_must_use_result", None))
        return "" if value is True else value

    def parse(self):
        """The AST of the current source: a module with one function."""
        tree = ast.parse(self._src)
        assert isinstance(tree, ast.Module) and len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef)
        return tree

    def get_capture_scope(self):
        """Globals, with the captured variables of enclosing functions on top."""
        closure = ClosureScope(self.fn)
        return self.__globals__ | {name: closure.get(name) for name in closure.cells}

    @property
    def cache_key(self) -> str:
        """Changes with the function's source, its callees', its place in the file, and the constexpr globals it reads."""
        with self._hash_lock:
            if self.hash is not None:
                return self.hash
            _being_hashed.append(self)
            self.hash = f"recursion:{self._fn_name}"  # what a recursive call sees
            try:
                finder = DependenciesFinder(self._fn_name, self.__globals__, ClosureScope(self.fn), self._src)
                finder.walk(self.parse())
            except BaseException:
                self.hash = None
                _being_hashed.remove(self)
                raise

            self.used_global_vals = dict(sorted(finder.used_global_vals.items(), key=lambda item: item[0]))
            constants = [
                (name, value) for (name, _), (value, _) in self.used_global_vals.items() if isinstance(value, constexpr)
            ]
            text = finder.ret + str(self.starting_line_number) + str(constants)
            self.hash = hashlib.sha256(text.encode("utf-8")).hexdigest()
            _being_hashed.remove(self)
            return self.hash

    @property
    def _own_key(self):
        """Changes with the function's own text, place and flags, whatever it calls or reads."""
        flags = f"{getattr(self, 'noinline', None)}-{self._must_use_result_message}"
        text = f"{self._fn_name}-{self.starting_line_number}-{flags}-{self._src}"
        return f"{self._fn_name} {hashlib.sha256(text.encode('utf-8')).hexdigest()}"

    @property
    def type(self):
        return constexpr_type(self)

    def __hash__(self):
        return hash(self.cache_key)

    def __eq__(self, other):
        return self is other


class ConstexprFunction(JITCallable):
    """A Python function of compile-time values, for kernels and for Python."""

    def __getattr__(self, name):
        # The source is only needed for keys.
        if name in ("raw_src", "starting_line_number", "_src", "_lines_before_def"):
            self._read_source()
            return self.__dict__[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def _own_key(self):
        """Kernels depend on what it returns, not on how it is written."""
        return self._fn_name

    def __get__(self, instance, owner):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        args = [_unwrap_if_constexpr(value) for value in args]
        kwargs = {name: _unwrap_if_constexpr(value) for name, value in kwargs.items()}
        result = self.fn(*args, **kwargs)
        return result if _semantic is None else constexpr(result)


class BoundConstexprFunction:
    """A constexpr function as a method."""

    def __init__(self, instance, fn):
        self.__self__ = instance
        self.__func__ = fn

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn):
    """Decorator: makes a Python function callable in kernels, on compile-time values."""
    return ConstexprFunction(fn)


def get_jit_fn_file_line(fn):
    """(file, line of `def`) of a jitted function, decorators around it taken off."""
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    file, line, _ = fn._source_place
    return file, line
