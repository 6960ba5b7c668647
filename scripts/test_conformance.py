"""The peer's tests are run whatever they do to their process, and counted against what is known."""

import json
import os
import subprocess
import sys
from pathlib import Path

import conformance
import pytest
import run_sharded

SCRIPT = Path(__file__).parent / "conformance.py"

CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--device")
"""

TESTS = """
import ctypes, os, time
import pytest

def test_good():
    pass

@pytest.mark.parametrize("size", [1, 2, 3])
def test_wrong(size):
    assert size == 0, f"cannot do {size}"

def test_crash():
    ctypes.string_at(0)

def test_hang():
    time.sleep(60)

def test_skipped():
    pytest.skip("not for us")

def test_device(request):
    assert request.config.getoption("--device") == "cpu"
"""

FILE = "python/test/unit/language/test_made_up.py"


@pytest.fixture
def checkout(tmp_path):
    """A repository with tests of ours where the peer has its own."""
    files = {
        "python/test/conftest.py": CONFTEST,
        FILE: TESTS,
        "python/test/unit/runtime/test_import.py": "import there_is_no_such_module\n\ndef test_lost(): pass\n",
        "third_party/proton/test/test_plain.py": "def test_plain(): pass\n",
        "python/tutorials/01-hello.py": "import sys\nassert __name__ == '__main__' and sys.argv[0].endswith('hello.py')\n",
        "python/tutorials/gluon/02-tests.py": "def test_one(): pass\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def run(checkout, *options, known=""):
    (checkout / "known.toml").write_text(known or "known = []")
    command = [sys.executable, SCRIPT, checkout, "--known", checkout / "known.toml", "--out", checkout / "out"]
    result = subprocess.run([*command, "--jobs", "2", *options], capture_output=True, text=True)
    document = checkout / "out" / "conformance.json"
    assert document.exists(), result.stdout + result.stderr
    return result, json.loads(document.read_text())


def outcomes(document):
    return {name.split("::")[-1]: each["outcome"] for name, each in document["tests"].items()}


def test_a_process_that_dies_loses_one_test(checkout):
    result, document = run(checkout, "--suite", "language", "--limit", "6")
    assert outcomes(document) == {
        "test_good": "passed",
        "test_wrong[1]": "failed",
        "test_wrong[2]": "failed",
        "test_wrong[3]": "failed",
        "test_crash": "failed",
        "test_hang": "failed",
        "test_skipped": "skipped",
        "test_device": "passed",
    }
    assert result.returncode == 1
    messages = {name.split("::")[-1]: each.get("message", "") for name, each in document["tests"].items()}
    assert "took more than" in messages["test_hang"] and "process ended" in messages["test_crash"]
    assert messages["test_wrong[1]"] == messages["test_wrong[2]"]  # failures of one kind are one group
    assert "    3 x AssertionError: cannot do #" in result.stdout


def test_known_failures_are_excused_and_known_passes_reported(checkout):
    known = f"""
[[known]]
tests = ["{FILE}::test_wrong[*]"]
message = "cannot do"
reason = "numbers are hard"

[[known]]
tests = ["{FILE}::test_good"]
reason = "never was"

[[known]]
tests = ["{FILE}::test_device"]
devices = ["cuda"]
reason = "of another device"
"""
    result, document = run(checkout, "--suite", "language", "--only", "test_wrong", known=known)
    assert document["new failures"] == [] and result.returncode == 0
    result, document = run(checkout, "--suite", "language", "--only", "test_good", known=known)
    assert document["known, and pass"] == ["never was"]
    assert "known, but 1 passed and none failed" in result.stdout


def test_an_entry_for_another_message_excuses_nothing(checkout):
    known = f'[[known]]\ntests = ["{FILE}::test_wrong*"]\nmessage = "something else"\nreason = "numbers are hard"\n'
    result, document = run(checkout, "--suite", "language", "--only", "test_wrong[2]", known=known)
    assert document["new failures"] == [f"{FILE}::test_wrong[2]"] and result.returncode == 1


def test_a_whole_run_fails_where_something_known_passes(checkout):
    known = '[[known]]\ntests = ["third_party/*"]\nreason = "never was"\n'
    result, document = run(checkout, "--suite", "proton", known=known)
    assert document["new failures"] == [] and result.returncode == 1


def test_a_file_that_cannot_be_imported_fails_what_the_peer_passes_in_it(checkout):
    file = "python/test/unit/runtime/test_import.py"
    _, document = run(checkout, "--suite", "runtime")
    assert document["new failures"] == [file]
    (checkout / ".conformance").mkdir()
    (checkout / ".conformance" / "peer-cpu.txt").write_text(f"{file}::test_lost\n{file}::test_other\n")
    result, document = run(checkout, "--suite", "runtime")
    assert document["new failures"] == [f"{file}::test_lost", f"{file}::test_other"]
    assert "0 of 2 = 0.0 %" in result.stdout


def test_a_tutorial_is_a_program_unless_it_holds_tests(checkout):
    (checkout / "python" / "triton").mkdir()  # stands for the packages under test: this one needs no build
    (checkout / "python" / "triton" / "__init__.py").write_text("")
    (checkout / "python" / "triton" / "testing.py").write_text("class Mark: pass\n")
    environment = {**os.environ, "PYTHONPATH": str(checkout / "python")}
    command = [sys.executable, SCRIPT, checkout, "--suite", "tutorials", "--out", checkout / "out", "--jobs", "2"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    document = json.loads((checkout / "out" / "conformance.json").read_text())
    assert outcomes(document) == {"program": "passed", "test_one": "passed"}, result.stdout


def test_the_peer_is_asked_once_and_counted_against(checkout):
    result, _ = run(checkout, "--suite", "language", "--only", "test_good", "--peer")
    assert (checkout / ".conformance" / "peer-cpu.txt").read_text() == f"{FILE}::test_good\n"
    assert result.returncode == 0
    result, _ = run(checkout, "--suite", "language", "--only", "test_good")
    assert "1 of 1 = 100.0 %" in result.stdout


def test_the_peer_is_asked_about_the_failures_of_a_run(checkout):
    (checkout / ".conformance").mkdir()
    passes = checkout / ".conformance" / "peer-cpu.txt"
    passes.write_text(f"{FILE}::test_device\n{FILE}::test_wrong[2]\n")
    run(checkout, "--suite", "language", "--only", "test_wrong")
    failed = checkout / "out" / "failed.txt"
    assert failed.read_text() == "".join(f"{FILE}::test_wrong[{size}]\n" for size in (1, 2, 3))
    source = (checkout / FILE).read_text()
    (checkout / FILE).write_text(source.replace("size == 0", "size == 3"))  # the peer does it right, as far as 3 goes
    _, document = run(checkout, "--suite", "language", "--tests", str(failed), "--peer")
    assert outcomes(document) == {"test_wrong[1]": "failed", "test_wrong[2]": "failed", "test_wrong[3]": "passed"}
    assert passes.read_text() == f"{FILE}::test_device\n{FILE}::test_wrong[3]\n"  # others stay as they were


def test_this_tree_is_hidden_from_the_peer(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(conformance.ROOT / "python"), "/somewhere/site"]))
    assert conformance.environment(True, "cuda", "/cache")["PYTHONPATH"] == "/somewhere/site"
    assert str(conformance.ROOT / "python") in conformance.environment(False, "cuda", "/cache")["PYTHONPATH"]


def test_no_test_is_begun_behind_the_end(checkout):
    result, document = run(checkout, "--suite", "language", "--seconds", "0")
    assert set(outcomes(document).values()) <= {"skipped"} and result.returncode == 0


def test_a_sample_holds_each_function_first_and_stays_the_same():
    tests = [f"file.py::test_{name}[{size}]" for name in "abc" for size in range(10)]
    chosen = conformance.sample(tests, 4)
    assert len(chosen) == 4 and {test.split("[")[0][-1] for test in chosen} == set("abc")
    assert chosen == conformance.sample(tests, 4) and set(chosen) <= set(conformance.sample(tests, 7))
    assert conformance.sample(tests, 100) == tests


def test_brackets_of_names_are_no_classes():
    assert conformance.as_pattern("a.py::test[x-*]").fullmatch("a.py::test[x-1]")
    assert not conformance.as_pattern("a.py::test[x-*]").fullmatch("a.py::testx")


def test_an_entry_without_a_reason_is_refused(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('[[known]]\ntests = ["a"]\n')
    with pytest.raises(ValueError, match="reason"):
        conformance.read_known(path, "cpu")


def test_what_is_known_can_be_read():
    for device in ("cpu", "cuda", "sm_90a"):
        assert isinstance(conformance.read_known(conformance.KNOWN, device), list)


def test_all_chunks_of_all_suites_take_turns():
    assert conformance.in_turn([["a1", "a2", "a3"], ["b1"]]) == ["a1", "b1", "a2", "a3"]


def test_our_own_tests_run_in_shards(checkout):
    out = checkout / "shards"
    command = [sys.executable, SCRIPT.parent / "run_sharded.py", "third_party", "python/test/unit/runtime"]
    result = subprocess.run([*command, "--jobs", "1", "--out", out], cwd=checkout, capture_output=True, text=True)
    assert "1 passed, 1 failed" in result.stdout and result.returncode == 1, result.stdout + result.stderr
    assert "there_is_no_such_module" in (out / "failures.txt").read_text()


def test_what_lies_behind_a_crash_is_run(checkout):
    runner = run_sharded.Runner(["--device", "cpu"], str(checkout), limit=20)
    tests = [f"{FILE}::test_crash", f"{FILE}::test_good"]
    results = runner.run(tests)
    assert [results[test]["outcome"] for test in tests] == ["failed", "passed"]
