"""Small facts and helpers shared by the package: canonical type names, paths into nested arguments, block shapes."""

import difflib
import functools
import os
import re
import sys
import warnings

from ._C.libtriton import scalar_types
from ._knob_mechanics import getenv

TRITON_MAX_TENSOR_NUMEL = 1048576


def get_iterable_path(iterable, path):
    """The element that an index path leads to."""
    for index in path:
        iterable = iterable[index]
    return iterable


def set_iterable_path(iterable, path, value):
    """Replaces the element that an index path leads to; its parent must be mutable."""
    assert len(path) != 0, "a path to set needs at least one index"
    get_iterable_path(iterable, path[:-1])[path[-1]] = value


def find_paths_if(iterable, pred):
    """The index paths, depth first, of the leaves for which `pred(path, leaf)` holds. Sequences are descended into."""
    found = []

    def is_nested(value):
        return isinstance(value, (list, tuple)) or getattr(type(value), "__triton_sequence__", False)

    def visit(path, leaf):
        if is_nested(leaf):
            for index, element in enumerate(leaf):
                visit((*path, index), element)
        elif pred(path, leaf):
            found.append(path)

    visit((), iterable) if is_nested(iterable) else visit((0,), iterable)
    return found


def apply_with_path(value, fn):
    """Calls `fn(path, leaf)` for the leaves of nested sequences, depth first."""
    for path in find_paths_if(value, lambda path, leaf: True):
        fn(path, get_iterable_path(value, path))


def _tuple_create(arg, contents):
    """A tuple of the kind of `arg`: classes of named tuples take their fields one by one."""
    return type(arg)(*contents) if hasattr(type(arg), "_fields") else type(arg)(contents)


def is_power_of_two(x):
    return x != 0 and (x & (x - 1)) == 0


def release():
    """The release of Triton whose rules hold where releases differ: (3, 9). A compile says what is wrong with a version that is none."""
    from . import __version__

    version = getenv("TRITON_LANGUAGE_VERSION", __version__)
    parts = (version if re.fullmatch(r"\d+\.\d+.*", version) else __version__).split(".")
    return int(parts[0]), int(re.match(r"\d+", parts[1])[0])


def did_you_mean(name, candidates):
    """`; did you mean 'num_warps'?` to end a message with; nothing where no candidate is close."""
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.75)
    return f"; did you mean '{found[0]}'?" if found else ""


PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _level_of_the_program():
    """The `stacklevel` of the innermost call that this package does not make, for the function that asks."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


@functools.cache
def warn_once(message):
    """A warning that a process gives once for each text, at the program's line."""
    warnings.warn(message, UserWarning, stacklevel=_level_of_the_program())


_announces_changes = True


def announce_change(message):
    """`warn_once` of what a later release changes or takes away, unless `prewarm_deprecation_warnings` came first."""
    if _announces_changes:
        warn_once(message)


def prewarm_deprecation_warnings():
    """Lets no warning of what later releases change come from now on: for programs that measure, or compare what is printed."""
    global _announces_changes
    _announces_changes = False


def validate_block_shape(shape):
    """The number of elements of a block; an error that names the offending dimension if it cannot be one."""
    numel = 1
    for index, dim in enumerate(shape):
        if not isinstance(dim, int):
            raise TypeError(f"Shape element {index} must have type `constexpr[int]`, got `constexpr[{type(dim)}]")
        if not is_power_of_two(dim):
            raise ValueError(f"Shape element {index} must be a power of 2")
        numel *= dim
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"numel ({numel}) exceeds triton maximum tensor numel ({TRITON_MAX_TENSOR_NUMEL})")
    return numel


# Every name of a scalar type -> its name in signatures, the bits of that, and what C passes it as: the compiler's table.
type_canonicalisation_dict, BITWIDTH_DICT, C_TYPES = {}, {}, {}
for _name, _alias, _signature, _others, _bits, *_, _c_type in scalar_types():
    BITWIDTH_DICT[_signature] = _bits
    for _known in (_name, _alias, _signature, *_others.split()):
        type_canonicalisation_dict[_known] = _signature
        C_TYPES[_known] = _c_type
C_TYPES["f32"] = C_TYPES["fp32"]


def is_floating(type):
    """Whether a type of a signature is one of numbers with a fraction."""
    return type.startswith(("fp", "bf", "f32"))


def canonicalize_dtype(dtype):
    """`torch.float16`, `dtype('float16')`, `tl.float16` -> `fp16`."""
    return type_canonicalisation_dict[str(dtype).split(".")[-1]]


def canonicalize_ptr_dtype(dtype, is_const):
    return f"{'*k' if is_const else '*'}{canonicalize_dtype(dtype)}"


def get_primitive_bitwidth(dtype):
    return BITWIDTH_DICT[dtype]


def is_namedtuple(val):
    """Whether a class is a NamedTuple class."""
    return isinstance(val, type) and issubclass(val, tuple) and hasattr(val, "_fields")
