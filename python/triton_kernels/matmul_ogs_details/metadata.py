"""What profilers see of a product, under the module name of Triton 3.4."""

from ..matmul_details._metadata import matmul_launch_metadata, matmul_repr

__all__ = ["matmul_launch_metadata", "matmul_repr"]
