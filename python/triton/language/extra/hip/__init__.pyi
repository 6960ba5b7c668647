"""What only AMD GPUs have."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from triton.language.core import tensor
from . import libdevice as libdevice

def memrealtime() -> tensor:
    """The GPU's clock that does not change its rate (100 MHz), int64. Every call is kept."""
    ...
