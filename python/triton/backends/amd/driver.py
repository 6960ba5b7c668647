"""The driver of AMD GPUs: kernels are compiled for them, and not launched yet."""

from __future__ import annotations

from ..driver import GPUDriver


def _absent(*_):
    raise RuntimeError("kernels are compiled for AMD GPUs but cannot be launched: there is no launcher for HIP yet")


class HIPDriver(GPUDriver):
    """Never the active driver: this package has no launcher for HIP."""

    __init__ = map_python_to_cpp_type = get_current_target = get_active_torch_device = get_benchmarker = _absent

    @classmethod
    def is_active(cls):
        return False
