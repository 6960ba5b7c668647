"""Runs Python tests in many processes, each short-lived: a test that loses the device or hangs takes no other test with it.

    python3 scripts/run_sharded.py --jobs 16 --out $OUT test/python/language test/python/wild -- --device cuda

Collects the tests, deals them out in chunks, and goes on in a new process behind a test that crashed, lost the device or took too long.
Writes `junit.xml`, `failures.txt` (grouped by message) and `results.json` into the folder; prints a summary, failures by message first.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree


def collect(paths, options):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *paths, *options]
    run = subprocess.run(command, capture_output=True, text=True)
    tests = [line for line in run.stdout.splitlines() if "::" in line and not line.startswith(("ERROR", "FAILED"))]
    errors = [line for line in run.stdout.splitlines() if line.startswith("ERROR")]
    if not tests:
        sys.exit(f"no tests were collected:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")
    return tests, errors


def chunks_of(tests, size):
    """Tests of one file together, as they share kernels; each chunk at most `size`. Small ones first: theirs are the long tests."""
    by_file = collections.defaultdict(list)
    for test in tests:
        by_file[test.split("::")[0]].append(test)
    chunks = [group[begin : begin + size] for group in by_file.values() for begin in range(0, len(group), size)]
    return sorted(chunks, key=len)


class Report:
    """What the tests of one process have written so far."""

    def __init__(self, path):
        self.path, self.offset, self.results, self.current, self.since = path, 0, {}, None, time.time()

    def read(self):
        with open(self.path) as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith("\n"):
                    break
                self.offset += len(line.encode())
                record = json.loads(line)
                if "start" in record:
                    self.current, self.since = record["start"], time.time()
                elif record["test"] not in self.results or record["outcome"] != "passed":
                    self.results[record["test"]] = record


def run_once(tests, options, limit):
    """(results, what ended the process early or None, the test it happened in or None)"""
    with tempfile.TemporaryDirectory() as folder:
        report = Report(os.path.join(folder, "report"))
        open(report.path, "w").close()
        with open(os.path.join(folder, "tests"), "w") as file:
            file.write("\n".join(tests))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"@{file.name}"]
        log = open(os.path.join(folder, "log"), "w+")
        process = subprocess.Popen(
            [*command, *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TRITON_TEST_REPORT": report.path},
        )
        while process.poll() is None:
            time.sleep(0.2)
            report.read()
            if time.time() - report.since > limit:
                process.kill()
                process.wait()
                report.read()
                return report.results, f"took more than {limit} s", report.current
        report.read()
        if report.current is not None and report.current not in report.results and process.returncode not in (0, 1):
            log.seek(0)
            return report.results, f"the process ended with {process.returncode}: {log.read()[-1500:]}", report.current
        if not report.results and process.returncode not in (0, 1, 5):
            log.seek(0)
            return {}, f"the process ended with {process.returncode}: {log.read()[-1500:]}", tests[0]
        return report.results, None, None


def run_chunk(tests, options, limit):
    """The results of all tests, in as many processes as it takes."""
    results, left = {}, list(tests)
    while left:
        found, ended, test = run_once(left, options, limit)
        results.update(found)
        if ended:
            results[test or left[0]] = {"test": test or left[0], "outcome": "failed", "seconds": 0, "text": ended}
        after = [test for test in left if test not in results]
        if len(after) == len(left):
            for test in after:
                results[test] = {"test": test, "outcome": "failed", "seconds": 0, "text": "was not run"}
            break
        left = after
    return results


def headline(text):
    """The line of a failure that says what it is, with its numbers taken out: failures of one kind have the same."""
    lines = [line for line in text.splitlines() if line.startswith("E ")] or text.splitlines() or ["?"]
    # Compile errors show the source before they say what is wrong with it.
    message = [line for line in lines if re.search(r"error: |the device|took|ended", line)]
    chosen = (message or [line for line in lines if re.search(r"[Ee]rror|exception", line)] or lines)[0]
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?", "#", chosen.removeprefix("E").strip())[:160]


def write_junit(results, path):
    suite = ElementTree.Element("testsuite", name="sharded", tests=str(len(results)))
    for name, result in sorted(results.items()):
        file, _, test = name.partition("::")
        case = ElementTree.SubElement(suite, "testcase", classname=file, name=test, time=f"{result['seconds']:.3f}")
        if result["outcome"] != "passed":
            kind = "skipped" if result["outcome"] == "skipped" else "failure"
            clean = re.sub(r"[^\t\n\x20-\ud7ff]", "", result["text"])
            ElementTree.SubElement(case, kind, message=headline(clean)).text = clean[-2000:]
    ElementTree.ElementTree(suite).write(path)


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        arguments, options = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--chunk", type=int, default=100, help="tests of a process at most")
    parser.add_argument("--limit", type=float, default=60, help="seconds a test may take")
    parser.add_argument("--deadline", type=float, default=0, help="seconds after which no chunk is begun")
    parser.add_argument("--out", default="", help="folder of junit.xml, failures.txt and results.json")
    chosen = parser.parse_args(arguments)

    begin = time.time()
    tests, errors = collect(chosen.paths, options)
    chunks = chunks_of(tests, max(1, min(chosen.chunk, -(-len(tests) // chosen.jobs))))
    print(f"{len(tests)} tests in {len(chunks)} processes, {chosen.jobs} at a time", *errors, sep="\n", flush=True)
    results = {}

    def run(chunk):
        if chosen.deadline and time.time() - begin > chosen.deadline:
            return {
                test: {"test": test, "outcome": "skipped", "seconds": 0, "text": "no time was left"} for test in chunk
            }
        return run_chunk(chunk, options, chosen.limit)

    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for found in pool.map(run, chunks):
            results.update(found)

    failures = collections.defaultdict(list)
    for name, result in results.items():
        if result["outcome"] == "failed":
            failures[headline(result["text"])].append(name)
    ordered = sorted(failures.items(), key=lambda item: -len(item[1]))
    if chosen.out:
        os.makedirs(chosen.out, exist_ok=True)
        write_junit(results, os.path.join(chosen.out, "junit.xml"))
        with open(os.path.join(chosen.out, "results.json"), "w") as file:
            json.dump({name: result["outcome"] for name, result in results.items()}, file, indent=0)
        with open(os.path.join(chosen.out, "failures.txt"), "w") as file:
            for message, names in ordered:
                file.write(f"===== {len(names)} x {message}\n" + "\n".join(f"  {name}" for name in names[:200]) + "\n")
                file.write(results[names[0]]["text"][-3000:] + "\n\n")
    for message, names in ordered[:40]:
        print(f"{len(names):5d} x {message}\n        {names[0]}")
    slow = sorted(results.values(), key=lambda result: -result["seconds"])[:5]
    print("slowest: " + ", ".join(f"{result['test'].split('/')[-1]} {result['seconds']:.1f} s" for result in slow))
    count = collections.Counter(result["outcome"] for result in results.values())
    print(
        f"{count['passed']} passed, {count['failed'] + len(errors)} failed, {count['skipped']} skipped in {time.time() - begin:.0f} s"
    )
    sys.exit(1 if count["failed"] or errors else 0)


if __name__ == "__main__":
    main()
