"""Writes Triton kernels as Gluon kernels: `convert_triton_to_gluon([kernel], TranslatorTarget.SM90)` gives the text of a module.

python -m triton.tools.triton_to_gluon_translator package.module:kernel --output-path gluon_kernel.py --target sm90
"""

from .target import TranslatorTarget
from .translator import convert_triton_to_gluon, translate_paths

__all__ = ["TranslatorTarget", "convert_triton_to_gluon", "translate_paths"]
