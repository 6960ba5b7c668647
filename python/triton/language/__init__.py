"""The words of the kernel language. `import triton.language as tl`."""

from . import core, math, random, semantic, standard, target_info
from .builtins import define as _define
from .core import *  # noqa: F403
from .core import TRITON_MAX_TENSOR_NUMEL, PropagateNan, slice, str_to_ty, tuple
from . import extra

_define(globals(), __name__)

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
    )
)
