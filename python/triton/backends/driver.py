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


class GPUDriver(DriverBase):
    """A driver of GPUs whose devices and streams are PyTorch's, where PyTorch knows them."""

    def __init__(self):
        import torch

        self.get_device_capability = torch.cuda.get_device_capability
        self.get_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda device: torch.cuda.current_stream(device).cuda_stream
        )
        self.get_current_device = torch.cuda.current_device
        self.set_current_device = torch.cuda.set_device

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        """Tensor maps are made when a launch spells its descriptors out, so nothing is added here."""
        return args
