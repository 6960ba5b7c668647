"""Jitted functions of Gluon: as `triton.jit` makes them, but compiled as GPU IR from the start."""

from __future__ import annotations

import ast

from ... import knobs
from ...backends.compiler import Language
from ...compiler.sources import ASTSource
from ...runtime.jit import JITFunction, constexpr_function, jit_decorator
from .language._layouts import CLASSES

__all__ = ["GluonASTSource", "GluonJITFunction", "constexpr_function", "jit"]


class GluonASTSource(ASTSource):
    """A jitted Gluon function, the types of its arguments, the values of its constants, and attributes of its arguments."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        super().__init__(fn, signature, constexprs, attrs)
        self.language = Language.GLUON
        self.ext = "ttgir"

    def hash(self):
        return super().hash() + "-gluon"

    def _argument(self, ty, path):
        argument = super()._argument(ty, path)
        if argument[0] == "runtime" and ty.startswith("tensordesc"):
            argument = (*argument, _layout_of(ty))
        return argument

    def _native_options(self, options):
        return {**options, "gluon": True}


class DescriptorType(str):
    """The type of a tensor descriptor, as signatures write it, with the layout itself."""

    def __new__(cls, text, layout):
        made = super().__new__(cls, text)
        made.layout = layout
        return made

    def __getnewargs__(self):
        return str(self), self.layout


def _layout_of(ty):
    """The layout of a descriptor's type; None if it has none. One that was given as text, `tensordesc<fp16[64, 64],NVMMASharedLayout(...)>`, is read."""
    if isinstance(ty, DescriptorType):
        return ty.layout
    text = ty[ty.index("]") + 1 : -1].lstrip(",")
    if not text:
        return None
    try:
        return _read_layout(ast.parse(text, mode="eval").body)
    except (KeyError, SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"'{text}' in the type '{ty}' is no layout: {error}") from None


def _read_layout(node):
    """What `repr` of a layout wrote, and nothing else."""
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    if not isinstance(node.func, ast.Name):
        raise TypeError("the class of a layout is a name")
    values = {keyword.arg: _read_layout(keyword.value) for keyword in node.keywords}
    return CLASSES[node.func.id](*map(_read_layout, node.args), **values)


class GluonJITFunction(JITFunction):
    """A jitted Gluon function: launched as `kernel[grid](...)`, or called from other jitted Gluon functions."""

    ASTSource = GluonASTSource

    def is_gluon(self):
        return True

    def create_binder(self):
        tables = super().create_binder()
        self.ASTSource = GluonASTSource
        return tables

    def __repr__(self):
        return f"GluonJITFunction({self.module}:{self.__qualname__})"


class _NotInterpreted(GluonJITFunction):
    """A jitted Gluon function where interpreter mode is on, which has no threads to hold what layouts say."""

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise RuntimeError(
            f"the Gluon kernel '{self.__name__}' cannot be interpreted: Gluon has no interpreter mode, unset TRITON_INTERPRET"
        )

    def __call__(self, *args, **kwargs):
        self.run(*args, grid=None, warmup=False, **kwargs)


jit = jit_decorator(
    lambda: _NotInterpreted if knobs.runtime.interpret else GluonJITFunction,
    "gluon.jit",
    """Decorator: compiles a function with Gluon. Usable bare or with arguments, which are those of `triton.jit`.

    There is no interpreter mode: launching what was decorated under TRITON_INTERPRET is an error.
    """,
    __name__,
)
