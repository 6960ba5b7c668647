"""Launches and kernels that are odd in some way: each works or says what is wrong with it, the first time as every time after."""

import array
import collections
import copy
import ctypes
import decimal
import enum
import importlib.util
import pickle
import re
import sys
import textwrap
import zipfile

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

pytestmark = pytest.mark.cpu_only


@triton.jit
def count_kernel(out_ptr):
    tl.atomic_add(out_ptr, 1)


@triton.jit
def scalar_kernel(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def constant_kernel(out_ptr, VALUE: tl.constexpr):
    tl.store(out_ptr, VALUE)


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, offsets < n), offsets < n)


class Error:
    """What a launch raises: a class, and a pattern that its text matches."""

    def __init__(self, cls, pattern):
        self.cls, self.pattern = cls, pattern


def outcome(launch, kernel):
    try:
        return launch(kernel)
    except Exception as error:
        return error


def check(kernel, usual, launch, expected):
    """`launch(kernel)`, cold and warm: a fresh kernel twice, and twice one that has been launched as usual."""
    cold, warm = triton.jit(kernel.fn), triton.jit(kernel.fn)
    for _ in range(4):
        usual(warm)
    for found in [outcome(launch, one) for one in (cold, cold, warm, warm)]:
        if isinstance(expected, Error):
            assert isinstance(found, expected.cls), repr(found)
            assert re.search(expected.pattern, str(found)), str(found)
        else:
            assert found == expected, repr(found)


def table(cases):
    return pytest.mark.parametrize("case, expected", list(cases.values()), ids=list(cases))


class Sized:
    """A sequence that is no tuple."""

    def __init__(self, *extents):
        self.extents = extents

    def __len__(self):
        return len(self.extents)

    def __getitem__(self, index):
        return self.extents[index]


class Index:
    def __index__(self):
        return 3


class NoIndex:
    def __index__(self):
        raise RuntimeError("no index today")


class Number(enum.IntEnum):
    TWO = 2


class Member(enum.Enum):
    TWO = 2


Pair = collections.namedtuple("Pair", "x y")
NO_GRID = Error(TypeError, "a grid is a tuple of one to three integers, or a function that gives one, not ")
EXTENTS = Error(ValueError, "a grid has one to three extents, not [04] as ")
NO_INTEGER = Error(TypeError, "the grid extent .* is not an integer")
TOO_LARGE = Error(OverflowError, "the grid extent .* does not fit in 32 bits")


@table({
    "tuple": ((2, 3), 6), "list": ([2, 1, 2], 4), "Size": (torch.Size([2, 2]), 4), "array": (np.array([2, 2]), 4), "tensor": (torch.tensor([2, 2]), 4), "range": (range(1, 4), 6),
    "sequence": (Sized(2, 2), 4), "named tuple": (Pair(2, 3), 6), "numpy integers": ((np.int32(2), np.uint8(3)), 6), "tensor inside": ((torch.tensor(2),), 2), "boolean": ((True,), 1),
    "IntEnum": ((Number.TWO,), 2), "index": ((Index(),), 3), "constexpr": ((tl.constexpr(2),), 2), "deque": (collections.deque([2]), 2), "array.array": (array.array("i", [2]), 2), "none": ((0, 3), 0),
    "()": ((), EXTENTS), "[]": ([], EXTENTS), "sequence of none": (Sized(), EXTENTS), "4": ((1, 1, 1, 1), EXTENTS), "list of 4": ([1, 1, 1, 1], EXTENTS), "sequence of 4": (Sized(1, 1, 1, 1), EXTENTS),
    "{}": ({}, NO_GRID), "dict": ({0: 2}, NO_GRID), "keys": ({2: 1}.keys(), NO_GRID), "OrderedDict": (collections.OrderedDict({0: 2}), NO_GRID), "UserDict": (collections.UserDict({0: 2}), NO_GRID),
    "set": ({2}, NO_GRID), "frozenset": (frozenset(), NO_GRID), "None": (None, NO_GRID), "int": (3, NO_GRID), "text": ("abc", NO_GRID), "no text": ("", NO_GRID), "bytes": (b"\2", NO_GRID),
    "slice": (slice(2), NO_GRID), "ellipsis": (..., NO_GRID), "object": (object(), NO_GRID), "iterator": (iter([2]), NO_GRID), "0-d": (np.array(2), Error(TypeError, "0-d")),
    "float": ((2.0,), NO_INTEGER), "numpy float": ((np.float32(2),), NO_INTEGER), "None inside": ((None,), NO_INTEGER), "text inside": (("2",), NO_INTEGER), "tuple inside": (((2,),), NO_INTEGER),
    "Enum": ((Member.TWO,), NO_INTEGER), "Decimal": ((decimal.Decimal(2),), NO_INTEGER), "complex": ((2j,), NO_INTEGER), "raises": ((NoIndex(),), Error(RuntimeError, "no index today")),
    "negative": ((-1,), Error(ValueError, "has a negative extent")), "negative of none": ((0, -1), Error(ValueError, "has a negative extent")),
    "2**31": ((2**31,), TOO_LARGE), "2**63": ((2**63,), TOO_LARGE), "2**64": ((2**64,), TOO_LARGE), "10**30": ((10**30,), TOO_LARGE),
})  # fmt: skip
def test_grids(case, expected):
    def launch(kernel, grid):
        out = np.zeros(1, np.int32)
        kernel[grid](out)
        return int(out[0])

    def usual(kernel):
        launch(kernel, (2,))

    check(count_kernel, usual, lambda kernel: launch(kernel, case), expected)
    if not callable(case):
        check(count_kernel, usual, lambda kernel: launch(kernel, lambda meta: case), expected)


def _failing_grid(meta):
    raise KeyError("grid function")


@table({
    "meta": (lambda meta: (len(meta["out_ptr"]),), 1), "changes meta": (lambda meta: meta.clear() or (2,), 2), "raises": (_failing_grid, Error(KeyError, "grid function")),
    "missing": (lambda meta: meta["nothing"], Error(KeyError, "nothing")), "no parameter": (lambda: (1,), Error(TypeError, "takes 0 positional arguments")),
    "function": (lambda meta: lambda meta: (1,), NO_GRID), "float": (lambda meta: (4 / 2,), NO_INTEGER), "class": (int, Error(TypeError, "int")),
})  # fmt: skip
def test_grid_functions(case, expected):
    test_grids(case, expected)


UNKNOWN = Error(TypeError, r"failed to specialize argument of type: .* \(argument 'value'\)")
TOO_WIDE = Error(OverflowError, r"does not fit in 64 bits \(argument 'value'\)")
NO_TENSOR = Error(triton.CompilationError, "cannot (convert|cast) ")
NUMBERS = {
    "int8": (np.int8(5), 5.0), "int64": (np.int64(-5), -5.0), "one": (np.int32(1), 1.0), "uint64": (np.uint64(2**63 + 2**40), float(2**63 + 2**40)), "float16": (np.float16(1.5), 1.5),
    "float32": (np.float32(2.5), 2.5), "float64": (np.float64(2.5), 2.5), "longdouble": (np.longdouble(2.5), 2.5), "bool_": (np.bool_(True), 1.0), "False_": (np.bool_(False), 0.0),
    "int": (5, 5.0), "1": (1, 1.0), "0": (0, 0.0), "True": (True, 1.0), "float": (2.5, 2.5), "inf": (float("inf"), float("inf")), "2**40": (2**40, float(2**40)), "2**63": (2**63, float(2**63)),
    "constexpr": (tl.constexpr(5), 5.0), "constexpr of numpy": (tl.constexpr(np.int32(5)), 5.0), "subclass of int": (type("I", (int,), {})(7), 7.0), "subclass of float": (type("F", (float,), {})(1.5), 1.5),
}  # fmt: skip
NO_NUMBERS = {
    "complex64": np.complex64(1), "datetime64": np.datetime64("2020"), "timedelta64": np.timedelta64(5), "str_": np.str_("a"), "void": np.void(b"ab"), "text": "abc", "bytes": b"abc", "list": [1, 2],
    "dict": {}, "set": {1}, "complex": 1j, "Decimal": decimal.Decimal(2), "Enum": Member.TWO, "index": Index(), "object": object(), "class": int, "dtype": np.float32, "ellipsis": ..., "slice": slice(1),
    "function": abs, "module": np, "ctypes": ctypes.c_int(5), "memoryview": memoryview(b"abc"), "range": range(3), "exception": ValueError("x"),
}  # fmt: skip


def _store(kernel, value):
    out = np.zeros(1, np.float64)
    kernel[(1,)](out, value)
    return float(out[0])


@table(
    NUMBERS
    | {"IntEnum": (Number.TWO, 2.0)}
    | {name: (value, UNKNOWN) for name, value in NO_NUMBERS.items()}
    | {"2**64": (2**64, TOO_WIDE), "-2**63-1": (-(2**63) - 1, TOO_WIDE), "10**30": (10**30, TOO_WIDE), "None": (None, NO_TENSOR), "tuple": ((1, 2), NO_TENSOR), "()": ((), NO_TENSOR), "numpy in a tuple": ((np.int32(4),), NO_TENSOR), "0-d": (np.array(3.0), NO_TENSOR), "tensor": (torch.tensor(3.0), NO_TENSOR)}
)  # fmt: skip
def test_numbers(case, expected):
    check(scalar_kernel, lambda kernel: _store(kernel, 4), lambda kernel: _store(kernel, case), expected)


@table(
    NUMBERS
    | {name: (value, NO_TENSOR) for name, value in NO_NUMBERS.items()}
    | {"2**64": (2**64, Error(triton.CompilationError, "nonrepresentable integer")), "None": (None, NO_TENSOR), "tuple": ((1, 2), NO_TENSOR), "array": (np.zeros(2), NO_TENSOR)}
)  # fmt: skip
def test_constants(case, expected):
    check(constant_kernel, lambda kernel: _store(kernel, 4), lambda kernel: _store(kernel, case), expected)


class Pointer:
    dtype = torch.float32

    def __init__(self, pointer):
        self.pointer = pointer

    def data_ptr(self):
        if isinstance(self.pointer, Exception):
            raise self.pointer
        return self.pointer


class Raising:
    """An object one of whose attributes cannot be read."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        if name == self.name:
            raise RuntimeError(f"no {name} today")
        if name in ("data_ptr", "dtype") and self.name == "dtype":
            return lambda: 0
        raise AttributeError(name)


class Subclass(np.ndarray):
    pass


NO_TYPE = Error(TypeError, r"kernels have no type for elements of dtype .* \(argument 'x_ptr'\)")
NO_MEMORY = Error(TypeError, r"failed to specialize argument of type: .* \(argument 'x_ptr'\)")
NO_POINTER = Error(TypeError, "data_ptr method of Pointer object must return 64-bit int")
_numbers, _wide = np.arange(16, dtype=np.float32), np.arange(64, dtype=np.float32)
_record = np.zeros(16, [("a", "f4")])


@table({
    "array": (_numbers, 120.0), "every fourth": (_wide[::4], 120.0), "backwards": (_wide[15::-1], 360.0), "subclass": (_numbers.view(Subclass), 120.0), "masked": (np.ma.array(_numbers), 120.0),
    "matrix": (np.matrix(_numbers), 120.0), "two dimensions": (_numbers.reshape(4, 4), 120.0), "float64": (_numbers.astype("f8"), 120.0), "float16": (_numbers.astype("f2"), 120.0), "bool": (np.ones(16, bool), 16.0),
    "int8": (_numbers.astype("i1"), 120.0), "uint16": (_numbers.astype("u2"), 120.0), "tensor": (torch.arange(16.0), 120.0), "gradient": (torch.arange(16.0).requires_grad_(), 120.0),
    "parameter": (torch.nn.Parameter(torch.arange(16.0)), 120.0), "bfloat16": (torch.arange(16.0).bfloat16(), 120.0), "bool tensor": (torch.ones(16, dtype=torch.bool), 16.0), "pointer": (Pointer(_numbers.ctypes.data), 120.0),
    "record": (_record.view(np.recarray), NO_TYPE), "structure": (_record, NO_TYPE), "big endian": (_numbers.astype(">f4"), NO_TYPE), "objects": (_numbers.astype(object), NO_TYPE), "texts": (np.array(["a"] * 16), NO_TYPE),
    "complex": (_numbers.astype("c8"), NO_TYPE), "dates": (np.zeros(16, "M8[s]"), NO_TYPE), "longdouble": (_numbers.astype(np.longdouble), NO_TYPE), "complex tensor": (torch.zeros(16, dtype=torch.complex64), NO_TYPE),
    "list": ([1.0] * 16, NO_MEMORY), "array.array": (array.array("f", [1.0] * 16), NO_MEMORY), "bytes": (bytes(64), NO_MEMORY), "bytearray": (bytearray(64), NO_MEMORY), "memoryview": (memoryview(_numbers), NO_MEMORY),
    "ctypes": ((ctypes.c_float * 16)(), NO_MEMORY), "storage": (torch.arange(16.0).untyped_storage(), NO_MEMORY), "class": (np.ndarray, NO_MEMORY), "class of tensors": (torch.Tensor, NO_MEMORY),
    "sparse": (torch.arange(16.0).to_sparse(), Error(ValueError, "it is sparse")), "meta": (torch.empty(16, device="meta"), Error(ValueError, "cannot be accessed from Triton")),
    "raising pointer": (Pointer(RuntimeError("no pointer today")), Error(RuntimeError, "no pointer today")), "None for a pointer": (Pointer(None), NO_POINTER), "float for a pointer": (Pointer(1.5), NO_POINTER),
    "raising dtype": (Raising("dtype"), Error(RuntimeError, "no dtype today")), "raising interface": (Raising("__array_interface__"), Error(RuntimeError, "no __array_interface__ today")),
    "raising dlpack": (Raising("__dlpack__"), Error(RuntimeError, "no __dlpack__ today")),
    "int": (5, Error(triton.CompilationError, "unsupported ptr type")), "None": (None, Error(triton.CompilationError, "unsupported operand type")), "scalar": (np.float32(1), Error(triton.CompilationError, "unsupported ptr type")),
})  # fmt: skip
def test_memory(case, expected):
    def load(kernel, x):
        out = np.zeros(16)
        kernel[(1,)](x, out, 16, 16)
        return float(out.sum())

    check(copy_kernel, lambda kernel: load(kernel, _numbers), lambda kernel: load(kernel, case), expected)


@pytest.mark.parametrize("x, n", [(np.zeros(0, np.float32), 0), (np.array(7.0, np.float32), 1), (torch.zeros(0), 0)])
def test_memory_of_few_elements(x, n):
    out = np.zeros(16)
    for _ in range(3):
        copy_kernel[(1,)](x, out, n, 16)
    assert out.sum() == 7 * n


@table({
    "num_warps=2**31": ({"num_warps": 2**31}, Error(ValueError, "num_warps must be an integer of 32 bits, got 2147483648")), "num_warps=0": ({"num_warps": 0}, Error(ValueError, "num_warps must be .* got 0")),
    "num_warps=3": ({"num_warps": 3}, Error(ValueError, "num_warps must be a power of 2 .* got 3")), "num_warps='4'": ({"num_warps": "4"}, Error(TypeError, "num_warps must be an integer, got '4'")),
    "num_warps=4.0": ({"num_warps": 4.0}, Error(TypeError, "num_warps must be an integer, got 4.0")), "num_stages='a'": ({"num_stages": "a"}, Error(TypeError, "num_stages must be an integer, got 'a'")),
    "num_stages=-1": ({"num_stages": -1}, Error(ValueError, "num_stages must be .* got -1")), "num_stages=2**40": ({"num_stages": 2**40}, Error(ValueError, "num_stages must be an integer of 32 bits")),
    "num_ctas=0": ({"num_ctas": 0}, Error(ValueError, "num_ctas must be .* got 0")), "num_ctas='b'": ({"num_ctas": "b"}, Error(TypeError, "num_ctas must be an integer, got 'b'")), "num_ctas=2": ({"num_ctas": 2}, Error(ValueError, "num_ctas > 1 requires")),
    "debug": ({"debug": "x"}, Error(TypeError, "debug must be True or False, got 'x'")), "fusion": ({"enable_fp_fusion": "no"}, Error(TypeError, "enable_fp_fusion must be True or False, got 'no'")),
    "pdl": ({"launch_pdl": "x"}, Error(TypeError, "launch_pdl must be True or False")), "maxnreg": ({"maxnreg": -1}, Error(ValueError, "maxnreg must not be negative, got -1")), "ptx_version": ({"ptx_version": "a"}, Error(TypeError, "ptx_version must be an integer")),
    "arch": ({"arch": 5}, Error(TypeError, "arch must be text, got 5")), "arch unknown": ({"arch": "nothing"}, Error(ValueError, "unknown processor 'nothing'")), "fp8": ({"supported_fp8_dtypes": 5}, Error(TypeError, "supported_fp8_dtypes must be a list of texts, got 5")),
    "library missing": ({"extern_libs": {"a": "/nothing.bc"}}, Error(ValueError, "extern_libs: cannot read '/nothing.bc'")), "library a folder": ({"extern_libs": {"a": "/tmp"}}, Error(ValueError, "extern_libs: '/tmp' is no file")),
    "library a number": ({"extern_libs": {"a": 5}}, Error(TypeError, "extern_libs must be a dict of names and paths")), "libraries a number": ({"extern_libs": 5}, Error(TypeError, "extern_libs must be a dict of names and paths, got 5")),
    "override": ({"ir_override": 5}, Error(TypeError, "ir_override must be text, got 5")), "unknown": ({"nonsense": 1}, Error(KeyError, "nonsense was specified but unrecognised")),
    "grid": ({"grid": (1,)}, Error(TypeError, "multiple values for keyword argument 'grid'")), "stream": ({"stream": 0}, Error(AssertionError, "stream option is deprecated")), "twice": ({"value": 2}, Error(TypeError, "multiple values for argument 'value'")),
    "numpy integer": ({"num_warps": np.int64(8), "num_stages": np.uint8(2)}, 5.0), "numpy boolean": ({"debug": np.bool_(True)}, 5.0), "number for a boolean": ({"enable_fp_fusion": 0}, 5.0), "constexpr": ({"num_warps": tl.constexpr(8)}, 5.0),
    "None": ({"num_warps": None}, 5.0), "no libraries": ({"extern_libs": {}}, 5.0),
})  # fmt: skip
def test_options(case, expected):
    def launch(kernel, options):
        out = np.zeros(1, np.float64)
        kernel[(1,)](out, 5, **options)
        return float(out[0])

    check(scalar_kernel, lambda kernel: launch(kernel, {}), lambda kernel: launch(kernel, case), expected)


def test_a_kernel_is_no_collection():
    with pytest.raises(TypeError):
        3 in copy_kernel  # noqa: B015
    with pytest.raises(TypeError):
        iter(copy_kernel)


def test_copies_and_pickles():
    assert pickle.loads(pickle.dumps(copy_kernel)) is copy_kernel
    for made in (copy.copy(copy_kernel), copy.deepcopy(copy_kernel)):
        out = np.zeros(16)
        made[(1,)](_numbers, out, 16, 16)
        assert made is not copy_kernel and out.sum() == 120


# Kernels of every make: the text of a module that defines `k`, and what its launch does.

DECORATES = "@jit and @constexpr_function decorate functions written with `def`, not "
HEAD = "import triton, triton.language as tl, numpy as np, functools\n"


def body(text, parameters="o"):
    return f"@triton.jit\ndef k({parameters}):\n    {text}\n"


def raising(statement):
    return f"@triton.constexpr_function\ndef f(x):\n    {statement}\n" + body("tl.store(o, f(1))")


def member(definition):
    return f"class C:\n    {definition}\nc = tl.constexpr(C())\n" + body("tl.store(o, c.p)")


DEFINITIONS = {
    "one line": ("@triton.jit\ndef k(o): tl.store(o, 1); tl.store(o + 1, 2)\n", 1.0), "tabs": ("@triton.jit\ndef k(o):\n\ttl.store(o, 1)\n", 1.0), "empty": (body("pass"), 0.0), "documented": (body("'''nothing'''"), 0.0),
    "default of numpy": (body("tl.store(o, n)", "o, n=np.int32(3)"), 3.0), "constant of numpy": (body("tl.store(o, n)", "o, n: tl.constexpr = np.float32(2.5)"), 2.5),
    "global of numpy": ("N = tl.constexpr(np.int64(7))\n" + body("tl.store(o, N)"), 7.0), "shape of numpy": (body("tl.store(o + tl.arange(0, n), tl.zeros((n,), tl.float32) + n)", "o, n: tl.constexpr = np.int32(8)"), 8.0),
    "condition of numpy": (body("if n is True:\n        tl.store(o, 5)", "o, n: tl.constexpr = np.bool_(True)"), 5.0), "result of numpy": (raising("return np.int64(4)"), 4.0), "asserted of numpy": (body("tl.static_assert(n == 3)", "o, n: tl.constexpr = np.int32(3)"), 0.0),
    "tuple of numpy": (body("tl.store(o, n[0] + n[1])", "o, n=(np.int32(4), np.float32(1.5))"), 5.5), "constants of numpy": (body("tl.store(o, n[0] + n[1])", "o, n: tl.constexpr = (np.int32(4), np.float32(1.5))"), 5.5),
    "closure": ("def make(n):\n    @triton.jit\n    def k(o):\n        tl.store(o, n)\n    return k\nk = make(tl.constexpr(5))\n", 5.0), "static method": ("class A:\n    @staticmethod\n    @triton.jit\n    def k(o):\n        tl.store(o, 1)\nk = A.k\n", 1.0),
    "umlaut": ("@triton.jit\ndef größe(o):\n    tl.store(o, 1)\nk = größe\n", 1.0), "umlaut first": ("@triton.jit\ndef über(o):\n    tl.store(o, 1)\nk = über\n", 1.0), "Chinese": ("@triton.jit\ndef 核(出):\n    值 = 3\n    tl.store(出, 值)\nk = 核\n", 3.0),
    "ligature": ("@triton.jit\ndef ﬁle(o):\n    tl.store(o, 1)\nk = ﬁle\n", 1.0), "umlaut called": ("@triton.jit(noinline=True)\ndef hälfte(x):\n    return x * 0.5\n" + body("tl.store(o, hälfte(n))", "o, n=3"), 1.5),
    "300 umlauts": (f"@triton.jit\ndef {'ö' * 300}(o):\n    tl.store(o, 1)\nk = {'ö' * 300}\n", 1.0), "name of umlauts": ("@triton.jit(repr=lambda s: 'grö')\ndef k(o):\n    tl.store(o, 1)\n", 1.0),
    "300 parameters": (body("tl.store(o, a299)", "o, " + ", ".join(f"a{i}={i}" for i in range(300))), 299.0),
    "*args": (body("pass", "o, *args"), 0.0), "keyword only": (body("tl.store(o, n)", "o, *, n=1"), 1.0), "positional only": (body("pass", "o, /"), 0.0),
    "generator": (body("yield 1"), Error(triton.compiler.errors.UnsupportedLanguageConstruct, "at 2:4:")), "constant result": (body("tl.store(o, 1)\n    return 1"), 1.0), "result": (body("return o"), Error(triton.CompilationError, "at 2:4:(.|\n)*kernels must not return values")),
    "name no text": ("@triton.jit(repr=lambda s: 5)\n" + body("pass").split("\n", 1)[1], Error(TypeError, "the `repr` of a kernel gives its name, not 5")), "name no identifier": ("@triton.jit(repr=lambda s: 'a b')\n" + body("pass").split("\n", 1)[1], Error(ValueError, "must be an identifier, got 'a b'")),
    "debug": ("@triton.jit(debug='x')\n" + body("pass").split("\n", 1)[1], Error(TypeError, "debug must be True or False, got 'x'")),
    "raises": (raising("raise KeyError('deep')"), Error(triton.CompilationError, "at 2:16:(.|\n)*key 'deep' not found")), "raises without a text": (raising("raise ValueError"), Error(triton.CompilationError, "at 2:16:(.|\n)*ValueError")),
    "raises an odd text": (raising("raise ValueError('\\ud800')"), Error(triton.CompilationError, "at 2:16:(.|\n)*ValueError")), "recursion": (raising("return f.fn(x)"), Error(triton.CompilationError, "at 2:16:(.|\n)*maximum recursion depth")),
    "property": (member("p = property(lambda self: {}['deep'])"), Error(triton.CompilationError, "at 2:16:(.|\n)*key 'deep' not found")), "property without": (member("p = property(lambda self: self.other)"), Error(triton.CompilationError, "at 2:16:(.|\n)*no attribute 'other'")),
    "no attribute": (member("q = 1"), Error(triton.CompilationError, "at 2:16:(.|\n)*no attribute 'p'")), "__getattr__": (member("def __getattr__(self, name): raise KeyError(name)"), Error(triton.CompilationError, "at 2:16:(.|\n)*key 'p' not found")),
}  # fmt: skip


@pytest.fixture
def define(tmp_path):
    """Makes a module of a text."""

    def make(text):
        path = tmp_path / f"module_{abs(hash(text))}.py"
        path.write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return make


@table(DEFINITIONS)
def test_definitions(define, case, expected):
    kernel = define(case).k

    def launch(kernel):
        out = np.zeros(16, np.float32)
        kernel[(1,)](out)
        return float(out[0])

    for found in [outcome(launch, kernel) for _ in range(3)]:
        if isinstance(expected, Error):
            assert isinstance(found, expected.cls) and re.search(expected.pattern, str(found)), repr(found)
        else:
            assert found == expected, repr(found)


def test_what_python_code_raises_is_the_cause(define):
    for text in (raising("raise KeyError('deep')"), member("p = property(lambda self: {}['deep'])")):
        with pytest.raises(triton.CompilationError) as raised:
            define(text).k[(1,)](np.zeros(1, np.float32))
        cause = raised.value.__cause__
        assert isinstance(cause, KeyError) and cause.__traceback__ is not None


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "SystemExit"])
def test_what_is_no_error_is_not_wrapped(define, name):
    with pytest.raises(BaseException) as raised:
        define(raising(f"raise {name}")).k[(1,)](np.zeros(1, np.float32))
    assert type(raised.value).__name__ == name


@table({
    "lambda": ("k = triton.jit(lambda o: None)", "defined in a Python file"), "async": ("@triton.jit\nasync def k(o): pass", "defined in a Python file"), "class": ("@triton.jit\nclass k: pass", DECORATES), "object": ("k = triton.jit(5)", DECORATES),
    "builtin": ("k = triton.jit(len)", DECORATES), "partial": ("k = triton.jit(functools.partial(print))", DECORATES), "twice": ("@triton.jit\n@triton.jit\ndef k(o): pass", DECORATES), "static": ("class A:\n    @triton.jit\n    @staticmethod\n    def k(o): pass", "put @staticmethod above it"),
    "exec": ("exec('@triton.jit\\ndef k(o): pass')", "defined in a Python file"), "constexpr function": ("f = triton.constexpr_function(5)", DECORATES),
})  # fmt: skip
def test_what_is_no_kernel(define, case, expected):
    with pytest.raises((TypeError, ValueError), match=re.escape(expected)):
        define(case)


def test_kernels_in_archives(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "kernels.zip", "w") as archive:
        archive.writestr("odd_kernels_in_an_archive.py", HEAD + body("tl.store(o, 6)"))
    monkeypatch.syspath_prepend(str(tmp_path / "kernels.zip"))
    module = importlib.import_module("odd_kernels_in_an_archive")
    monkeypatch.setitem(sys.modules, "odd_kernels_in_an_archive", module)
    out = np.zeros(1, np.float32)
    for _ in range(2):
        module.k[(1,)](out)
        assert out[0] == 6


def test_names_beyond_ascii_on_gpus(define):
    """PTX knows names of ASCII only; everybody else sees the kernel's own."""
    from triton.backends.compiler import GPUTarget

    kernel = define(DEFINITIONS["Chinese"][0]).k
    source = triton.compiler.ASTSource(kernel, {"出": "*fp32"})
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
    assert compiled.name == "核" and ".visible .entry $e6a0b8$(" in compiled.asm["ptx"] and compiled.asm["cubin"]


# Knobs.


@pytest.mark.parametrize("name", ["TRITON_CPU_MAX_THREADS"])
@pytest.mark.parametrize("text", ["abc", "-1", "2.5", "99999999999"])
def test_numbers_in_variables(monkeypatch, name, text):
    out = np.zeros(1, np.int32)
    count_kernel[(4,)](out)
    monkeypatch.setenv(name, text)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=f"Unable to use {name}={re.escape(text)}: expected int, 0 or more"):
            count_kernel[(4,)](out)
    monkeypatch.setenv(name, "2")
    count_kernel[(4,)](out)
    assert out[0] == 8


def test_every_number_among_the_knobs_names_itself(monkeypatch, fresh_knobs):
    from triton._knob_mechanics import env_int

    seen = 0
    for group in [value for value in vars(fresh_knobs).values() if isinstance(value, fresh_knobs.base_knobs)]:
        for name, knob in group.knob_descriptors.items():
            if not isinstance(knob, env_int):
                continue
            seen += 1
            monkeypatch.setenv(knob.key, "abc")
            with pytest.raises(RuntimeError, match=f"Unable to use {knob.key}=abc"):
                getattr(group, name)
            for wrong in ("3", 2.5, -1, [], None):
                with pytest.raises(
                    TypeError, match=rf"knobs\..*\.{name} must be an int, 0 or more, got {re.escape(repr(wrong))}"
                ):
                    setattr(group, name, wrong)
            monkeypatch.delenv(knob.key)
    assert seen >= 4


def test_knobs_of_wrong_types(fresh_knobs):
    with pytest.raises(TypeError, match="knobs.compilation.always_compile must be True or False, got 'yes'"):
        fresh_knobs.compilation.always_compile = "yes"
    with pytest.raises(TypeError, match="knobs.cache.dir must be text, got 5"):
        fresh_knobs.cache.dir = 5
