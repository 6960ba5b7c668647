"""The choice of tiles on each vendor's devices."""
