"""Errors of launches and tuning."""

from __future__ import annotations

from ..errors import TritonError


class InterpreterError(TritonError):
    """A kernel failed while it was interpreted; the cause is the original exception."""

    def __init__(self, error_message: str | None = None):
        self.error_message = error_message

    def __str__(self) -> str:
        return self.error_message or ""


class OutOfResources(TritonError):
    """The device has too little of something for this kernel."""

    def __init__(self, required, limit, name):
        self.required, self.limit, self.name = required, limit, name

    def __str__(self) -> str:
        return (
            f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
            "Reducing block sizes or `num_stages` may help."
        )

    def __reduce__(self):
        return type(self), (self.required, self.limit, self.name)


class PTXASError(TritonError):
    """ptxas rejected the code."""

    def __init__(self, error_message: str | None = None):
        self.error_message = error_message

    def __str__(self) -> str:
        return f"PTXAS error: {self.error_message or ''}"


class AutotunerError(TritonError):
    """Tuning cannot go on."""

    def __init__(self, error_message: str | None = None):
        self.error_message = error_message

    def __str__(self) -> str:
        return f"Autotuner error: {self.error_message or ''}"


class CacheMissError(TritonError):
    """With TRITON_STRICT_CACHE: a kernel that is in no cache and no bundle."""
