"""What hosts need for Gluon kernels on NVIDIA GPUs."""

from . import blackwell, hopper

__all__ = ["blackwell", "hopper"]
