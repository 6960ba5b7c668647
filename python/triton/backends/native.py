"""Backends whose stages the native compiler runs: all of them in one call, or one by one where somebody wants to do something in between."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from dataclasses import make_dataclass
from typing import Any

from .. import knobs
from .._C import libtriton
from .._instrumentation import instrument, is_instrumented
from ..errors import OptionError
from .compiler import BaseBackend
from .environment import code_options


@functools.lru_cache(None)
def _digest(path, size, changed, number):
    return libtriton.cache.digest_files(path, "")


def file_hash(path):
    """Of what a file holds now. A library that is not there is an error."""
    status = os.stat(path)
    return _digest(path, status.st_size, status.st_mtime_ns, status.st_ino)


class NativeOptions:
    """What the options objects of this package's backends share. Their fields, and what they may be, the native compiler says."""

    def __post_init__(self):
        object.__setattr__(self, "extern_libs", tuple(sorted(dict(self.extern_libs or {}).items())))

    def hash(self):
        """Of all values; files count by what they hold."""
        libraries = tuple((name, file_hash(path)) for name, path in sorted(self.extern_libs))
        values = {**self.__dict__, "extern_libs": libraries}
        if isinstance(self.ir_override, str) and os.path.isfile(self.ir_override):
            values["ir_override"] = file_hash(self.ir_override)
        text = "_".join(f"{name}-{value}" for name, value in sorted(values.items()))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def options_class(name, backend, base=NativeOptions, **own):
    """The frozen dataclass of a target's options: a field for each that the native compiler lists, with what the target has by default."""
    fields = {**libtriton.target_facts(backend)["options"], "backend_name": backend, "arch": None, "ir_override": None}
    made = make_dataclass(name, [(field, Any, value) for field, value in {**fields, **own}.items()], bases=(base,), frozen=True)  # fmt: skip
    made.__module__, made.__doc__ = (
        base.__module__,
        f"Options of a launch, of the target {backend}: docs/reference/options.md.",
    )
    return made


class NativeBackend(BaseBackend):
    """A backend of this package, or a subclass of one."""

    options_class: type

    @classmethod
    def supports_target(cls, target) -> bool:
        return target.backend == cls.options_class.backend_name

    def default_arch(self) -> str:
        """The architecture that options name where nobody does."""
        return str(self.target.arch or "native")

    def parse_options(self, options: dict):
        """The options object; those that it has no field for are ignored, one of a wrong type or out of range is an error that names it."""
        known = self.options_class.__dataclass_fields__.keys() - {"backend_name"}
        given = {name: value for name, value in options.items() if name in known and value is not None}
        given.setdefault("arch", self.default_arch())
        given.setdefault("fpsan_homomorphic_casts", knobs.compilation.fpsan_homomorphic_casts)
        if "gsan_clock_buffer_size" in known:
            given.setdefault("gsan_clock_buffer_size", knobs.compilation.gsan_clock_buffer_size)
        given["enable_fp_fusion"] = knobs.language.fp_fusion_enabled(given.get("enable_fp_fusion"))
        if knobs.language.fp32_default:
            given.setdefault("default_dot_input_precision", knobs.language.fp32_default)
        try:
            complete = libtriton.complete_options(self.target.backend, given)
        except ValueError as error:
            raise OptionError(str(error)) from None
        return self.options_class(**{name: value for name, value in complete.items() if value not in (None, "")})

    def native_options(self, options) -> dict:
        """The options as the native compiler takes them."""
        fields = {name: value for name, value in options.__dict__.items() if name != "backend_name"}
        globals_allowed = bool(knobs.compilation.allow_non_constexpr_globals)
        return {**fields, "target": self.target.backend, "allow_non_constexpr_globals": globals_allowed, **code_options()}  # fmt: skip

    def get_target_name(self, options) -> str:
        return f"{self.target.backend}:{options.arch}"

    def get_codegen_implementation(self, options) -> dict:
        return {"min_dot_size": lambda lhs, rhs: libtriton.target_facts(self.target.backend)["smallest_dot"]}

    def stage(self, name, options, **further):
        """A stage of the native compiler as `add_stages` lists it."""
        return lambda source, metadata: run_stage(name, source, metadata, {**self.native_options(options), **further})

    def pack_metadata(self, metadata):
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    @property
    def is_foreign(self) -> bool:
        """Whether it is a subclass, which may do things its own way, or adds passes."""
        has_passes = self.instrumentation is not None or is_instrumented(self.target.backend)
        return not type(self).__module__.startswith(f"{__package__}.") or has_passes

    @property
    def is_watched(self) -> bool:
        """Whether stages run one by one: they may be others than the native compiler's, or a hook may change them."""
        return self.is_foreign or knobs.runtime.add_stages_inspection_hook is not None

    def load_dialects(self, context) -> None:
        """Every context has the dialects of the native compiler."""
        if self.instrumentation is not None:
            self.instrumentation.load_dialects(context)
        instrument(context, point="load-dialects", backend=self.target.backend)

    def hook_stages(self, stages, options, language, capability):
        """The end of `add_stages`."""
        if knobs.runtime.add_stages_inspection_hook is not None:
            knobs.runtime.add_stages_inspection_hook(self, stages, options, language, capability)


_ARGUMENTS = ("argument_layout", "argument_bytes", "num_warps")
# What is known of a kernel after each stage.
_LEARNT = {
    "ttir": (*_ARGUMENTS, "tensordesc_meta"),
    "ttgir": _ARGUMENTS,
    "llir": (
        *_ARGUMENTS,
        "shared",
        "global_scratch_size",
        "global_scratch_align",
        "writes_messages",
        "waits_for_programs",
        "polls",
    ),
    "obj": ("waits_for_programs", "polls"),
    "cubin": ("waits_at_entry",),
}


def run_stage(name, source, metadata, options):
    """What one stage of the native compiler makes of the output of the one before. Writes what it learns of the kernel into `metadata`."""
    text = source if isinstance(source, (str, bytes)) else source.str()
    arguments = list(metadata.get("argument_layout", ()))
    shown = {"keep_locations": True, "reproducer_path": os.environ.get("TRITON_REPRODUCER_PATH", "")}
    artifact = libtriton.run_stage(name, text, arguments, {**options, **shown})
    if artifact.name:
        metadata["name"] = artifact.name
    description = json.loads(artifact.description)
    metadata.update({field: description[field] for field in _LEARNT.get(name, ())})
    output = artifact.stages[name]
    if name not in ("ttir", "ttgir"):
        return output
    module = libtriton.ir.parse_mlir_text(output, f"<{name}>")
    module.context = getattr(source, "context", None)
    return module
