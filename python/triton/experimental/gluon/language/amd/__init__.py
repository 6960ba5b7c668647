"""What AMD's GPUs add, by generation: names that kernels can be written and read with. They are not compiled here, which is an error that says so."""

from . import cdna3, cdna4, gfx1250, rdna3, rdna4
from ._layouts import AMDMFMALayout, AMDWMMALayout

__all__ = ["AMDMFMALayout", "AMDWMMALayout", "cdna3", "cdna4", "gfx1250", "rdna3", "rdna4"]
