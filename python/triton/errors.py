"""The root of all errors that Triton raises on its own account."""


class TritonError(Exception):
    """Base of every error class of this package."""
