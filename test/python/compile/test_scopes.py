"""Names that kernels take from the program around them: globals, closures, modules, classes, compile-time functions."""

import enum
import math
import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language import float32 as f32
from triton.language import load as load_it

CONSTANT = tl.constexpr(5)
PLAIN = 5
ANNOTATED: tl.constexpr = 5
SHAPE = tl.constexpr((4, 8))


class Mode(enum.Enum):
    ADD = 1
    MUL = 2


def run(kernel, *args, dtype=np.int32, **kwargs):
    out = np.zeros(1, dtype)
    kernel[(1,)](out, *args, **kwargs)
    return out[0]


@triton.jit
def read_constant(out_ptr):
    tl.store(out_ptr, CONSTANT)


CHANGING = tl.constexpr(7)


def test_constexpr_global():
    assert run(read_constant) == 5


def test_changed_global():
    global CONSTANT
    assert run(read_constant) == 5
    before, CONSTANT = CONSTANT, tl.constexpr(6)
    try:
        with pytest.raises(
            RuntimeError, match="Global variable CONSTANT has changed since we compiled this kernel, from"
        ):
            run(read_constant)
    finally:
        CONSTANT = before
    assert run(read_constant) == 5


@pytest.mark.parametrize("is_captured", [False, True])
def test_constexpr_changed_in_place(is_captured, monkeypatch):
    constant = tl.constexpr(7)
    monkeypatch.setitem(globals(), "CHANGING", constant)

    @triton.jit
    def reads_global(out_ptr):
        tl.store(out_ptr, CHANGING)

    @triton.jit
    def reads_captured(out_ptr):
        tl.store(out_ptr, constant)

    kernel = reads_captured if is_captured else reads_global
    for _ in range(4):  # warm launches, which ask Python nothing
        assert run(kernel) == 7
    constant.value = 8
    change = r"from constexpr\[7\] to constexpr\[8\]"
    with pytest.raises(RuntimeError, match=f"has changed since we compiled this kernel, {change}"):
        run(kernel)
    constant.value = 7
    assert run(kernel) == 7


def test_plain_global(fresh_knobs):
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, PLAIN)

    with pytest.raises(triton.CompilationError, match="global variable"):
        run(kernel)
    fresh_knobs.compilation.allow_non_constexpr_globals = True
    assert run(kernel) == 5


def test_annotated_global_is_plain():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, ANNOTATED)

    with pytest.raises(triton.CompilationError, match="global variable"):
        run(kernel)


def test_closure():
    def make(value, function):
        captured = tl.constexpr(value)

        @triton.jit
        def kernel(out_ptr):
            tl.store(out_ptr, function(captured))

        return kernel

    @triton.jit
    def double(x):
        return 2 * x

    assert [run(make(value, double)) for value in (3, 4)] == [6, 8]


def test_python_function_is_an_error():
    def helper(x):
        return x

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, helper(1))

    with pytest.raises(
        RuntimeError, match="Unsupported function referenced: .*; decorate it with @triton.jit"
    ) as error:
        run(kernel)
    assert "    tl.store(out_ptr, helper(1))\n                      ^\n" in str(error.value)


def test_language_function_for_constants():
    """The language's own functions may call each other, wherever they are taken to."""
    get_int_dtype = triton.constexpr_function(tl.core.get_int_dtype)

    @triton.jit
    def kernel(out_ptr):
        one = tl.full((), 1.0, tl.float32)
        tl.store(out_ptr, one.to(get_int_dtype(bitwidth=one.dtype.primitive_bitwidth, signed=True), bitcast=True))

    assert run(kernel) == 0x3F800000


def test_modules_and_imported_names():
    @triton.jit
    def kernel(x_ptr, out_ptr, N: tl.constexpr):
        x = load_it(x_ptr).to(f32) + math.log2(N) + triton.cdiv(N, 3) + triton.next_power_of_2(N + 1)
        tl.store(out_ptr, x)

    out = np.zeros(1, np.float32)
    kernel[(1,)](np.array([1], np.int32), out, 8)
    assert out[0] == 1 + 3 + 3 + 16


def test_enum():
    @triton.jit
    def kernel(out_ptr, MODE: tl.constexpr):
        if MODE == Mode.ADD:
            tl.store(out_ptr, 1 + 2)
        else:
            tl.store(out_ptr, 5 * 2)

    with pytest.raises((triton.CompilationError, RuntimeError)):
        run(kernel, Mode.ADD)  # the class itself is a plain global

    @triton.jit
    def by_value(out_ptr, MODE: tl.constexpr):
        tl.store(out_ptr, MODE.value)

    assert [run(by_value, mode) for mode in Mode] == [1, 2]


def test_compile_time_containers():
    @triton.jit
    def kernel(out_ptr, FUNCTIONS: tl.constexpr):
        tl.store(out_ptr, SHAPE[0] * SHAPE[1] + FUNCTIONS[1](3))

    @triton.jit
    def square(x):
        return x * x

    @triton.jit
    def negate(x):
        return -x

    assert run(kernel, (square, negate)) == 32 - 3


def test_constexpr_function_is_a_host_function_too():
    @triton.constexpr_function
    def fits(n, limit=16):
        return n <= limit

    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        if fits(N):
            tl.store(out_ptr, 1)
        else:
            tl.store(out_ptr, 2)

    assert fits(3) is True and fits(tl.constexpr(30)) is False
    assert run(kernel, 3) == 1 and run(kernel, 30) == 2


def test_callee_change_is_seen():
    @triton.jit
    def callee(x):
        return x + 1

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, callee(1))

    before = kernel.cache_key
    assert run(kernel) == 2
    callee._unsafe_update_src(callee.src.replace("x + 1", "x + 10"))
    kernel.hash = None
    kernel.device_caches.clear()
    assert kernel.cache_key != before
    assert run(kernel) == 11


def test_cache_key_depends_on_constants_and_noinline():
    def make(value, noinline):
        captured = tl.constexpr(value)

        @triton.jit(noinline=noinline)
        def callee(x):
            return x

        @triton.jit
        def kernel(out_ptr):
            tl.store(out_ptr, callee(captured))

        return kernel.cache_key

    keys = {make(1, False), make(2, False), make(1, True)}
    assert len(keys) == 3 and make(1, False) in keys


def test_decorating_looks_at_no_other_function():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, later())  # noqa: F821

    assert kernel.hash is None  # made from what the source mentions, once somebody asks
    globals()["later"] = triton.jit(defined_later)
    try:
        assert run(kernel) == 12
    finally:
        del globals()["later"]


def defined_later():
    return 12


def test_source_attributes():
    assert read_constant.src.startswith("def read_constant(out_ptr):")
    assert read_constant.arg_names == ["out_ptr"] and read_constant.constexprs == []
    with pytest.raises(AttributeError):
        read_constant.src = "def other(): pass"
    assert repr(read_constant) == f"JITFunction({__name__}:read_constant)"
    assert {read_constant: 1}[read_constant] == 1


def in_two_processes(tmp_path, source, *values, **variables):
    """What a program prints, run once for each value of the global `PLAIN` with one cache directory."""
    program = tmp_path / "program.py"
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **variables}
    for value in values:
        program.write_text(source.replace("VALUE", value))
        yield subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True)


READS_PLAIN_GLOBAL = """
import numpy as np, triton, triton.language as tl
PLAIN = VALUE
@triton.jit
def kernel(out_ptr):
    tl.store(out_ptr, PLAIN)
out = np.zeros(1, np.int32)
kernel[(1,)](out)
print(out[0])
"""


def test_plain_globals_are_part_of_the_disk_key(tmp_path):
    allowed = {"TRITON_ALLOW_NON_CONSTEXPR_GLOBALS": "1"}
    texts = [done.stdout for done in in_two_processes(tmp_path, READS_PLAIN_GLOBAL, "5", "6", **allowed)]
    assert texts == ["5\n", "6\n"]
    (forbidden,) = in_two_processes(tmp_path, READS_PLAIN_GLOBAL, "5", TRITON_ALLOW_NON_CONSTEXPR_GLOBALS="0")
    assert "Cannot access global variable PLAIN" in forbidden.stderr


@triton.jit
def reads_early(x):
    return x + SHARED


@triton.jit
def calls_then_reads(out_ptr):
    tl.store(out_ptr, reads_early(1) + SHARED)


@triton.jit
def reads_then_calls(out_ptr):
    tl.store(out_ptr, SHARED + reads_early(1))


SHARED = tl.constexpr(1)


@pytest.mark.parametrize("kernel", [calls_then_reads, reads_then_calls])
def test_callee_that_saw_another_value(kernel):
    global SHARED
    reads_early.hash = kernel.hash = None
    SHARED = tl.constexpr(1)
    assert reads_early.cache_key
    SHARED = tl.constexpr(2)
    with pytest.raises(RuntimeError, match="^Global variable SHARED has value"):
        kernel.cache_key


def test_several_targets():
    @triton.jit
    def kernel(out_ptr):
        a = b = 1
        tl.store(out_ptr, a + b)

    with pytest.raises(TypeError, match="simultaneous multiple assignment"):
        kernel.cache_key
    with pytest.raises(triton.CompilationError):
        run(kernel)


def described(text):
    return lambda fn: fn


@triton.jit
@described("""
def documented(a, b): a line that looks like the function's
""")
def documented(out_ptr):
    tl.store(out_ptr, 7)


def test_definition_in_a_decorators_argument():
    assert documented.src.startswith("def documented(out_ptr):")
    assert run(documented) == 7
