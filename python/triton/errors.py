"""The root of all errors that Triton raises on its own account."""


class TritonError(Exception):
    """Base of every error class of this package."""


class OptionError(AssertionError, ValueError):
    """An option of a launch that no target can compile with. Programs know it as an AssertionError (the number of warps) or a ValueError."""
