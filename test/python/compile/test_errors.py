"""What goes wrong in a kernel reaches Python as the right exception, at the right place, with the right text."""

# ruff: noqa: F841  (kernels that are there to fail)

import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompileTimeAssertionFailure, UnsupportedLanguageConstruct

OUT = np.zeros(8, np.float32)


def compile_error(kernel, *args, **kwargs):
    with pytest.raises(triton.CompilationError) as info:
        kernel.warmup(OUT, *args, grid=(1,), **kwargs)
    return info.value


def test_undefined_name():
    @triton.jit
    def kernel(out_ptr):
        x = 1
        tl.store(out_ptr, undefined_thing)  # noqa: F821

    error = compile_error(kernel)
    assert "undefined_thing is not defined" in str(error).replace("'", "")
    lines = str(error).splitlines()
    assert lines[0] == "at 3:22:"
    assert lines[1] == "def kernel(out_ptr):"
    assert lines[4].index("^") == 22
    assert error.node.lineno == 3 and error.node.col_offset == 22
    assert error.src.startswith("def kernel(out_ptr):")
    assert isinstance(error, triton.TritonError)
    assert "test_errors.py" in error.diagnostic and "^" in error.diagnostic
    if hasattr(error, "add_note"):
        assert error.diagnostic.strip() in error.__notes__[0]


def test_only_the_last_lines_are_shown():
    @triton.jit
    def kernel(out_ptr):
        a = 1
        b = 2
        c = 3
        d = 4
        e = 5
        f = 6
        g = 7
        h = 8
        i = 9
        j = 10
        k = 11
        m = 12
        tl.store(out_ptr, nothing)  # noqa: F821

    lines = str(compile_error(kernel)).splitlines()
    assert lines[0] == "at 14:22:" and lines[1].strip() == "b = 2" and lines[13].strip() == "^"


def test_error_in_a_callee_is_the_cause():
    @triton.jit
    def inner(x):
        return x + missing  # noqa: F821

    @triton.jit
    def outer(out_ptr):
        tl.store(out_ptr, inner(1))

    error = compile_error(outer)
    assert error.error_message is None and error.node.lineno == 2
    cause = error.__cause__
    assert isinstance(cause, triton.CompilationError) and "missing" in str(cause) and cause.node.lineno == 2
    assert cause.src.startswith("def inner")


def test_unsupported_construct():
    @triton.jit
    def kernel(out_ptr):
        try:
            tl.store(out_ptr, 1)
        finally:
            pass

    error = compile_error(kernel)
    assert isinstance(error, UnsupportedLanguageConstruct) and "unsupported AST node type" in str(error)


def test_static_assert():
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.static_assert(N > 4, "N must be large")

    error = compile_error(kernel, 3)
    assert isinstance(error, CompileTimeAssertionFailure) and "N must be large" in str(error)
    kernel.warmup(OUT, 5, grid=(1,))


def test_type_error_in_a_builtin_has_a_cause():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, tl.arange(0, 3))

    error = compile_error(kernel)
    assert "power of 2" in str(error)


def test_exception_in_a_constexpr_function():
    @triton.constexpr_function
    def divide(a, b):
        return a // b

    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, divide(8, N))

    error = compile_error(kernel, 0)
    assert "division" in str(error) and isinstance(error.__cause__, ZeroDivisionError)
    kernel.warmup(OUT, 2, grid=(1,))


def test_syntax_of_the_message_is_picklable():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, nothing)  # noqa: F821

    error = compile_error(kernel)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and type(again) is type(error) and again.error_message == error.error_message


def test_no_compiler_frames_in_the_traceback():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, nothing)  # noqa: F821

    with pytest.raises(triton.CompilationError) as info:
        kernel[(1,)](OUT)
    assert "code_generator" not in "".join(str(entry) for entry in info.traceback)


def test_failed_compile_leaves_the_kernel_usable():
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.static_assert(N != 3)
        tl.store(out_ptr, N)

    out = np.zeros(1, np.int32)
    for value in (1, 3, 2, 3):
        if value == 3:
            with pytest.raises(CompileTimeAssertionFailure):
                kernel[(1,)](out, value)
        else:
            kernel[(1,)](out, value)
            assert out[0] == value


def test_builtin_outside_a_kernel():
    with pytest.raises(ValueError, match="triton.jit"):
        tl.load(1)
    with pytest.raises(ValueError, match="triton.jit"):
        tl.sum(1)


def test_function_without_source():
    namespace = {}
    exec("def f(x): pass", namespace)
    with pytest.raises(ValueError, match="should be defined in a Python file"):
        triton.jit(namespace["f"])


def test_device_assert(device):
    @triton.jit(debug=True)
    def kernel(out_ptr, n):
        tl.device_assert(n < 10, "n is too large")
        tl.store(out_ptr, n)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 5)
    assert out[0] == 5
    if (
        device != "cuda"
    ):  # there a failed one ends the process's context; tests of the GPU have it in a process of its own
        with pytest.raises(RuntimeError, match="n is too large"):
            kernel[(1,)](out, 50)
    kernel[(1,)](out, 50, debug=False)
    assert out[0] == 50


def test_front_end_debugging_gives_the_original(fresh_knobs):
    @triton.constexpr_function
    def divide(a, b):
        return a // b

    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, divide(8, N))

    fresh_knobs.compilation.front_end_debugging = True
    with pytest.raises(ZeroDivisionError):
        kernel.warmup(OUT, 0, grid=(1,))
