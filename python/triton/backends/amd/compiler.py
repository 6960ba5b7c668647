"""The HIP backend: options, and the stages that the native compiler goes through."""

from __future__ import annotations

from ... import knobs
from ..._C import libtriton
from ...language.extra import hip
from ..compiler import GPUTarget, Language
from ..gpu import simulated
from ..native import NativeBackend, options_class

HIPOptions = options_class("HIPOptions", "hip")


def get_min_dot_size(target: GPUTarget):
    """The smallest (m, n, k) of `tl.dot`, from the types of its operands: all of them, as small dots are multiply-adds."""
    return lambda lhs_type, rhs_type: libtriton.target_facts("hip")["smallest_dot"]


def is_pingpong_schedule_enabled(arch, use_async_copy) -> bool:
    """Whether two waves of a SIMD take turns at matrix instructions: not in code of this package, unless the knob claims it."""
    return bool(knobs.amd.use_block_pingpong)


def is_in_thread_transpose_enabled(arch) -> bool:
    """Whether operands are transposed in registers on their way to LDS: not in code of this package, unless the knob claims it."""
    return bool(knobs.amd.use_in_thread_transpose)


class HIPBackend(NativeBackend):
    """Compiles for AMD GPUs."""

    binary_ext = "hsaco"
    options_class = HIPOptions

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

    def get_module_map(self) -> dict:
        return {"triton.language.extra.libdevice": hip.libdevice}

    def add_stages(self, stages: dict, options, language) -> None:
        if language == Language.TRITON:
            stages["ttir"] = self.stage("ttir", options)
            stages["ttgir"] = self.stage("ttgir", options)
        else:
            stages["ttgir"] = self.stage("ttgir", options, gluon=True)
        stages["llir"] = self.stage("llir", options)
        if not simulated("hip"):  # which runs LLVM IR
            stages["amdgcn"] = self.stage("amdgcn", options)
        stages["hsaco"] = self.stage("hsaco", options)
        self.hook_stages(stages, options, language, self.target.arch)
