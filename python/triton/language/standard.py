"""`tl.standard`: the library functions that are written in the language itself, and the compile-time helpers they share."""

from .builtins import LanguageFunction, define, define_methods
from .callables import constexpr_function
from .types import get_int_dtype
from .values import tensor


@constexpr_function
def _log2(i):
    """floor(log2(i))"""
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i):
    return i > 0 and (i & (i - 1)) == 0


@constexpr_function
def _get_int_dtype(bitwidth, signed):
    return get_int_dtype(bitwidth, signed)


define(globals(), __name__)
define_methods(tensor, "", [each for each in globals().values() if type(each) is LanguageFunction])
del define, define_methods, LanguageFunction, tensor
