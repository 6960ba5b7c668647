"""The kernel of the activation, and its function for use behind a product."""

from ..swiglu import _swiglu
from ..swiglu import swiglu_fn as _swiglu_fn

__all__ = ["_swiglu", "_swiglu_fn"]
