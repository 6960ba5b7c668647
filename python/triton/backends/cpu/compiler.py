"""The CPU backend: options, and the stages that the native compiler goes through."""

from __future__ import annotations

import functools

from ..._C import libtriton
from ...language.extra import libdevice
from ..native import NativeBackend, options_class

# Those that only mean something on a GPU are accepted and part of the key, as kernels pass them everywhere.
CPUOptions = options_class("CPUOptions", "cpu")


@functools.lru_cache
def host_description() -> str:
    """The processor of this machine with every feature that code may use; the first word is its name."""
    return libtriton.resolve_architecture({"target": "cpu", "arch": "native"})


def host_name() -> str:
    return host_description().split()[0]


@functools.lru_cache
def _describe(arch) -> str:
    return libtriton.resolve_architecture({"target": "cpu", "arch": _native_name(arch)})


def _native_name(arch) -> str:
    """This machine's own processor is compiled for with the features it really has. Clients that know no names of processors give none."""
    return "native" if not arch or arch == host_name() else str(arch)


class CPUBackend(NativeBackend):
    """Compiles for processors of hosts."""

    binary_ext = "obj"
    options_class = CPUOptions

    def hash(self) -> str:
        return f"cpu-{_describe(self.target.arch)}"

    def parse_options(self, options: dict):
        parsed = super().parse_options(options)
        _describe(parsed.arch)  # a ValueError if there is no such processor
        return parsed

    def native_options(self, options) -> dict:
        return {**super().native_options(options), "arch": _native_name(options.arch)}

    def get_module_map(self) -> dict:
        return {"triton.language.extra.libdevice": libdevice}

    def add_stages(self, stages: dict, options, language) -> None:
        stages |= {name: self.stage(name, options) for name in ("ttir", "llir", "obj")}
        self.hook_stages(stages, options, language, self.target.arch)
