"""`tl.constexpr`: a value that kernels know when they are compiled."""

import operator


def _unwrap_if_constexpr(o):
    """The value inside a constexpr; lists and tuples elementwise."""
    if isinstance(o, list):
        return [_unwrap_if_constexpr(x) for x in o]
    if isinstance(o, builtin_tuple):
        values = [_unwrap_if_constexpr(x) for x in o]
        return type(o)(*values) if hasattr(o, "_fields") else builtin_tuple(values)
    return o.value if isinstance(o, constexpr) else o


builtin_tuple = tuple


class constexpr:
    """Wraps a Python object that is known at compile time: `BLOCK = tl.constexpr(128)`."""

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, type(self.value)))

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __iter__(self):
        return iter(self.value)

    def __len__(self):
        return len(self.value)

    def __call__(self, *args, **kwds):
        return self.value(*args, **kwds)

    def __getitem__(self, *args):
        return self.value.__getitem__(*(_unwrap_if_constexpr(x) for x in args))

    def __not__(self):
        return constexpr(not self.value)

    def _flatten_ir(self, handles):
        """A value known at compile time has no handles."""

    def logical_and(self, other):
        return constexpr(self.value and _unwrap_if_constexpr(other))

    def logical_or(self, other):
        return constexpr(self.value or _unwrap_if_constexpr(other))


def _forward(function):
    return lambda self, other: constexpr(function(self.value, _unwrap_if_constexpr(other)))


def _reflected(function):
    return lambda self, other: constexpr(function(_unwrap_if_constexpr(other), self.value))


def _unary(function):
    return lambda self: constexpr(function(self.value))


def _add_operators():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
        function = getattr(operator, name)
        plain = name.rstrip("_")
        setattr(constexpr, f"__{plain}__", _forward(function))
        setattr(constexpr, f"__r{plain}__", _reflected(function))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(constexpr, f"__{name}__", _forward(getattr(operator, name)))
        setattr(constexpr, f"__r{name}__", _reflected(getattr(operator, name)))
    for name in ("neg", "pos", "invert"):
        setattr(constexpr, f"__{name}__", _unary(getattr(operator, name)))


_add_operators()
