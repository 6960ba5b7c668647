"""Sums over matrices of bits."""
