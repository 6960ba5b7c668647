"""Small facts and helpers shared by the package: canonical type names, paths into nested arguments, block shapes."""

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


def is_power_of_two(x):
    return (x & (x - 1)) == 0


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


type_canonicalisation_dict = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1",
    "int8": "i8", "int16": "i16", "int": "i32", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "half": "fp16", "float16": "fp16", "bfloat16": "bf16",
    "float": "fp32", "float32": "fp32", "double": "fp64", "float64": "fp64",
    "float8e4nv": "fp8e4nv", "float8_e4m3fn": "fp8e4nv",
    "float8e5": "fp8e5", "float8_e5m2": "fp8e5",
    "float8e4b15": "fp8e4b15",
    "float8e4b8": "fp8e4b8", "float8_e4m3fnuz": "fp8e4b8",
    "float8e5b16": "fp8e5b16", "float8_e5m2fnuz": "fp8e5b16",
    "void": "void",
}  # fmt: skip
for _canonical in list(type_canonicalisation_dict.values()):
    type_canonicalisation_dict[_canonical] = _canonical
del _canonical

BITWIDTH_DICT = {
    "u1": 1,
    **{f"{sign}{bits}": bits for sign in "iu" for bits in (8, 16, 32, 64)},
    **{name: 8 for name in ("fp8e4nv", "fp8e5", "fp8e4b15", "fp8e4b8", "fp8e5b16")},
    **{"fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64, "void": 0},
}


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
