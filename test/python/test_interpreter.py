"""Interpreter mode: kernels as ordinary Python. Each script here runs in a process of its own, since the mode is chosen when triton is imported."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu_only  # what it starts works on the host
HERE = Path(__file__).resolve().parent
HEAD = "import torch, triton, triton.language as tl\n"


def interpret(tmp_path, source, check=True):
    script = tmp_path / "script.py"
    script.write_text(HEAD + textwrap.dedent(source))
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env={**os.environ, "TRITON_INTERPRET": "1"}
    )
    assert not check or result.returncode == 0, result.stderr
    return result


def test_python_works_inside_kernels(tmp_path):
    result = interpret(
        tmp_path,
        """
        seen = []

        @triton.jit
        def helper(x):
            return x * 2

        @triton.jit
        def kernel(out, n, B: tl.constexpr):
            pid = tl.program_id(0)
            x = helper(tl.arange(0, B))
            if pid == 1:
                print(f"program {int(pid)} holds", x)
            seen.append({"pid": int(pid), "sum": int(tl.sum(x, 0))})
            tl.store(out + pid * B + tl.arange(0, B), x + n)

        out = torch.zeros(8, dtype=torch.int32)
        kernel[(2,)](out, 5, 4)
        assert out.tolist() == [5, 7, 9, 11] * 2
        print(seen)
    """,
    )
    assert result.stdout == "program 1 holds [0 2 4 6]\n[{'pid': 0, 'sum': 12}, {'pid': 1, 'sum': 12}]\n"


def test_debuggers_stop_at_the_line_as_written(tmp_path):
    result = interpret(
        tmp_path,
        """
        import sys
        lines = set()

        def trace(frame, event, argument):
            if frame.f_code.co_name == "kernel" and event == "line":
                lines.add(frame.f_lineno)
            return trace

        @triton.jit
        def kernel(out):
            acc = 0
            for i in range(3):
                acc += i
            tl.store(out, acc)

        out = torch.zeros(1, dtype=torch.int32)
        sys.settrace(trace)
        kernel[(1,)](out)
        sys.settrace(None)
        text = open(__file__).read().splitlines()
        print([text[line - 1].strip() for line in sorted(lines)], out.item())
    """,
    )
    assert result.stdout == "['acc = 0', 'for i in range(3):', 'acc += i', 'tl.store(out, acc)'] 3\n"


def test_errors_name_the_line_and_the_reason(tmp_path):
    result = interpret(
        tmp_path,
        """
        @triton.jit
        def kernel(out):
            x = tl.arange(0, 8)
            y = x + tl.arange(0, 16)

        kernel[(1,)](torch.zeros(1))
    """,
        check=False,
    )
    assert result.returncode == 1
    assert "y = x + tl.arange(0, 16)" in result.stderr
    assert "InterpreterError" in result.stderr and "incompatible dimensions at index 0: 8 and 16" in result.stderr


def test_device_asserts_are_active_and_numbers_wrap(tmp_path):
    result = interpret(
        tmp_path,
        """
        @triton.jit
        def kernel(out, n):
            tl.store(out, n + n)
            tl.device_assert(n < 10, "n is too large")

        out = torch.zeros(1, dtype=torch.int32)
        kernel[(1,)](out, 5)
        try:
            kernel[(1,)](out, 2**31 - 1)
        except triton.InterpreterError as error:
            print(out.item(), type(error.__cause__).__name__, "n is too large" in str(error))
    """,
    )
    assert result.stdout == "-2 AssertionError True\n"


def test_only_kernels_may_use_the_language(tmp_path):
    result = interpret(
        tmp_path,
        """
        @triton.jit
        def kernel(out):
            tl.store(out, 1)

        for attempt in (lambda: tl.arange(0, 4), lambda: kernel(torch.zeros(1))):
            try:
                attempt()
            except (ValueError, RuntimeError) as error:
                print(type(error).__name__)
    """,
    )
    assert result.stdout == "ValueError\nRuntimeError\n"


def test_arguments(tmp_path):
    result = interpret(
        tmp_path,
        """
        import numpy as np
        from typing import NamedTuple

        class Pair(NamedTuple):
            a: object
            b: object

        @triton.jit
        def kernel(out, array, pair, scale, flag, nothing, N: tl.constexpr = 4):
            i = tl.arange(0, N)
            x = tl.load(array + i) * scale + pair.a * pair.b
            if flag and nothing is None:
                tl.store(out + i, x)

        out, array = torch.zeros(4), np.arange(4, dtype=np.float64)
        kernel[lambda meta: (meta["N"] // 4,)](out, array, Pair(3, 5), 0.5, True, None, num_warps=8)
        print(out.tolist())
    """,
    )
    assert result.stdout == "[15.0, 15.5, 16.0, 16.5]\n"


def test_device_print_and_handles(tmp_path):
    result = interpret(
        tmp_path,
        """
        @triton.jit
        def kernel(x):
            value = tl.load(x + tl.arange(0, 4))
            tl.device_print("value", value, tl.program_id(0))
            tl.device_print("bits:", value.to(tl.int32), hex=True)
            tl.device_print("done")
            print(type(value.handle.data).__name__, value.handle.data.sum())

        kernel[(1, 2)](torch.arange(4.0))
    """,
    )
    lines = [
        "({0}) value [0. 1. 2. 3.]", "({0}) value 0", "({0}) bits: [0x00000000 0x00000001 0x00000002 0x00000003]", "({0}) done",
        "ndarray 6.0",
    ]  # fmt: skip
    assert result.stdout.splitlines() == [line.format(f"0, {y}, 0") for y in range(2) for line in lines]


def test_same_results_as_compiled():
    """The kernels that compiled code is tested with, interpreted."""
    # What syntax and scopes forbid is Python's business there, and goldens of messages have a test of their own.
    compiled_only = {"test_rejections.py", "test_diagnostics.py"}
    suites = [str(HERE / "wild")]
    suites += [str(path) for path in sorted((HERE / "language").glob("test_*.py")) if path.name not in compiled_only]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n", "0", *suites],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )
    assert result.returncode == 0, result.stdout[-3000:]
