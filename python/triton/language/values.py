"""Values of kernel code as Python code sees them while a kernel is compiled: `tl.tensor` and its like.

They are handles into the compile in progress; every operation on them is done by the compiler.
"""

import warnings

from .._C.libtriton import ValueHandle, emission
from .composite_types import slice_type, tensor_descriptor_base_type, tuple_type
from .constants import _unwrap_if_constexpr, constexpr
from .interpreted import data_of

builtin_tuple = tuple
builtin_slice = slice


class base_value:
    """Base of every value of kernel code."""

    type = None

    def _flatten_ir(self, handles):
        """Appends the handles this value consists of."""
        raise NotImplementedError(f"{type(self).__name__} has no handles")


class tensor(base_value):
    """A scalar or a block of numbers or pointers, known at run time."""

    def __init__(self, handle, type):
        self.handle = handle
        self.type = type
        self.dtype = type.scalar
        self.shape = tuple([constexpr(dim) for dim in type.shape]) if type.is_block() else tuple([])
        self.numel = constexpr(type.numel if type.is_block() else 1)

    def _flatten_ir(self, handles):
        handles.append(self.handle)

    @property
    def T(self):
        """The transpose of a matrix."""
        return emission.attribute(self, "T")

    def __str__(self):
        data = data_of(self)
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]" if data is None else str(data)

    def __repr__(self):
        data = data_of(self)
        return object.__repr__(self) if data is None else repr(data)

    # While a kernel is interpreted, a tensor of one element is a number to Python.

    def _number(self):
        data = data_of(self)
        if data is None:
            raise TypeError(f"the value of {self} is only known when the kernel runs")
        if data.size != 1:
            raise ValueError(
                f"the truth value of a tensor of shape {data.shape} is ambiguous; reduce it to one element"
            )
        return data.reshape(-1)[0].item()

    def __bool__(self):
        number = self._number()
        if len(self.shape) > 0:
            warnings.warn(
                "if conditional called with multidimensional Tensor instead of scalar; please use `if (cond).item()` instead",
                stacklevel=2,
            )
        return bool(number)

    def __int__(self):
        return int(self._number())

    def __index__(self):
        number = self._number()
        if not isinstance(number, int):
            raise TypeError(f"{self} is no integer")
        return number

    def __float__(self):
        return float(self._number())

    def __getitem__(self, slices, _semantic=None):
        return emission.subscript(self, slices)

    def __setitem__(self, slices, value):
        raise TypeError("`__setitem__`: assigning to an item is not supported in kernels")

    def __getattr__(self, name):
        # Methods and attributes are the compiler's: x.sum(), x.to(tl.float16).
        if name.startswith("_"):
            raise AttributeError(f"'tensor' object has no attribute '{name}'")
        found = emission.attribute(self, name)
        if not isinstance(found, ValueHandle):
            return found

        def method(*args, _semantic=None, **kwargs):
            return emission.call(found, args, kwargs)

        return method


def _binary(operator):
    def method(self, other, _semantic=None):
        # An aggregate says itself what stands left of it.
        return NotImplemented if _is_aggregate(other) else emission.binary(operator, self, other)

    return method


def _is_aggregate(value):
    return hasattr(type(value), "__triton_aggregate__")


def _reflected(operator):
    return lambda self, other, _semantic=None: emission.binary(operator, other, self)


def _unary(operator):
    return lambda self, _semantic=None: emission.unary(operator, self)


def _add_operators():
    operators = {
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
        "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
        "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    }  # fmt: skip
    for name, operator in operators.items():
        setattr(tensor, f"__{name}__", _binary(operator))
        setattr(tensor, f"__r{name}__", _reflected(operator))
    tensor.__neg__ = _unary("-")
    tensor.__invert__ = _unary("~")
    tensor.__not__ = _unary("not")
    tensor.__hash__ = object.__hash__


_add_operators()


class tuple(base_value):
    """A fixed sequence of values; elements of a named tuple are attributes as well."""

    __triton_sequence__ = True

    def __init__(self, args, type=None):
        self.values = list(args)
        self._class = args.__class__ if hasattr(args.__class__, "_fields") else None
        fields = type.fields if type is not None else getattr(self._class, "_fields", None)
        self._fields = list(fields) if fields else None

    @property
    def type(self):
        def type_of(value):
            return value.type if hasattr(value, "type") else constexpr(value).type

        return tuple_type([type_of(value) for value in self.values], self._fields)

    def __getattr__(self, name):
        fields = self.__dict__.get("_fields") or ()
        if name in fields:
            return self.values[fields.index(name)]
        raise AttributeError(f"'tuple' object has no attribute '{name}'")

    def __getitem__(self, index):
        index = _unwrap_if_constexpr(index)
        if isinstance(index, (slice, builtin_slice)):
            parts = (_unwrap_if_constexpr(part) for part in (index.start, index.stop, index.step))
            return tuple(self.values[builtin_slice(*parts)])
        return self.values[index]

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def __add__(self, other):
        return tuple(self.values + list(_unwrap_if_constexpr(other) if isinstance(other, constexpr) else other))

    def __mul__(self, other):
        return tuple(self.values * _unwrap_if_constexpr(other))

    def __eq__(self, other):
        other = other.value if isinstance(other, constexpr) else other
        if not isinstance(other, (tuple, builtin_tuple, list)) or len(self) != len(other):
            return constexpr(False)
        return constexpr(all(bool(mine == theirs) for mine, theirs in zip(self.values, other)))

    def __hash__(self):
        return hash(builtin_tuple(self.values))

    def __str__(self):
        return str([str(value) for value in self.values])

    def _flatten_ir(self, handles):
        for value in self.values:
            value._flatten_ir(handles)


class slice:
    """A compile-time slice, made by slicing syntax."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step
        self.type = slice_type()


class tensor_descriptor_base(base_value):
    """A descriptor of a tensor in memory."""

    def __init__(self, handle, block_type):
        self.handle = handle
        self.type = tensor_descriptor_base_type(block_type)

    @property
    def block_type(self):
        return self.type.block_type

    @property
    def dtype(self):
        return self.type.block_type.element_ty

    @property
    def block_shape(self):
        return tuple(self.block_type.shape)


class tensor_descriptor(tensor_descriptor_base):
    """A descriptor with its shape and strides."""

    @property
    def shape(self):
        return emission.attribute(self, "shape")

    @property
    def strides(self):
        return emission.attribute(self, "strides")
