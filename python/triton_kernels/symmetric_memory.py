"""Bytes that exist on each rank and that every rank can reach: on one rank, on GPUs, and between processes of one machine."""

import os
import tempfile

import torch
import torch.distributed as dist


class LocalMemory:
    """One rank."""

    def __init__(self, size, device):
        self.n_ranks, self.rank = 1, 0
        self.buffers = (torch.empty(size, dtype=torch.uint8, device=device),)

    def barrier(self, channel):
        pass


class SymmetricMemory:
    """GPUs of one machine. A barrier is a kernel on the current stream, so that graphs can capture it."""

    def __init__(self, size, device, group):
        import torch.distributed._symmetric_memory as symmetric

        group = dist.group.WORLD if group is None else group
        self._own = symmetric.empty(size, dtype=torch.uint8, device=device)
        self._handle = symmetric.rendezvous(self._own, group=group)
        self.n_ranks, self.rank = self._handle.world_size, self._handle.rank
        self.buffers = tuple(
            self._handle.get_buffer(rank, (size,), torch.uint8) for rank in range(self._handle.world_size)
        )

    def barrier(self, channel):
        self._handle.barrier(channel=channel)


class HostMemory:
    """Processes of one machine: each has a file in memory, and maps those of all."""

    def __init__(self, size, group):
        self.n_ranks, self.rank, self._group = dist.get_world_size(group), dist.get_rank(group), group
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        handle, path = tempfile.mkstemp(prefix="triton_kernels-", dir=folder)
        os.truncate(handle, size)
        os.close(handle)
        paths = [None] * self.n_ranks
        dist.all_gather_object(paths, path, group=group)
        self.buffers = tuple(torch.from_file(each, shared=True, size=size, dtype=torch.uint8) for each in paths)
        dist.barrier(group)
        os.unlink(path)  # the maps keep it

    def barrier(self, channel):
        dist.barrier(self._group)
