"""`triton.compile`: a source, a target and options give a CompiledKernel, from the disk cache where it has been compiled before."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import time
import warnings

from .. import __version__, _plugins, knobs
from .._C.libtriton import get_cache_invalidating_env_vars, ir
from .._utils import did_you_mean
from ..backends.compiler import BaseBackend, GPUTarget  # noqa: F401  (clients take the former from here too)
from ..errors import OutOfResources, TritonError  # noqa: F401  (clients take the former from here)
from ..runtime import fleet
from ..runtime.cache import (  # noqa: F401  (clients take all of these from here)
    get_cache_key,
    get_cache_manager,
    get_dump_manager,
    get_override_manager,
    parse_object,
    triton_key,
)
from ..runtime.driver import driver
from . import inspection
from .entries import (
    agree,
    bundle_key,
    describe_request,
    file_name,
    find_in_bundles,
    make_files,
    open_metadata,
    read_group,
    record,
    store,
    surprise,
    variants,
)
from .kernel import AsmDict, CompiledKernel, LazyDict, make_backend, max_shared_mem  # noqa: F401  (part of this module's interface)
from .sources import ASTSource, IRSource, convert_type_repr  # noqa: F401  (part of this module's interface)
from .stages import is_native, language_options, pipeline_key, run_stages


def parse(full_name, ext, context):
    """A file of some stage: a module, text, or bytes."""
    if ext in ("ttir", "ttgir"):
        module = ir.parse_mlir_module(full_name, context)
        module.context = context
        return module
    with open(full_name, "r" if ext in ("llir", "ptx", "amdgcn") else "rb") as file:
        return file.read()


class CompileTimer:
    """Microseconds of the parts of a compile."""

    def __init__(self):
        self.start = time.perf_counter()
        self.ir_initialization_end = None
        self.lowering_stage_ends = []  # (name, when it ended)

    def finished_ir_initialization(self):
        self.ir_initialization_end = time.perf_counter()

    def stage_finished(self, stage_name):
        self.lowering_stage_ends.append((stage_name, time.perf_counter()))

    def add(self, stages, given):
        """What the native compiler reports; the stage `given`, which makes IR of the source, counts as initialisation."""
        end = self.ir_initialization_end
        for name, microseconds in sorted(stages, key=lambda stage: stage[0] != given):
            end += microseconds / 1e6
            if name == given:
                self.ir_initialization_end = end
            else:
                self.lowering_stage_ends.append((name, end))

    def end(self):
        now = time.perf_counter()
        begin = self.ir_initialization_end or now
        ends = [begin, *(end for _, end in self.lowering_stage_ends)]
        stages = [(name, int((end - since) * 1e6)) for (name, end), since in zip(self.lowering_stage_ends, ends)]
        return knobs.CompileTimes(int((begin - self.start) * 1e6), stages, max(0, int((now - ends[-1]) * 1e6)))


def _run(src, backend, options, manager, replacements):
    """All stages: in one native call, or one by one where some are functions in Python."""
    replacements.announce()
    try:
        if not is_native(backend):
            return run_stages(src, backend, options, replacements.contents)
        native_options = {**backend.native_options(options), **inspection.shown_options(src, manager)}
        if replacements.contents:
            native_options["replacements"] = replacements.contents
        return src.compile_native(native_options)
    except TritonError as error:
        _show_rejected_ptx(error)
        raise error if knobs.compilation.front_end_debugging else filter_traceback(error)


def _kept(native_options):
    """Options as an entry keeps them. Where files lie is no fact of a kernel: entries are moved, with the folder they lie in."""
    files = ("toolkits", "tool_records", "ir_override")
    return {name: value for name, value in native_options.items() if name not in files}


def _show_rejected_ptx(error):
    """Prints the PTX that ptxas would not take, from the file that the command in its message names."""
    found = re.search(r"Repro command: .* (\S+\.ptx) -o ", str(error))
    if found:
        with contextlib.suppress(OSError), open(found.group(1)) as file:
            print(file.read())


def filter_traceback(e):
    """The error without the frames of the compiler itself."""
    return e.with_traceback(None)


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an ASTSource, or the IR file that a path names, for a target (default: the active device's)."""
    timer = CompileTimer()
    if target is None:
        target = driver.active.get_current_target()
    assert isinstance(target, GPUTarget), "target must be of GPUTarget type"
    backend = make_backend(target)
    if not isinstance(src, ASTSource):
        assert isinstance(src, str), "source must be either AST or a filepath"
        context = ir.context()
        ir.load_dialects(context)
        src = IRSource(src, context, backend)
    options = dict(options or {}, **src.parse_options())
    unknown = options.keys() - getattr(getattr(backend, "options_class", None), "__dataclass_fields__", options)
    if unknown:
        name = min(unknown)
        suggestion = did_you_mean(name, backend.options_class.__dataclass_fields__)
        raise KeyError(f"option {name} was specified but unrecognised by the target {target.backend}{suggestion}")
    options = backend.parse_options(options)
    variables = {**get_cache_invalidating_env_vars(), **_plugins.variables()} if _env_vars is None else _env_vars
    replacements = inspection.Replacements(src, backend, options)
    is_bundled = (knobs.cache.bundle or knobs.cache.record) and not replacements.contents
    key = bundle_key(src, backend, options, variables) if is_bundled else None
    if knobs.cache.bundle and is_bundled:
        found = find_in_bundles(src, key)
        if found is not None:
            metadata, stages, group = found
            _tell_listener(src, metadata, group, timer, cache_hit=True)
            return CompiledKernel(src, group, metadata["hash"], _loaded=(metadata, stages))
    pipeline, is_known = pipeline_key()
    text = get_cache_key(src, backend, options, variables) + replacements.key() + pipeline
    request = functools.cache(lambda: describe_request(src, target, options, variables))
    is_looked_for = not knobs.compilation.always_compile and is_known
    hash, manager, kernel, proof = _find(src, text, is_looked_for)

    def take(kernel, proof):
        """The kernel, which was stored before."""
        _tell_listener(src, kernel.metadata._asdict(), kernel.metadata_group, timer, cache_hit=True)
        if knobs.cache.record and is_bundled:
            record(src, key, kernel.asm, {**kernel.metadata._asdict(), **proof}, request())
        return kernel

    if is_looked_for:
        if kernel:
            return take(kernel, proof)
        if knobs.cache.strict:
            raise surprise(src, request())
    if knobs.compilation.enable_asan and target.backend != "hip":
        raise RuntimeError(f"TRITON_ENABLE_ASAN: the address sanitizer is for AMD GPUs, not for {target.backend}")
    if hasattr(src, "fn"):
        src.fn.cache_key  # noqa: B018  (what a kernel must not refer to is an error of the walk over what it reads, before anything is compiled)

    def compile_here():
        """(files of the kernel, the kernel)"""
        return _compile(src, backend, options, variables, manager, replacements, timer, hash, key, request)

    if not is_looked_for or replacements.contents:
        return compile_here()[1]
    files, kernel = fleet.compile_once(hash, compile_here)
    if kernel is not None:
        return kernel
    _store(manager, file_name(src), files)
    kernel, proof = _restore(src, manager, hash)
    return take(kernel, proof) if kernel else compile_here()[1]  # else the other's program has answered otherwise


def _compile(src, backend, options, variables, manager, replacements, timer, hash, bundled_as, request):
    """(files of the kernel, the kernel): runs the stages, and stores what they make; `bundled_as` is its key in a bundle that is being recorded."""
    name = file_name(src)
    timer.finished_ir_initialization()
    artifact = _run(src, backend, options, manager, replacements)
    timer.add(artifact.times, src.ext if isinstance(src, IRSource) else "source")
    learnt = parse_object(artifact.description)
    described = {
        **learnt,
        "hash": hash,
        "target": vars(backend.target),
        **options.__dict__,
        **variables,
        "triton_version": __version__,
        "num_warps": learnt["num_warps"],  # with those of warp-specialised parts
        "binary_ext": backend.binary_ext,
        "native_options": _kept(language_options(backend, options)),
        **getattr(artifact, "metadata", {}),
    }
    metadata = open_metadata(described)
    stages = dict(artifact.stages)
    inspection.print_texts(artifact)
    if knobs.compilation.dump_ir:
        inspection.dump(src, stages)
    if knobs.cache.record and bundled_as:
        record(src, bundled_as, stages, described, request())
    files = make_files(name, stages, described, request())
    group = _store(manager, name, files)
    _tell_listener(src, metadata, group, timer, cache_hit=False)
    return files, CompiledKernel(src, group, hash, _loaded=(metadata, stages))


def _store(manager, name, files):
    """Stores a kernel. One that cannot be stored, on a full disk say, still runs."""
    try:
        return store(manager, name, files)
    except OSError as error:
        warnings.warn(f"the compiled kernel '{name}' is not stored: {error}", stacklevel=4)
        return {}


def _find(src, text, is_looked_for):
    """(hash, manager, kernel, its proof): what is stored under this key, if the program still answers as it did when that was compiled; else where a kernel may be
    stored."""
    for hash in variants(hashlib.sha256(text.encode("utf-8")).hexdigest()):
        manager = get_cache_manager(hash)
        found, proof = _restore(src, manager, hash) if is_looked_for else (None, {})
        if found is not False:
            break
    return hash, manager, found, proof


def _restore(src, manager, hash):
    """(kernel, proof): what is stored under this hash. The kernel is None unless all of it is there and as it was stored; False if the program has changed since."""
    name = file_name(src)
    try:
        group = manager.get_group(f"{name}.json") or {}
        found = read_group(group, name)
        if found is None or found[0]["hash"] != hash:
            return None, {}
        is_right = agree(src, found[2])
        return is_right and CompiledKernel(src, group, hash, _loaded=found[:2]), found[2]["proof"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None, {}


def _tell_listener(src, metadata, group, timer, cache_hit):
    if knobs.compilation.listener is not None:
        knobs.compilation.listener(
            src=src, metadata=metadata, metadata_group=group, times=timer.end(), cache_hit=cache_hit
        )
