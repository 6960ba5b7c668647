"""`tl.math`: elementwise mathematics."""

from .builtins import LanguageFunction, define, define_methods
from .values import tensor

define(globals(), __name__)
define_methods(tensor, "", [each for each in globals().values() if type(each) is LanguageFunction])
del define, define_methods, LanguageFunction, tensor
