"""Gluon: the language in which kernels say which thread holds what, where buffers lie, and when copies are waited for."""

from ...language.core import _aggregate as aggregate
from ...language.core import aggregate_replace, must_use_result
from . import amd, nvidia
from ._runtime import GluonASTSource, GluonJITFunction, constexpr_function, jit

__all__ = [
    "aggregate",
    "aggregate_replace",
    "amd",
    "constexpr_function",
    "GluonASTSource",
    "GluonJITFunction",
    "jit",
    "must_use_result",
    "nvidia",
]
