"""Errors that a pass, the code generator or the assembler notices: the class that clients expect, and the line, caret and calls as for those of the frontend."""

import re

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.errors import PTXASError

CPU, HOPPER = GPUTarget("cpu", "x86-64-v3", 0), GPUTarget("cuda", 90, 32)


@triton.jit
def smallest(d, x):
    d.atomic_min([0], x)


@triton.jit
def unsupported_update(d):
    smallest(d, tl.zeros((16,), tl.float16))


@triton.jit
def halve(x):
    return tl.inline_asm_elementwise("half.s32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def wrong_assembly(p):
    tl.store(p, halve(tl.load(p)))


@tl.core.extern
def absent(x, _semantic=None):
    names = {(tl.dtype("fp32"),): ("nobody_defines_this", tl.dtype("fp32"))}
    return tl.core.extern_elementwise("", "", [x], names, is_pure=True, _semantic=_semantic)


@triton.jit
def twice(x):
    return absent(x) * 2


@triton.jit
def missing_function(p):
    tl.store(p, twice(tl.load(p)))


def line_of(text):
    return next(number for number, line in enumerate(open(__file__), 1) if line.startswith(text))


def failure(kernel, target, **signature):
    """What the compile raises, after a look at all that every such error shows."""
    with pytest.raises(Exception) as caught:
        triton.compile(ASTSource(fn=kernel, signature=signature, constexprs={}), target=target)
    return caught.value


def check_text(text, place, called):
    """`place` and `called` begin the lines where the mistake is and where it is called from."""
    lines = text.splitlines()
    for begin in (place, called):
        number = line_of(begin)
        shown = next(index for index, line in enumerate(lines) if line.startswith(f"{number:5} | {begin}"))
        assert re.fullmatch(r" +\| +\^~*", lines[shown + 1]), text
        assert any(f"{__file__}:{number}:" in line for line in lines[:shown]), text
    assert f"{__file__}:{line_of(called)}:" in text.split("note: called from here")[0].splitlines()[-1]


def check_error(error, place, called):
    """Of errors that show their source in Triton's way too, one for each call."""
    assert isinstance(error, RuntimeError) and isinstance(error, triton.CompilationError)
    assert called.strip() in str(error) and error.error_message is None
    inner = error.__cause__
    assert isinstance(inner, RuntimeError) and isinstance(inner, triton.CompilationError)
    assert place.strip() in str(inner) and "^" in str(inner) and inner.error_message in str(inner)
    check_text(error.diagnostic, place, called)
    return inner.error_message


def test_a_pass():
    error = failure(unsupported_update, CPU, d="tensordesc<fp16[16]>")
    message = check_error(error, "    d.atomic_min([0], x)", "    smallest(d, tl.zeros((16,), tl.float16))")
    assert message.startswith("PassManager::run failed: ") and "atomic_min of 'f16' is not supported" in message


def test_code_generation_on_the_cpu():
    error = failure(wrong_assembly, CPU, p="*i32")
    message = check_error(error, "    return tl.inline_asm_elementwise", "    tl.store(p, halve(tl.load(p)))")
    assert "invalid instruction mnemonic 'half.s32'" in message


def test_linking():
    error = failure(missing_function, HOPPER, p="*fp32")
    message = check_error(error, "    return absent(x) * 2", "    tl.store(p, twice(tl.load(p)))")
    assert message == "no library defines the function 'nobody_defines_this'"


@pytest.mark.assembles
def test_assembly():
    error = failure(wrong_assembly, HOPPER, p="*i32")
    assert type(error) is PTXASError
    assert str(error).startswith("PTXAS error: ") and "half" in str(error)
    check_text(str(error), "    return tl.inline_asm_elementwise", "    tl.store(p, halve(tl.load(p)))")
