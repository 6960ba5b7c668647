"""What the drivers of GPUs share, whose ever they are: launchers, and which devices and streams are PyTorch's, the driver library's own, or simulated."""

from __future__ import annotations

import os
import sys

from .. import knobs
from .._C import libtriton
from . import simulation
from .driver import GPUDriver, HostInterface


class KernelLauncher(libtriton.CudaLauncherBase):
    """Launches one kernel: (grid x, y, z, stream, function, packed metadata, launch metadata, enter hook, exit hook, *parameters)."""

    @staticmethod
    def uses_graphs() -> bool:
        """Whether launches may go through graphs."""
        return False

    def __new__(cls, src, metadata):
        return super().__new__(cls, list(src.signature.values()), metadata, cls.uses_graphs())

    def __init__(self, src, metadata):
        self.num_ctas = metadata.num_ctas
        for name in ("global_scratch_size", "global_scratch_align", "profile_scratch_size", "profile_scratch_align",
                     "launch_cooperative_grid", "launch_pdl"):  # fmt: skip
            setattr(self, name, getattr(metadata, name))

    @property
    def launch(self):
        return self


class DeviceUtils:
    """What kernels need of a driver's library; one object of each subclass. Making it loads no library and creates no context."""

    def __new__(cls):
        if "instance" not in vars(cls):
            cls.instance = super().__new__(cls)
        return cls.instance

    def __init__(self):
        self.load_binary = libtriton.cuda.load_binary
        self.unload_module = libtriton.cuda.unload_module
        self.get_device_properties = libtriton.cuda.get_device_properties
        self.max_shared_mem = libtriton.cuda.max_shared_mem
        self.set_printf_fifo_size = libtriton.cuda.set_printf_fifo_size
        self.get_current_device = libtriton.cuda.current_device
        self.set_current_device = libtriton.cuda.set_current_device
        self.get_default_stream = libtriton.default_stream
        self.get_device_capability = device_capability


def device_capability(device):
    """(major, minor)"""
    return divmod(libtriton.cuda.capability(device), 10)


def simulated(vendor: str):
    """The architecture that `knobs.runtime.simulate` names, if it is one of a vendor's, "cuda" or "hip"; None otherwise."""
    name = knobs.runtime.simulate
    return name if name and ("hip" if name.startswith("gfx") else "cuda") == vendor else None


def torch_sees(vendor: str):
    """Whether PyTorch sees a GPU of a vendor; None where the program does not use PyTorch: importing it takes seconds."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda"):
        return None
    return torch.cuda.is_available() and (torch.version.hip is not None) == (vendor == "hip")


def has_device_file(*paths):
    """Looking for the device costs nothing, loading the driver's library does."""
    return any(map(os.path.exists, paths))


def library_sees_gpu():
    """Whether the driver's own library finds a GPU."""
    try:
        return libtriton.cuda.device_count() > 0
    except RuntimeError:
        return False


class DeviceDriver(GPUDriver):
    """The driver of a vendor's GPUs: with PyTorch's devices and streams; without PyTorch those of the driver library, for other libraries' arrays; simulated with memory of the host."""

    vendor: str
    launcher_cls: type = KernelLauncher

    def __init__(self, utils):
        self.utils = utils
        if not simulated(self.vendor) and torch_sees(self.vendor):
            super().__init__()
            return
        if simulated(self.vendor):
            libtriton.cuda.observe()  # Ctrl-C ends launches
            launcher = type(self).launcher_cls
            self.launcher_cls = lambda src, metadata: simulation.with_bounds(launcher(src, metadata), metadata)
        self.get_device_capability = utils.get_device_capability
        self.get_current_device = utils.get_current_device
        self.set_current_device = utils.set_current_device
        self.get_current_stream = utils.get_default_stream

    def get_active_torch_device(self):
        import torch

        if simulated(self.vendor):
            return torch.device("cpu")
        return torch.device("cuda", self.get_current_device())

    def get_device_interface(self):
        if simulated(self.vendor):
            return HostInterface
        import torch

        return torch.cuda

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        import torch

        # Larger than any L2 cache, so that writing it leaves nothing of the inputs there.
        bytes, device = (4, "cpu") if simulated(self.vendor) else (256 * 2**20, "cuda")
        return torch.empty(bytes // 4, dtype=torch.int, device=device)

    def clear_cache(self, cache):
        cache.zero_()
