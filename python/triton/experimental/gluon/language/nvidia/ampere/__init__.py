"""From sm_80 on."""

from ......language.builtins import define as _define
from . import async_copy, mbarrier

_define(globals(), __name__)

__all__ = ["async_copy", "mbarrier", "mma_v2"]
