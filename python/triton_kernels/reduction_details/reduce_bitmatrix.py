"""Ones per column."""

from ..tensor_details.bitmatrix import sum_bitmatrix_rows, sum_bitmatrix_rows_torch

__all__ = ["sum_bitmatrix_rows", "sum_bitmatrix_rows_torch"]
