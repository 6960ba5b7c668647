"""How tiles are chosen, under the module name of Triton 3.4."""

from ..matmul_details.opt_flags_details.opt_flags_amd import *  # noqa: F403
from ..matmul_details.opt_flags_details.opt_flags_amd import choose  # noqa: F401
