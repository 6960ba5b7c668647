"""From sm_80 on."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ......language.core import builtin  # noqa: F401
from ..._cache_policies import FractionalEvictionPolicy
from ..._cache_policies import NvidiaCachePolicy as CachePolicy
from ..._layouts import DotOperandLayout, NVMMADistributedLayout  # noqa: F401
from . import async_copy, mbarrier

_define(globals(), __name__)

__all__ = ["CachePolicy", "FractionalEvictionPolicy", "async_copy", "mbarrier", "mma_v2"]
