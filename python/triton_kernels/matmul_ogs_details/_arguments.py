"""The kernels' arguments, beside the kernels' names of Triton 3.6."""

from ..matmul_details._arguments import KernelArguments

__all__ = ["KernelArguments"]
