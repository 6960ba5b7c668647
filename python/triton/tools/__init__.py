"""Tools around kernels."""
