"""Parameters of a kernel: what their annotations say, and how arguments are bound to them."""

from __future__ import annotations

import contextlib
import functools
import inspect

from .._C.libtriton import listed_parameters, native_specialize_impl, plain_constant, read_annotation
from .._utils import did_you_mean
from ..language import core


def _annotation_text(ty) -> str:
    """An annotation as it would be written: a text, a type of the language, a class."""
    if isinstance(ty, core.pointer_type):
        return ("*k" if ty.const else "*") + _annotation_text(ty.element_ty)
    if isinstance(ty, core.dtype):
        return ty.name
    return ty.__name__ if isinstance(ty, type) else str(ty)


def _normalize_ty(ty) -> str:
    """An annotation in the form of signatures: `tl.int32` -> `i32`, `"fp16*"` -> `*fp16`, `"const *fp32"` -> `*kfp32`; others as they are."""
    return read_annotation(_annotation_text(ty))[0]


class KernelParam:
    """One parameter of a kernel."""

    def __init__(
        self, num: int, param: inspect.Parameter, do_not_specialize: bool, do_not_specialize_on_alignment: bool
    ):
        self.num = num
        self._param = param
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    @functools.cached_property
    def name(self):
        return self._param.name

    @functools.cached_property
    def _annotation(self):
        annotation = self._param.annotation
        return read_annotation("" if not annotation or annotation is inspect.Parameter.empty else _annotation_text(annotation))  # fmt: skip

    annotation = functools.cached_property(lambda self: self._annotation[0])
    annotation_type = functools.cached_property(lambda self: self._annotation[1])
    is_constexpr = functools.cached_property(lambda self: self._annotation[2])
    is_const = functools.cached_property(lambda self: self._annotation[3])

    @property
    def default(self):
        return () if self.is_variadic else self._param.default

    @property
    def has_default(self) -> bool:
        return self.is_variadic or self._param.default is not inspect.Parameter.empty

    @property
    def is_variadic(self) -> bool:
        """`*args`: a tuple of the arguments that are left."""
        return self._param.kind is inspect.Parameter.VAR_POSITIONAL

    @property
    def is_keyword_only(self) -> bool:
        return self._param.kind is inspect.Parameter.KEYWORD_ONLY


def make_parameters(fn, signature, **lists):
    """The parameters of a function; `lists`: names and positions that the decorator's arguments `do_not_specialize…` hold."""
    if any(param.kind is inspect.Parameter.VAR_KEYWORD for param in signature.parameters.values()):
        raise TypeError("JIT functions do not support **kw parameters")
    names = list(signature.parameters)
    flags = []
    for kind, entries in lists.items():  # no comprehension: a warning counts frames up to the decorator
        flags.append(listed_parameters(kind, entries or [], names, fn.__name__))
    return [KernelParam(index, param, *rest) for index, (param, *rest) in enumerate(zip(signature.parameters.values(), *flags))]  # fmt: skip


def specialize_parameter(param: KernelParam, value, backend):
    """(type, key) of an argument."""
    if param.is_constexpr:
        return ("constexpr", plain_constant(value))
    specialize, align = not param.do_not_specialize, not param.do_not_specialize_on_alignment
    return native_specialize_impl(backend, value, param.is_const, specialize, align, param.annotation_type)


@contextlib.contextmanager
def about_argument(name):
    """An error that arises inside says whose argument it is about."""
    try:
        yield
    except (TypeError, OverflowError, ValueError) as error:
        raise type(error)(f"{error} (argument '{name}')") from error.__cause__


def _specialize_named(param: KernelParam, value, backend):
    """The same; an error says whose argument it is about."""
    with about_argument(param.name):
        return specialize_parameter(param, value, backend)


def create_function_from_signature(sig, kparams, backend, name="kernel"):
    """The binder: `(*args, **kwargs)` -> (bound arguments by name, (type, key) per parameter, leftover keywords)."""
    names = [param.name for param in kparams if not (param.is_keyword_only or param.is_variadic)]
    rest = next((param.name for param in kparams if param.is_variadic), None)
    known = {param.name for param in kparams}
    kernel_name = name

    def binder(*args, **kwargs):
        if len(args) > len(names) and rest is None:
            raise TypeError(f"{kernel_name}() takes {len(names)} positional arguments but {len(args)} were given")
        bound = dict(zip(names, args))
        if rest is not None:
            bound[rest] = tuple(args[len(names) :])
        for name in kwargs.keys() & bound.keys():
            raise TypeError(f"{kernel_name}() got multiple values for argument '{name}'")
        missing = []
        ordered = {}
        for param in kparams:
            name = param.name
            if name in bound:
                ordered[name] = bound[name]
            elif name in kwargs:
                ordered[name] = kwargs[name]
            elif param.has_default:
                ordered[name] = param.default
            else:
                missing.append(f"'{name}'")
        if missing:
            plural = "s" if len(missing) > 1 else ""
            lacking = [name.strip("'") for name in missing]
            meant = [(name, did_you_mean(name, lacking)) for name in kwargs if name not in known]
            suggestion = next((f"; '{name}' is no parameter{text}" for name, text in meant if text), "")
            raise TypeError(
                f"{kernel_name}() missing {len(missing)} required positional argument{plural}: {', '.join(missing)}{suggestion}"
            )
        specialization = [_specialize_named(param, value, backend) for param, value in zip(kparams, ordered.values())]
        return ordered, specialization, {name: value for name, value in kwargs.items() if name not in known}

    return binder
