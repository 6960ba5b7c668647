"""Parts of the kernels, under the name of Triton 3.6."""

from ..matmul_details._common import *  # noqa: F403
