"""Functions of libdevice."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from triton.language.extra.libdevice import *  # noqa: F403
