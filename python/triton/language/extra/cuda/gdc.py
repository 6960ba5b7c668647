"""Launches that depend on each other: `gdc_wait` and `gdc_launch_dependents` under the module name that clients import them from."""

from . import gdc_launch_dependents, gdc_wait

__all__ = ["gdc_launch_dependents", "gdc_wait"]
