"""What else `tl.extra.cuda` has, under the module name that clients import it from."""

from ...core import builtin, float8e4b15, float16
from . import convert_custom_float8_sm70, convert_custom_float8_sm80, globaltimer, num_threads, num_warps, smid


@builtin
def convert_fp8e4b15_to_float16(arg, _semantic=None):
    """The float16 numbers that elements of float8e4b15 stand for."""
    return arg.to(float16)


@builtin
def convert_float16_to_fp8e4b15(arg, has_minx2, _semantic=None):
    """The nearest float8e4b15 numbers; `has_minx2` says what instructions there are, which the compiler knows."""
    return arg.to(float8e4b15)


@builtin
def convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2, _semantic=None):
    """Converts to or from float8e4b15."""
    return convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding, _semantic=_semantic)


__all__ = [
    "convert_custom_float8",
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "convert_float16_to_fp8e4b15",
    "convert_fp8e4b15_to_float16",
    "globaltimer",
    "num_threads",
    "num_warps",
    "smid",
]
