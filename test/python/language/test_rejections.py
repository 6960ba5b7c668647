"""Programs that must be rejected while compiling, with the words users look for, and what is to be had of the error. More of them, with all of
their texts, are in diagnostics/."""

import re

import pytest
import torch
import triton
import triton.language as tl

PLAIN = 3
ANNOTATED: tl.constexpr = 3


@triton.jit
def undefined_name(p, n):
    tl.store(p, nothing)  # noqa: F821


@triton.jit
def plain_global(p, n):
    tl.store(p, PLAIN)


@triton.jit
def annotated_global(p, n):
    tl.store(p, ANNOTATED)


@triton.jit
def two_types(n):
    if n > 2:
        return n
    return 1.0


@triton.jit
def return_types(p, n):
    tl.store(p, two_types(n))


@triton.jit
def float_bound(p, n):
    for i in range(1.5):
        tl.store(p, i)


@triton.jit
def other_iterable(p, n):
    for i in (1, 2, 3):
        tl.store(p, i)


@triton.jit
def float_condition(p, n):
    if 1.5:
        tl.store(p, n)


@triton.jit
def string_plus_int(p, n):
    tl.store(p, 0 + "a")


@triton.jit
def float_shift(p, n):
    tl.store(p, 1.0 << 1)


@triton.jit
def not_tuple(p, n):
    tl.store(p, not (0, 0))


@triton.jit
def reannotated(p, n):
    C: tl.constexpr = 1
    C: tl.constexpr = 2  # noqa: F841


@triton.jit
def nested_function(p, n):
    def inner():
        pass


@triton.jit
def comprehension_of_tensor(p, n):
    x = [i for i in n]  # noqa: F841


@triton.jit(noinline=True)
def outlined(x):
    return x


@triton.jit
def noinline_block(p, n):
    outlined(tl.arange(0, 4))


@triton.jit
def static_assertion(p, n):
    tl.static_assert(1 == 2, "not today")


@triton.jit
def endless(x):
    return endless(x)


@triton.jit
def recursion(p, n):
    tl.store(p, endless(n))


@triton.jit
def missing_argument(p, n):
    tl.store(p, two_types())


@triton.jit
def axis_out_of_range(p, n):
    tl.store(p, tl.program_id(20))


@triton.jit
def add_pointers(p, n):
    tl.load(p + p)


@triton.jit
def store_string(p, n):
    x = "text"  # noqa: F841


@pytest.mark.parametrize(
    "kernel, words",
    [
        (undefined_name, "nothing.* is not defined"),
        (plain_global, "access global variable.*PLAIN"),
        (annotated_global, "access global variable.*ANNOTATED"),
        (return_types, "Return type mismatch: int32 and fp32"),
        (float_bound, "integer scalars.*float"),
        (other_iterable, "range.*static_range"),
        (float_condition, "bool, int, NoneType.*float"),
        (string_plus_int, "unsupported operand type"),
        (float_shift, "unsupported operand type"),
        (not_tuple, "not.*not implemented"),
        (reannotated, "already defined.*constexpr cannot be reassigned"),
        (nested_function, "nested function definition"),
        (comprehension_of_tensor, "only tuple comprehensions"),
        (noinline_block, "noinline.*non-scalar argument x"),
        (static_assertion, "not today"),
        (recursion, "calls itself"),
        (missing_argument, "missing 1 required positional argument: 'n'"),
        (axis_out_of_range, "axis must be 0, 1, or 2.*20"),
        (add_pointers, "cannot add pointers"),
        (store_string, "cannot convert text of type"),
    ],
    ids=lambda value: value.__name__ if hasattr(value, "__name__") else "",
)
def test_rejected(kernel, words):
    def text(error):
        return "" if error is None else str(error) + "\n" + text(error.__cause__)

    with pytest.raises(triton.CompilationError) as caught:
        kernel[(1,)](torch.zeros(16, dtype=torch.int32), 7)
    assert re.search(words, text(caught.value), re.DOTALL), text(caught.value)


def test_the_place_is_the_expression():
    with pytest.raises(triton.CompilationError) as caught:
        undefined_name[(1,)](torch.zeros(16, dtype=torch.int32), 7)
    lines = str(caught.value).splitlines()
    assert lines[0] == "at 2:16:"
    assert any(line.strip() == "^" and line.index("^") == 16 for line in lines)


def test_an_error_in_a_callee_is_the_cause_of_one_at_the_call():
    with pytest.raises(triton.CompilationError) as caught:
        return_types[(1,)](torch.zeros(16, dtype=torch.int32), 7)
    inner = caught.value.__cause__
    assert isinstance(inner, triton.CompilationError)
    assert "Return type mismatch" in str(inner)


def test_static_assertions_have_a_class():
    from triton.compiler.errors import CompileTimeAssertionFailure

    with pytest.raises(CompileTimeAssertionFailure):
        static_assertion[(1,)](torch.zeros(16, dtype=torch.int32), 7)
