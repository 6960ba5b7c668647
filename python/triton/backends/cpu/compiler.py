"""The CPU backend: options, and the stages that the native compiler goes through."""

from __future__ import annotations

import functools

from ..._C import libtriton
from ...language.extra import libdevice
from ..compiler import GPUTarget
from ..native import NativeBackend, options_class, run_stage

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
    """Compiles for x86-64 processors."""

    binary_ext = "obj"
    options_class = CPUOptions

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cpu"

    def hash(self) -> str:
        return f"cpu-{_describe(self.target.arch)}"

    def get_target_name(self, options) -> str:
        return f"cpu:{self.target.arch}"

    def parse_options(self, options: dict):
        parsed = super().parse_options(options)
        _describe(parsed.arch)  # a ValueError if there is no such processor
        return parsed

    def native_options(self, options) -> dict:
        return {**super().native_options(options), "arch": _native_name(options.arch)}

    def get_codegen_implementation(self, options) -> dict:
        return {"min_dot_size": lambda lhs, rhs: libtriton.target_facts("cpu")["smallest_dot"]}

    def get_module_map(self) -> dict:
        return {"triton.language.extra.libdevice": libdevice}

    def make_ttir(self, module, metadata, options, capability=None):
        return run_stage("ttir", module, metadata, self.native_options(options))

    def make_llir(self, module, metadata, options, capability=None):
        return run_stage("llir", module, metadata, self.native_options(options))

    def make_obj(self, text, metadata, options, capability=None):
        return run_stage("obj", text, metadata, self.native_options(options))

    def add_stages(self, stages: dict, options, language) -> None:
        arch = self.target.arch
        stages["ttir"] = lambda module, metadata: self.make_ttir(module, metadata, options, arch)
        stages["llir"] = lambda module, metadata: self.make_llir(module, metadata, options, arch)
        stages["obj"] = lambda text, metadata: self.make_obj(text, metadata, options, arch)
        self.hook_stages(stages, options, language, arch)
