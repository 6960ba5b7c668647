"""The sum must count cases, not binaries, and must not lose a binary that died."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "sum_results.py"


def run(directory, *reports):
    result = subprocess.run([sys.executable, SCRIPT, directory, *reports], capture_output=True, text=True)
    return result.returncode, result.stdout.splitlines()


def write(path, *cases):
    path.parent.mkdir(exist_ok=True)
    body = "".join(f'<testcase name="{name}">{inside}</testcase>' for name, inside in cases)
    path.write_text(f"<testsuite>{body}</testsuite>")


def test_cases_of_a_binary_are_counted(tmp_path):
    write(tmp_path / "ctest.xml", ("ATest", ""))
    write(tmp_path / "unit/ATest.xml", ("one", ""), ("two", ""))
    write(tmp_path / "pytest.xml", ("three", ""), ("four", "<skipped/>"))
    code, lines = run(tmp_path, "ctest", "pytest")
    assert code == 0 and lines[-1] == "3 passed, 0 failed"


def test_a_binary_that_died_is_a_failure(tmp_path):
    write(tmp_path / "ctest.xml", ("ATest", "<failure/>"), ("BTest", ""))
    code, lines = run(tmp_path, "ctest")
    assert code == 1 and lines[-1] == "1 passed, 1 failed" and "FAILED ctest: ATest" in lines


def test_a_report_that_cannot_be_read_is_a_failure(tmp_path):
    (tmp_path / "lit.xml").write_text("<testsuite><testcase")
    code, lines = run(tmp_path, "lit")
    assert code == 1 and lines[-1] == "0 passed, 1 failed"


def test_a_runner_that_left_no_report_is_a_failure(tmp_path):
    write(tmp_path / "lit.xml", ("one", ""))
    code, lines = run(tmp_path, "lit", "pytest")
    assert code == 1 and lines[-1] == "1 passed, 1 failed"


def test_nothing_ran_is_not_a_success(tmp_path):
    code, lines = run(tmp_path)
    assert code == 1 and lines[-1] == "0 passed, 0 failed"
