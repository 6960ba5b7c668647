"""Adds up what every test runner reported: prints the failures, a line per runner, and last "N passed, M failed".

usage: sum_results.py DIR REPORT…

DIR holds JUnit XML, one file REPORT.xml per runner, and in unit/ one file per GoogleTest binary that ctest ran. A binary counts by its
cases; a runner or a binary that died before it could report counts as one failure. The exit code is 1 when anything failed, or nothing ran.
"""

import sys
from collections import Counter
from pathlib import Path

import junit


def unit_results(directory):
    """ctest runs binaries, which report their own cases."""
    for name, outcome in junit.cases(directory / "ctest.xml"):
        binary = name.split("::")[-1]
        report = directory / "unit" / f"{binary}.xml"
        inside = list(junit.cases(report)) if report.exists() else []
        yield from inside
        if not inside or (outcome == "failed" and not any(result == "failed" for _, result in inside)):
            yield binary, outcome


def results(directory, reports):
    """Yields (runner, case, outcome)."""
    for report in reports:
        path = directory / f"{report}.xml"
        for name, outcome in unit_results(directory) if report == "ctest" else junit.cases(path):
            yield report.split("-")[0], name, outcome


def main():
    counts = {}
    failures = []
    for runner, name, outcome in results(Path(sys.argv[1]), sys.argv[2:]):
        counts.setdefault(runner, Counter())[outcome] += 1
        if outcome == "failed":
            failures.append(f"FAILED {runner}: {name}")
    if failures:
        print("\n".join(failures))
    for runner, count in counts.items():
        print(f"  {runner:8} {count['passed']:6} passed {count['failed']:5} failed {count['skipped']:5} skipped")
    passed, failed = (sum(count[outcome] for count in counts.values()) for outcome in ("passed", "failed"))
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
