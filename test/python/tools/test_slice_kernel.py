"""Kernels cut out of programs of several modules."""

import subprocess
import sys

import pytest
from triton.tools.slice_kernel import slice_kernel

FILES = {
    "sliced/__init__.py": "",
    "sliced/consts.py": "import triton.language as tl\nSCALE: tl.constexpr = tl.constexpr(2)\nUNUSED = 5\n",
    "sliced/helpers.py": """
import triton
import triton.language as tl
from .consts import SCALE
from . import consts
LOCAL = tl.constexpr(3)


@triton.jit
def inner(x):
    # a comment stays
    return x * SCALE + LOCAL + consts.SCALE


@triton.jit
def unused(x):
    return x
""",
    "sliced/program.py": """
import math
import triton
import triton.language as tl
import sliced.helpers
from sliced.helpers import inner as renamed

if math.pi > 3:
    LOCAL = tl.constexpr(10)
else:
    LOCAL = tl.constexpr(20)
CONFIGS = [triton.Config({"N": n}) for n in (4, 8)]


@triton.autotune(configs=CONFIGS[:1], key=[])
@triton.jit
def kernel(x_ptr, N: tl.constexpr):
    SCALE = tl.arange(0, N)  # a name of its own
    tl.store(x_ptr + SCALE, sliced.helpers.inner(SCALE) + renamed(SCALE) + LOCAL)
""",
}


@pytest.fixture
def program(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "sliced"]:
        del sys.modules[name]


def test_what_is_taken(program):
    text = slice_kernel(["sliced.program:kernel"])
    assert text.startswith("import math\nimport triton\nimport triton.language as tl\n")
    assert "unused" not in text and "UNUSED" not in text and "import sliced" not in text
    assert "# a comment stays" in text and text.count("def inner(") == 1 and "inner(SCALE) + inner(SCALE)" in text
    assert "LOCAL_1" in text  # two modules have one
    assert text.index("def inner(") < text.index("def kernel(")
    assert text == slice_kernel(["sliced.program:kernel"])


@pytest.mark.runs
@pytest.mark.cpu_only
def test_what_was_taken_runs_alone(program, tmp_path_factory):
    alone = tmp_path_factory.mktemp("alone") / "one.py"
    run = "\nimport numpy as np\nx = np.zeros(4, np.int32)\nkernel[(1,)](x)\nprint(x.tolist())\n"
    subprocess.run(
        [sys.executable, "-m", "triton.tools.slice_kernel", "sliced.program:kernel", "--output-path", alone],
        check=True,
        cwd=program,
    )
    alone.write_text(alone.read_text() + run)
    out = subprocess.run([sys.executable, alone], check=True, capture_output=True, text=True, cwd=alone.parent).stdout
    assert out.strip() == str([2 * (2 * i + 3 + 2) + 10 for i in range(4)])


def test_leaves_stay_imports(program):
    text = slice_kernel(["sliced.program:kernel"], leaf_modules=["sliced.helpers"])
    assert "import sliced.helpers" in text and "def inner(" not in text
    text = slice_kernel(["sliced.helpers:inner"], leaf_paths=["sliced.consts:SCALE"])
    assert "from sliced.consts import SCALE" in text and "LOCAL = tl.constexpr(3)" in text
    text = slice_kernel(["sliced.helpers:inner"], leaf_modules=["sliced"], include_below=["sliced.helpers"])
    assert "from sliced.consts import SCALE" in text


def test_what_is_not_there(program):
    for path, message in {
        "sliced.program": "is not of the form module.path:object", "sliced.program:nothing": "has no 'nothing'", "triton.language:load": "is a leaf",
    }.items():  # fmt: skip
        with pytest.raises(ValueError, match=message):
            slice_kernel([path])
