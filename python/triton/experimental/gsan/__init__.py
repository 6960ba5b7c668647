"""The detector of races in global memory, `instrumentation_mode="gsan"`: what it watches, and memory for it.

Kernels that are compiled so watch every access by pointers, of any memory: a pool is for programs that want one. `python -m triton.tools.gsan script.py` switches it on for a program.
"""

from __future__ import annotations

from . import symmetric_memory
from ._configuration import ShareableHandleType, configure, freeze_config, reset

__all__ = ["ShareableHandleType", "configure", "create_mem_pool", "freeze_config", "get_allocator", "has_live_allocations", "is_write_once_allocation", "reset", "supports_fabric_handles", "symmetric_memory"]  # fmt: skip


def get_allocator():
    """The allocator of the pool: PyTorch's own, as any memory is watched."""
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError(
            "gsan's pool needs a CUDA build of PyTorch and a GPU; on a simulated GPU arrays of the host are watched without one"
        )
    return torch.cuda.memory._get_current_allocator()


def create_mem_pool(*, write_once=False):
    """A pool of `torch.cuda.use_mem_pool`."""
    if write_once:
        raise NotImplementedError("gsan has no pools that are read-only after the first write (write_once)")
    allocator = get_allocator()
    import torch

    return torch.cuda.MemPool(getattr(allocator, "_allocator", None))


def has_live_allocations() -> bool:
    """Whether memory of its own is in use: gsan has none."""
    return False


def is_write_once_allocation(ptr) -> bool:
    return False


def supports_fabric_handles(device=None) -> bool:
    return False
