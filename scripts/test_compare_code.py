"""A comparison of code must see a difference, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "compare_code.py"
KERNEL = """// num-warps=4 num-ctas=1 num-stages=3
module {
  tt.func public @store(%p: !tt.ptr<i32>, %n: i32) {
    tt.store %p, %n : !tt.ptr<i32>
    tt.return
  }
}
"""


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "ir").mkdir()
    (tmp_path / "ir" / "store.sm_90a.0.ttir").write_text(KERNEL)
    result = run("save", tmp_path)
    assert result.returncode == 0 and "1 kernels saved" in result.stdout, result.stderr
    return tmp_path


def test_same_build_gives_the_same_code(saved):
    result = run("compare", saved)
    assert result.returncode == 0 and "1 the same, 0 different" in result.stdout


def test_other_code_is_seen(saved):
    (code,) = (saved / "ptx").iterdir()
    code.write_text(code.read_text().replace("st.global", "st.volatile.global"))
    result = run("compare", saved)
    assert result.returncode == 1 and "2 lines differ" in result.stdout
    assert "st.global" in (saved / "new" / code.name).read_text()


def test_what_does_not_compile_any_more_is_seen(saved):
    (kernel,) = (saved / "ir").iterdir()
    kernel.write_text(KERNEL.replace("%n : !tt", "%p : !tt"))
    result = run("compare", saved)
    assert result.returncode == 1 and "0 the same, 1 different" in result.stdout


def test_kernels_of_tests_are_kept(tmp_path):
    code = "import sys, pathlib, compare_code; compare_code.collect_tests(pathlib.Path(sys.argv[1]), ['gpu/test_transposed_dots.py'])"
    result = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=SCRIPT.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert {path.name.split(".")[1] for path in tmp_path.iterdir()} == {"sm_80", "sm_90a", "sm_100a"}
