"""Compiles stage by stage, each a function in Python of the output of the one before: those that a backend of another package lists, or those of
this package where somebody watches them (`is_watched`). Otherwise the backends of this package run all their stages in one native call (`native_options`).
"""

from __future__ import annotations

import json
import time

from .. import knobs
from .._C.libtriton import ir


def language_options(backend, options):
    """What the native frontend is told. A backend that the native compiler does not know sees the language as the CPU does."""
    if hasattr(backend, "native_options"):
        return backend.native_options(options)
    names = ("num_warps", "num_ctas", "num_stages", "debug", "sanitize_overflow", "enable_fp_fusion")
    known = {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}
    globals_allowed = bool(knobs.compilation.allow_non_constexpr_globals)
    return {"target": "cpu", "arch": "native", "allow_non_constexpr_globals": globals_allowed, **known}


def is_native(backend):
    """Whether one native call does the same as the backend's stages: they are this package's, and nobody may change them."""
    return not getattr(backend, "is_watched", True)


def pipeline_key():
    """(text, whether it says all) of what a hook makes of the stages, for keys of kernels; ("", True) without a hook. Hooks say so when they are called with nothing: (key, hash)."""
    hook = knobs.runtime.add_stages_inspection_hook
    if hook is None:
        return "", True
    try:
        key, hash = hook()
    except (TypeError, ValueError, AttributeError):  # it wants stages, and is not to be asked
        return "-hook", False
    return f"-{key}-{hash}", True


def _list_stages(backend, options, language):
    """The backend's stages. The hook is the end of `add_stages`; where the backend leaves it to us, it is called here."""
    stages: dict = {}
    hook = knobs.runtime.add_stages_inspection_hook
    if hook is None:
        backend.add_stages(stages, options, language)
        return stages
    calls = []

    def recording(*args, **kwargs):
        calls.append(args)
        return hook(*args, **kwargs)

    values = vars(knobs.runtime)
    values["add_stages_inspection_hook"] = recording  # for this call: nobody needs to be told
    try:
        backend.add_stages(stages, options, language)
    finally:
        values["add_stages_inspection_hook"] = hook
    if not calls:
        hook(backend, stages, options, language, backend.target.arch)
    return stages


def _make_source(src, backend, options, context, metadata):
    """The kernel as the first stage takes it."""
    if hasattr(src, "fn") and hasattr(backend, "native_options"):
        natively = {**backend.native_options(options), "last_stage": "source", "keep_locations": True}
        artifact = src.compile_native(natively)
        metadata["argument_layout"] = json.loads(artifact.description)["argument_layout"]
        module = ir.parse_mlir_text(artifact.stages["source"], f"<source of {src.name}>")
        module.context = context
        return module
    codegen = getattr(backend, "get_codegen_implementation", lambda options: {})(options)
    return src.make_ir(backend.target, options, codegen, backend.get_module_map(), context)


class StagedArtifact:
    """What the stages made, shaped as what the native compiler gives."""

    def __init__(self, name, num_warps):
        self.name = name
        self.stages = {}
        self.times = []
        self.metadata = {}  # what the stages wrote
        self._described = {
            "name": name, "num_warps": num_warps, "shared": 0, "tmem_size": 0, "global_scratch_size": 0, "global_scratch_align": 1,
            "profile_scratch_size": 0, "profile_scratch_align": 1, "record_scopes": [], "record_warps": [], "record_clock32": False, "tensordesc_meta": [], "waits_at_entry": False, "writes_messages": False, "cluster_dims": (1, 1, 1),
            "waits_for_programs": False, "polls": False, "argument_bytes": 0, "argument_layout": (),
        }  # fmt: skip

    @property
    def description(self):
        """As the native compiler gives it. What stages learn they write into `metadata`."""
        return json.dumps(self._described)

    def describe_arguments(self, src, native_options):
        """How arguments are passed, as the native compiler knows it from a file."""
        known = json.loads(src.compile_native({**native_options, "last_stage": src.ext}).description)
        fields = ("name", "argument_layout", "argument_bytes", "tensordesc_meta")
        self._described.update({field: known[field] for field in fields})
        self.name = known["name"]


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


def run_stages(src, backend, options, replacements):
    """Runs the backend's stages on a source; gives a StagedArtifact."""
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages = _list_stages(backend, options, src.language)
    if backend.binary_ext not in stages:
        raise RuntimeError(f"{type(backend).__name__} lists no stage '{backend.binary_ext}'; its stages are {', '.join(stages) or 'none'}")  # fmt: skip
    begin = time.perf_counter()
    metadata: dict = {}
    output = _make_source(src, backend, options, context, metadata)
    given = "source" if hasattr(src, "fn") else src.ext
    name = src.name if isinstance(output, str) else output.get_entry_func_name()
    artifact = StagedArtifact(name, getattr(options, "num_warps", 4))
    artifact.metadata = metadata
    artifact.times.append((given, 1e6 * (time.perf_counter() - begin)))
    artifact.stages[given] = _text_of(output)
    is_native_source = hasattr(backend, "native_options")
    if is_native_source and not hasattr(src, "fn"):
        artifact.describe_arguments(src, backend.native_options(options))
    names = list(stages)
    # A file of IR has its own stage behind it; tensor IR that a user wrote is not yet what the native compiler's first stage leaves.
    is_raw = hasattr(src, "fn") or (src.ext == "ttir" and is_native_source)
    if src.ext in names:
        names = names[names.index(src.ext) + (0 if is_raw else 1) :]
    for extension in names:
        begin = time.perf_counter()
        output = stages[extension](output, artifact.metadata)
        if extension in replacements:
            output = _replace(extension, replacements[extension], context)
        artifact.stages[extension] = _text_of(output)
        artifact.times.append((extension, 1e6 * (time.perf_counter() - begin)))
    return artifact
