"""Memory that the ranks of a group share. gsan watches one device in one process, so a group has one rank here."""

from __future__ import annotations

from ._configuration import configure as configure_all


def _refuse(world_size):
    raise NotImplementedError(
        f"gsan watches the programs of one device: its symmetric memory is for groups of one rank, this one has {world_size}"
    )


def _world_size(group) -> int:
    if group is None:
        return 1
    return group.size() if callable(getattr(group, "size", None)) else len(group)


def configure(group=None, **options) -> None:
    """As `triton.experimental.gsan.configure`, for the ranks of a group."""
    if (count := _world_size(group)) != 1:
        _refuse(count)
    configure_all(**options)


def empty(*size, dtype=None, device=None):
    """A tensor that `rendezvous` takes."""
    import torch

    return torch.empty(*size, dtype=dtype, device=device)


class Handle:
    """What a rank knows of the others' copies of a tensor: here there is its own."""

    rank, world_size = 0, 1

    def __init__(self, tensor):
        self._tensor = tensor

    def get_buffer(self, rank, sizes, dtype, storage_offset=0):
        if self._tensor is None:
            raise RuntimeError("the handle is closed")
        if rank != 0:
            raise ValueError(f"there is no rank {rank} in a group of 1")
        flat = self._tensor.reshape(-1).view(dtype)
        count = 1
        for size in sizes:
            count *= size
        return flat[storage_offset : storage_offset + count].reshape(sizes)

    def barrier(self, channel=0, timeout_ms=0) -> None:
        """All ranks are here."""

    def close(self) -> None:
        self._tensor = None


def rendezvous(tensor, group=None) -> Handle:
    if (count := _world_size(group)) != 1:
        _refuse(count)
    return Handle(tensor)
