"""Tensor descriptors that hosts pass to Gluon kernels."""

from .hopper import TensorDescriptor

__all__ = ["TensorDescriptor"]
