"""What follows a split product, or one with several experts per row: the reduction, under the module name of Triton 3.4."""

from ..reduce import reduce
from ..reduce_details import reduce_kernel as _finalize_matmul

__all__ = ["_finalize_matmul", "reduce"]
