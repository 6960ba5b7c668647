"""Runs the peer's own tests, in a checkout of its repository, against this tree: a program that runs with one runs with the other.

    python3 scripts/conformance.py ../triton --device cuda --jobs 16 --out results
    python3 scripts/conformance.py ../triton --device cpu --suite language runtime --sample 300
    python3 scripts/conformance.py ../triton --device cuda --peer           # once: what does Triton itself pass here?

--device   cpu, cuda, sim:sm_90a (a simulated GPU), or an architecture such as sm_90a: kernels are compiled for it and nothing runs
--sample   about so many tests of each suite, every test function among them if they suffice; the same ones each time
--tests    the tests named in a file, one in a line, such as `failed.txt` of an earlier run
--peer     with the Triton that is installed, not this one. What passes is kept in CHECKOUT/.conformance, and later runs count against it

test/conformance/known.toml lists tests that may fail, each with its reason. Prints the failures that are not listed, grouped by message,
listed ones that pass, and a table by suite; writes `conformance.json`, `failures.txt` and `failed.txt` into the folder of --out. The exit code is 1 where
something failed that is not listed, or, in a whole run, something listed passes.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import run_sharded

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
KNOWN = ROOT / "test" / "conformance" / "known.toml"

# Of each suite, the files with tests, by patterns below the checkout.
SUITES = {
    "language": ["python/test/unit/language/test_*.py", "python/test/unit/cuda/test_*.py"],
    "runtime": ["python/test/unit/runtime/test_*.py", "python/test/backend/test_*.py"],
    "tools": [
        "python/test/unit/tools/test_*.py",
        "python/test/unit/test_*.py",
        "python/test/unit/instrumentation/*.py",
    ],
    "gluon": ["python/test/gluon/test_*.py"],
    "triton_kernels": ["python/triton_kernels/tests/**/test_*.py"],
    "regression": ["python/test/regression/test_*.py"],
    "proton": ["third_party/proton/test/test_*.py"],
    "tutorials": ["python/tutorials/**/*.py"],
}
WITHOUT_DEVICE_OPTION = ("proton", "tutorials")


def files_of(checkout, suite):
    found = {path for pattern in SUITES[suite] for path in Path(checkout).glob(pattern)}
    return sorted(str(path.relative_to(checkout)) for path in found)


def suite_of(checkout):
    """A function from the name of a test to its suite."""
    suites = {file: suite for suite in SUITES for file in files_of(checkout, suite)}
    return lambda test: suites.get(test.split("::")[0], "")


# --- which tests may fail


@dataclasses.dataclass
class Known:
    """An entry of known.toml: tests that may fail, on some devices, with some message, for a reason."""

    tests: list
    reason: str
    devices: tuple = ("cpu", "cuda")
    message: str = ""

    def covers(self, result):
        """Is this test meant, and if it failed, did it fail as expected?"""
        matches = any(pattern.fullmatch(result["test"]) for pattern in self.tests)
        return matches and (result["outcome"] != "failed" or not self.message or self.message in result["text"])


def as_pattern(text):
    """Only `*` is special: the names of tests are full of brackets."""
    return re.compile(re.escape(text).replace(r"\*", ".*"))


def read_known(path, device):
    """The entries for a device."""
    entries = tomllib.loads(Path(path).read_text())["known"]
    kind = "cuda" if device.startswith(("sm_", "sim:")) else device
    for entry in entries:
        if not entry.get("reason") or not entry.get("tests"):
            raise ValueError(f"{path}: an entry has `tests` and a `reason`, got {entry}")
    known = [
        Known(
            [as_pattern(test) for test in entry["tests"]],
            entry["reason"],
            tuple(entry.get("devices", ["cpu", "cuda"])),
            entry.get("message", ""),
        )
        for entry in entries
    ]
    return [entry for entry in known if kind in entry.devices]


@dataclasses.dataclass
class Comparison:
    """How results stand to what is known."""

    new: list  # failures that no entry covers
    known: list  # failures that one does
    stale: list  # (entry, tests it covers that ran): all of them passed


def compare(results, known):
    failed = [result for result in results.values() if result["outcome"] == "failed"]
    excused = [result for result in failed if any(entry.covers(result) for entry in known)]
    names = {result["test"] for result in excused}
    stale = []
    for entry in known:
        ran = [result for result in results.values() if result["outcome"] != "skipped" and entry.covers(result)]
        if ran and all(result["outcome"] == "passed" for result in ran):
            stale.append((entry, ran))
    return Comparison([result for result in failed if result["test"] not in names], excused, stale)


# --- which tests run


def in_turn(groups):
    """One of each group, then a second one of each: where time runs out, all have had a part of it."""
    longest = max(map(len, groups), default=0)
    return [group[turn] for turn in range(longest) for group in groups if turn < len(group)]


def sample(tests, count):
    """About `count` tests, one of each function before a second of any; which ones depends on their names alone."""
    functions = collections.defaultdict(list)
    for test in tests:
        functions[test.split("[")[0]].append(test)
    order = lambda test: hashlib.sha256(test.encode()).digest()  # noqa: E731
    chosen = set(in_turn([sorted(group, key=order) for _, group in sorted(functions.items())])[:count])
    return [test for test in tests if test in chosen]


def environment(peer, device, cache):
    """What the test processes see: this tree's packages, or with `peer` none of them."""
    variables = dict(os.environ)
    search = [folder for folder in variables.get("PYTHONPATH", "").split(os.pathsep) if folder]
    if peer:
        search = [folder for folder in search if not os.path.isdir(os.path.join(folder, "triton"))]
    elif not any(os.path.isdir(os.path.join(folder, "triton")) for folder in search):
        search.insert(0, str(ROOT / "python"))
    variables |= {
        "PYTHONPATH": os.pathsep.join(search),
        "TRITON_CONFORMANCE": device,
        "TRITON_CACHE_DIR": cache,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if device == "cpu":
        variables["TRITON_DEFAULT_BACKEND"] = "cpu"
    return variables


def runner_of(suite, checkout, variables, device, given):
    # Files of tests come behind everything else: next to some lie packages of the checkout that are not the ones to test.
    options = ["-p", "conformance_plugin", "--rootdir", ".", "--import-mode", "append", "--tb", "short"]
    if suite not in WITHOUT_DEVICE_OPTION:
        options += ["--device", "cpu" if device == "cpu" else "cuda"]
    return run_sharded.Runner(options, str(checkout), variables, given.limit, given.end)


def collect(runners, checkout, jobs, only, named):
    """({suite: tests whose name contains `only` and is in `named`, if that is not empty}, the results of files that could not be collected)"""
    files = [(suite, file) for suite in runners for file in files_of(checkout, suite)]
    if "::" in only:
        files = [(suite, file) for suite, file in files if file.endswith(only.split("::")[0])]
    if named:
        named_files = {test.split("::")[0] for test in named}
        files = [(suite, file) for suite, file in files if file in named_files]
    tests, errors = {suite: [] for suite in runners}, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (suite, _), (found, failed) in zip(
            files, pool.map(lambda each: runners[each[0]].collect([each[1]]), files)
        ):
            tests[suite] += [
                test for test in found if only in test and (not named or test in named or test.split("::")[0] in named)
            ]
            errors |= failed
    return tests, errors


def run(runners, tests, given):
    sizes = {"tutorials": 1}  # what they do to torch and the device stays in their process
    groups = [
        [(runners[suite], chunk) for chunk in run_sharded.chunks_of(names, sizes.get(suite, given.chunk))]
        for suite, names in tests.items()
    ]
    return run_sharded.run_chunks(in_turn(groups), given.jobs)


# --- what comes out


def expand(errors, peer):
    """A file that cannot be imported fails all tests that the peer passes in it; one entry where nothing is known of the peer."""
    results = {}
    for name, result in errors.items():
        lost = [test for test in peer if test.startswith(f"{name}::")] or [name]
        results |= {test: {**result, "test": test} for test in lost}
    return results


def table(results, comparison, peer, suite_of_test):
    """Rows of text: what ran of each suite, and how much of what the peer passes."""
    known = {result["test"] for result in comparison.known}
    rows = [("suite", "ran", "passed", "failed", "known", "skipped", "not run", "of the peer's")]
    for suite in [*SUITES, "all"]:
        mine = [result for name, result in results.items() if suite in (suite_of_test(name), "all")]
        if not mine:
            continue
        late = sum(result["text"] == run_sharded.NO_TIME for result in mine)
        count = collections.Counter(result["outcome"] for result in mine)
        excused = sum(result["test"] in known for result in mine)
        shared = [result for result in mine if result["test"] in peer and result["text"] != run_sharded.NO_TIME]
        good = sum(result["outcome"] == "passed" for result in shared)
        share = f"{good} of {len(shared)} = {100 * good / len(shared):.1f} %" if shared else ""
        ran = count["passed"] + count["failed"]
        row = (suite, ran, count["passed"], count["failed"] - excused, excused, count["skipped"] - late, late, share)
        rows.append(tuple(map(str, row)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]


def commit():
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    stored = ROOT / "COMMIT"  # in a bundle
    return described.stdout.strip() or (stored.read_text().strip() if stored.exists() else "")


def lines(names):
    return "".join(f"{name}\n" for name in sorted(names))


def add_to_passes(path, results):
    """Writes down what the peer passes: the tests that ran, as they went, and those of earlier runs."""
    before = set(path.read_text().splitlines()) if path.exists() else set()
    ran = {name for name, result in results.items() if result["text"] != run_sharded.NO_TIME}
    passed = {name for name in ran if results[name]["outcome"] == "passed"}
    path.parent.mkdir(exist_ok=True)
    path.write_text(lines((before - ran) | passed))
    print(f"{len(passed)} tests that pass are in {path}")


def write(out, results, comparison, groups, device, rows):
    out.mkdir(parents=True, exist_ok=True)
    run_sharded.write_failures(out / "failures.txt", groups, results)
    (out / "failed.txt").write_text(
        lines(result["test"] for result in results.values() if result["outcome"] == "failed")
    )
    known = {result["test"] for result in comparison.known}
    document = {
        "commit": commit(),
        "device": device,
        "table": rows,
        "new failures": sorted(result["test"] for result in comparison.new),
        "known, and pass": [entry.reason for entry, _ in comparison.stale],
        "tests": {
            name: {
                "outcome": result["outcome"],
                "seconds": round(result["seconds"], 2),
                **({"message": run_sharded.headline(result["text"])} if result["text"] else {}),
                **({"known": True} if name in known else {}),
            }
            for name, result in sorted(results.items())
        },
    }
    (out / "conformance.json").write_text(json.dumps(document, indent=0))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--suite", nargs="+", default=list(SUITES), choices=SUITES)
    parser.add_argument("--only", default="", help="tests whose name contains this: test_core.py::test_abs")
    parser.add_argument("--tests", type=Path, help="a file with the names of the tests to run")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--chunk", type=int, default=150, help="tests of a process at most")
    parser.add_argument("--limit", type=float, default=120, help="seconds a test may take")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no test is begun")
    parser.add_argument("--known", type=Path, default=KNOWN)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if not re.fullmatch(r"cpu|cuda|(sim:)?sm_\d+a?", given.device):
        parser.error(f"--device is cpu, cuda, sim:sm_90a or an architecture such as sm_90a, not '{given.device}'")
    given.checkout = given.checkout.resolve()
    if not any(files_of(given.checkout, suite) for suite in given.suite):
        parser.error(f"{given.checkout} holds no tests of {', '.join(given.suite)}")
    given.named = set(given.tests.read_text().split("\n")) - {""} if given.tests else set()
    given.end = time.time() + given.seconds
    return given


def main():
    given = arguments()
    begin = time.time()
    passes = given.checkout / ".conformance" / f"peer-{given.device}.txt"
    peer = set(passes.read_text().splitlines()) if passes.exists() and not given.peer else set()
    known = [] if given.peer else read_known(given.known, given.device)
    # Processes that were killed may still write into it.
    with tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as cache:
        variables = environment(given.peer, given.device, cache)
        runners = {suite: runner_of(suite, given.checkout, variables, given.device, given) for suite in given.suite}
        tests, errors = collect(runners, given.checkout, given.jobs, given.only, given.named)
        if given.sample:
            tests = {suite: sample(names, given.sample) for suite, names in tests.items()}
        count = sum(map(len, tests.values()))
        print(f"{count} tests collected in {time.time() - begin:.0f} s, {given.jobs} processes at a time", flush=True)
        results = expand(errors, peer) | run(runners, tests, given)

    comparison = compare(results, known)
    groups = run_sharded.by_message(comparison.new)
    rows = table(results, comparison, peer, suite_of(given.checkout))
    if given.out:
        write(given.out, results, comparison, groups, given.device, rows)
    run_sharded.print_failures(groups)
    for entry, ran in comparison.stale:
        print(f"known, but {len(ran)} passed and none failed, as {ran[0]['test']}: {entry.reason}")
    print("\n".join(rows), f"{time.time() - begin:.0f} s", sep="\n")
    if given.peer:
        add_to_passes(passes, results)
        sys.exit(0)
    is_whole = not given.sample and not given.only and not given.tests
    sys.exit(bool(comparison.new or (is_whole and comparison.stale)))


if __name__ == "__main__":
    main()
