"""Tools around kernels."""

import importlib

from .._C.libtriton.linear_layout import LinearLayout

__all__ = ["LinearLayout"]


def __getattr__(name):
    if name == "disasm":
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
