"""The words of the kernel language. `import triton.language as tl`."""

from . import core, math, random, semantic, standard, target_info
from .builtins import define as _define
from .core import *  # noqa: F403
from .core import TRITON_MAX_TENSOR_NUMEL, PropagateNan, slice, str_to_ty, tuple
from . import extra
from .._C.libtriton import language_names as _names_of

_define(globals(), __name__)
# `from .core import *` brings what only `tl.core` shows, such as `item`.
for _name in {
    *_names_of("triton.language.core"),
    "LanguageFunction",
    "builtin",
    "define",
    "define_methods",
    "extern",
    "is_builtin",
    "must_use_result",
} - {*_names_of("triton.language")}:
    globals().pop(_name, None)

__all__ = sorted(
    name
    for name in globals()
    if not name.startswith("_")
    and name
    not in (
        "core",
        "random",
        "semantic",
        "standard",
        "target_info",
        "builtins",
        "types",
        "values",
        "constants",
        "loops",
        "nan",
        "aggregate",
        "composite_types",
    )
)
