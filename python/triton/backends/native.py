"""Backends whose stages the native compiler runs: all of them in one call, or one by one where somebody wants to do something in between."""

from __future__ import annotations

from .. import knobs
from .._C import libtriton
from ..errors import OptionError
from .compiler import BaseBackend


def check_options(backend, options, known):
    """Those of the options that are `known` and set, as plain Python values; one of a wrong type or out of range is an error that names it."""
    given = {name: value for name, value in options.items() if name in known and value is not None}
    try:
        return libtriton.check_options(backend, given)
    except ValueError as error:
        raise OptionError(str(error)) from None


class NativeBackend(BaseBackend):
    """A backend of this package, or a subclass of one. `native_options(options)` are the options as the native compiler takes them."""

    @property
    def is_watched(self) -> bool:
        """Whether stages run one by one: a hook may change them, passes are to be added, or a subclass may do things its own way."""
        is_own = type(self).__module__.startswith(f"{__package__}.")
        return not is_own or knobs.runtime.add_stages_inspection_hook is not None or self.instrumentation is not None

    def load_dialects(self, context) -> None:
        """Every context has the dialects of the native compiler."""
        if self.instrumentation is not None:
            self.instrumentation.load_dialects(context)

    def hook_stages(self, stages, options, language, capability):
        """The end of `add_stages`."""
        if knobs.runtime.add_stages_inspection_hook is not None:
            knobs.runtime.add_stages_inspection_hook(self, stages, options, language, capability)


def run_stage(name, source, metadata, options):
    """What one stage of the native compiler makes of the output of the one before. Writes what it learns of the kernel into `metadata`."""
    text = source if isinstance(source, (str, bytes)) else source.str()
    arguments = list(metadata.get("argument_layout", ()))
    artifact = libtriton.run_stage(name, text, arguments, {**options, "keep_locations": True})
    if artifact.name:
        metadata["name"] = artifact.name
    if name in ("ttir", "ttgir", "llir"):
        metadata["argument_layout"] = tuple(artifact.arguments)
        metadata["argument_bytes"] = artifact.argument_bytes
        metadata["num_warps"] = artifact.num_warps
    if name == "ttir":
        metadata["tensordesc_meta"] = artifact.tensordesc_meta
    if name == "llir":
        metadata["shared"] = artifact.arena_bytes if options["backend"] == "cpu" else artifact.shared
        metadata["global_scratch_size"] = artifact.global_scratch_size
        metadata["global_scratch_align"] = artifact.global_scratch_align
    if name == "cubin":
        metadata["waits_at_entry"] = artifact.waits_at_entry
    output = artifact.stages[name]
    if name not in ("ttir", "ttgir"):
        return output
    module = libtriton.ir.parse_mlir_text(output, f"<{name}>")
    module.context = getattr(source, "context", None)
    return module
