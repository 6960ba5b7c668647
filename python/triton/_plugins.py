"""Plug-ins: shared libraries named in TRITON_PLUGIN_PATHS, loaded when `triton` is imported (`_plugin_loader`).

A pass becomes `libtriton.passes.plugin.<name>(pm, args=[])`, an operation `_semantic.builder.<name>([values])`.
"""

from __future__ import annotations

libraries: dict[str, str] = {}  # path -> digest
operations: dict[str, str] = {}  # name -> source in the language


def variables():
    """What the plug-ins are, as part of the keys of kernels."""
    return {"TRITON_PLUGIN_PATHS": ",".join(libraries.values())} if libraries else {}
