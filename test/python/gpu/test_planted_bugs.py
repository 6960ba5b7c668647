"""The bugs that docs/how-to/run-without-a-gpu.md plants are found, in the words that it shows; without them nothing is."""

import os
import re
import subprocess
import sys

import pytest
from places import PACKAGES, ROOT

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

PAGE = (ROOT / "docs/how-to/run-without-a-gpu.md").read_text()
SECTION = PAGE[PAGE.index("## A planted bug of each kind") :].split("\n## ")[0]
BLOCKS = re.findall(r"```(python|text)\n(.*?)```", SECTION, re.S)
HEAD = next(text for kind, text in BLOCKS if kind == "python" and "from triton.experimental" in text)
BUGS = [(code, shown) for (_, code), (kind, shown) in zip(BLOCKS, BLOCKS[1:]) if kind == "text"]


def whole(code):
    return code if "import triton" in code else HEAD + "\n" + code


def simulate(folder, code, architecture):
    (folder / "bug.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(folder / "cache")}
    for name in ("TRITON_DEFAULT_BACKEND", "TRITON_SIMULATE", "TRITON_SANITIZE"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "triton.simulate", "--arch", architecture, "bug.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def same(text):
    """Addresses differ from run to run, and with them how wide columns are."""
    return [re.sub(r" +", " ", re.sub(r"0x[0-9a-f]+", "0x…", line)).strip() for line in text.strip().splitlines()]


def mended(code):
    """The line of the mistake as its comment has it."""
    lines = []
    for line in code.splitlines():
        if wrong := re.match(r"( *)(.*?)  # instead of (.*)", line):
            line = wrong[1] + wrong[2] if wrong[3] == "this" else wrong[1] + wrong[3]
        elif left_out := re.match(r"( *)# left out: (.*)", line):
            line = left_out[1] + left_out[2]
        lines.append(line)
    return "\n".join(lines) + "\n"


def test_each_kind_is_there():
    shown = "\n".join(text for _, text in BUGS)
    for kind in ("race", "illegal address", "barrier", "deadlock", "uninitialised memory", "leak", "divergence"):
        assert f"  {kind}  " in shown, kind


@pytest.mark.parametrize("code, shown", BUGS, ids=range(len(BUGS)))
def test_is_found(tmp_path, code, shown):
    architecture = re.search(r"on a simulated (\S+)", shown)[1]
    result = simulate(tmp_path, whole(code), architecture)
    printed = result.stdout[result.stdout.index("line ") :] if "line " in result.stdout else result.stdout
    assert same(printed) == same(shown), result.stdout + result.stderr[-2000:]
    assert result.returncode == 1


@pytest.mark.parametrize("code, shown", BUGS, ids=range(len(BUGS)))
def test_nothing_is_found_without_it(tmp_path, code, shown):
    architecture = re.search(r"on a simulated (\S+)", shown)[1]
    good = mended(code)
    assert good != code
    result = simulate(tmp_path, whole(good), architecture)
    assert result.returncode == 0 and result.stdout.endswith(f"0 findings on a simulated {architecture}\n"), (
        result.stdout + result.stderr[-2000:]
    )
