"""Numbers of kernels in interpreter mode: Python's own, to Python code; scalars of the type that compiled code gives them, to the language.

`seen.append(i)`, `table[i]` and `f"{i}"` do what they do with an int; `i.to(tl.int64)` and `i + tl.arange(0, 8)` what they do in a compiled kernel.
"""

import math

from .._C.libtriton import emission, interpreter
from .interpreted import state
from .values import tensor


def _like(number):
    """A result of Python's arithmetic, again as a number of kernels."""
    if type(number) not in (int, float) or not interpreter.is_active():
        return number
    scalar = emission.to_tensor(number)
    return (InterpretedInt if type(number) is int else InterpretedFloat).of(number, scalar)


class _Number(tensor):
    @classmethod
    def of(cls, value, scalar):
        """`value`, which the language sees as `scalar`."""
        number = cls.__new__(cls, value)
        tensor.__init__(number, scalar.handle, scalar.type)
        return number

    def __init__(self, *args):
        pass


def _quotient(a, b):
    """Division as kernels do it, towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a, b):
    return a - _quotient(a, b) * b


class InterpretedInt(int, _Number):
    __str__ = int.__repr__

    def __floordiv__(self, other):
        return _like(_quotient(int(self), int(other))) if isinstance(other, int) else NotImplemented

    def __rfloordiv__(self, other):
        return _like(_quotient(int(other), int(self))) if isinstance(other, int) else NotImplemented

    def __mod__(self, other):
        return _like(_remainder(int(self), int(other))) if isinstance(other, int) else NotImplemented

    def __rmod__(self, other):
        return _like(_remainder(int(other), int(self))) if isinstance(other, int) else NotImplemented


class InterpretedFloat(float, _Number):
    __str__ = float.__repr__
    # The language has no such division, and says so.
    __floordiv__ = tensor.__floordiv__
    __rfloordiv__ = tensor.__rfloordiv__

    def __mod__(self, other):
        return _like(math.fmod(self, other)) if isinstance(other, (int, float)) else NotImplemented

    def __rmod__(self, other):
        return _like(math.fmod(other, self)) if isinstance(other, (int, float)) else NotImplemented


def _add_arithmetic(cls, python, names):
    def arithmetic(name):
        function = getattr(python, name)
        return lambda self, other: _like(function(self, other))

    for name in names:
        setattr(cls, f"__{name}__", arithmetic(f"__{name}__"))
        setattr(cls, f"__r{name}__", arithmetic(f"__r{name}__"))
    negate = python.__neg__
    cls.__neg__ = lambda self: _like(negate(self))


_add_arithmetic(InterpretedInt, int, ("add", "sub", "mul", "and", "or", "xor", "lshift", "rshift"))
_add_arithmetic(InterpretedFloat, float, ("add", "sub", "mul", "truediv"))


def scalar_range(start, end, step):
    """Python's range over scalars of the type that a kernel's loop variable has."""
    scalars = [emission.to_tensor(bound) for bound in (start, end, step)]
    dtype = emission.binary("|", emission.binary("|", scalars[0], scalars[1]), scalars[2]).dtype
    signature = dtype.name.replace("uint", "u").replace("int", "i")
    for value in range(*(int(scalar) for scalar in scalars)):
        yield InterpretedInt.of(value, state.session.scalar(signature, value))
