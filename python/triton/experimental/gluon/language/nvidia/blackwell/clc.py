"""Cluster launch control: a program that is done takes over one that has not begun."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ......language.builtins import define_methods as _define_methods
from ..._core import _handle

_define(globals(), __name__)

__all__ = ["clc_result", "load_result", "try_cancel"]


class clc_result(_handle):
    """The answer to `try_cancel`."""


_define_methods(clc_result, f"{__name__}.clc_result")
