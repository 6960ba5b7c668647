"""What only NVIDIA GPUs have."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from triton.language.core import tensor
from . import libdevice as libdevice

def globaltimer() -> tensor:
    """The GPU's clock in nanoseconds, int64. Every call is kept."""
    ...

def smid() -> tensor:
    """The multiprocessor that runs the program, int32."""
    ...

def gdc_wait() -> None:
    """Waits until the grid this launch depends on is complete and its writes are visible."""
    ...

def gdc_launch_dependents() -> None:
    """Allows grids that depend on this one to start."""
    ...

def convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding=None) -> tensor:
    """Converts to or from float8e4b15."""
    ...

def convert_custom_float8_sm70(arg, dst_ty, fp_downcast_rounding=None) -> tensor:
    """Converts to or from float8e4b15."""
    ...

def num_warps() -> int:
    """How many warps run a program."""
    ...

def num_threads() -> int:
    """How many threads run a program."""
    ...
