"""The tiles of experts."""

from ..tensor_details.ragged_tensor import _find_offsets, _schedule_tiles

__all__ = ["_find_offsets", "_schedule_tiles"]
