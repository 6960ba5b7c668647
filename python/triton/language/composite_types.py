"""Types that are made of others: tuples, compile-time values, slices, tensor descriptors; and the type that a text in a signature names."""

from .constants import _unwrap_if_constexpr, constexpr
from .types import _BY_SIGNATURE, base_type, block_type, dtype, int32, int64, pointer_type


class tuple_type(base_type):
    """The type of a tuple; `fields` names its elements (empty strings when they have none)."""

    __triton_sequence__ = True

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = list(fields) if fields else [""] * len(self.types)
        parts = (f"{field}:{ty}" if field else str(ty) for field, ty in zip(self.fields, self.types))
        self.name = "[" + ",".join(parts) + "]"

    def __iter__(self):
        return iter(self.types)

    def __len__(self):
        return len(self.types)

    def __getitem__(self, index):
        return self.types[_unwrap_if_constexpr(index)]

    def __eq__(self, other):
        return type(self) is type(other) and (self.types, self.fields) == (other.types, other.fields)

    def __hash__(self):
        return hash((tuple(self.types), tuple(self.fields)))

    def __str__(self):
        return self.name

    def mangle(self):
        return "T" + "_".join(ty.mangle() for ty in self.types) + "T"


class constexpr_type(base_type):
    """The type of a compile-time value: two are equal when their values are."""

    def __init__(self, value):
        self.value = _unwrap_if_constexpr(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        return f"c{self.value!r}"


constexpr.type = property(lambda self: constexpr_type(self.value))


class slice_type(dtype):
    """The type of a compile-time slice."""

    def __init__(self):
        self.name = "slice_type"

    def __eq__(self, other):
        return isinstance(other, slice_type)

    def __hash__(self):
        return hash(slice_type)

    def __str__(self):
        return "slice_type"


class tensor_descriptor_base_type(base_type):
    """A descriptor of a tensor in memory, seen as blocks of `block_type`."""

    def __init__(self, block_type):
        self.block_type = block_type

    def __eq__(self, other):
        return type(other) is type(self) and self.block_type == other.block_type

    def __hash__(self):
        return hash(self.block_type)

    def __str__(self):
        return f"tensor_descriptor<{self.block_type}>"

    def mangle(self):
        return f"TD{self.block_type.mangle()}"


class tensor_descriptor_type(tensor_descriptor_base_type):
    """A descriptor together with the types of its shape and strides."""

    def __init__(self, block_type, shape_type, strides_type):
        super().__init__(block_type)
        self.shape_type = shape_type
        self.strides_type = strides_type

    def __eq__(self, other):
        return super().__eq__(other) and (self.shape_type, self.strides_type) == (other.shape_type, other.strides_type)

    def __hash__(self):
        return hash((self.block_type, self.shape_type, self.strides_type))


def _descriptor_type(text):
    element, _, shape = text[len("tensordesc<") : text.index("]")].partition("[")
    block = block_type(str_to_ty(element, None), [int(dim) for dim in shape.split(",")])
    rank = len(block.shape)
    return tensor_descriptor_type(block, tuple_type([int32] * rank), tuple_type([int64] * rank))


def str_to_ty(name, c):
    """The type that a signature string names; `c` is the value of a constexpr."""
    if isinstance(name, tuple):
        fields = getattr(type(name), "_fields", None)
        elements = c if isinstance(c, tuple) else [None] * len(name)
        return tuple_type([str_to_ty(*pair) for pair in zip(name, elements)], fields)
    if name == "constexpr":
        return constexpr_type(c)
    if name.startswith("*k"):
        return pointer_type(str_to_ty(name[2:], None), const=True)
    if name.startswith("*"):
        return pointer_type(str_to_ty(name[1:], None))
    if name.startswith("tensordesc<"):
        return _descriptor_type(name)
    return _BY_SIGNATURE[name]
