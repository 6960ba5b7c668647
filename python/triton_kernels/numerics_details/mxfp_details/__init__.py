"""Kernels of the MX formats."""
