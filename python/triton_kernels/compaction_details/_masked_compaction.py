"""The kernel that drops entries of rows."""

from ..compaction import _compact as _masked_compaction

__all__ = ["_masked_compaction"]
