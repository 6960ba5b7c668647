"""Which driver launches kernels: exactly one is active."""

from __future__ import annotations

import os

from ..backends import DriverBase, backends
from ..language import target_info


def _create_driver() -> DriverBase:
    wanted = os.environ.get("TRITON_DEFAULT_BACKEND")
    if wanted:
        wanted = {"cuda": "nvidia", "hip": "amd"}.get(wanted, wanted)
        if wanted not in backends:
            raise RuntimeError(
                f"TRITON_DEFAULT_BACKEND is '{wanted}', but the backends are {', '.join(sorted(backends))}"
            )
        return backends[wanted].driver()
    active = [backend.driver for backend in backends.values() if backend.driver.is_active()]
    if len(active) != 1:
        raise RuntimeError(f"{len(active)} active drivers ({active}). There should only be one.")
    return active[0]()


class DriverConfig:
    """The default driver, found on first use, and the one in use."""

    def __init__(self) -> None:
        self._default: DriverBase | None = None
        self._active: DriverBase | None = None

    @property
    def default(self) -> DriverBase:
        if self._default is None:
            self._default = _create_driver()
        return self._default

    @property
    def active(self) -> DriverBase:
        if self._active is None:
            self._active = self.default
        return self._active

    def set_active(self, driver: DriverBase) -> None:
        self._active = driver

    def reset_active(self) -> None:
        self._active = self.default


driver = DriverConfig()


def _active_target():
    try:
        active = driver.active
    except RuntimeError:
        return None
    return active.get_current_target()


target_info._active_target = _active_target
