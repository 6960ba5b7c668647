"""`_semantic`: what builtins written in Python use to emit code. Every method is answered by the compiler."""

from .._C.libtriton import emission


class IncompatibleTypeErrorImpl(Exception):
    """Two types that one operation cannot take together."""

    def __init__(self, type_a, type_b):
        self.type_a, self.type_b = type_a, type_b
        self.message = f"invalid operands of type {type_a!r} and {type_b!r}"
        super().__init__(self.message)


class TritonSemantic:
    """The compile in progress. `_semantic.to_tensor(1)`, `_semantic.add(x, y)`; any function of the language is a method as well."""

    _OPERATORS = {
        "add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "TrueDiv", "floordiv": "FloorDiv", "mod": "Mod",
        "and_": "And", "or_": "Or", "xor_": "Xor", "shl": "LShift", "lshr": "RShift", "ashr": "RShift",
        "equal": "Eq", "not_equal": "Ne", "less_than": "Lt", "less_equal": "Le", "greater_than": "Gt", "greater_equal": "Ge",
    }  # fmt: skip

    def to_tensor(self, x):
        return emission.to_tensor(x)

    def __getattr__(self, name):
        if name in self._OPERATORS:
            operator = self._OPERATORS[name]
            return lambda lhs, rhs, *_: emission.binary(operator, lhs, rhs)
        from . import core

        function = getattr(core, name, None)
        if not getattr(function, "__triton_builtin__", False):
            raise AttributeError(f"'TritonSemantic' object has no attribute '{name}'")
        return lambda *args, **kwargs: emission.call(function, args, kwargs)
