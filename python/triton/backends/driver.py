"""What a backend's driver must offer."""

from __future__ import annotations

import time
from abc import ABCMeta, abstractmethod
from typing import Callable, Protocol, Sequence

from .._utils import find_paths_if


class Benchmarker(Protocol):
    def __call__(self, kernel_call: Callable, *, quantiles: Sequence[float], **kwargs) -> Sequence[float]: ...


def _is_descriptor(ty):
    return isinstance(ty, str) and ty.startswith("tensordesc")


def decompose_descriptor(arg):
    """A tensor descriptor as code takes it that has no tensor maps: its parts."""
    shape, strides = [int(extent) for extent in arg.shape], [int(stride) for stride in arg.strides]
    rounds = bool(getattr(arg, "round_f32_to_tf32", False))
    return [arg.base, *shape, *strides, arg.padding == "nan", rounds, *shape, *strides]


def _spell_type(ty, descriptor_type):
    """The types of a descriptor's parts; `descriptor_type` is what a tensor map is called, None where there are none."""
    element, _, extents = ty[ty.index("<") + 1 :].partition("[")
    rank = extents[: extents.index("]")].count(",") + 1
    first = [descriptor_type] if descriptor_type else [f"*{element}", *["i64"] * 2 * rank, "i1", "i1"]
    return [*first, *["i32"] * rank, *["i64"] * rank]


def expand_signature(signature, tensordesc_meta, descriptor_type):
    """Types with those of tensor descriptors, in tuples too, spelled out as `wrap_handle_tensordesc_impl` does with the arguments."""

    def expand(types):
        out = []
        for ty in types:
            if isinstance(ty, tuple):
                out.append(tuple(expand(ty)))
            else:
                out += _spell_type(ty, descriptor_type if tensordesc_meta else None) if _is_descriptor(ty) else [ty]
        return out

    return expand(signature)


def wrap_handle_tensordesc_impl(launcher, signature, tensordesc_meta, make_tensordesc_arg):
    """`launcher` with every tensor descriptor among its last arguments, in tuples too, spelled out first by `make_tensordesc_arg(descriptor, metadata, arguments)`; itself if
    the signature has none."""
    types = list(signature.values() if isinstance(signature, dict) else signature)
    count = len(find_paths_if(types, lambda _, ty: _is_descriptor(ty)))
    formats = list(tensordesc_meta or [])
    if count == 0:
        return launcher
    assert len(formats) in (0, count), f"{len(formats)} formats for {count} descriptors"

    def spell(types, values, metadata, arguments):
        out = []
        for ty, value in zip(types, values):
            if isinstance(ty, tuple):
                out.append(tuple(spell(ty, value, metadata, arguments)))
            else:
                out += make_tensordesc_arg(value, next(metadata, None), arguments) if _is_descriptor(ty) else [value]
        return out

    def launch(*arguments):
        first = len(arguments) - len(types)
        return launcher(*arguments[:first], *spell(types, arguments[first:], iter(formats), arguments))

    return launch


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

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream):
        """Memory for a profiler in kernels where the program has set no allocator for it; None if there is none to be had."""
        return None


class HostInterface:
    """The few functions of `torch.cuda` that callers use to wait for a device: on the CPU, and on a simulated GPU, a launch is over when it returns."""

    class Event:
        """A time of the host."""

        def __init__(self, enable_timing=False):
            self.time = 0.0

        def record(self, stream=None):
            self.time = time.perf_counter()

        def synchronize(self):
            return None

        def elapsed_time(self, end):
            return (end.time - self.time) * 1e3

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def synchronize(device=None):
        return None


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

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream):
        import torch

        return torch.empty(size, dtype=torch.uint8, device=self.get_active_torch_device())

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        """Tensor maps are made when a launch spells its descriptors out, so nothing is added here."""
        return args
