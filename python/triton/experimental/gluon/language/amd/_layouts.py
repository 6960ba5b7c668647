"""Accumulators of AMD's matrix instructions."""

from .._layouts import CLASSES

AMDMFMALayout = CLASSES["AMDMFMALayout"]
AMDWMMALayout = CLASSES["AMDWMMALayout"]
