"""The HIP backend: options, and the stages that the native compiler goes through."""

from __future__ import annotations

from ... import knobs
from ..._C import libtriton
from ...language.extra import hip
from ..compiler import GPUTarget, Language
from ..gpu import simulated
from ..native import NativeBackend, options_class, run_stage

HIPOptions = options_class("HIPOptions", "hip")


class HIPBackend(NativeBackend):
    """Compiles for AMD GPUs."""

    binary_ext = "hsaco"
    options_class = HIPOptions

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "hip"

    def get_target_name(self, options) -> str:
        return f"hip:{options.arch}"

    def hash(self) -> str:
        return f"simulator-{self.target.arch}" if simulated("hip") else f"hip-{self.target.arch}"

    def default_arch(self) -> str:
        return knobs.runtime.override_arch or str(self.target.arch)

    def parse_options(self, options: dict):
        parsed = super().parse_options(options)
        libtriton.resolve_architecture({"target": "hip", "arch": parsed.arch})  # a ValueError if there is no such GPU
        return parsed

    def native_options(self, options) -> dict:
        return {
            **super().native_options(options),
            "line_info": not knobs.compilation.disable_line_info,
            "simulated": simulated("hip") is not None,
        }

    def get_codegen_implementation(self, options) -> dict:
        return {"min_dot_size": lambda lhs, rhs: libtriton.target_facts("hip")["smallest_dot"]}

    def get_module_map(self) -> dict:
        return {"triton.language.extra.libdevice": hip.libdevice}

    def _stage(self, name, options, **further):
        return lambda source, metadata: run_stage(name, source, metadata, {**self.native_options(options), **further})

    def add_stages(self, stages: dict, options, language) -> None:
        if language == Language.TRITON:
            stages["ttir"] = self._stage("ttir", options)
            stages["ttgir"] = self._stage("ttgir", options)
        else:
            stages["ttgir"] = self._stage("ttgir", options, gluon=True)
        stages["llir"] = self._stage("llir", options)
        if not simulated("hip"):  # which runs LLVM IR
            stages["amdgcn"] = self._stage("amdgcn", options)
        stages["hsaco"] = self._stage("hsaco", options)
        self.hook_stages(stages, options, language, self.target.arch)
