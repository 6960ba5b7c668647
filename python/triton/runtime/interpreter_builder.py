"""What clients of interpreter mode reach for: where it stands in the grid, its options, and the language's operations as functions."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Tuple

from .. import language
from .._C.libtriton import emission, target_facts
from ..language import core

_FACTS = target_facts("cpu")  # whose kernels mean what interpreter mode does


@dataclass(frozen=True)
class InterpreterOptions:
    """What the language may do in interpreter mode."""

    extern_libs: dict = None
    debug: bool = False
    sanitize_overflow: bool = True
    arch: str = None
    supported_fp8_dtypes: Tuple[str, ...] = _FACTS["options"]["supported_fp8_dtypes"]
    deprecated_fp8_dot_operand_dtypes: Tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: Tuple[str, ...] = _FACTS["options"]["allowed_dot_input_precisions"]
    max_num_imprecise_acc_default: int = 0
    backend_name: str = "interpreter"


class InterpreterBuilder:
    """The state of the interpreter: its options, the grid, and the program that runs."""

    def __init__(self):
        self.arch = None
        self.options = InterpreterOptions()
        self.codegen_fns = {"min_dot_size": lambda lhs, rhs: _FACTS["smallest_dot"]}
        self.grid_dim = (1, 1, 1)
        self.grid_idx = (0, 0, 0)
        self.session = None

    def set_grid_dim(self, nx, ny, nz):
        self.grid_dim = (nx, ny, nz)

    def set_grid_idx(self, x, y, z):
        """The program that comes next."""
        for index, extent, axis in zip((x, y, z), self.grid_dim, "xyz"):
            if not 0 <= index < extent:
                raise ValueError(f"program {index} along {axis} lies outside the grid, which has {extent}")
        self.grid_idx = (x, y, z)
        if self.session is not None:
            self.session.begin_program(self.grid_idx, self.grid_dim)

    def create_get_program_id(self, axis):
        return emission.to_tensor(self.grid_idx[axis]).handle

    def create_get_num_programs(self, axis):
        return emission.to_tensor(self.grid_dim[axis]).handle


class InterpreterSemantic:
    """The language's operations as functions: `to_tensor`, the operators, and every builtin by its name."""

    def __init__(self, builder):
        self.builder = builder

    def to_tensor(self, x, check_type=True):
        """Numbers as typed scalars. Other things are an error with `check_type`, else come back as they are."""
        if isinstance(x, (bool, int, float, core.constexpr, core.tensor)):
            return emission.to_tensor(x)
        if check_type:
            raise TypeError(f"cannot convert {x} of type {type(x)} to tensor")
        return x

    def program_id(self, axis):
        return core.program_id(axis)

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(core, name):
            raise AttributeError(f"the language has no operation '{name}'")
        return getattr(core, name)


interpreter_builder = InterpreterBuilder()
interpreter_semantic = InterpreterSemantic(interpreter_builder)


class _LangPatchScope:
    """What a launch changed of the language, to be undone by `restore`. The operations themselves ask what mode they are in, so nothing is."""

    def restore(self):
        pass


def _patch_lang(fn):
    """Checks that the language is where a kernel's file sees it, and makes it ready for a launch."""
    visible = [value for value in fn.__globals__.values() if inspect.ismodule(value)]
    assert any(module in (language, language.core) for module in visible), (
        "triton.language must be visible from within jit'd function"
    )
    return _LangPatchScope()
