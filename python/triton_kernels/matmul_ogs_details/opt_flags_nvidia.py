"""How tiles are chosen, under the module name of Triton 3.4."""

from .opt_flags_details.opt_flags_nvidia import choose

__all__ = ["choose"]
