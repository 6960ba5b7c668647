"""What can be compiled: a jitted function with its argument types, or a file of IR."""

from __future__ import annotations

import hashlib
import os
import re

from .. import knobs
from .._C import libtriton
from .._instrumentation import warn_of_missing
from ..backends import make_backend
from ..backends.compiler import Language
from .fingerprints import fingerprint
from .host import Answers
from .stages import language_options


def convert_type_repr(x):
    """`!tt.ptr<f32>` -> `*f32`"""
    found = re.search(r"!tt\.ptr<([^,>]+)", x)
    return "*" + convert_type_repr(found.group(1)) if found else x


def _sorted_items(mapping):
    return sorted(mapping.items(), key=lambda item: str(item[0]))


class ASTSource:
    """A jitted function, the types of its arguments, the values of its constants, and attributes of its arguments."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.language = Language.TRITON
        self.ext = "ttir"
        self.name = fn.__name__
        for name in signature:
            if not isinstance(name, str):
                raise TypeError(f"Signature keys must be string, got {name!r}")
        self.signature = self._complete(signature)
        self.constants = {}
        for key, value in (constexprs or {}).items():
            path = (fn.arg_names.index(key),) if isinstance(key, str) else key
            self.constants[path] = libtriton.plain_constant(value)
        self.attrs = attrs or {}
        self.answers = None  # of the program, to what the kernel asked while it was compiled

    def _complete(self, signature):
        """In the order of the definition; parameters that are left out are constants."""
        return {name: signature.get(name, "constexpr") for name in self.fn.arg_names}

    def hash(self):
        def key_of(value):
            return value.cache_key if hasattr(value, "cache_key") else fingerprint(value)

        types = [ty for _, ty in _sorted_items(self.signature)]
        constants = "-".join(f"{path}:{key_of(value)}" for path, value in _sorted_items(self.all_constants()))
        text = f"{self.fn.cache_key}-{self.attrs}-{types}-{constants}-{self.symbol()}"
        if knobs.compilation.allow_non_constexpr_globals:
            text += "-globals"
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def symbol(self):
        """The kernel's name: what the function's `repr` makes of this specialisation, from the last dot on."""
        names = self.fn.arg_names
        constants = {names[path[0]]: value for path, value in self.constants.items() if len(path) == 1}
        name = self.fn.repr(_Specialization(constants, self.signature))
        if not isinstance(name, str):
            raise TypeError(f"the `repr` of a kernel gives its name, not {name!r} as that of {self.fn}")
        name = name.split(".")[-1]
        if not name.isidentifier():
            raise ValueError(f"the name of a kernel must be an identifier, got '{name}' from the `repr` of {self.fn}")
        return name

    def parse_options(self):
        return {}

    def all_constants(self):
        """path -> value of every compile-time argument, defaults of parameters that were left out included."""
        defaults = {
            (index,): param.default
            for index, (param, ty) in enumerate(zip(self.fn.params, self.signature.values()))
            if ty == "constexpr" and param.has_default
        }
        return {**defaults, **self.constants}

    def _argument(self, ty, path):
        """One argument as the native compiler takes it."""
        if isinstance(ty, tuple):
            fields = getattr(type(ty), "_fields", None)
            elements = [self._argument(element, (*path, index)) for index, element in enumerate(ty)]
            return ("tuple", elements, list(fields) if fields else None, type(ty) if fields else None)
        if ty == "constexpr":
            if path not in self.constants and len(path) == 1:
                param = self.fn.params[path[0]]
                return ("constant", param.default if param.has_default else None)
            return ("constant", self.constants.get(path))
        if path in self.constants:
            return ("constant", self.constants[path])
        if not isinstance(ty, str):
            raise TypeError(f"a type in a signature is a text such as '*fp32', or a tuple of types, got {ty!r}")
        return ("runtime", ty, [(name, value) for name, value in self.attrs.get(path, [])])

    def _native_arguments(self):
        """What the native compiler is told about each parameter."""
        return [self._argument(ty, (index,)) for index, ty in enumerate(self.signature.values())]

    def _native_options(self, options):
        """The options as this language has them."""
        return options

    def compile_native(self, options):
        """All stages, in one call of the native compiler."""
        warn_of_missing(options, self.fn.__name__)
        return libtriton.compile(
            self.fn, self._native_arguments(), self.symbol(), self._native_options(options), self._record_answers()
        )

    def shared_key(self, backend, options, for_bundle=False):
        """What this compile is stored under, before hashing, in every language; None where the native compiler does not do all of it."""
        if getattr(backend, "is_foreign", True):
            return None
        try:
            native_options = self._native_options(backend.native_options(options))
            request = self.fn, self._native_arguments(), self.symbol(), native_options
            key, is_portable = libtriton.kernel_key(*request, for_bundle)
        except (RuntimeError, ValueError):  # no tools, say: the compile tells
            return None
        if is_portable:
            return key
        constants = _sorted_items(self.all_constants())
        return key + "-".join(f"{path}:{fingerprint(value)}" for path, value in constants)

    def _record_answers(self):
        self.answers = Answers(self.fn, self.all_constants())
        return self.answers

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """The kernel as IR that can be walked, before any pass. What the language needs of a target it takes from the backend's options."""
        native_options = self._native_options(language_options(make_backend(target), options))
        arguments = self._native_arguments(), self.symbol(), native_options, self._record_answers()
        module = libtriton.ir.emit(self.fn, *arguments)
        module.context = context
        return module


class _Specialization:
    """What a kernel's `repr` gets."""

    def __init__(self, constants, signature):
        self.constants = constants
        self.signature = signature


class IRSource:
    """A file of some stage: `.ttir`, `.llir` or, for GPUs, `.ttgir`, `.ptx`. `signature` holds the types of its arguments by index."""

    def __init__(self, path, context, backend):
        self.path = path
        self.ext = os.path.splitext(path)[1][1:]
        self.language = Language.TRITON
        with open(path) as file:
            self.src = file.read()
        self.constants = {}
        self.attrs = {}
        self.answers = None  # a file asks nothing
        if self.ext in ("ttir", "ttgir"):
            self.module = libtriton.ir.parse_mlir_module(str(path), context)
            self.module.context = context
            name = self.module.get_entry_func_name()
            types = self.module.get_function_signature(self.module.get_function(name))
            self.name = "@" + name
            self.signature = {index: convert_type_repr(ty) for index, ty in enumerate(types)}
        else:
            self.name, types = libtriton.describe_kernel(self.ext, self.src, {"target": backend.target.backend})
            self.signature = dict(enumerate(types))

    def hash(self):
        return hashlib.sha256(self.src.encode("utf-8")).hexdigest()

    def parse_options(self):
        """What the file says of itself: GPU IR is written for a number of warps and CTAs."""
        if self.ext != "ttgir":
            return {}
        warps, ctas = (self.module.get_int_attr(f"ttg.num-{what}") for what in ("warps", "ctas"))
        assert warps is not None, (
            f"{self.path} does not say for how many warps it is: it has no attribute ttg.num-warps"
        )
        return {"num_warps": warps, **({"num_ctas": ctas} if ctas is not None else {})}

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """The module of a file of IR; of others the text."""
        if self.ext not in ("ttir", "ttgir"):
            return self.src
        self.module.context = context
        return self.module

    def compile_native(self, options):
        return libtriton.compile_ir(self.ext, str(self.path), self.src, options)
