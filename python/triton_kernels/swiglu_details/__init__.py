"""Kernels of swiglu."""
