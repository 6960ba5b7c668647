"""What else `tl.extra.hip` has, under the module name that clients import it from."""

from . import memrealtime

__all__ = ["memrealtime"]
