"""Everything that can be set: `triton.knobs.<group>.<name>`, or an environment variable.

A value assigned in Python wins; otherwise the environment is read on every access, so that variables set after `import triton` count. Assignments
are mirrored to the environment (`propagate_env`), so that child processes see them.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import types
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, Optional, Protocol, TypedDict

from . import _knob_mechanics
from ._knob_mechanics import (  # noqa: F401  (the mechanics are part of this module's interface)
    Env,
    base_knobs,
    env,
    env_base,
    env_bool,
    env_class,
    env_int,
    env_opt_bool,
    env_opt_str,
    env_str,
    env_str_callable_default,
    getenv,
    setenv,
    toenv,
)
from ._utils import announce_change, release

propagate_env: bool = True
_knob_mechanics.should_propagate = lambda: propagate_env


_RELEASE = re.compile(r"release (\d+\.\d+)")


@dataclass
class NvidiaTool:
    """A program of the CUDA toolkit, with the version it reports."""

    path: str
    version: str

    @staticmethod
    @functools.lru_cache
    def from_path(path: str) -> Optional[NvidiaTool]:
        from ._tool_versions import version_text

        found = _RELEASE.search(version_text(path) or "")
        return NvidiaTool(path, found.group(1)) if found else None


class env_nvidia_tool(env_base):
    """A tool of the CUDA toolkit: from the variable, else the one in this package, else an installed one. Reads back as NvidiaTool."""

    def __init__(self, binary: str):
        self.binary = binary
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")

    def read(self, text):
        from ._tool_versions import find_tool

        tool = (text and NvidiaTool.from_path(text)) or NvidiaTool.from_path(find_tool(self.binary))
        if not tool:
            raise RuntimeError(f"Cannot find {self.binary}")
        return tool

    def adopt(self, value):
        return self.read(value) if isinstance(value, str) else value


class HookChain:
    """Several hooks as one: called in the order they were added, or the other way round."""

    def __class_getitem__(cls, hook):
        return cls  # annotations say what is called

    def __init__(self, reversed: bool = False):
        self.calls: list[Callable] = []
        self.reversed = reversed

    def add(self, func) -> None:
        if func not in self.calls:
            self.calls.append(func)

    def remove(self, func) -> None:
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args, **kwargs):
        for call in self.calls[::-1] if self.reversed else list(self.calls):
            call(*args, **kwargs)


@dataclass(frozen=True)
class CompileTimes:
    """Microseconds spent in a compile."""

    ir_initialization: int
    lowering_stages: list[tuple[str, int]]
    store_results: int

    @property
    def total_lowering(self) -> int:
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        return self.ir_initialization + self.total_lowering + self.store_results


class JITHookCompileInfo(TypedDict):
    key: str
    signature: dict
    device: int
    constants: dict
    num_warps: int
    num_ctas: int
    num_stages: int
    enable_fp_fusion: bool
    launch_cooperative_grid: bool
    extern_libs: tuple
    configs: list
    specialization_data: str
    is_warmup: bool


class CompilationListener(Protocol):
    def __call__(self, *, src, metadata: dict, metadata_group: dict, times: CompileTimes, cache_hit: bool) -> None: ...


class RecompileListener(Protocol):
    def __call__(self, *, fn, changes: list) -> None: ...


class LaunchHook(Protocol):
    def __call__(self, metadata) -> None: ...


class InitHandleHook(Protocol):
    def __call__(self, module, function, name: str, metadata_group: dict, hash: str) -> None: ...


class AutotuneListener(Protocol):
    def __call__(
        self, *, fn, key, best_config, configs_timings: dict, duration: Optional[float], cache_hit: bool
    ) -> None: ...


class JITHook(Protocol):
    def __call__(
        self, *, key: str, repr: str, fn, compile, is_manual_warmup: bool, already_compiled: bool
    ) -> Optional[bool]: ...


class PipelineStagesHook(Protocol):
    def __call__(self, backend, stages, options, language, capability): ...


class BuildImpl(Protocol):
    def __call__(self, name, src, srcdir, library_dirs, include_dirs, libraries, /) -> str: ...


class build_knobs(base_knobs):
    """How C code is built at run time."""

    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl: Optional[BuildImpl] = None

    @property
    def backend_dirs(self) -> set[str]:
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    """Where the Redis cache backend finds its server."""

    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = env_str("TRITON_REDIS_HOST", "localhost")
    port = env_int("TRITON_REDIS_PORT", 6379)


class cache_knobs(base_knobs):
    """Where compiled kernels are kept."""

    home_dir = env_str("TRITON_HOME", os.path.expanduser("~/"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = env_str_callable_default("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    dir = env_str_callable_default("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")
    limit = env_opt_str("TRITON_CACHE_LIMIT")  # bytes, or 500M, 2G: what was not used for longest goes first
    secret_file = env_opt_str("TRITON_CACHE_SECRET_FILE")  # entries are signed with what is in it, others are refused
    record = env_opt_str("TRITON_CACHE_RECORD")  # a bundle to which every kernel that is compiled or loaded is added
    bundle = env_opt_str("TRITON_CACHE_BUNDLE")  # bundles to read, separated as in PATH
    strict = env_bool("TRITON_STRICT_CACHE")  # a kernel that would have to be compiled is an error

    def get_triton_dir(self, dirname: str) -> str:
        return os.path.join(self.home_dir, ".triton", dirname)


class compilation_knobs(base_knobs):
    """What happens while kernels are compiled."""

    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    fpsan_homomorphic_casts = env_bool("TRITON_FPSAN_HOMOMORPHIC_CASTS")
    gsan_clock_buffer_size = env_int("TRITON_GSAN_CLOCK_BUFFER_SIZE", 1024)
    explain_recompiles = env_bool("TRITON_EXPLAIN_RECOMPILES")  # what was new, on standard error
    listener: Optional[CompilationListener] = None
    recompile_listener: Optional[RecompileListener] = None

    def __init__(self):
        self.instrumentation_mode: str = getenv("TRITON_INSTRUMENTATION_MODE", "")


class autotuning_knobs(base_knobs):
    """The autotuner."""

    cache = env_bool("TRITON_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING")
    persist = env_bool("TRITON_PERSIST_AUTOTUNING", True)  # keep results on disk, also without `cache_results`
    threads = env_int(
        "TRITON_AUTOTUNING_THREADS", 0
    )  # that compile configurations at the same time; 0: one per processor
    timeout = env_int("TRITON_AUTOTUNING_TIMEOUT", 300)  # seconds after which a configuration is given up
    # Launch each one in another process first, where it may crash or hang.
    isolate = env_bool("TRITON_AUTOTUNING_ISOLATE")
    # Of those within 5% of the fastest take the first: noise does not decide. Results are kept also where a clock or hooks are the user's.
    deterministic = env_bool("TRITON_AUTOTUNING_DETERMINISTIC")
    first = env_bool("TRITON_AUTOTUNE_FIRST")  # nothing is measured: the first configuration that runs is taken
    listener: Optional[AutotuneListener] = None  # told after each tuning, and of results that were kept


pipeline_watchers: list[Callable] = []  # told when the hook that changes stages is another one


def _tell_pipeline_watchers(before, now):
    for watcher in pipeline_watchers if now is not before else ():
        watcher()


class _PipelineHook:
    """A hook on the stages of backends: kernels compiled with another one are not launched any more."""

    name = "add_stages_inspection_hook"

    def __get__(self, group, owner=None):
        return self if group is None else group.__dict__.get(self.name)

    def __set__(self, group, hook):
        before = group.__dict__.get(self.name)
        group.__dict__[self.name] = hook
        _tell_pipeline_watchers(before, hook)


class runtime_knobs(base_knobs):
    """Launches."""

    add_stages_inspection_hook = _PipelineHook()

    interpret = env_bool("TRITON_INTERPRET")
    sanitize = env_opt_str("TRITON_SANITIZE")
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    fleet = env_bool("TRITON_FLEET", True)  # ranks of a process group compile and tune for each other
    simulate = env_opt_str("TRITON_SIMULATE")  # sm_90a: kernels run on a simulated GPU

    def __init__(self):
        self.debug: bool = _knob_mechanics.is_true(getenv("TRITON_DEBUG"))
        self.launch_enter_hook = HookChain()
        self.launch_exit_hook = HookChain(reversed=True)
        self.kernel_load_start_hook = HookChain()
        self.kernel_load_end_hook = HookChain(reversed=True)
        self.kernel_unload_hook = HookChain()
        self.jit_cache_hook: Optional[JITHook] = None
        self.jit_post_compile_hook: Optional[JITHook] = None
        self.add_stages_inspection_hook = None

    @contextmanager
    def scope(self):
        with super().scope():
            yield
            self.add_stages_inspection_hook = None  # so that a hook that comes back is seen to


class language_knobs(base_knobs):
    """Defaults of the language."""

    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)
    force_disable_fp_fusion = env_bool("TRITON_FORCE_DISABLE_FP_FUSION")

    def fp_fusion_enabled(self, requested: Optional[bool]) -> bool:
        """Whether products and sums may become one operation: what a launch asks for, else the default, unless it is forbidden to all."""
        if self.force_disable_fp_fusion:
            return False
        if requested is not None:
            return requested
        if release() >= (3, 9) and getenv("TRITON_DEFAULT_FP_FUSION") is None:
            announce_change(
                "TRITON_DEFAULT_FP_FUSION is unset: products and sums are fused where that is faster, which Triton 3.10 will not do "
                "unless it is asked to; set it to 1 to keep that, or to 0 to do without"
            )
        return self.default_fp_fusion


class nvidia_knobs(base_knobs):
    """The CUDA backend."""

    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    ptxas_timeout = env_int("TRITON_PTXAS_TIMEOUT")  # seconds after which ptxas is given up; 0: never
    override_ptx_version = env_opt_str("TRITON_OVERRIDE_PTX_VERSION")  # of PTX that is written: 8.6 or 86
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")
    overlap_launches = env_bool("TRITON_OVERLAP_LAUNCHES", True)  # a launch begins while the one before it ends (sm_90)
    launch_graphs = env_bool(
        "TRITON_LAUNCH_GRAPHS", True
    )  # launches go through graphs while the GPU waits for the host
    tensor_maps = env_bool("TRITON_TENSOR_MAPS", True)  # tensor descriptors by TMA where they fit it


class amd_knobs(base_knobs):
    """The HIP backend."""

    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_opt_bool("TRITON_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")
    dump_mir = env_opt_str("TRITON_DUMP_MIR")
    swap_mir = env_opt_str("TRITON_SWAP_MIR")
    swap_mir_enable_misched = env_bool("TRITON_SWAP_MIR_ENABLE_MISCHED")
    use_coexec_scheduler = env_opt_bool("TRITON_HIP_USE_COEXEC_SCHEDULER")
    use_expert_scheduling = env_opt_bool("TRITON_HIP_USE_EXPERT_SCHEDULING")
    codegen_path = env_opt_str("TRITON_AMD_CODEGEN_PATH")
    launch_graphs = env_bool("TRITON_HIP_LAUNCH_GRAPHS")  # as nvidia.launch_graphs; never measured on a device


_CUPTI_DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "backends", "nvidia", "lib", "cupti")


class proton_knobs(base_knobs):
    """The profiler."""

    disable = env_bool("TRITON_PROTON_DISABLE")
    cupti_lib_dir = env_str("TRITON_CUPTI_LIB_PATH", _CUPTI_DIR)
    cupti_lib_blackwell_dir = env_str("TRITON_CUPTI_LIB_BLACKWELL_PATH", f"{_CUPTI_DIR}-blackwell")
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)
    enable_hw_trace = env_bool("TRITON_ENABLE_HW_TRACE")
    profile_buffer_size = env_int("TRITON_PROFILE_BUFFER_SIZE", 64 * 2**20)
    profile_metric_buffer_size = env_int("TRITON_PROFILE_METRIC_BUFFER_SIZE", 64 * 2**20)
    rocprofiler_sdk_include_path = env_opt_str("TRITON_ROCPROFILER_SDK_INCLUDE_PATH")
    rocprofiler_sdk_lib_path = env_opt_str("TRITON_ROCPROFILER_SDK_LIB_PATH")


class cpu_knobs(base_knobs):
    """The CPU backend."""

    max_threads = env_int("TRITON_CPU_MAX_THREADS", 0)
    arch = env_opt_str("TRITON_CPU_ARCH")


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()
cpu = cpu_knobs()


class _KnobsModule(types.ModuleType):
    """This module. Launches read the dictionaries of two groups natively: a group that is put in the place of one of them takes over its dictionary."""

    def __setattr__(self, name, value):
        live = _read_natively.get(name)
        if live is not None and isinstance(value, base_knobs) and value.__dict__ is not live:
            values = dict(value.__dict__)
            self.__dict__[name].__dict__ = dict(live)  # the one that goes keeps its values
            live.clear()
            live.update(values)
            value.__dict__ = live
            if name == "runtime":
                _tell_pipeline_watchers(
                    self.__dict__[name].add_stages_inspection_hook, value.add_stages_inspection_hook
                )
        super().__setattr__(name, value)


_read_natively = {"runtime": runtime.__dict__, "compilation": compilation.__dict__}
sys.modules[__name__].__class__ = _KnobsModule


def refresh_knobs():
    """Reads again the two variables that are otherwise read only once."""
    runtime.debug = _knob_mechanics.is_true(getenv("TRITON_DEBUG"))
    compilation.instrumentation_mode = getenv("TRITON_INSTRUMENTATION_MODE", "")
