"""Parts whose interface may still change."""
