"""Interpreter mode: kernels as ordinary Python. Each script here runs in a process of its own, since the mode is chosen when triton is imported."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu_only  # what it starts works on the host
HERE = Path(__file__).resolve().parents[1]
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


def test_scans_combine_by_functions_that_call_others(tmp_path):
    interpret(
        tmp_path,
        """
        @triton.jit
        def multiply(a, b):
            return a * b

        @triton.jit
        def combine(a, b):
            return multiply(a, b)

        @triton.jit
        def kernel(x, out):
            at = tl.arange(0, 8)
            tl.store(out + at, tl.associative_scan(tl.load(x + at), 0, combine))
            tl.store(out + 8, tl.reduce(tl.load(x + at), 0, combine))

        x, out = torch.tensor([1, 2, 3, 1, 2, 1, 1, 5]), torch.zeros(9, dtype=torch.int64)
        kernel[(1,)](x, out)
        assert out.tolist() == [1, 2, 6, 6, 12, 12, 12, 60, 60]
    """,
    )


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


WAITING = """
@triton.jit
def take_turns(turn):
    while tl.load(turn, volatile=True) != 3 - tl.program_id(0):  # the last one first
        pass
    tl.atomic_add(turn, 1)

take_turns[(4,)](torch.zeros(1, dtype=torch.int32))
"""


def test_programs_that_wait_for_each_other(tmp_path):
    result = interpret(tmp_path, WAITING, check=False)
    assert result.returncode == 1 and "InterpreterError" in result.stderr
    assert "program (0, 0, 0) has waited for 3 s for what another program would write, while 3 programs have not begun: in interpreter mode programs run one after the other" in result.stderr  # fmt: skip
    assert "while tl.load(turn, volatile=True)" in result.stderr


def test_waiting_is_interrupted_by_control_c(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(HEAD + "print('begins', flush=True)\n" + WAITING)
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    with subprocess.Popen([sys.executable, str(script)], stdout=-1, stderr=-1, text=True, env=environment) as process:
        process.stdout.readline()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


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


def test_hints_of_loops_change_nothing(tmp_path):
    result = interpret(
        tmp_path,
        """
        @triton.jit
        def kernel(out):
            total = 0
            for i in range(5, flatten=True, num_stages=3):
                total += i
            for i in range(0, 3, nonsense=1):
                total += i
            tl.store(out, total)

        out = torch.zeros(1)
        kernel[(1,)](out)
        print(out.tolist())
    """,
    )
    assert result.stdout == "[13.0]\n" and "range() ignores the keyword argument 'nonsense'" in result.stderr


def test_same_results_as_compiled():
    """The kernels that compiled code is tested with, interpreted."""
    # What syntax and scopes forbid is Python's business there, and goldens of messages have a test of their own.
    # Texts of compiled kernels are nothing that interpreted ones have.
    compiled_only = {"test_accepted_forms.py", "test_rejections.py", "test_diagnostics.py", "test_artifacts.py"}
    suites = [str(HERE / "wild")]
    suites += [str(path) for path in sorted((HERE / "language").glob("test_*.py")) if path.name not in compiled_only]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n", "0", *suites],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )
    assert result.returncode == 0, result.stdout[-3000:]


def test_numbers_are_python_s_and_the_language_s(tmp_path):
    result = interpret(
        tmp_path,
        """
        seen = []

        @triton.jit
        def kernel(out, scale, n):
            assert isinstance(scale, float) and scale == 0.1 and scale.dtype == tl.float32
            assert isinstance(n, tl.tensor) and n.dtype == tl.int32
            for i in tl.range(0, n):
                assert isinstance(i, int) and i.dtype == tl.int32 and (i * 2).to(tl.int64).dtype == tl.int64
                seen.append(i)
            for i in range(-3, -2):
                tl.store(out, i // 2)
                tl.store(out + 1, i % 2)
            tl.store(out + 2, (scale * tl.full((), 3, tl.float32)).to(tl.int32))
            tl.store(out + 3, -scale % 0.3 * 100)
            assert ((tl.full((4,), 1, tl.int8) + i).dtype == tl.int32)

        out = torch.zeros(4, dtype=torch.int32)
        kernel[(1,)](out, 0.1, 3)
        print(seen == [0, 1, 2], {0: "zero"}[seen[0]], out.tolist())
    """,
    )
    assert result.stdout == "True zero [-1, -1, 0, -10]\n"


def test_what_clients_import(tmp_path):
    result = interpret(
        tmp_path,
        """
        import numpy as np
        from triton._C.libtriton import interpreter as native
        from triton.runtime.interpreter import (GridExecutor, InterpretedFunction, InterpreterBuilder, TensorHandle,
                                                _implicit_cvt, _patch_lang, interpreter_builder, interpreter_semantic)

        @triton.jit
        def kernel(x):
            assert interpreter_builder.grid_dim == (2, 3, 1) and interpreter_builder.grid_idx[1] == int(tl.program_id(1))
            assert isinstance(_implicit_cvt(7), tl.tensor) and isinstance(interpreter_semantic.to_tensor(2), tl.tensor)
            assert isinstance(_implicit_cvt(7).handle, TensorHandle)
            half = tl.load(x + tl.arange(0, 2))
            assert half.handle.data.dtype == np.uint16 and half.handle.data[0] == 0x3F80 and str(half) == "[1. 1.]"

        assert isinstance(kernel, InterpretedFunction) and not hasattr(kernel, "params") and not hasattr(kernel, "src")
        kernel[(2, 3)](torch.ones(2, dtype=torch.bfloat16))
        assert isinstance(interpreter_builder, InterpreterBuilder) and callable(_patch_lang) and callable(GridExecutor)

        data = np.arange(4, dtype=np.float32)
        places = data.ctypes.data + 4 * np.arange(4, dtype=np.uint64)
        mask = np.array([True, True, False, True])
        assert native.load(places, mask, np.full(4, 9, np.float32), np.float32).tolist() == [0, 1, 9, 3]
        native.store(places, np.full(4, 5, np.float32), mask)
        assert data.tolist() == [5, 5, 2, 5]
        relaxed = native.MEM_SEMANTIC.RELAXED
        old = native.atomic_rmw(native.RMW_OP.FADD, places, np.ones(4, np.float32), mask, relaxed)
        assert data.tolist() == [6, 6, 2, 6] and old.tolist() == [5, 5, 0, 5]
        small = np.array([-3], np.int32)
        native.atomic_rmw(native.RMW_OP.UMAX, np.array([small.ctypes.data], np.uint64), np.array([5], np.int32), np.array([True]), relaxed)
        assert small[0] == -3
        native.atomic_cas(np.array([small.ctypes.data], np.uint64), np.array([-3], np.int32), np.array([8], np.int32), relaxed)
        print(small[0])
    """,
    )
    assert result.stdout == "8\n"


def test_promises_are_checked_and_assembly_is_not_known(tmp_path):
    result = interpret(
        tmp_path,
        """
        @triton.jit
        def promise(n):
            tl.assume(n > 5)

        @triton.jit
        def assembly():
            tl.inline_asm_elementwise("mov $0, $1", "=r,r", [tl.arange(0, 4)], tl.int32, True, 1)

        promise[(1,)](6)
        for kernel, arguments in ((promise, (4,)), (assembly, ())):
            try:
                kernel[(1,)](*arguments)
            except triton.InterpreterError as error:
                print(type(error.__cause__).__name__, error.__cause__)
    """,
    )
    assert result.stdout == (
        "AssertionError assumption failed in program (0, 0, 0)\n"
        "NotImplementedError inline_asm_elementwise is not supported in interpreter mode\n"
    )


def test_the_language_must_be_visible(tmp_path):
    (tmp_path / "hidden.py").write_text("import triton\n\n@triton.jit\ndef kernel(x):\n    pass\n")
    result = interpret(
        tmp_path,
        """
        import hidden
        try:
            hidden.kernel[(1,)](torch.zeros(1))
        except AssertionError as error:
            print(error)
    """,
    )
    assert result.stdout == "triton.language must be visible from within jit'd function\n"


def test_options_name_what_kernels_may_use(tmp_path):
    """The precisions of dots that clients are told of are those that dots take."""
    interpret(
        tmp_path,
        """
        from triton.runtime.interpreter import InterpreterOptions

        @triton.jit
        def kernel(x, out, PRECISION: tl.constexpr):
            place = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
            tile = tl.load(x + place)
            tl.store(out + place, tl.dot(tile, tile, input_precision=PRECISION))

        x, out = torch.eye(16), torch.empty(16, 16)
        allowed = []
        for precision in ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6", "fp64"):
            try:
                kernel[(1,)](x, out, precision)
            except Exception:
                continue
            allowed.append(precision)
        assert sorted(InterpreterOptions().allowed_dot_input_precisions) == sorted(allowed), allowed
        """,
    )
