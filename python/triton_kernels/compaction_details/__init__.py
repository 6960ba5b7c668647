"""Kernels of compaction."""
