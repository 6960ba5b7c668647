"""Functions for kernels to call, with values of their own."""

from .matmul_details._records import Closure

__all__ = ["Closure"]
