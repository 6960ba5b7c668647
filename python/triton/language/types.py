"""The types of the kernel language as Python objects: what users name in annotations, compare and pass as compile-time values.

They describe; they decide nothing. What an operation does with a type is the compiler's business.
"""

import enum

from .._C.libtriton import scalar_types
from .._utils import validate_block_shape
from .constants import _unwrap_if_constexpr


class base_type:
    """Base of every type of a kernel value."""

    def __eq__(self, other) -> bool:
        raise NotImplementedError("types must say when they are equal")

    def __ne__(self, other) -> bool:
        return not (self == other)

    def mangle(self) -> str:
        """The type in the names of specialised functions."""
        raise NotImplementedError(f"{type(self).__name__} has no mangled name")


_SCALARS = {scalar[0]: scalar for scalar in scalar_types()}


class dtype(base_type):
    """A scalar type: `tl.int32`, `tl.float16`, …"""

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = _unwrap_if_constexpr(name)
        self.name = name
        assert name in _SCALARS, name
        _, _, _, _, bits, mantissa, bias, *_ = _SCALARS[name]
        self.primitive_bitwidth = bits
        self.itemsize = bits // 8
        if name in dtype.FP_TYPES:
            self.fp_mantissa_width = mantissa
            self.exponent_bias = bias
        elif name in dtype.SINT_TYPES or name in dtype.UINT_TYPES:
            signed = name in dtype.SINT_TYPES
            self.int_signedness = dtype.SIGNEDNESS.SIGNED if signed else dtype.SIGNEDNESS.UNSIGNED
            self.int_bitwidth = bits

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in dtype.FP_TYPES

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in dtype.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.name == "int1"

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        if self.is_int():
            return dtype.KIND.INTEGRAL
        assert self.is_floating(), f"{self.name} is not a kind of number"
        return dtype.KIND.FLOATING

    def get_int_max_value(self):
        if self.is_int_signed():
            return 2 ** (self.int_bitwidth - 1) - 1
        assert self.is_int_unsigned(), f"{self.name} is not an integer type"
        return 2**self.int_bitwidth - 1

    def get_int_min_value(self):
        if self.is_int_signed():
            return -(2 ** (self.int_bitwidth - 1))
        assert self.is_int_unsigned(), f"{self.name} is not an integer type"
        return 0

    @staticmethod
    def is_dtype(type_str):
        return type_str in _SCALARS

    @staticmethod
    def is_void():
        raise RuntimeError("compare with triton.language.void instead")

    @staticmethod
    def is_block():
        return False

    @staticmethod
    def is_ptr():
        return False

    @staticmethod
    def is_const():
        return False

    @property
    def scalar(self):
        return self

    @property
    def cache_key_part(self):
        """What stands for this type in keys."""
        return self.name

    def with_element_ty(self, element_ty):
        return element_ty

    def codegen_name(self):
        if self.name.startswith("fp"):
            return "float" + self.name[2:]
        return "bfloat" + self.name[2:] if self.name.startswith("bf") else self.name

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return self.name if self.is_floating() else "V"

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return type(other) is dtype and self.name == other.name

    def __hash__(self):
        return hash((self.name,))

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.codegen_name()}"


def _predicate(name):
    return lambda self: self.name == name


for _name in _SCALARS:
    if _name != "void":
        setattr(dtype, f"is_{_name}", _predicate(_name))
del _name

_DtypeClass = dtype


class pointer_type(dtype):
    """A pointer to an element type; `const` pointers cannot be stored to."""

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = _unwrap_if_constexpr(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"element_ty is a {type(element_ty).__name__}")
        self.element_ty = element_ty
        space = _unwrap_if_constexpr(address_space)
        self.address_space = 1 if space == "global" else space
        self.const = bool(_unwrap_if_constexpr(const))
        self.name = f"{'const_' if self.const else ''}pointer<{element_ty}>"

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def mangle(self):
        return f"P{self.element_ty.mangle()}"

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        if not isinstance(other, pointer_type):
            return False
        mine = (self.element_ty, self.address_space, self.const)
        return mine == (other.element_ty, other.address_space, other.const)

    def __hash__(self):
        return hash((self.name, self.address_space))

    def __str__(self):
        return self.name

    def __repr__(self):
        more = f", address_space={self.address_space}" if self.address_space != 1 else ""
        more += ", const=True" if self.const else ""
        return f"triton.language.pointer_type({self.element_ty!r}{more})"


class block_type(dtype):
    """A block of elements: each dimension a power of two."""

    def __init__(self, element_ty, shape):
        self.element_ty = _unwrap_if_constexpr(element_ty)
        self.shape = tuple(_unwrap_if_constexpr(list(shape)))
        if not self.shape:
            raise TypeError("0d block_type is forbidden")
        self.numel = validate_block_shape(self.shape)
        self.name = f"<{list(self.shape)}, {self.element_ty}>"

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * (self.element_ty.primitive_bitwidth // 8)

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    def mangle(self):
        return f"{self.scalar.mangle()}S{'_'.join(map(str, self.shape))}S"

    def __eq__(self, other):
        return isinstance(other, block_type) and (self.element_ty, self.shape) == (other.element_ty, other.shape)

    def __hash__(self):
        return hash((self.element_ty, self.shape))

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.block_type({self.element_ty!r}, {list(self.shape)})"


class const:
    """Annotation of a kernel parameter: a pointer that is only read through."""


# Scalar types under their public names.
void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)

_BY_SIGNATURE = {
    "i1": int1, "u1": int1, "B": int1,
    "i8": int8, "i16": int16, "i32": int32, "i64": int64,
    "u8": uint8, "u16": uint16, "u32": uint32, "u64": uint64,
    "fp8e5": float8e5, "fp8e5b16": float8e5b16, "fp8e4nv": float8e4nv, "fp8e4b8": float8e4b8, "fp8e4b15": float8e4b15,
    "fp16": float16, "bf16": bfloat16, "fp32": float32, "f32": float32, "fp64": float64,
    "void": void,
}  # fmt: skip


def get_int_dtype(bitwidth, signed):
    """The integer type of so many bits."""
    bitwidth, signed = _unwrap_if_constexpr(bitwidth), _unwrap_if_constexpr(signed)
    if bitwidth == 1:
        return int1
    if bitwidth not in (8, 16, 32, 64):
        raise ValueError(f"Unsupported bitwidth {bitwidth} and signedness {signed}")
    return dtype(("int" if signed else "uint") + str(bitwidth))
