"""Matrices of bits, under the module name of Triton 3.4."""

from .tensor import Bitmatrix, make_bitmatrix_metadata, sum_bitmatrix_rows

__all__ = ["Bitmatrix", "make_bitmatrix_metadata", "sum_bitmatrix_rows"]
