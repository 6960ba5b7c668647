"""From a jitted function to IR, for clients that stop there. The work is the native frontend's."""

from __future__ import annotations

from ..backends.compiler import GPUTarget
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct  # noqa: F401


def ast_to_ttir(fn, src, context, options, codegen_fns, module_map, module=None):
    """The IR of `src` before any pass."""
    target = GPUTarget(options.backend_name, _architecture(options), getattr(options, "warp_size", 32))
    return src.make_ir(target, options, codegen_fns, module_map, context)


def _architecture(options):
    """The architecture of a target from an option's text: `sm90` is 90."""
    arch = options.arch
    return int(arch[2:].rstrip("af").lstrip("_")) if isinstance(arch, str) and arch.startswith("sm") else arch
