"""The translator under the name and with the parameters that it has since Triton 3.8."""

from __future__ import annotations

import importlib

from ...runtime.jit import JITCallable
from ..triton_to_gluon_translater import translator as _translator
from .target import TranslatorTarget

__all__ = ["TranslatorTarget", "convert_triton_to_gluon", "main", "translate_paths"]


def convert_triton_to_gluon(src: list[JITCallable], target: TranslatorTarget = TranslatorTarget.GENERIC) -> str:
    """The text of a module with these kernels, and the jitted functions they call, in Gluon."""
    if TranslatorTarget(target).is_amd:
        raise ValueError(f"kernels are translated for NVIDIA GPUs, not for {TranslatorTarget(target).value}")
    return _translator.convert_triton_to_gluon(src)


def _kernel_at(path):
    """The jitted function that `package.module:name` names, without what tunes or chooses its arguments."""
    module, separator, name = path.partition(":")
    if not separator or not name:
        raise ValueError(f"'{path}' is not of the form module.path:object")
    found = importlib.import_module(module)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{module} has no '{name}'")
        found = getattr(found, part)
    while not isinstance(found, JITCallable):
        if not hasattr(found, "fn"):
            raise ValueError(f"'{path}' is no jitted function: {found!r}")
        found = found.fn
    return found


def translate_paths(kernel_paths: list[str], target: TranslatorTarget = TranslatorTarget.GENERIC) -> str:
    """The same for kernels named as `package.module:kernel`."""
    return convert_triton_to_gluon([_kernel_at(path) for path in kernel_paths], target)


def main(kernels: list[str], output_path: str, target: TranslatorTarget = TranslatorTarget.GENERIC) -> None:
    """Writes the translation to a file."""
    text = translate_paths(kernels, target)
    with open(output_path, "w") as file:
        file.write(text)
