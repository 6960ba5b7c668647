"""The choice of tiles, under the name of Triton 3.6."""

from ...matmul_details.opt_flags_details.opt_flags_amd import *  # noqa: F403
from ...matmul_details.opt_flags_details.opt_flags_amd import CONSTRAINTS, choose  # noqa: F401
