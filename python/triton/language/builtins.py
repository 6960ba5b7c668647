"""The language's functions as Python objects.

They are made from the compiler's registry: names, signatures and documentation live there once. Calling one outside a kernel is an error, since
there is nothing to compute with.
"""

import functools
import inspect

from .._C import libtriton
from . import interpreted
from .semantic import TritonSemantic

TRITON_BUILTIN = "__triton_builtin__"
_FORGOTTEN = "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)"


class LanguageFunction:
    """One function of the language: `tl.load`, `tl.sum`, …"""

    __triton_builtin__ = True
    is_query = False  # whether it computes on compile-time values alone, so that the host may ask it outside of kernels
    answer = None  # what the host computes itself when it asks outside of kernels

    def __init__(self, module, name, signature, documentation, is_method, must_use_result):
        self.__module__ = module
        self.__name__ = self.__qualname__ = name
        self.__doc__ = documentation
        self._parameters = signature
        self.is_method = is_method
        self._must_use_result = must_use_result

    @functools.cached_property
    def __signature__(self):
        return _parse_signature(self._parameters)

    def __call__(self, *args, _semantic=None, **kwargs):
        if _semantic is None and not libtriton.interpreter.is_active():
            if self.answer is not None:
                return self.answer(*args, **kwargs)
            if not self.is_query:
                raise ValueError(_FORGOTTEN)
            with libtriton.interpreter.Session():
                answer = libtriton.emission.call(self, args, kwargs)
            return getattr(answer, "value", answer)
        kwargs.pop("_generator", None)
        if self.__name__ == "device_print" and libtriton.interpreter.is_active():
            return interpreted.device_print(*args, **kwargs)
        return libtriton.emission.call(self, args, kwargs)

    def __repr__(self):
        return f"<function {self.__module__}.{self.__name__}{self._parameters}>"

    def __reduce__(self):
        return _find, (self.__module__, self.__name__)


def _find(module, name):
    import importlib

    return getattr(importlib.import_module(module), name)


def _parse_signature(text):
    """`(x, axis=None)` -> a Signature, with the hidden `_semantic` that every builtin takes."""
    import ast

    arguments = ast.parse(f"def f{text}: pass").body[0].args
    kinds = inspect.Parameter
    parameters = []

    def add(argument, kind, default=None):
        value = inspect.Parameter.empty
        if default is not None:
            try:
                value = ast.literal_eval(default)
            except ValueError:
                value = _Written(ast.unparse(default))
        parameters.append(kinds(argument.arg, kind, default=value))

    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(plain, defaults):
        add(argument, kinds.POSITIONAL_OR_KEYWORD, default)
    if arguments.vararg:
        add(arguments.vararg, kinds.VAR_POSITIONAL)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        add(argument, kinds.KEYWORD_ONLY, default)
    parameters.append(kinds("_semantic", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


class _Written:
    """A default that is shown as it is written: `tl.float32`."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def define(namespace, module):
    """Adds what the compiler knows in `module` to a module's namespace; names that are there already stay."""
    for name in libtriton.language_names(module):
        if name in namespace:
            continue
        kind, path, signature, documentation, is_method, must_use, value = libtriton.language_entry(module, name)
        if kind in ("builtin", "function"):
            home = path.rpartition(".")[0] or module
            if not home.startswith("triton.language"):
                home = module
            namespace[name] = LanguageFunction(home, name, signature, documentation, is_method, must_use)
        elif kind == "constant":
            namespace[name] = value


def define_methods(owner, module, functions=()):
    """Shows on a class what the compiler knows as its methods: all of `module`, and those of `functions` that are methods too."""
    known = [libtriton.language_entry(module, name) for name in libtriton.language_names(module)]
    entries = {path.rpartition(".")[2]: (signature, text) for _, path, signature, text, *_ in known}
    entries |= {each.__name__: (each._parameters, each.__doc__) for each in functions if each.is_method}
    for name, (signature, text) in entries.items():
        if name not in vars(owner):
            setattr(owner, name, _method(name, LanguageFunction(module, name, signature, text, True, False)))


def _method(name, function):
    @functools.wraps(function, updated=())
    def method(self, *args, _semantic=None, **kwargs):
        return libtriton.emission.call(libtriton.emission.attribute(self, name), args, kwargs)

    return method


def builtin(fn):
    """Marks a Python function as a builtin: kernels call it while they are compiled, with `_semantic` set."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if kwargs.get("_semantic") is None:
            if not libtriton.interpreter.is_active():
                raise ValueError(_FORGOTTEN)
            _add_hidden_arguments(fn, kwargs)
        return fn(*args, **kwargs)

    setattr(wrapper, TRITON_BUILTIN, True)
    wrapper.signature = inspect.signature(fn)
    return wrapper


def is_builtin(fn):
    """Whether kernels may call it as a builtin."""
    return getattr(fn, TRITON_BUILTIN, False)


def must_use_result(x, s=None):
    """Decorator, bare or with a message: a kernel that drops the function's result does not compile."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s if s is not None else True
    return x


def _takes_semantic(callable):
    """Whether a Python function wants to emit code."""
    try:
        parameters = inspect.signature(callable).parameters
    except (TypeError, ValueError):
        return False
    return "_semantic" in parameters or "_generator" in parameters


def _add_hidden_arguments(callable, keywords):
    """Gives a function that emits code what it emits with."""
    function = callable
    if inspect.isclass(callable):
        function = callable.__dict__.get("_original_init") or callable.__init__
        function = getattr(function, "fn", function)  # of a constexpr_function
    parameters = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if "_semantic" in parameters or takes_all:
        keywords.setdefault("_semantic", TritonSemantic())
    if "_generator" in parameters:
        keywords.setdefault("_generator", TritonSemantic())
