"""Number formats with scales: flexpoint (one scale per tensor) and MX (one scale per 32 elements)."""
