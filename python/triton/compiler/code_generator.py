"""From a jitted function to IR, for clients that stop there. The work is the native frontend's."""

from __future__ import annotations

from dataclasses import dataclass

from .. import language
from ..backends.compiler import GPUTarget
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct  # noqa: F401


def ast_to_ttir(fn, src, context, options, codegen_fns, module_map, module=None):
    """The IR of `src` before any pass."""
    target = GPUTarget(options.backend_name, _architecture(options), getattr(options, "warp_size", 32))
    return src.make_ir(target, options, codegen_fns, module_map, context)


def _architecture(options):
    """The architecture of a target from an option's text: `sm90` is 90."""
    arch = options.arch
    return int(arch[2:].rstrip("af").lstrip("_")) if isinstance(arch, str) and arch.startswith("sm") else arch


def check_identifier_legality(name, type):
    """The name, if it can be one of a function or a variable."""
    if not isinstance(name, str) or not name.isidentifier():
        raise CompilationError(None, None, f"invalid {type} identifier: {name}")
    return name


def mangle_fn(name, arg_tys, constants, caller_context):
    """What a function is called that is specialised for these types and constants."""
    types = "_".join(type.mangle() for type in arg_tys)
    values = "_".join(f"{place}c{value!r}" for place, value in sorted(constants.items()))
    values = values.replace(".", "_d_").replace("'", "_sq_").replace("[", "_").replace("]", "_")
    text = f"{name}__{types}__{values}"
    return text if caller_context is None else f"{text}{caller_context.mangle()}"


def flatten_values_to_ir(values):
    """The handles that values of a kernel consist of, one after the other."""
    handles = []
    for value in values:
        value._flatten_ir(handles)
    return handles


def unflatten_ir_values(handles, types):
    """Yields values of these types, made of the handles one after the other."""
    rest = iter(handles)

    def take(type):
        if isinstance(type, language.core.constexpr_type):
            return language.constexpr(type.value)
        if isinstance(type, language.core.tuple_type):
            return language.tuple([take(each) for each in type.types], type)
        return language.tensor(next(rest), type)

    for type in types:
        yield take(type)
    assert next(rest, None) is None, "there are more handles than the types take"


@dataclass(frozen=True)
class BoundJITMethod:
    """A jitted method of a value."""

    __self__: language.core.base_value
    __func__: object
