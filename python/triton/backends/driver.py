"""What a backend's driver must offer."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Callable, Protocol, Sequence


class Benchmarker(Protocol):
    def __call__(self, kernel_call: Callable, *, quantiles: Sequence[float], **kwargs) -> Sequence[float]: ...


class DriverBase(metaclass=ABCMeta):
    """Loads and launches code on one kind of device."""

    @classmethod
    @abstractmethod
    def is_active(cls) -> bool: ...

    @abstractmethod
    def map_python_to_cpp_type(self, ty: str) -> str: ...

    @abstractmethod
    def get_current_target(self): ...

    @abstractmethod
    def get_active_torch_device(self): ...

    @abstractmethod
    def get_benchmarker(self) -> Benchmarker: ...

    def __init__(self) -> None:
        pass
