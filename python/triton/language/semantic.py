"""`_semantic`: what builtins written in Python use to emit code. Every method is answered by the compiler."""

import functools
import importlib
import linecache

from .. import _plugins
from .._C.libtriton import ValueHandle, emission


class IncompatibleTypeErrorImpl(Exception):
    """Two types that one operation cannot take together."""

    def __init__(self, type_a, type_b):
        self.type_a, self.type_b = type_a, type_b
        self.message = f"invalid operands of type {type_a!r} and {type_b!r}"
        super().__init__(self.message)


class _Builder:
    """Builds operations of plug-ins: `builder.name([values])` gives a tensor for tensors, and a handle for handles."""

    def __getattr__(self, name):
        if name not in _plugins.operations:
            raise AttributeError(f"'builder' object has no attribute '{name}': no plug-in has such an operation")

        def build(operands):
            result = emission.call(_operation(name), tuple(operands), {})
            return result.handle if isinstance(operands[0], ValueHandle) else result

        return build


@functools.cache
def _operation(name):
    """The function of the language that an operation of a plug-in is."""
    from ..runtime.jit import JITFunction

    source, file = _plugins.operations[name], f"<operation {name} of a plug-in>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    names = {"tl": importlib.import_module(__package__), "triton": importlib.import_module("triton"), "__name__": file}
    exec(compile(source, file, "exec"), names)
    return JITFunction(names[name])


class TritonSemantic:
    """The compile in progress. `_semantic.to_tensor(1)`, `_semantic.add(x, y)`; any function of the language is a method as well."""

    _OPERATORS = {
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
        "and_": "&", "or_": "|", "xor_": "^", "shl": "<<", "lshr": ">>", "ashr": ">>",
        "equal": "==", "not_equal": "!=", "less_than": "<", "less_equal": "<=", "greater_than": ">", "greater_equal": ">=",
    }  # fmt: skip

    builder = _Builder()

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
