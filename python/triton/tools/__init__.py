"""Tools around kernels."""

from .._C.libtriton.linear_layout import LinearLayout

__all__ = ["LinearLayout"]
