"""What became of a kernel, as one page: `python -m triton.explain kernel.py`."""

from .collect import explain_artifact, explain_entry, explain_source
from .page import write_page

__all__ = ["explain_artifact", "explain_entry", "explain_source", "write_page"]
