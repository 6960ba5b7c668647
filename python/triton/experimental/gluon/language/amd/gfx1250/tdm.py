"""Copies of whole blocks by the tensor data mover."""

# ruff: noqa: F822  (the compiler's registry defines these names)

from ......language.builtins import define as _define
from ...nvidia.hopper.tma import tensor_descriptor, tensor_descriptor_type

_define(globals(), __name__)

__all__ = [
    "async_load",
    "async_store",
    "async_wait",
    "make_tensor_descriptor",
    "tensor_descriptor",
    "tensor_descriptor_type",
]
