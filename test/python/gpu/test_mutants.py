"""Bugs that are planted in our own kernels are found by the simulator, and nothing is found in the kernels as they are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import PACKAGES

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

# By architecture: a kernel, a mutation, and the number of the place in the kernel's code (see mutants.py).
PLANTED = {
    "sm_80": [
        "sums/no barrier/0", "sums/no barrier/3", "sums/no bounds/15", "transposed/no barrier/0",
        "pointers/no barrier/0", "pointers/no wait for copies/0", "pointers/a wait for fewer copies/0",
        "pointers/no commit of copies/1", "pointers/a small ring/0",
    ],
    "sm_90a": [
        "pointers/no barrier/0", "pointers/no fence of proxies/0", "pointers/no wait for copies/0",
        "pointers/no wait for products/0", "pointers/no commit of products/0", "pointers/a small ring/0",
        "descriptors/no wait at an mbarrier/0", "descriptors/the other phase/0", "descriptors/too many bytes/0",
        "descriptors/too few bytes/0", "descriptors/too many arrivals expected/0", "descriptors/no mbarrier/0",
        "descriptors/copies by all lanes/0", "descriptors/no wait for products/0", "descriptors/no wait for stores/0",
        "descriptors/a small ring/0", "specialized/no arrival/0", "specialized/the other phase/0",
        "specialized/no wait at an mbarrier/0", "specialized/no wait for products/0", "specialized/a small ring/0",
        "specialized/no barrier/1",
    ],
    "sm_100a": [
        "pointers/no commit of products/0", "pointers/no wait at an mbarrier/0", "pointers/no fence of proxies/0",
        "pointers/no wait for tensor memory/0", "pointers/no free/0", "descriptors/the other phase/0",
        "descriptors/too few bytes/0", "specialized/no arrival/0", "specialized/a small ring/0",
    ],
}  # fmt: skip
KERNELS = {"sm_80": ["sums", "transposed", "pointers"], "sm_90a": ["sums", "pointers", "descriptors", "specialized"],
           "sm_100a": ["sums", "pointers", "descriptors", "specialized"]}  # fmt: skip


def said_of(architecture, names, seed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache"),
                   "TRITON_SIMULATE": architecture, "TRITON_SIMULATE_SEED": str(seed), "TRITON_SANITIZE": "race,async,shared"}  # fmt: skip
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    program = Path(__file__).with_name("mutants.py")
    result = subprocess.run([sys.executable, program, *names], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    lines = map(json.loads, result.stdout.splitlines())
    return {line["name"]: line["said"] for line in lines}


def test_forty_planted_bugs(tmp_path):
    planted = [(architecture, name) for architecture, names in PLANTED.items() for name in names]
    assert len(planted) == 40
    missed = []
    for architecture, names in PLANTED.items():
        said = said_of(architecture, names, 1, tmp_path)
        missed += [f"{architecture} {name}" for name in names if said[name] is None]
    assert len(missed) <= 2, missed


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("architecture", KERNELS)
def test_unbroken_kernels(architecture, seed, tmp_path):
    said = said_of(architecture, KERNELS[architecture], seed, tmp_path)
    assert said == dict.fromkeys(KERNELS[architecture])
