"""Parameters of a kernel: what their annotations say, and how arguments are bound to them."""

from __future__ import annotations

import functools
import inspect
import re

from .._C.libtriton import native_specialize_impl, plain_constant
from .._utils import type_canonicalisation_dict
from ..language import core


def _normalize_ty(ty) -> str:
    """An annotation as text: `tl.int32` -> `i32`, `"fp16*"` -> `*fp16`, `"const *fp32"` -> `*kfp32`; others as they are."""
    if isinstance(ty, str):
        ty = ty.strip()
        if ty.startswith("const "):
            ty = _normalize_ty(ty.removeprefix("const "))
            assert ty.startswith("*"), f"only pointers are const, not {ty}"
            return "*k" + ty[1:]
        if ty.endswith("*"):
            return "*" + _normalize_ty(ty[:-1])
        if ty.startswith("*k") and ty[2:] not in ("", "k"):
            return "*k" + _normalize_ty(ty[2:])
        if ty.startswith("*"):
            return "*" + _normalize_ty(ty[1:])
        if ty.startswith("tl."):
            return _normalize_ty(ty.removeprefix("tl."))
        return type_canonicalisation_dict.get(re.sub(r"_t$", "", ty), ty)
    if isinstance(ty, core.pointer_type):
        return ("*k" if ty.const else "*") + _normalize_ty(ty.element_ty)
    if isinstance(ty, core.dtype):
        return _normalize_ty(ty.name)
    if isinstance(ty, type):
        return _normalize_ty(ty.__name__)
    return _normalize_ty(str(ty))


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
    def annotation(self) -> str:
        annotation = self._param.annotation
        return "" if not annotation or annotation is inspect.Parameter.empty else _normalize_ty(annotation)

    @functools.cached_property
    def annotation_type(self) -> str:
        text = self.annotation
        pointee = text[2:] if text.startswith("*k") else text[1:] if text.startswith("*") else text
        known = pointee in set(type_canonicalisation_dict.values())
        return text if known else ""

    @functools.cached_property
    def is_constexpr(self) -> bool:
        return "constexpr" in self.annotation

    @functools.cached_property
    def is_const(self) -> bool:
        if self.is_constexpr:
            return False
        return "const" in self.annotation or self.annotation.startswith("*k")

    @property
    def default(self):
        return () if self._is_variadic else self._param.default

    @property
    def has_default(self) -> bool:
        return self._is_variadic or self._param.default is not inspect.Parameter.empty

    @property
    def _is_variadic(self) -> bool:
        """`*args` or `**kwargs`, which kernels cannot have: the compiler says so, at its place."""
        return self._param.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def specialize_parameter(param: KernelParam, value, backend):
    """(type, key) of an argument."""
    if param.is_constexpr:
        return ("constexpr", plain_constant(value))
    specialize, align = not param.do_not_specialize, not param.do_not_specialize_on_alignment
    annotated = param.annotation_type
    if not annotated:
        return native_specialize_impl(backend, value, param.is_const, specialize, align)
    if annotated == "u1" or annotated[:2] in ("fp", "bf"):
        return (annotated, None)
    return (annotated, native_specialize_impl(backend, value, param.is_const, specialize, align)[1])


def _specialize_named(param: KernelParam, value, backend):
    """The same; an error says whose argument it is about."""
    try:
        return specialize_parameter(param, value, backend)
    except (TypeError, OverflowError) as error:
        raise type(error)(f"{error} (argument '{param.name}')") from error.__cause__


def create_function_from_signature(sig, kparams, backend, name="kernel"):
    """The binder: `(*args, **kwargs)` -> (bound arguments by name, (type, key) per parameter, leftover keywords)."""
    names = [param.name for param in kparams]
    known = set(names)
    kernel_name = name

    def binder(*args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{kernel_name}() takes {len(names)} positional arguments but {len(args)} were given")
        bound = dict(zip(names, args))
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
            raise TypeError(
                f"{kernel_name}() missing {len(missing)} required positional argument{plural}: {', '.join(missing)}"
            )
        specialization = [_specialize_named(param, value, backend) for param, value in zip(kparams, ordered.values())]
        return ordered, specialization, {name: value for name, value in kwargs.items() if name not in known}

    return binder
