"""Why a launch compiled."""

import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl

pytestmark = pytest.mark.runs


@pytest.fixture
def told(fresh_knobs, fresh_triton_cache):
    changes = []
    fresh_knobs.compilation.recompile_listener = lambda *, fn, changes: told.append((fn.__name__, changes))
    told = changes
    return told


def make_kernel():
    @triton.jit
    def kernel(x_ptr, n, pair, BLOCK: tl.constexpr):
        tl.store(x_ptr, n + pair[0] + pair[1] + BLOCK)

    return kernel


def why(told):
    """The last reasons, as (kind, name, before, now)."""
    name, changes = told.pop()
    assert name == "kernel" and told == []
    return [tuple(change) for change in changes]


def test_what_was_new(told):
    kernel, x = make_kernel(), np.zeros(64, np.float32)
    assert x.ctypes.data % 16 == 0
    kernel[(1,)](x, 3, (4, 5), 8)
    assert why(told) == []
    kernel[(1,)](x, 7, (6, 7), 8)
    assert told == []  # nothing was compiled
    kernel[(1,)](x.astype(np.float64), 3, (4, 5), 8)
    assert why(told) == [("type", "x_ptr", "*fp32", "*fp64")]
    kernel[(1,)](x, 2**40 + 1, (4, 5), 8)
    assert why(told) == [("type", "n", "i32", "i64")]
    kernel[(1,)](x[1:], 3, (4, 5), 8)
    assert why(told) == [("alignment", "x_ptr", "a multiple of 16", "unknown")]
    kernel[(1,)](x, 32, (4, 5), 8)
    assert why(told) == [("alignment", "n", "unknown", "a multiple of 16")]
    kernel[(1,)](x, 1, (4, 5), 8)
    assert why(told) == [("constant", "n", "none", "1")]
    kernel[(1,)](x, 3, (4, 16), 8)
    assert why(told) == [("alignment", "pair.1", "unknown", "a multiple of 16")]
    kernel[(1,)](x, 3, (4, 5), 9)
    assert why(told) == [("constant", "BLOCK", "8", "9")]
    kernel[(1,)](x, 3, (4, 5), 8, num_stages=2)
    assert [change[:2] for change in why(told)] == [("option", "num_stages")]


class Settings:
    offset = 3


SETTINGS = tl.constexpr(Settings())


@triton.jit
def reads_settings(x_ptr):
    tl.store(x_ptr, SETTINGS.offset)


def test_what_the_program_says(told, monkeypatch):
    x = np.zeros(1, np.int32)
    reads_settings[(1,)](x)
    assert told.pop() == ("reads_settings", []) and x[0] == 3
    monkeypatch.setattr(Settings, "offset", 4)
    reads_settings[(1,)](x)
    ((_, ((kind, name, before, now),)),) = told
    assert (kind, name) == ("answer", "SETTINGS.offset") and "3" in before and "4" in now and x[0] == 4


def test_it_is_printed(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        """
import numpy as np, triton, triton.language as tl
@triton.jit
def kernel(x_ptr, n):
    tl.store(x_ptr, n)
kernel[(1,)](np.zeros(1, np.float32), 3)
kernel[(1,)](np.zeros(1, np.float32), 2**40)
"""
    )
    environment = {**os.environ, "TRITON_EXPLAIN_RECOMPILES": "1", "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    lines = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True).stderr.splitlines()  # fmt: skip
    assert lines[0] == "triton: kernel 'kernel' is compiled: the first time in this process"
    assert "type of n: i32 before, i64 now" in lines[1]
