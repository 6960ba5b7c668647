"""The choice of tiles, under the name of Triton 3.6: the same module, so that flags set by one name hold for the other."""

import sys

from ..matmul_details import opt_flags

sys.modules[__name__] = opt_flags
