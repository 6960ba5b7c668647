"""The ranks of a job, and memory that all of them see."""

from __future__ import annotations

import torch
import torch.distributed as dist
import triton

from ..symmetric_memory import HostMemory, LocalMemory, SymmetricMemory

__all__ = ["Mesh", "SymmetricMemoryPool"]


class Mesh:
    """The ranks of a process group; without one, those of the job, or this process alone."""

    def __init__(self, process_group=None):
        self.process_group = process_group
        is_there = dist.is_available() and dist.is_initialized()
        self.world_size = dist.get_world_size(process_group) if is_there else 1
        self.local_rank = dist.get_rank(process_group) if is_there else 0


class SymmetricMemoryPool:
    """Regions of memory that exist on every rank and that every rank can write."""

    def __init__(self, mesh=None):
        self.mesh = mesh
        self._memory = None
        self._regions = {}  # name -> (offset, bytes)
        self._bytes = 0

    @staticmethod
    def align_up(value, alignment=128):
        return (value + alignment - 1) // alignment * alignment

    @property
    def n_ranks(self):
        return self._initialized().n_ranks

    @property
    def rank(self):
        return self._initialized().rank

    def _initialized(self):
        if self._memory is None:
            raise RuntimeError(
                "the pool of symmetric memory is empty: call initialize_matmul, or initialize_matmul_ogs, first"
            )
        return self._memory

    def release(self):
        """Gives the memory back."""
        self._memory, self._regions, self._bytes = None, {}, 0

    def initialize_matmul_ogs(
        self, n_tokens_global, d_input, d_model, n_expts_act, n_expts_tot, dtype, n_ranks, group=None, device=None
    ):
        """Reserves what routing ("topk") and the way to experts ("dp_to_ep") and back ("ep_to_dp") need."""
        device = torch.device("cuda" if device is None and torch.cuda.is_available() else device or "cpu")
        rows = n_tokens_global * n_expts_act
        local_rows = triton.cdiv(n_tokens_global, n_ranks) * n_expts_act
        words = triton.cdiv(n_expts_tot, 32) * self.align_up(n_tokens_global, 32)
        sizes = {
            "topk": self.align_up(rows * 4) + self.align_up(rows * 2) + self.align_up(words * 4),
            "ep_to_dp": self.align_up(local_rows * d_model * dtype.itemsize),
            "dp_to_ep": self.align_up(rows * d_input * dtype.itemsize),
        }
        self.release()
        for name, size in sizes.items():
            self._reserve_region(name, size)
        self._initialize(n_ranks, group, device)

    def initialize_matmul(self, n_tokens_global, d_input, d_model, n_expts_act, n_expts_tot, dtype, device=None):
        """The same for the ranks of the pool's mesh."""
        mesh = Mesh() if self.mesh is None else self.mesh
        self.initialize_matmul_ogs(
            n_tokens_global,
            d_input,
            d_model,
            n_expts_act,
            n_expts_tot,
            dtype,
            mesh.world_size,
            mesh.process_group,
            device,
        )

    def _reserve_region(self, name, size, alignment=128, offset=None):
        """A region of its own, behind those that are reserved already."""
        begin = self.align_up(self._bytes, alignment)
        self._regions[name] = (begin, self.align_up(size, alignment))
        self._bytes = begin + self._regions[name][1]

    def _initialize(self, n_ranks, group=None, device=None):
        """Allocates what has been reserved."""
        device = torch.device(device or "cpu")
        if n_ranks == 1:
            self._memory = LocalMemory(self._bytes, device)
        elif device.type == "cuda":
            self._memory = SymmetricMemory(self._bytes, device, group)
        else:
            self._memory = HostMemory(self._bytes, group)
        assert self._memory.n_ranks == n_ranks, f"the group has {self._memory.n_ranks} ranks, not {n_ranks}"

    def make_empty(self, shape, dtype, region, region_offset=0, clear=False):
        """The same place of a region on each rank, as a tuple of tensors; `clear` fills this rank's with zeros."""
        memory = self._initialized()
        offset, size = self._regions[region]
        count = 1
        for extent in shape:
            count *= extent
        if region_offset + count * dtype.itemsize > size:
            raise RuntimeError(
                f"region {region} has {size} bytes, too few for {tuple(shape)} of {dtype} at {region_offset}"
            )
        begin = offset + region_offset
        tensors = tuple(
            buffer[begin : begin + count * dtype.itemsize].view(dtype).view(*shape) for buffer in memory.buffers
        )
        if clear:
            tensors[memory.rank].zero_()
        return tensors

    def barrier(self, region=None):
        """Waits for all ranks; what they wrote before is there afterwards."""
        self._initialized().barrier(list(self._regions).index(region) if region is not None else 0)
