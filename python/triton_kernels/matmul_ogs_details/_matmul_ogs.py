"""The kernel with plain loads, under the name of Triton 3.6."""

from ..matmul_details._matmul import _matmul as _matmul_ogs

__all__ = ["_matmul_ogs"]
