"""Programs on a simulated GPU: TRITON_SIMULATE chooses it, and what is wrong comes back as an error."""

import os
import subprocess
import sys
import textwrap

import pytest
import triton

PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(triton.__file__)))
pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

KERNELS = """
import numpy as np, triton, triton.language as tl

@triton.jit
def product(a, b, c, N: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((N, N), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * N + m[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + m[None, :], total)

@triton.jit
def sums(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + offsets, offsets < n, 0.0)
    tl.store(out + offsets, tl.cumsum(values, 0) + tl.sum(values, 0), offsets < n)

generator = np.random.default_rng(0)
"""


def run(tmp_path, program, architecture, **variables):
    (tmp_path / "program.py").write_text(KERNELS + textwrap.dedent(program))
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **variables}
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    environment["TRITON_SIMULATE"] = architecture
    return subprocess.run([sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("watched", ["", "race,shared"])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_results(tmp_path, architecture, watched):
    program = """
        a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 128), (128, 64)))
        c = np.zeros((64, 64), np.float32)
        product[(1,)](a, b, c, 64, 128, 32)
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
        x = generator.integers(-9, 10, 1000).astype(np.float32)
        out = np.zeros_like(x)
        sums[(1,)](x, out, 1000, 1024)
        assert np.array_equal(out, np.cumsum(x) + x.sum())
        print(triton.runtime.driver.active.get_current_target().arch)
    """
    result = run(tmp_path, program, architecture, TRITON_SANITIZE=watched)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "".join(filter(str.isdigit, architecture))


def test_accesses_outside_of_arrays(tmp_path):
    program = """
        sums[(1,)](np.zeros(100, np.float32), np.zeros(50, np.float32), 100, 128)
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.returncode != 0 and "illegal address: write of" in result.stderr and "program.py:" in result.stderr


def test_unknown_architectures(tmp_path):
    result = run(tmp_path, "sums[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, 4)", "sm_12")
    assert result.returncode != 0 and "sm_12" in result.stderr
