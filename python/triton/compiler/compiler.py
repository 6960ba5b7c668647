"""`triton.compile`: a source, a target and options give a CompiledKernel, from the disk cache where it has been compiled before."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import time
import warnings
from collections import namedtuple

from .. import __version__, knobs
from .._C import libtriton
from .._C.libtriton import get_cache_invalidating_env_vars, ir
from ..backends import backends
from ..backends.compiler import GPUTarget
from ..errors import TritonError
from ..runtime.cache import (
    get_cache_key,
    get_cache_manager,
    get_dump_manager,
    get_override_manager,
    triton_key,  # noqa: F401  (older torch imports it from here)
)
from .entries import (
    bundle_key,
    describe_request,
    file_name,
    find_in_bundles,
    make_files,
    read_group,
    record,
    store,
    surprise,
)
from .sources import ASTSource, IRSource, convert_type_repr  # noqa: F401  (part of this module's interface)
from .stages import language_options, run_stages


def make_backend(target: GPUTarget):
    """The one backend that compiles for `target`."""
    fitting = [backend.compiler for backend in backends.values() if backend.compiler.supports_target(target)]
    if len(fitting) != 1:
        raise RuntimeError(
            f"{len(fitting)} compatible backends for target ({target.backend}) ({fitting}). There should only be one."
        )
    return fitting[0](target)


@functools.lru_cache
def max_shared_mem(device):
    """Bytes of shared memory that one program may have."""
    from ..runtime import driver

    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def parse(full_name, ext, context):
    """A file of some stage: a module, text, or bytes."""
    if ext in ("ttir", "ttgir"):
        module = ir.parse_mlir_module(full_name, context)
        module.context = context
        return module
    with open(full_name, "r" if ext in ("llir", "ptx", "amdgcn") else "rb") as file:
        return file.read()


class LazyDict:
    """A dict some of whose entries are computed when it is read."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, func, args):
        self.extras.append((func, args))


class AsmDict(dict):
    """The stages of a kernel; what costs extra is made when it is asked for."""

    options: dict = {}  # how the native compiler was called

    def __missing__(self, key):
        if key == "asm" and "obj" in self:
            self[key] = self._assembly()
        elif key == "sass" and "cubin" in self:
            from ..tools.disasm import get_sass

            self[key] = get_sass(self["cubin"])
        else:
            raise KeyError(f"Unknown key: '{key}'")
        return self[key]

    def _assembly(self):
        options = {**self.options, "emit_assembly": True}
        return libtriton.compile_ir("ttir", "kernel.ttir", self["ttir"], options).stages["asm"]


class CompileTimer:
    """Microseconds of the parts of a compile."""

    def __init__(self):
        self.start = time.perf_counter()
        self.initialized = self.lowered = None
        self.stages = []

    def add(self, stages):
        """What the native compiler reports; its first stage, the source as IR, counts as initialisation."""
        self.stages = [(name, int(microseconds)) for name, microseconds in stages if name != "source"]
        self.initialized += sum(microseconds for name, microseconds in stages if name == "source") / 1e6
        self.lowered = time.perf_counter()

    def times(self):
        end = time.perf_counter()
        initialized = self.initialized or end
        lowered = self.lowered or end
        return knobs.CompileTimes(
            int((initialized - self.start) * 1e6), self.stages, int((end - lowered) * 1e6) if self.lowered else 0
        )


def _dump(src, artifact):
    manager = get_dump_manager(src.hash())
    for extension, content in artifact.stages.items():
        manager.put(content, f"{file_name(src)}.{extension}")
    if "cubin" in artifact.stages:
        with contextlib.suppress(RuntimeError, OSError):  # without the toolkit's disassembler there is none
            manager.put(AsmDict(artifact.stages)["sass"] or "", f"{file_name(src)}.sass")


def _replacements(src, options):
    """stage -> what the user wants in place of its output: files in the override directory, else the option `ir_override`."""
    found = {}
    if knobs.compilation.override:
        manager = get_override_manager(src.hash())
        for extension in ("ttir", "ttgir", "llir", "ptx", "cubin", "amdgcn", "hsaco", "obj"):
            path = manager.get_file(f"{file_name(src)}.{extension}")
            if path is not None:
                print(f"\nOverriding kernel with file {path}")
                found[extension] = path
    elif getattr(options, "ir_override", None):
        found[os.path.splitext(options.ir_override)[1][1:]] = options.ir_override
    contents = {}
    for extension, path in found.items():
        with open(path, "rb") as file:
            contents[extension] = file.read()
    return contents


def _inspection(src, manager):
    """What the environment asks to be shown of a compile, as options of the native compiler."""
    shown = {}
    if knobs.compilation.use_ir_loc:
        folder = getattr(manager, "cache_dir", knobs.cache.dir)
        shown["location_stage"] = knobs.compilation.use_ir_loc
        shown["location_file"] = os.path.join(folder, f"{file_name(src)}.{knobs.compilation.use_ir_loc}")
    dump = os.environ.get("MLIR_ENABLE_DUMP", "")
    is_off = dump.lower() in ("", "0", "off", "false")
    if not is_off and (dump.lower() in ("1", "on", "true") or dump == src.name):
        shown["print_around_all"] = os.environ.get("MLIR_DUMP_PATH") or "-"
    if os.environ.get("TRITON_REPRODUCER_PATH"):
        shown["reproducer_path"] = os.environ["TRITON_REPRODUCER_PATH"]
    if libtriton.getenv_bool("MLIR_ENABLE_TIMING", False):
        shown["time_passes"] = True
    kinds = os.environ.get("MLIR_ENABLE_DIAGNOSTICS", "").split(",")
    shown.update({f"show_{option}": True for kind, option in (("operations", "operations"), ("stacktraces", "stack_traces")) if kind in kinds})  # fmt: skip
    return shown


def _run(src, backend, options, target, manager):
    """All stages: in one native call, or one by one for a backend that the native compiler does not know."""
    replacements = _replacements(src, options)
    try:
        if not hasattr(backend, "native_options"):
            return run_stages(src, backend, options, target, replacements)
        native_options = {**backend.native_options(options), **_inspection(src, manager)}
        if replacements:
            native_options["replacements"] = replacements
        return src.compile_native(native_options)
    except TritonError as error:
        raise error if knobs.compilation.front_end_debugging else filter_traceback(error)


def filter_traceback(error):
    """The error without the frames of the compiler itself."""
    return error.with_traceback(None)


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an ASTSource, or the IR file that a path names, for a target (default: the active device's)."""
    timer = CompileTimer()
    if target is None:
        from ..runtime import driver

        target = driver.active.get_current_target()
    assert isinstance(target, GPUTarget), "target must be of GPUTarget type"
    backend = make_backend(target)
    if not isinstance(src, ASTSource):
        assert isinstance(src, str), "source must be either AST or a filepath"
        src = IRSource(src, None, backend)
    options = backend.parse_options(dict(options or {}, **src.parse_options()))
    variables = get_cache_invalidating_env_vars() if _env_vars is None else _env_vars
    key = bundle_key(src, backend, options, variables) if knobs.cache.bundle or knobs.cache.record else None
    if knobs.cache.bundle:
        found = find_in_bundles(src, key)
        if found is not None:
            metadata, stages, group = found
            _tell_listener(src, metadata, group, timer, cache_hit=True)
            return CompiledKernel(src, group, metadata["hash"], _loaded=(metadata, stages))
    hash = hashlib.sha256(get_cache_key(src, backend, options, variables).encode("utf-8")).hexdigest()
    request = functools.cache(lambda: describe_request(src, target, options, variables))
    manager = get_cache_manager(hash)
    name = file_name(src)
    if not knobs.compilation.always_compile:
        kernel = _restore(src, manager, hash)
        if kernel is not None:
            _tell_listener(src, kernel.metadata._asdict(), kernel.metadata_group, timer, cache_hit=True)
            if knobs.cache.record:
                record(src, key, kernel.asm, kernel.metadata._asdict(), request())
            return kernel
        if knobs.cache.strict:
            raise surprise(src, request())
    if knobs.compilation.enable_asan and target.backend != "hip":
        raise RuntimeError(f"TRITON_ENABLE_ASAN: the address sanitizer is for AMD GPUs, not for {target.backend}")
    timer.initialized = time.perf_counter()
    artifact = _run(src, backend, options, target, manager)
    timer.add(artifact.times)
    metadata = {
        "hash": hash,
        "target": target,
        **options.__dict__,
        **variables,
        "triton_version": __version__,
        "name": artifact.name,
        "num_warps": artifact.num_warps,  # with those of warp-specialised parts
        "shared": artifact.arena_bytes if target.backend == "cpu" else artifact.shared,
        "tmem_size": 0,
        "global_scratch_size": 0,
        "global_scratch_align": 1,
        "profile_scratch_size": 0,
        "profile_scratch_align": 1,
        "tensordesc_meta": artifact.tensordesc_meta,
        "waits_at_entry": getattr(artifact, "waits_at_entry", False),  # for the grids before it: its launch may overlap them
        "cluster_dims": (1, 1, 1),
        "binary_ext": backend.binary_ext,
        "argument_bytes": artifact.argument_bytes,
        "argument_layout": tuple(artifact.arguments),
        "native_options": language_options(backend, options),
        **getattr(artifact, "metadata", {}),
    }
    stages = dict(artifact.stages)
    if knobs.nvidia.dump_nvptx and "ptx" in stages:
        print(stages["ptx"])
    if knobs.compilation.dump_ir:
        _dump(src, artifact)
    if knobs.cache.record:
        record(src, key, stages, metadata, request())
    group = _store(manager, name, make_files(name, stages, metadata, request()))
    _tell_listener(src, metadata, group, timer, cache_hit=False)
    return CompiledKernel(src, group, hash, _loaded=(metadata, stages))


def _store(manager, name, files):
    """Stores a kernel. One that cannot be stored, on a full disk say, still runs."""
    try:
        return store(manager, name, files)
    except OSError as error:
        warnings.warn(f"the compiled kernel '{name}' is not stored: {error}", stacklevel=4)
        return {}


def _restore(src, manager, hash):
    """The kernel that is stored under this hash; None unless all of it is there and as it was stored."""
    name = file_name(src)
    try:
        group = manager.get_group(f"{name}.json") or {}
        found = read_group(group, name)
        if found is None or found[0]["hash"] != hash:
            return None
        return CompiledKernel(src, group, hash, _loaded=found[:2])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _tell_listener(src, metadata, group, timer, cache_hit):
    if knobs.compilation.listener is not None:
        knobs.compilation.listener(
            src=src, metadata=metadata, metadata_group=group, times=timer.times(), cache_hit=cache_hit
        )


class _MetadataClasses(dict):
    """Field names -> the namedtuple class with them, so that metadata of equal fields is of one class."""

    def __missing__(self, fields):
        made = namedtuple("KernelMetadata", fields)
        made.__reduce__ = lambda self: (_make_metadata, (self._asdict(),))  # its class is in no module
        self[fields] = made
        return made


_metadata_classes = _MetadataClasses()


def _make_metadata(values):
    return _metadata_classes[tuple(sorted(values))](**values)


def _read_files(group):
    """(metadata, stages) from the files of a kernel."""
    name = next(os.path.splitext(file)[0] for file in group if file.endswith(".json"))
    found = read_group(group, name)
    if found is None:
        raise ValueError(f"the files of kernel '{name}' are not what was stored")
    return found[:2]


class CompiledKernel:
    """A kernel for one target and one specialisation: its stages in `asm`, facts in `metadata`, and `run` to launch it."""

    def __init__(self, src, metadata_group, hash, _loaded=None):
        metadata, stages = _loaded or _read_files(metadata_group)
        self.metadata = _make_metadata(metadata)
        backend = make_backend(self.metadata.target)
        self.packed_metadata = backend.pack_metadata(self.metadata)
        self.src = src
        self.hash = hash
        self.name = self.metadata.name
        self.metadata_group = metadata_group
        self.asm = AsmDict(stages)
        self.asm.options = self.metadata.native_options
        self.kernel = self.asm.get(self.metadata.binary_ext)
        self.module = None
        self.function = None
        self._run = None

    def _init_handles(self):
        """Loads the code and makes the launcher, once."""
        if self.module is not None:
            return
        from ..runtime import driver
        from ..runtime.errors import OutOfResources

        failed = self.__dict__.get("_failed_resource")
        if failed is not None:
            raise OutOfResources(*failed)
        device = driver.active.get_current_device()
        run = driver.active.launcher_cls(self.src, self.metadata)
        utils = driver.active.utils
        if self.metadata.target.backend != "cpu":  # where shared memory is a thread's scratch, taken from the heap
            self._need(self.metadata.shared, max_shared_mem(device), "shared memory")
            self._need(self.metadata.tmem_size or 0, 512, "tensor memory")
        self._tell(knobs.runtime.kernel_load_start_hook)
        self.module, self.function, self.n_regs, self.n_spills, self.n_max_threads = utils.load_binary(
            self.name, self.kernel, self.metadata.shared, device
        )
        if self.metadata.target.backend != "cpu":
            threads = self.metadata.num_warps * self.metadata.target.warp_size
            try:
                self._need(threads, self.n_max_threads, "threads")
            except OutOfResources:
                self.module = self.function = None
                raise
        self._run = run
        self._tell(knobs.runtime.kernel_load_end_hook)

    def _need(self, required, limit, name):
        """Raises OutOfResources, now and at every later launch, if the device has less than the kernel needs."""
        from ..runtime.errors import OutOfResources

        if required > limit:
            self._failed_resource = (required, limit, name)
            raise OutOfResources(required, limit, name)

    def __getstate__(self):
        # Code is loaded in one process only.
        return {**self.__dict__, "module": None, "function": None, "_run": None}

    def _tell(self, hook):
        if hook is not None:
            hook(self.module, self.function, self.name, self.metadata_group, self.hash)

    @property
    def run(self):
        """The launcher: (grid x, y, z, stream, function, packed metadata, launch metadata, enter hook, exit hook, *parameters)."""
        if self._run is None:
            self._init_handles()
        return self._run

    @run.setter
    def run(self, value):
        self._run = value

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks are given; None without a hook."""
        if knobs.runtime.launch_enter_hook is None:
            return None
        self._init_handles()
        result = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        if isinstance(self.src, ASTSource) and self.src.fn.launch_metadata is not None:
            arguments = dict(zip(self.src.fn.arg_names, args))
            result.add(self.src.fn.launch_metadata, (grid, self.metadata, arguments))
        return result

    def __getitem__(self, grid):
        """`kernel[grid](*args)`: launches with all parameters, constexprs included."""
        self._init_handles()

        def runner(*args, stream=None):
            if stream is None:
                from ..runtime import driver

                stream = driver.active.get_current_stream(driver.active.get_current_device())
            metadata = self.launch_metadata(grid, stream, *args)
            hooks = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
            self.run(grid[0], grid[1], grid[2], stream, self.function, self.packed_metadata, metadata, *hooks, *args)

        return runner
