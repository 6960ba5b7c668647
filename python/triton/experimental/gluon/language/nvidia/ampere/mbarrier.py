"""Barriers in shared memory that asynchronous work arrives at."""

# ruff: noqa: F822  (the compiler's registry defines these names)

import triton.experimental.gluon.language as gl

from ......language.builtins import define as _define
from ......language.core import constexpr, int64
from ...._runtime import jit
from ..._layouts import CLASSES

_define(globals(), __name__)
MBarrierLayout = CLASSES["MBarrierLayout"]

__all__ = ["MBarrierLayout", "allocate_mbarrier", "arrive", "init", "invalidate", "wait"]


@jit
def allocate_mbarrier(batch: constexpr = None, two_ctas: constexpr = False):
    """A barrier for each CTA of the program (with `two_ctas`, for each pair of them), or `batch` rows of these."""
    ctas: constexpr = gl.num_ctas() // (2 if two_ctas else 1)
    layout: constexpr = MBarrierLayout.multicta(gl.num_ctas(), two_ctas)
    shape: constexpr = [ctas] if batch is None else [batch, ctas]
    return gl.allocate_shared_memory(int64, shape, layout)
