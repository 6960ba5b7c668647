"""The choice of tiles, under the names of Triton 3.6."""
