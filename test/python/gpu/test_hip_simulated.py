"""Kernels on a simulated AMD GPU, against PyTorch. A process has one GPU, so the cases run in another one."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu_only


@pytest.mark.parametrize(
    "cases, arch",
    [
        ("hip_math_cases.py", "gfx942"),
        ("hip_math_cases.py", "gfx1100"),
        ("hip_gluon_cases.py", "gfx942"),
        ("hip_matrix_cases.py", "gfx950"),
        ("hip_matrix_cases.py", "gfx1250"),
        ("hip_copy_cases.py", "gfx942"),
        ("hip_copy_cases.py", "gfx950"),
    ],
)
def test_simulated_amd_gpus(cases, arch, tmp_path):
    environment = {**os.environ, "TRITON_SIMULATE": arch, "TRITON_CACHE_DIR": str(tmp_path)}
    environment["TRITON_DEFAULT_BACKEND"] = "hip"  # and not the one that these tests run on
    path = os.path.join(os.path.dirname(__file__), cases)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--noconftest", path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
