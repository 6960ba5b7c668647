"""The HIP backend: options, and the stages that the native compiler goes through."""

from __future__ import annotations

from ... import knobs
from ..._C import libtriton
from ...language.extra import hip
from ..compiler import GPUTarget, Language
from ..gpu import simulated
from ..native import NativeBackend, options_class, run_stage

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
    code_knobs = ((knobs.amd, "use_async_copy"), (knobs.amd, "use_buffer_ops"), (knobs.amd, "use_expert_scheduling"))

    def hash(self) -> str:
        return f"simulator-{self.target.arch}" if simulated("hip") else f"hip-{self.target.arch}"

    def default_arch(self) -> str:
        return knobs.runtime.override_arch or str(self.target.arch)

    def parse_options(self, options: dict):
        parsed = super().parse_options(options)
        libtriton.resolve_architecture({"target": "hip", "arch": parsed.arch})  # a ValueError if there is no such GPU
        return parsed

    def native_options(self, options) -> dict:
        given = super().native_options(options)
        if knobs.amd.use_expert_scheduling and options.arch == "gfx1250":
            given["llvm_flags"] = [*given.get("llvm_flags", []), "amdgpu-expert-scheduling-mode"]
        return {
            **given,
            "line_info": not knobs.compilation.disable_line_info,
            "simulated": simulated("hip") is not None,
            "direct_copies": {None: -1, False: 0, True: 1}[knobs.amd.use_async_copy],
        }

    @property
    def specializes_storage(self) -> bool:
        return knobs.amd.use_buffer_ops

    @staticmethod
    def parse_attr(desc):
        return NativeBackend.parse_attr(desc) + ([["tt.pointer_range", 32]] if "S" in desc else [])

    def get_module_map(self) -> dict:
        return {"triton.language.extra.libdevice": hip.libdevice}

    @staticmethod
    def is_within_2gb(arg) -> bool:
        """Whether 32-bit offsets reach all of the memory that an argument points into."""
        if hasattr(arg, "ptr_range"):
            return arg.ptr_range() < 2**31
        return hasattr(arg, "untyped_storage") and arg.untyped_storage().size() < 2**31

    # The stages one by one: clients that keep IR of their own call these.

    @staticmethod
    def make_ttir(mod, metadata, options):
        return run_stage("ttir", mod, metadata, _options_for(options))

    @staticmethod
    def make_ttgir(mod, metadata, options):
        return run_stage("ttgir", mod, metadata, _options_for(options))

    @staticmethod
    def gluon_to_ttgir(src, metadata, options):
        return run_stage("ttgir", src, metadata, {**_options_for(options), "gluon": True})

    @staticmethod
    def make_llir(src, metadata, options):
        return run_stage("llir", src, metadata, _options_for(options))

    @staticmethod
    def make_amdgcn(src, metadata, options):
        return run_stage("amdgcn", src, metadata, _options_for(options))

    @staticmethod
    def make_hsaco(src, metadata, options):
        return run_stage("hsaco", src, metadata, _options_for(options))

    def add_stages(self, stages: dict, options, language) -> None:
        if language == Language.TRITON:
            stages["ttir"] = lambda src, metadata: self.make_ttir(src, metadata, options)
            stages["ttgir"] = lambda src, metadata: self.make_ttgir(src, metadata, options)
        else:
            stages["ttgir"] = lambda src, metadata: self.gluon_to_ttgir(src, metadata, options)
        stages["llir"] = lambda src, metadata: self.make_llir(src, metadata, options)
        if not simulated("hip"):  # which runs LLVM IR
            stages["amdgcn"] = lambda src, metadata: self.make_amdgcn(src, metadata, options)
        stages["hsaco"] = lambda src, metadata: self.make_hsaco(src, metadata, options)
        self.hook_stages(stages, options, language, self.target.arch)


def _options_for(options):
    return HIPBackend(GPUTarget("hip", options.arch, 0)).native_options(options)
