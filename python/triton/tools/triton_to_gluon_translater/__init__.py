"""Writes Triton kernels as Gluon kernels: `translator.convert_triton_to_gluon([kernel])` gives the text of a module."""
