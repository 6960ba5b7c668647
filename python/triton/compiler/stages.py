"""Compiles stage by stage, each a function in Python of the output of the one before: those that a backend of another package lists, or those of
this package where a hook looks at them. Otherwise the backends of this package run all their stages in one native call (`native_options`).
"""

from __future__ import annotations

import time

from .. import knobs
from .._C import libtriton
from .._C.libtriton import ir


def language_options(backend, options):
    """What the native frontend is told. A backend that the native compiler does not know sees the language as the CPU does."""
    if hasattr(backend, "native_options"):
        return backend.native_options(options)
    names = ("num_warps", "num_ctas", "num_stages", "debug", "sanitize_overflow", "enable_fp_fusion")
    known = {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}
    globals_allowed = bool(knobs.compilation.allow_non_constexpr_globals)
    return {"backend": "cpu", "architecture": "native", "allow_non_constexpr_globals": globals_allowed, **known}


def is_native(backend):
    """Whether one native call does the same as the backend's stages: they are this package's, and no hook may change them."""
    adds = getattr(type(backend).add_stages, "adds_native_stages", False)
    return adds and knobs.runtime.add_stages_inspection_hook is None


def native_stage(backend, options, previous, extension):
    """The stage `extension` on its own: from a module or text of the stage `previous`, a module or text. What a launch must know goes into `metadata`."""

    def run(source, metadata):
        text = source if isinstance(source, str) else str(source)
        native_options = {**backend.native_options(options), "last_stage": extension, "print_locations": True}
        artifact = libtriton.compile_ir(previous, f"<{previous}>", text, native_options)
        is_cpu = backend.target.backend == "cpu"
        metadata["num_warps"] = artifact.num_warps
        metadata["shared"] = artifact.arena_bytes if is_cpu else artifact.shared
        output = artifact.stages[extension]
        return ir.parse_mlir_text(output, f"<{extension}>") if extension in ("ttir", "ttgir") else output

    return run


def add_native_stages(backend, stages, options, names):
    """Fills in the stages of a backend of this package, in order; the first takes the source as IR."""
    for previous, name in zip((names[0], *names), names):
        stages[name] = native_stage(backend, options, previous, name)


class StagedArtifact:
    """What the stages made, shaped as what the native compiler gives."""

    def __init__(self, name, num_warps):
        self.name = name
        self.num_warps = num_warps
        self.stages = {}
        self.times = []
        self.metadata = {}  # what the stages wrote
        self.shared = self.arena_bytes = self.argument_bytes = self.global_scratch_size = 0
        self.global_scratch_align = 1
        self.arguments = ()
        self.tensordesc_meta = []

    def describe_arguments(self, src, native_options):
        """How arguments are passed, as the native compiler knows it from the source."""
        last = "ttir" if hasattr(src, "fn") else src.ext
        described = src.compile_native({**native_options, "last_stage": last})
        self.name = described.name
        self.arguments, self.argument_bytes = described.arguments, described.argument_bytes
        self.tensordesc_meta = described.tensordesc_meta


def _text_of(output):
    """Modules as text; text and bytes as they are."""
    return output if isinstance(output, (str, bytes)) else str(output)


def _replace(extension, content, context):
    """What the user wants in place of a stage's output, as the next stage takes it."""
    if extension in ("ttir", "ttgir"):
        module = ir.parse_mlir_text(content.decode("utf-8"), f"<replaced {extension}>")
        module.context = context
        return module
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def run_stages(src, backend, options, target, replacements):
    """Runs the backend's stages on a source; gives a StagedArtifact."""
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages: dict = {}
    backend.add_stages(stages, options, src.language)
    is_ours = getattr(type(backend).add_stages, "adds_native_stages", False)  # and has called the hook
    if knobs.runtime.add_stages_inspection_hook is not None and not is_ours:
        knobs.runtime.add_stages_inspection_hook(backend, stages, options, src.language, target.arch)
    if backend.binary_ext not in stages:
        raise RuntimeError(f"{type(backend).__name__} lists no stage '{backend.binary_ext}'; its stages are {', '.join(stages) or 'none'}")  # fmt: skip
    codegen = getattr(backend, "get_codegen_implementation", lambda options: {})(options)
    begin = time.perf_counter()
    output = src.make_ir(target, options, codegen, backend.get_module_map(), context)
    given = "source" if hasattr(src, "fn") else src.ext
    name = src.name if isinstance(output, str) else output.get_entry_func_name()
    artifact = StagedArtifact(name, getattr(options, "num_warps", 4))
    artifact.times.append((given, 1e6 * (time.perf_counter() - begin)))
    artifact.stages[given] = _text_of(output)
    if hasattr(backend, "native_options"):
        artifact.describe_arguments(src, backend.native_options(options))
    names = list(stages)
    # A file of IR has its own stage behind it.
    if src.ext in names:
        names = names[names.index(src.ext) + (0 if hasattr(src, "fn") else 1) :]
    for extension in names:
        begin = time.perf_counter()
        output = stages[extension](output, artifact.metadata)
        if extension in replacements:
            output = _replace(extension, replacements[extension], context)
        artifact.stages[extension] = _text_of(output)
        artifact.times.append((extension, 1e6 * (time.perf_counter() - begin)))
    return artifact
