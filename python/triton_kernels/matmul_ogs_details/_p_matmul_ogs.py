"""The persistent kernel, under the name of Triton 3.6."""

from ..matmul_details._p_matmul import _p_matmul as _p_matmul_ogs

__all__ = ["_p_matmul_ogs"]
