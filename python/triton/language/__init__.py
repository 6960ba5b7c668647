"""The words of the kernel language. `import triton.language as tl`."""

from types import ModuleType as _Module

from . import core, math, random, semantic, standard, target_info
from .builtins import define as _define
from .core import *  # noqa: F403
from .aggregate import aggregate_replace
from .core import TRITON_MAX_TENSOR_NUMEL, PropagateNan, slice, str_to_ty, tuple
from . import extra
from .._C.libtriton import language_names as _names_of

_define(globals(), __name__)
# `from .core import *` brings what only `tl.core` shows, such as `item`.
for _name in {
    *_names_of("triton.language.core"),
    "LanguageFunction",
    "builtin",
    "check_bit_width",
    "define",
    "define_methods",
    "extern",
    "is_builtin",
    "is_negative_zero",
    "must_use_result",
} - {*_names_of("triton.language")}:
    globals().pop(_name, None)

# Of modules, `tl.math` and `tl.extra` are words of the language. `aggregate_replace` is there, and not brought by `import *`.
__all__ = sorted(
    name
    for name, value in globals().items()
    if name != "aggregate_replace"
    and not name.startswith("_")
    and (name in ("extra", "math") or not isinstance(value, _Module))
)
