"""The CUDA backend: options, the tools it uses, and the stages that the native compiler goes through."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ... import knobs
from ..._C import libtriton
from ..._tool_versions import version_text
from ...errors import OutOfResources, PTXASError  # noqa: F401  (clients take the latter from here)
from ...language.extra import cuda
from ..compiler import BaseBackend, GPUTarget, Language  # noqa: F401
from ..environment import code_options
from ..native import NativeBackend, check_options, run_stage


def min_dot_size(target: GPUTarget):
    """The smallest (m, n, k) of `tl.dot`, from the types of its operands."""

    def check_dot_compatibility(lhs_type, rhs_type) -> Tuple[int, int, int]:
        lhs_bits = lhs_type.scalar.primitive_bitwidth
        rhs_bits = rhs_type.scalar.primitive_bitwidth
        assert lhs_bits == rhs_bits, "lhs and rhs bitwidth must be the same"
        return (1, 1, 32) if lhs_bits == 8 else (1, 1, 16)

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
    major, minor = map(int, cuda_version.split("."))
    if major == 12:
        return 80 + minor if minor < 6 else 79 + minor
    if major == 11:
        return 70 + minor
    if major == 10:
        return 63 + minor
    if major >= 13:
        return 90 + (major - 13) * 10 + minor
    raise RuntimeError(f"Triton only support CUDA 10.0 or higher, but got CUDA version: {cuda_version}")


def get_ptx_version_from_options(options, arch: int) -> int:
    if options.ptx_version is not None:
        return options.ptx_version
    return ptx_get_version(get_ptxas(arch).version)


@functools.lru_cache
def get_features(options, arch: int) -> str:
    """LLVM's name of the PTX version; what LLVM does not know yet is written in the newest it knows."""
    return f"+ptx{min(86, get_ptx_version_from_options(options, arch))}"


@functools.lru_cache(None)
def _digest(path, size, changed, number):
    return libtriton.cache.digest_files(path, "")


def file_hash(path):
    """Of what a file holds now. A library that is not there is an error."""
    status = os.stat(path)
    return _digest(path, status.st_size, status.st_mtime_ns, status.st_ino)


def sm_arch_from_capability(capability: int) -> str:
    """`sm_80`, `sm_90a`: with the features of exactly this chip where it has some."""
    return f"sm_{capability}{'a' if capability >= 90 else ''}"


@functools.lru_cache
def _find_nvjitlink():
    """libnvJitLink of NVIDIA's Python packages, which assembles where there is no ptxas; empty if there is none: the native compiler looks elsewhere."""
    folders = ("nvidia/cu13/lib", "nvidia/nvjitlink/lib", "nvidia/cu12/lib")
    names = ("libnvJitLink.so.13", "libnvJitLink.so.12")
    found = (os.path.join(root, folder, name) for root in sys.path for folder in folders for name in names)
    return os.environ.get("TRITON_NVJITLINK_PATH") or next(filter(os.path.isfile, found), "")


def _native_tools(arch):
    """The tools that the native compiler finds by itself where it is not told: the build of libnvJitLink, or of ptxas, and libdevice's content."""
    return libtriton.cache.tools_of("cuda", sm_arch_from_capability(arch), _find_nvjitlink()) or "none"


@functools.lru_cache
def _find_libdevice():
    """libdevice.10.bc: beside this file, or in the toolkit that ptxas belongs to; None if there is none."""
    candidates = [os.path.join(os.path.dirname(__file__), "lib", "libdevice.10.bc")]
    try:
        toolkit = os.path.dirname(os.path.dirname(os.path.realpath(knobs.nvidia.ptxas.path)))
        candidates.append(os.path.join(toolkit, "nvvm", "libdevice", "libdevice.10.bc"))
    except RuntimeError:
        pass
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    candidates += [os.path.join(root, "nvvm", "libdevice", "libdevice.10.bc") for root in roots if root]
    return next((path for path in candidates if os.path.isfile(path)), None)


@dataclass(frozen=True)
class CUDAOptions:
    """Launch options of the CUDA backend."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: Optional[int] = None
    ptx_version: Optional[int] = None
    ptx_options: Optional[str] = knobs.nvidia.ptxas_options
    ir_override: Optional[str] = None
    enable_fp_fusion: bool = True
    enable_reflect_ftz: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: Tuple[str, ...] = ("fp8e5", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: Tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: Tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: Optional[int] = None
    extern_libs: Any = None
    debug: bool = False
    backend_name: str = "cuda"
    sanitize_overflow: bool = True
    arch: Optional[str] = None
    instrumentation_mode: str = ""

    def __post_init__(self):
        libraries = dict(self.extern_libs or {})
        if not libraries.get("libdevice"):
            path = knobs.nvidia.libdevice_path or _find_libdevice()
            libraries.pop("libdevice", None)
            if path:
                libraries["libdevice"] = path
        object.__setattr__(self, "extern_libs", tuple(libraries.items()))

    def hash(self):
        values = dict(self.__dict__)
        values["extern_libs"] = tuple((name, file_hash(path)) for name, path in sorted(values["extern_libs"]))
        if "libdevice" not in dict(self.extern_libs):
            values["tools"] = _native_tools(_capability(self.arch) if self.arch else 80)
        text = "_".join(f"{name}-{value}" for name, value in sorted(values.items()))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


_ARCHITECTURE = re.compile(r"sm_?(\d+)[af]?")


def _capability(arch: str) -> int:
    found = _ARCHITECTURE.fullmatch(arch)
    if not found:
        raise ValueError(f"TRITON_OVERRIDE_ARCH must have the form sm<digits>, got '{arch}'")
    return int(found.group(1))


def _override_ptx_version() -> int:
    """`TRITON_OVERRIDE_PTX_VERSION`: 86 or 8.6; 0 where it is not set."""
    text = knobs.nvidia.override_ptx_version
    if not text:
        return 0
    if not re.fullmatch(r"\d\.?\d", text):
        raise ValueError(f"TRITON_OVERRIDE_PTX_VERSION must be a version of PTX such as 8.6 or 86, got '{text}'")
    return int(text.replace(".", ""))


class CUDABackend(NativeBackend):
    """Compiles for NVIDIA GPUs."""

    binary_ext = "cubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cuda"

    def get_target_name(self, options) -> str:
        return f"cuda:{_capability(options.arch)}"

    def hash(self) -> str:
        try:
            version = get_ptxas_version(self.target.arch)
        except RuntimeError:
            version = _native_tools(self.target.arch)
        return f"{version}-{self.target.arch}"

    def parse_options(self, options: Dict[str, Any]) -> CUDAOptions:
        known = check_options("cuda", options, CUDAOptions.__dataclass_fields__)
        if known.get("instrumentation_mode") == "consan":
            known["debug"] = True
        known.setdefault("arch", knobs.runtime.override_arch or f"sm{self.target.arch}")
        capability = _capability(known["arch"])
        if known.get("num_ctas", 1) > 1 and capability < 90:
            raise ValueError(
                f"num_ctas > 1 requires NVIDIA SM90+ (Hopper). Current target is sm_{capability}. "
                "This configuration will fail. Please set num_ctas=1 or target an SM90+ GPU."
            )
        if "supported_fp8_dtypes" not in known:
            dtypes = set(CUDAOptions.supported_fp8_dtypes)
            if capability >= 89:
                dtypes.add("fp8e4nv")
            known["supported_fp8_dtypes"] = tuple(sorted(dtypes))
        if "deprecated_fp8_dot_operand_dtypes" not in known and capability >= 90:
            known["deprecated_fp8_dot_operand_dtypes"] = ("fp8e4b15",)
        known.setdefault("enable_fp_fusion", knobs.language.default_fp_fusion)
        if knobs.language.fp32_default:
            known.setdefault("default_dot_input_precision", knobs.language.fp32_default)
        known.setdefault("max_num_imprecise_acc_default", 2**30 if capability == 90 else 0)
        return CUDAOptions(**known)

    def native_options(self, options: CUDAOptions) -> dict:
        """The options as the native compiler takes them."""
        capability = _capability(options.arch)
        if options.num_warps > 32:  # than which no CTA has more
            raise OutOfResources(32 * options.num_warps, 1024, "threads")
        try:
            ptxas, linker = get_ptxas(self.target.arch).path, ""
        except RuntimeError:
            ptxas, linker = "", _find_nvjitlink()
        names = ("num_warps", "num_ctas", "num_stages", "warp_size", "debug", "sanitize_overflow", "enable_fp_fusion")
        return {
            "backend": "cuda",
            "architecture": sm_arch_from_capability(capability),
            "code_architecture": sm_arch_from_capability(self.target.arch),
            "default_dot_input_precision": options.default_dot_input_precision,
            "allow_non_constexpr_globals": bool(knobs.compilation.allow_non_constexpr_globals),
            "instrumentation_mode": options.instrumentation_mode,
            "maxnreg": options.maxnreg or 0,
            "ptx_version": options.ptx_version or _override_ptx_version(),
            "flush_denormals": options.enable_reflect_ftz,
            "tensor_maps": knobs.nvidia.tensor_maps,
            "wait_at_entry": knobs.nvidia.overlap_launches and not options.launch_pdl and self.target.arch >= 90,
            "line_info": not knobs.compilation.disable_line_info,
            "variable_info": knobs.compilation.dump_ir_extract_di_local_variables,
            "optimise_assembly": not knobs.nvidia.disable_ptxas_opt,
            "ptxas_path": ptxas,
            "ptxas_options": options.ptx_options or "",
            "ptxas_timeout": max(0, knobs.nvidia.ptxas_timeout),
            "nvjitlink_path": linker,
            "libraries": [path for _, path in options.extern_libs],
            **code_options(),
            **{name: getattr(options, name) for name in names},
        }

    def pack_metadata(self, metadata):
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

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
        if self.instrumentation is not None:
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
        for point in ("ttgpuir_to_llvmir", "llvmir_to_llvm"):
            manager = libtriton.ir.pass_manager(module.context)
            manager.enable_debug()
            self.instrumentation.patch(point, manager, module.context)
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
