"""What NVIDIA's GPUs add, by generation."""

from . import ampere, blackwell, hopper

__all__ = ["ampere", "blackwell", "hopper"]
