"""What another package has and ours has not is found by asking both, and excused only by name."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "api_diff.py"


def make(folder, **modules):
    """A package `made` in a folder, from the texts of its modules."""
    package = folder / "made"
    package.mkdir(parents=True)
    for name, text in modules.items():
        (package / f"{name}.py").write_text(text)
    return folder


def run(tmp_path, ours, theirs, *options, known=""):
    (tmp_path / "known.toml").write_text(known)
    command = [sys.executable, SCRIPT, theirs, "--ours", ours, "--package", "made", "--known", tmp_path / "known.toml"]
    return subprocess.run([*command, *options], capture_output=True, text=True)


THEIRS = """
import os
from typing import List

class Thing:
    kind = 1
    def shared(self): pass
    def extra(self): pass

def call(a, b=1, *, c=2): pass
def gone(): pass
value = 3
_private = 4
"""
OURS = "class Thing:\n    kind = 1\n    def shared(self): pass\n\ndef call(a, b=1): pass\n_private = 5\n"


def test_what_is_missing_is_listed_by_module(tmp_path):
    theirs = make(tmp_path / "theirs", __init__="", inner=THEIRS, lost="def f(): pass\n")
    ours = make(tmp_path / "ours", __init__="", inner=OURS)
    result = run(tmp_path, ours, theirs)
    assert result.returncode == 1, result.stderr
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[:-1] == [
        "made.inner",
        "member Thing.extra",
        "parameter call(c)",
        "function gone",
        "value value",
        "made.lost",
        "module (the whole module)",
    ]


def test_names_that_are_excused(tmp_path):
    theirs, ours = make(tmp_path / "theirs", __init__=THEIRS), make(tmp_path / "ours", __init__=OURS)
    known = '[[names]]\nnames = ["made.gone", "made.Thing.*", "made.call(c)", "made.value"]\nreason = "no one asks"\n'
    result = run(tmp_path, ours, theirs, known=known)
    assert result.returncode == 0 and "nothing is missing" in result.stdout


def test_what_is_imported_counts_as_there(tmp_path):
    theirs = make(tmp_path / "theirs", __init__="", one="def f(): pass\n")
    ours = make(tmp_path / "ours", __init__="", two="def f(): pass\n", one="from .two import f\n")
    assert run(tmp_path, ours, theirs).returncode == 0


def test_a_function_that_takes_any_keyword_lacks_none(tmp_path):
    theirs = make(tmp_path / "theirs", __init__="def f(a, b): pass\n")
    ours = make(tmp_path / "ours", __init__="def f(*args, **kwargs): pass\n")
    assert run(tmp_path, ours, theirs).returncode == 0


def test_one_module_alone(tmp_path):
    theirs = make(tmp_path / "theirs", __init__="", one="def f(): pass\n", two="def g(): pass\n")
    ours = make(tmp_path / "ours", __init__="", one="", two="")
    result = run(tmp_path, ours, theirs, "--module", "made.two")
    assert "function       g" in result.stdout and "function       f" not in result.stdout


def test_private_names_on_demand(tmp_path):
    theirs, ours = make(tmp_path / "theirs", __init__="_hidden = 1\n"), make(tmp_path / "ours", __init__="")
    assert run(tmp_path, ours, theirs).returncode == 0
    assert "_hidden" in run(tmp_path, ours, theirs, "--private").stdout


def test_a_module_that_cannot_be_imported_is_said(tmp_path):
    theirs = make(tmp_path / "theirs", __init__="", one="x = 1\n")
    ours = make(tmp_path / "ours", __init__="", one="import there_is_no_such_module\n")
    result = run(tmp_path, ours, theirs)
    assert "made.one cannot be imported here: ModuleNotFoundError" in result.stdout and result.returncode == 1


def test_a_peer_that_cannot_be_imported_is_an_error(tmp_path):
    theirs = make(tmp_path / "theirs", __init__="import there_is_no_such_module\n")
    ours = make(tmp_path / "ours", __init__="")
    result = run(tmp_path, ours, theirs)
    assert result.returncode == 1 and "cannot be imported: ModuleNotFoundError" in result.stderr
