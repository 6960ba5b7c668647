"""Copies of whole blocks and of rows between global and shared memory, by TMA."""

from ......language.builtins import define as _define
from ..hopper import tma as _hopper
from ..hopper.tma import *  # noqa: F403

_define(globals(), __name__)

__all__ = sorted([*_hopper.__all__, "async_gather", "async_scatter"])
