"""Gluon: the language in which kernels say which thread holds what, where buffers lie, and when copies are waited for."""

from ...language.core import must_use_result
from . import amd, nvidia
from ._runtime import constexpr_function, jit

__all__ = ["amd", "constexpr_function", "jit", "must_use_result", "nvidia"]
