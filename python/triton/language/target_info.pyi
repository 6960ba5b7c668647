"""What kernels are compiled for."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from .core import tensor, tensor_descriptor

def current_target() -> Any: ...
def is_cuda() -> bool:
    """Whether the kernel is compiled for an NVIDIA GPU."""
    ...

def cuda_capability_geq(major, minor=0) -> bool:
    """Whether the target is an NVIDIA GPU of at least this compute capability."""
    ...

def is_fpsan() -> tensor:
    """Whether the kernel is compiled with the floating-point sanitizer: `instrumentation_mode` names `fpsan`."""
    ...

def is_hip() -> bool:
    """Whether the kernel is compiled for an AMD GPU."""
    ...

def is_hip_cdna3() -> bool:
    """Whether the target is an AMD GPU of the CDNA 3 family."""
    ...

def is_hip_cdna4() -> bool:
    """Whether the target is an AMD GPU of the CDNA 4 family."""
    ...

def is_hip_gfx1250() -> bool:
    """Whether the target is an AMD GPU of the gfx1250 family."""
    ...
