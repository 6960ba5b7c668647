"""Errors of launches and tuning."""

from ..errors import AutotunerError, CacheMissError, InterpreterError, OutOfResources, PTXASError

__all__ = ["AutotunerError", "CacheMissError", "InterpreterError", "OutOfResources", "PTXASError"]
