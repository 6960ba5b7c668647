"""The CPU backend: options, and the stages that the native compiler goes through."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import asdict, dataclass
from typing import Any, Tuple

from ... import knobs
from ..._C import libtriton
from ...language.extra import libdevice
from ..compiler import GPUTarget
from ..environment import code_options
from ..native import NativeBackend, check_options, run_stage


@dataclass(frozen=True)
class CPUOptions:
    """Launch options. Those that only mean something on a GPU are accepted and part of the key, as kernels pass them everywhere."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 1
    maxnreg: int = None
    ptx_version: int = None
    ptx_options: str = None
    enable_reflect_ftz: bool = True
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: Tuple[str, ...] = ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: Tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: Tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: Any = None
    debug: bool = False
    sanitize_overflow: bool = True
    check_accesses: bool = False
    backend_name: str = "cpu"
    arch: str = None
    ir_override: str = None
    instrumentation_mode: str = ""

    def __post_init__(self):
        libraries = tuple(sorted(dict(self.extern_libs or {}).items()))
        object.__setattr__(self, "extern_libs", libraries)

    def hash(self):
        text = "_".join(f"{name}-{value}" for name, value in sorted(asdict(self).items()))
        return hashlib.sha256(text.encode()).hexdigest()


@functools.lru_cache
def host_description() -> str:
    """The processor of this machine with every feature that code may use; the first word is its name."""
    return libtriton.resolve_architecture({"backend": "cpu", "architecture": "native"})


def host_name() -> str:
    return host_description().split()[0]


@functools.lru_cache
def _describe(arch) -> str:
    return libtriton.resolve_architecture({"backend": "cpu", "architecture": _native_name(arch)})


def _native_name(arch) -> str:
    """This machine's own processor is compiled for with the features it really has. Clients that know no names of processors give none."""
    return "native" if not arch or arch == host_name() else str(arch)


class CPUBackend(NativeBackend):
    """Compiles for x86-64 processors."""

    binary_ext = "obj"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cpu"

    def hash(self) -> str:
        return f"cpu-{_describe(self.target.arch)}"

    def get_target_name(self, options) -> str:
        return f"cpu:{self.target.arch}"

    def parse_options(self, options: dict) -> CPUOptions:
        known = check_options("cpu", options, CPUOptions.__dataclass_fields__)
        known.setdefault("arch", self.target.arch)
        _describe(known["arch"])  # a ValueError if there is no such processor
        known.setdefault("enable_fp_fusion", knobs.language.default_fp_fusion)
        if knobs.language.fp32_default:
            known.setdefault("default_dot_input_precision", knobs.language.fp32_default)
        if known.get("num_ctas", 1) > 1:
            raise ValueError(
                "num_ctas > 1 requires NVIDIA SM90+ (Hopper); on the CPU a program is not spread over several blocks"
            )
        return CPUOptions(**known)

    def native_options(self, options: CPUOptions) -> dict:
        """The options as the native compiler takes them."""
        names = (
            "num_warps",
            "num_ctas",
            "num_stages",
            "warp_size",
            "debug",
            "sanitize_overflow",
            "check_accesses",
            "enable_fp_fusion",
        )
        return {
            "backend": "cpu",
            "architecture": _native_name(options.arch),
            "default_dot_input_precision": options.default_dot_input_precision,
            "allow_non_constexpr_globals": bool(knobs.compilation.allow_non_constexpr_globals),
            **code_options(),
            **{name: getattr(options, name) for name in names},
        }

    def pack_metadata(self, metadata):
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    def get_codegen_implementation(self, options) -> dict:
        return {"min_dot_size": lambda lhs, rhs: (1, 1, 1)}

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
