"""The CPU driver: loads object code into this process and runs grids on its threads."""

from __future__ import annotations

import functools
import os

from ... import knobs
from ..._C import libtriton
from ..._utils import C_TYPES
from ..compiler import GPUTarget
from ..driver import DriverBase, HostInterface
from .compiler import host_name


def make_launcher(src, metadata):
    """The native launcher of a kernel: packs the arguments that `src.signature` describes as `metadata.argument_layout` says."""
    return libtriton.HostLauncher(list(src.signature.values()), metadata)


class CPUUtils:
    """What the GPU drivers' `utils` offer, for the processor."""

    def load_binary(self, name, kernel, shared, device):
        """(module, function, registers, spills, threads a program may have); `shared` is the scratch per thread that the code asks for."""
        function = libtriton.HostFunction(kernel, name, shared)
        return function, function, 0, 0, 2**31 - 1

    def unload_module(self, module):
        """Nothing is left to do: the code goes with the last that holds it, a launch in another thread for one."""

    def get_device_properties(self, device):
        """Counts in the GPU drivers' terms: a core stands for a multiprocessor."""
        return {
            "max_shared_mem": 2**20,
            "max_num_regs": 32,
            "multiprocessor_count": len(os.sched_getaffinity(0)),
            "warpSize": 1,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
        }


class CPUDriver(DriverBase):
    """Active where there is no GPU."""

    launcher_cls = staticmethod(make_launcher)

    def __init__(self):
        super().__init__()
        self.utils = CPUUtils()

    @classmethod
    def is_active(cls):
        from .. import backends

        return not any(backend.driver.is_active() for backend in backends.values() if backend.driver is not cls)

    def map_python_to_cpp_type(self, ty: str) -> str:
        return "void*" if ty.startswith("*") else C_TYPES[ty]

    @functools.cached_property
    def _target(self):
        return GPUTarget("cpu", knobs.cpu.arch or host_name(), 1)

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        assert device == 0, f"there is one CPU device, 0, not {device}"

    def get_current_stream(self, device=None):
        return 0

    def get_device_interface(self):
        return HostInterface

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        from ...testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        """The caches stay warm, as they are when a program calls a kernel in a loop."""
