"""Kernels of a mixture-of-experts model: routing, ragged matrix products, SwiGLU, masked reduction, MX and flexpoint numerics, expert-parallel movement.

Each operation `f` has a plain PyTorch twin `f_torch`, which says what it computes.
"""

__version__ = "1.0.0"
