"""One table of parameters and arguments: Python, the C interface and tritonc specialise alike."""

import ctypes
import importlib.util
import re
import subprocess
import warnings

import numpy as np
import pytest
import triton
from places import TRITONC
from triton._C import libtriton

# (arguments of the decorator, annotation, value, entry of a signature, the kernel's argument as IR shows it; None: a constant)
POINTER, DIVISIBLE = "!tt.ptr<f32>", " {tt.divisibility = 16 : i32}"
CASES = [
    ("", "", 2, "i32", "i32"),
    ("", "", 1, "i32:1", None),
    ("", "", 32, "i32:16", "i32" + DIVISIBLE),
    ("", "", -16, "i32:16", "i32" + DIVISIBLE),
    ("", "", 2**40, "i64:16", "i64" + DIVISIBLE),
    ("", "", 2**31 + 1, "i64", "i64"),
    ("", "", 2**63 + 1, "u64", "i64"),
    ("", "", 0.5, "fp32", "f32"),
    ("", "", True, "u1", "i1"),
    ("", "", None, "None", None),
    ("", "", "aligned", "*fp32:16", POINTER + DIVISIBLE),
    ("", "", "shifted", "*fp32", POINTER),
    ("", "tl.constexpr", 7, "7", None),
    ("", "tl.int64", 2, "i32", "i64"),
    ("", "tl.int64", 1, "i32:1", "i64"),
    ("", "tl.int64", 16, "i32:16", "i64" + DIVISIBLE),
    ("", '"i64"', 16, "i32:16", "i64" + DIVISIBLE),
    ("", "tl.uint8", 200, "i32", "i8"),
    ("", "tl.float64", 0.5, "fp32", "f64"),
    ("", "tl.float16", 16, "i32:16", "f16"),
    ("", "bool", 1, "i32:1", "i1"),
    ("", '"*fp16"', "aligned", "*fp32:16", "!tt.ptr<f16>" + DIVISIBLE),
    ("do_not_specialize=['n']", "", 1, "i32:1", "i32"),
    ("do_not_specialize=['n']", "", 16, "i32:16", "i32"),
    ("do_not_specialize=[1]", "", 16, "i32:16", "i32"),
    ("do_not_specialize='n'", "", 16, "i32:16", "i32"),
    ("do_not_specialize=('n',)", "", 2**40, "i64:16", "i64"),
    ("do_not_specialize=['n']", "", "aligned", "*fp32:16", POINTER),
    ("do_not_specialize=['n']", "tl.int64", 16, "i32:16", "i64"),
    ("do_not_specialize_on_alignment=['n']", "", 1, "i32:1", None),
    ("do_not_specialize_on_alignment=['n']", "", 16, "i32:16", "i32"),
    ("do_not_specialize_on_alignment=[1]", "", "aligned", "*fp32:16", POINTER),
    ("do_not_specialize=[0]", "", 16, "i32:16", "i32" + DIVISIBLE),
]


def source_of(decorator, annotation):
    return f"""
import triton
import triton.language as tl

@triton.jit({decorator})
def kernel(out, n{": " + annotation if annotation else ""}):
    tl.store(out, 1)
"""


MEMORY = np.zeros(64, np.float32)
MEMORY = MEMORY[(-MEMORY.ctypes.data // 4) % 4 :][:32]
ARRAYS = {"aligned": MEMORY, "shifted": MEMORY[1:]}


def argument_in(ir):
    """What stands for `n` in the kernel's declaration."""
    declaration = re.search(r"tt\.func public @kernel\((.*?)\) attributes", ir)[1]
    found = re.search(r"%n: (.*)$", re.sub(r' loc\("\w+"\(#loc\d*\)\)', "", declaration))
    return found and found[1]


def load(path):
    spec = importlib.util.spec_from_file_location("surface", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_python(path, value):
    value = ARRAYS.get(value, value) if isinstance(value, str) else value
    return load(path).kernel.warmup(MEMORY, value, grid=(1,)).asm["ttir"]


class Argument(ctypes.Structure):
    class Value(ctypes.Union):
        _fields_ = [("integer", ctypes.c_int64), ("natural", ctypes.c_uint64), ("real", ctypes.c_double), ("pointer", ctypes.c_void_p)]  # fmt: skip

    _fields_ = [("kind", ctypes.c_int32), ("type", ctypes.c_int32), ("name", ctypes.c_char_p), ("value", Value)]

    @classmethod
    def of(cls, value):
        if value is None:
            return cls(0, 0, None)
        if isinstance(value, bool):
            return cls(1, 0, None, cls.Value(integer=value))
        if isinstance(value, float):
            return cls(4, 0, None, cls.Value(real=value))
        if isinstance(value, np.ndarray):
            return cls(7, 16, None, cls.Value(pointer=value.ctypes.data))
        return cls(3, 0, None, cls.Value(natural=value)) if value >= 2**63 else cls(2, 0, None, cls.Value(integer=value))  # fmt: skip


@pytest.fixture(scope="module")
def library():
    library = ctypes.CDLL(next(path for path in libtriton.native_libraries() if "libtriton.so" in path))
    for name, result in [("module_load", ctypes.c_void_p), ("module_kernel", ctypes.c_void_p), ("kernel_compile", ctypes.c_void_p),
                         ("compiled_stage", ctypes.c_char_p), ("error_message", ctypes.c_char_p)]:  # fmt: skip
        getattr(library, f"triton_{name}").restype = result
    return library


def by_c(library, path, value):
    def call(function, *arguments):
        error = ctypes.c_void_p()
        result = function(*arguments, ctypes.byref(error))
        assert result, library.triton_error_message(error)
        return ctypes.c_void_p(result)

    module = call(library.triton_module_load, str(path).encode())
    kernel = call(library.triton_module_kernel, module, b"kernel")
    value = ARRAYS.get(value, value) if isinstance(value, str) else value
    given = (Argument * 2)(Argument.of(MEMORY), Argument.of(value))
    compiled = call(library.triton_kernel_compile, kernel, given, ctypes.c_size_t(2), None)
    text = library.triton_compiled_stage(compiled, b"ttir", None).decode()
    library.triton_compiled_free(compiled)
    library.triton_kernel_free(kernel)
    library.triton_module_free(module)
    return text


def by_tritonc(path, entry):
    command = [TRITONC, path, "--signature", f"*fp32:16, {entry}", "--emit", "ttir"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("decorator, annotation, value, entry, expected", CASES)
def test_surfaces_agree(decorator, annotation, value, entry, expected, library, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(source_of(decorator, annotation))
    assert argument_in(by_python(path, value)) == expected
    assert argument_in(by_c(library, path, value)) == expected
    if TRITONC.exists():
        assert argument_in(by_tritonc(path, entry)) == expected


def test_arguments_must_fit_their_parameter(library, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(source_of("", "tl.int8"))
    with pytest.raises(OverflowError, match="the integer 300 does not fit in an argument of type i8"):
        load(path).kernel[(1,)](MEMORY, 300)
    error = ctypes.c_void_p()
    module = ctypes.c_void_p(library.triton_module_load(str(path).encode(), None))
    kernel = ctypes.c_void_p(library.triton_module_kernel(module, b"kernel", None))
    given = (Argument * 2)(Argument.of(MEMORY), Argument.of(300))
    one, two = ctypes.c_int64(1), ctypes.c_size_t(2)
    assert library.triton_kernel_launch(kernel, one, one, one, given, two, None, ctypes.byref(error)) == 1
    message = library.triton_error_message(error)
    assert message == b"the integer 300 for 'n' does not fit in an argument of type i8"


def test_names_of_no_parameter_are_warned_of(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(source_of("do_not_specialize=['m', 1]", ""))
    message = "do_not_specialize names 'm', which is no parameter of 'kernel'"
    with pytest.warns(UserWarning, match=message) as caught:
        by_python(path, 16)
    assert [warning.filename for warning in caught if message in str(warning.message)] == [str(path)]
    if TRITONC.exists():
        result = subprocess.run([TRITONC, path, "--signature", "*fp32:16, i32:16"], capture_output=True, text=True)
        assert result.returncode == 0 and result.stderr.count(f"warning: {message}") == 1


def test_constexpr_parameters_always_specialise(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(source_of("do_not_specialize=['n']", "tl.constexpr"))
    message = "n marked as constexpr and listed in do_not_specialize"
    with pytest.raises(triton.CompilationError, match=message):
        by_python(path, 16)
    if TRITONC.exists():
        result = subprocess.run([TRITONC, path, "--signature", "*fp32:16, 16"], capture_output=True, text=True)
        assert result.returncode == 1 and f"kernel.py:6:17: error: {message}" in result.stderr


def test_no_warning_where_all_are_parameters(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(source_of("do_not_specialize=['n', 0]", ""))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_python(path, 16)
