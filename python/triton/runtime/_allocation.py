"""Scratch memory that kernels need at launch comes from allocators that the user sets."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol


class Buffer(Protocol):
    def data_ptr(self) -> int: ...


class Allocator(Protocol):
    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer: ...


class NullAllocator:
    """Where no allocator was set."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        raise RuntimeError(
            "Kernel requires a runtime memory allocation, but no allocator was set. Use triton.set_allocator to specify an allocator."
        )


_allocator: ContextVar[Allocator] = ContextVar("_allocator", default=NullAllocator())


def set_allocator(allocator: Allocator) -> None:
    """The allocator of this thread or context: `f(size, alignment, stream)` gives an object with `data_ptr()`."""
    _allocator.set(allocator)


class _AllocatorWrapper:
    """An allocator for the whole process."""

    def __init__(self, allocator: Allocator) -> None:
        self._allocator = allocator

    def get(self) -> Allocator:
        return self._allocator

    def set(self, allocator: Allocator) -> None:
        self._allocator = allocator

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        return self._allocator(size, alignment, stream)


_NULL_ALLOCATOR = NullAllocator()
_profile_allocator = _AllocatorWrapper(_NULL_ALLOCATOR)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """The allocator of profiling buffers; None takes it away."""
    _profile_allocator.set(allocator if allocator is not None else _NULL_ALLOCATOR)


def has_profile_allocator() -> bool:
    return _profile_allocator.get() is not _NULL_ALLOCATOR
