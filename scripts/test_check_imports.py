"""The import check must see each kind of wrong arrow, and let the right ones pass."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import check_imports  # noqa: E402


@pytest.mark.parametrize(
    "source, target",
    [
        ("language.core", "_utils"),
        ("backends.cpu.compiler", "language.extra"),
        ("compiler.compiler", "runtime.cache"),
        ("runtime.jit", "compiler"),
        ("runtime.jit", "language.callables"),
        ("testing", "runtime.driver"),
        ("experimental.gluon._runtime", "compiler.sources"),
    ],
)
def test_right_arrow(source, target):
    assert check_imports.objection(source, target, False) is None


@pytest.mark.parametrize(
    "source, target, is_inside, reason",
    [
        ("knobs", "language", False, "language stands after ground"),
        ("language.core", "runtime.jit", False, "runtime stands after language"),
        ("language.core", "runtime.jit", True, "runtime stands after language"),
        ("backends.cpu.compiler", "compiler.errors", False, "compiler stands after backends"),
        ("backends.cpu.compiler", "runtime.cache", False, "store stands after backends"),
        ("compiler.kernel", "runtime.jit", False, "runtime stands after compiler"),
        ("runtime.jit", "testing", False, "surfaces stands after runtime"),
        ("runtime.jit", "compiler", True, "at the top"),
    ],
)
def test_wrong_arrow(source, target, is_inside, reason):
    assert reason in check_imports.objection(source, target, is_inside)


def test_lazy_imports_are_listed():
    assert check_imports.objection("knobs", "_tool_versions", True) is None
    assert "at the top" in check_imports.objection("knobs", "errors", True)


def check(tmp_path, **files):
    package = tmp_path / "python" / "triton"
    for name, text in files.items():
        path = package / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    junit = tmp_path / "out.xml"
    run = subprocess.run(
        [sys.executable, check_imports.__file__, "--root", tmp_path, "--junit", junit], capture_output=True, text=True
    )
    assert run.returncode == 1 and 'failures="1"' in junit.read_text()
    return run.stdout


def test_reads_files_and_names_the_line(tmp_path):
    text = "import os\n\n\ndef f():\n    from ..runtime import jit\n    import numpy\n"
    found = check(tmp_path, language__core=text, runtime__jit="")
    assert "python/triton/language/core.py:5: imports triton.runtime.jit: runtime stands after language" in found
    assert "numpy" not in found


def test_absolute_imports_count(tmp_path):
    found = check(tmp_path, language__core="from triton.runtime import jit\nimport triton.testing\n", runtime__jit="")
    assert "core.py:1: imports triton.runtime.jit" in found and "core.py:2: imports triton.testing" in found


def test_a_circle(tmp_path):
    found = check(tmp_path, language__a="from .b import x\n", language__b="from . import a\n")
    assert "a circle of imports: language.a -> language.b -> language.a" in found


def test_a_listed_import_that_is_gone(tmp_path):
    assert "lists an import of triton._tool_versions in triton.knobs" in check(tmp_path, knobs="")
