"""The order of pairs by expert."""

from ..tensor_details.bitmatrix import _prepare_sort, _sort_rows

__all__ = ["_prepare_sort", "_sort_rows"]
