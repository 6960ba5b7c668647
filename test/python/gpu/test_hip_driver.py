"""Launching on AMD GPUs, against a library that records what it is asked. A process has one driver, so the cases (hip_driver_cases.py) run in another one."""

import os
import subprocess
import sys

import pytest
import torch
from places import BUILD

FAKE = str(BUILD / "fake-hip")
CASES = os.path.join(os.path.dirname(__file__), "hip_driver_cases.py")

pytestmark = [
    pytest.mark.cpu_only,  # another driver was chosen, otherwise
    pytest.mark.skipif(
        torch.cuda.is_available() or not os.path.exists(os.path.join(FAKE, "libamdhip64.so")),
        reason="needs the fake library, and no real one",
    ),
]


def test_launches_on_amd_gpus(tmp_path):
    environment = {**os.environ, "FAKE_HIP": FAKE, "TRITON_CACHE_DIR": str(tmp_path)}
    environment.pop("TRITON_SIMULATE", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--noconftest", CASES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
