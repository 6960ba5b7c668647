"""Kernels on the processor this program runs on."""
