"""Mathematics on a simulated AMD GPU, against PyTorch's. A process has one GPU, so the cases (hip_math_cases.py) run in another one."""

import os
import subprocess
import sys

import pytest

CASES = os.path.join(os.path.dirname(__file__), "hip_math_cases.py")

pytestmark = pytest.mark.cpu_only


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_mathematics_of_amd_gpus(arch, tmp_path):
    environment = {**os.environ, "TRITON_SIMULATE": arch, "TRITON_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--noconftest", CASES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
