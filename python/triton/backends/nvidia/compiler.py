"""The CUDA backend: options, the tools it uses, and the stages that the native compiler goes through."""

from __future__ import annotations

import functools
import re
from typing import Tuple

from ... import knobs
from ..._C import libtriton
from ..._instrumentation import instrument, is_instrumented
from ..._tool_versions import toolkit_folders, version_text
from ...errors import PTXASError  # noqa: F401  (clients take it from here)
from ...language.extra import cuda
from ..compiler import BaseBackend, GPUTarget, Language  # noqa: F401
from ..native import NativeBackend, NativeOptions, file_hash, options_class, run_stage  # noqa: F401


def min_dot_size(target: GPUTarget):
    """The smallest (m, n, k) of `tl.dot`, from the types of its operands."""

    def check_dot_compatibility(lhs_type, rhs_type) -> Tuple[int, int, int]:
        lhs_bits = lhs_type.scalar.primitive_bitwidth
        rhs_bits = rhs_type.scalar.primitive_bitwidth
        assert lhs_bits == rhs_bits, "lhs and rhs bitwidth must be the same"
        m, n, bytes_of_k = libtriton.target_facts(target.backend)["smallest_dot_of_bytes"]
        return m, n, bytes_of_k * 8 // lhs_bits

    return check_dot_compatibility


def get_ptxas(arch: int = 80) -> knobs.NvidiaTool:
    """The assembler for an architecture."""
    if arch >= 100:
        try:
            return knobs.nvidia.ptxas_blackwell
        except RuntimeError:
            pass  # a recent ptxas knows all architectures
    return knobs.nvidia.ptxas


def get_ptxas_version(arch: int = 80) -> str:
    """What `ptxas --version` prints, or `TRITON_MOCK_PTX_VERSION`."""
    mock = knobs.nvidia.mock_ptx_version
    return version_text(get_ptxas(arch).path) if mock is None else mock


@functools.lru_cache
def ptx_get_version(cuda_version) -> int:
    """The highest PTX version that the tools of a CUDA release read: 88 for 12.9, 90 for 13.0."""
    assert isinstance(cuda_version, str)
    version = libtriton.ptx_version_of(cuda_version)
    if not version:
        raise RuntimeError(f"Triton only support CUDA 10.0 or higher, but got CUDA version: {cuda_version}")
    return version


def get_ptx_version_from_options(options, arch: int) -> int:
    if options.ptx_version is not None:
        return options.ptx_version
    return ptx_get_version(get_ptxas(arch).version)


@functools.lru_cache
def get_features(options, arch: int) -> str:
    """LLVM's name of the PTX version; what LLVM does not know yet is written in the newest it knows."""
    return f"+ptx{min(86, get_ptx_version_from_options(options, arch))}"


def sm_arch_from_capability(capability: int) -> str:
    """`sm_80`, `sm_90a`: with the features of exactly this chip where it has some."""
    return libtriton.resolve_architecture({"target": "cuda", "arch": f"sm{capability}"})


def _tools(arch):
    """Which tools the native compiler is to use, as its options: those that knobs name; it finds the others."""
    try:
        ptxas = "simulator" if knobs.runtime.simulate else get_ptxas(arch).path
    except RuntimeError:
        ptxas = None
    named = {"ptxas": ptxas, "libdevice": knobs.nvidia.libdevice_path}
    return {**named, "toolkits": toolkit_folders(), "tool_records": knobs.cache.dir}


@functools.lru_cache
def _find_toolkit(arch, **tools):
    return libtriton.toolkit({"target": "cuda", "arch": f"sm{arch}", **tools})


def _toolkit(arch):
    return _find_toolkit(arch, **{**_tools(arch), "toolkits": tuple(toolkit_folders())})


class _Options(NativeOptions):
    def __post_init__(self):
        libraries = dict(self.extern_libs or {})
        if not libraries.get("libdevice"):
            path = _toolkit(80)["libdevice"]  # the same for all architectures
            libraries.pop("libdevice", None)
            if path:
                libraries["libdevice"] = path
        object.__setattr__(self, "extern_libs", tuple(libraries.items()))


CUDAOptions = options_class("CUDAOptions", "cuda", _Options, ptx_options=knobs.nvidia.ptxas_options)


def _capability(arch: str) -> int:
    found = re.fullmatch(r"sm_?(\d+)[af]?", arch)
    if not found:
        is_variable = arch == knobs.runtime.override_arch
        what = "TRITON_OVERRIDE_ARCH" if is_variable else "the architecture of a CUDA target"
        raise ValueError(f"{what} must have the form sm<digits>, got '{arch}'")
    return int(found.group(1))


def _override_ptx_version():
    """`TRITON_OVERRIDE_PTX_VERSION`: 86 or 8.6; None where it is not set."""
    text = knobs.nvidia.override_ptx_version
    if not text:
        return None
    if not re.fullmatch(r"\d\.?\d", text):
        raise ValueError(f"TRITON_OVERRIDE_PTX_VERSION must be a version of PTX such as 8.6 or 86, got '{text}'")
    return int(text.replace(".", ""))


class CUDABackend(NativeBackend):
    """Compiles for NVIDIA GPUs."""

    binary_ext = "cubin"
    options_class = CUDAOptions

    def get_target_name(self, options) -> str:
        return f"cuda:{_capability(options.arch)}"

    def hash(self) -> str:
        if knobs.runtime.simulate:
            return f"simulator-{self.target.arch}"
        try:
            version = get_ptxas_version(self.target.arch)
        except RuntimeError:
            version = _toolkit(self.target.arch)["build"]
        return f"{version}-{self.target.arch}"

    def default_arch(self) -> str:
        return knobs.runtime.override_arch or f"sm{self.target.arch}"

    def parse_options(self, options: dict):
        parsed = super().parse_options(options)
        _capability(parsed.arch)  # a ValueError if it is none
        return parsed

    def native_options(self, options) -> dict:
        libraries = dict(options.extern_libs)
        return {
            **super().native_options(options),
            **_tools(self.target.arch),
            "code_arch": f"sm{self.target.arch}",
            "ptx_version": options.ptx_version or _override_ptx_version(),
            "tensor_maps": knobs.nvidia.tensor_maps,
            "wait_at_entry": knobs.nvidia.overlap_launches,
            "line_info": not knobs.compilation.disable_line_info,
            "variable_info": knobs.compilation.dump_ir_extract_di_local_variables
            and not knobs.compilation.disable_line_info,
            "optimise_assembly": not knobs.nvidia.disable_ptxas_opt,
            "ptxas_timeout": max(0, knobs.nvidia.ptxas_timeout),
            "libdevice": libraries.pop("libdevice", None),
            "extern_libs": tuple(libraries.items()),
        }

    def get_codegen_implementation(self, options) -> dict:
        return {"convert_custom_types": cuda.convert_custom_float8_sm80, "min_dot_size": min_dot_size(self.target)}

    def get_module_map(self) -> dict:
        return {"triton.language.extra.libdevice": cuda.libdevice}

    @staticmethod
    def make_ttir(mod, metadata, opt, capability):
        return run_stage("ttir", mod, metadata, _options_for(opt, capability))

    @staticmethod
    def make_ttgir(mod, metadata, opt, capability):
        return run_stage("ttgir", mod, metadata, _options_for(opt, capability))

    def gluon_to_ttgir(self, src, metadata, options, capability):
        return run_stage("ttgir", src, metadata, {**_options_for(options, capability), "gluon": True})

    def make_llir(self, src, metadata, options, capability):
        if self.instrumentation is not None or is_instrumented("cuda"):
            self._instrument(src)
        metadata.update(tmem_size=0, profile_scratch_size=0, profile_scratch_align=1)
        return run_stage("llir", src, metadata, self.native_options(options))

    def make_ptx(self, src, metadata, opt, capability):
        ptx = run_stage("ptx", src, metadata, self.native_options(opt))
        if knobs.nvidia.dump_nvptx:
            print(ptx)
        return ptx

    def make_cubin(self, src, metadata, opt, capability):
        return run_stage("cubin", src, metadata, self.native_options(opt))

    def _instrument(self, module):
        """Passes of a profiler: on GPU IR, first those meant for it, then those meant for what comes of it, as nothing lies between here."""
        for point in ("ttgpuir-to-llvmir", "llvmir-to-llvm"):
            manager = libtriton.ir.pass_manager(module.context)
            manager.enable_debug()
            if self.instrumentation is not None:
                self.instrumentation.patch(point.replace("-", "_"), manager, module.context)
            instrument(manager, point=point, backend="cuda", context=module.context)
            manager.run(module, "make_llir")

    def add_stages(self, stages: dict, options, language) -> None:
        capability = _capability(options.arch)
        device = self.target.arch
        if language == Language.TRITON:
            stages["ttir"] = lambda src, metadata: self.make_ttir(src, metadata, options, capability)
            stages["ttgir"] = lambda src, metadata: self.make_ttgir(src, metadata, options, capability)
        else:
            stages["ttgir"] = lambda src, metadata: self.gluon_to_ttgir(src, metadata, options, capability)
        stages["llir"] = lambda src, metadata: self.make_llir(src, metadata, options, capability)
        stages["ptx"] = lambda src, metadata: self.make_ptx(src, metadata, options, device)
        stages["cubin"] = lambda src, metadata: self.make_cubin(src, metadata, options, device)
        self.hook_stages(stages, options, language, capability)


def _options_for(options, capability):
    return CUDABackend(GPUTarget("cuda", capability, 32)).native_options(options)
