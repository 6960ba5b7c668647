"""Runs Python tests in many processes, each short-lived: a test that loses the device or hangs takes no other test with it.

    python3 scripts/run_sharded.py --jobs 16 --out $OUT test/python/language test/python/wild -- --device cuda

Collects the tests, deals them out in chunks, and goes on in a new process behind a test that crashed, lost the device or took too long.
Writes `junit.xml`, `failures.txt` (grouped by message) and `results.json` into the folder; prints a summary, failures by message first.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

NO_TIME = "no time was left"
SCRIPTS = os.path.dirname(os.path.abspath(__file__))


def record(test, outcome, text):
    """The result of a test that could not say itself how it went."""
    return {"test": test, "outcome": outcome, "seconds": 0, "text": text}


class Report:
    """What the tests of one process have written so far."""

    def __init__(self, path):
        self.path, self.offset, self.results, self.current, self.since = path, 0, {}, None, time.time()
        self.collected = []

    def read(self):
        with open(self.path) as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith("\n"):
                    break
                self.offset += len(line.encode())
                record = json.loads(line)
                if "collected" in record:
                    self.collected.append(record["collected"])
                elif "start" in record:
                    self.current, self.since = record["start"], time.time()
                elif record["test"] not in self.results or record["outcome"] != "passed":
                    self.results[record["test"]] = record


@dataclasses.dataclass
class Runner:
    """How tests are run: pytest's options, the folder it runs in, the environment, and how long things may take."""

    options: list = dataclasses.field(default_factory=list)
    folder: str = "."
    environment: dict = dataclasses.field(default_factory=lambda: dict(os.environ))
    limit: float = 60  # seconds a test may take
    end: float = float("inf")  # when to stop, by time.time()

    def start(self, arguments, folder, **variables):
        """pytest, with its output in `folder`/log and its report in `folder`/report."""
        report = Report(os.path.join(folder, "report"))
        open(report.path, "w").close()
        log = open(os.path.join(folder, "log"), "w+", errors="replace")
        # The plugin behind everything else: the folder holds no package that a test could mean.
        search = [*filter(None, [self.environment.get("PYTHONPATH")]), SCRIPTS]
        variables |= {"TRITON_TEST_REPORT": report.path, "PYTHONPATH": os.pathsep.join(search)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "shard_plugin", *arguments]
        process = subprocess.Popen(
            [*command, *self.options],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**self.environment, **variables},
        )
        return process, report, log

    def watch(self, process, report, log):
        """Waits for the process; what ended it early, or None."""
        while process.poll() is None:
            time.sleep(0.2)
            report.read()
            ended = None
            if time.time() - report.since > self.limit:
                ended = f"took more than {self.limit:g} s"
            elif time.time() > self.end:
                ended = ""
            if ended is not None:
                process.kill()
                process.wait()
                report.read()
                return ended
        report.read()
        if process.returncode in (0, 1, 5):
            return None
        log.seek(0)
        return f"the process ended with {process.returncode}: {log.read()[-1500:]}"

    def collect(self, paths):
        """(the tests below the paths, the results of files that could not be collected)"""
        with tempfile.TemporaryDirectory() as folder:
            process, report, log = self.start(["--collect-only", *paths], folder)
            ended = self.watch(process, report, log)
            errors = dict(report.results)
            if ended and not errors:  # 2 and 3 are said for errors that are listed
                errors[paths[0]] = record(paths[0], "failed", ended)
            return list(dict.fromkeys(report.collected)), errors

    def run_once(self, tests):
        """(results, what ended the process early or None, the test it happened in)"""
        with tempfile.TemporaryDirectory() as folder:
            select = os.path.join(folder, "tests")
            with open(select, "w") as file:
                file.write("\n".join(tests))
            files = dict.fromkeys(test.split("::")[0] for test in tests)
            process, report, log = self.start(["-p", "no:xdist", *files], folder, TRITON_TEST_SELECT=select)
            ended = self.watch(process, report, log)
            results = {name: result for name, result in report.results.items() if name in set(tests)}
            for name, result in report.results.items():  # a file that could not be imported
                if "::" not in name and result["outcome"] == "failed":
                    lost = [test for test in tests if test.startswith(f"{name}::")]
                    results |= {test: {**result, "test": test} for test in lost if test not in results}
            if ended is not None and report.current is not None and report.current not in report.results:
                return results, ended, report.current
            return (results, None, None) if results or ended is None else ({}, ended, tests[0])

    def run(self, tests):
        """The results of all tests, in as many processes as it takes."""
        results, left = {}, list(tests)
        while left and time.time() < self.end:
            found, ended, test = self.run_once(left)
            results.update(found)
            if ended:
                results[test] = record(test, "failed", ended)
            after = [test for test in left if test not in results]
            if len(after) == len(left) and time.time() < self.end:
                results |= {test: record(test, "failed", "was not run") for test in after}
            left = [test for test in after if test not in results]
        return results | {test: record(test, "skipped", NO_TIME) for test in left}


def chunks_of(tests, size):
    """Tests of one file together, as they share kernels; each chunk at most `size`. Small ones first: theirs are the long tests."""
    by_file = collections.defaultdict(list)
    for test in tests:
        by_file[test.split("::")[0]].append(test)
    chunks = [group[begin : begin + size] for group in by_file.values() for begin in range(0, len(group), size)]
    return sorted(chunks, key=len)


def run_chunks(chunks, jobs):
    """The results of pairs of a runner and tests, which are begun in this order."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda chunk: chunk[0].run(chunk[1]), chunks):
            results.update(found)
    return results


def headline(text):
    """The line of a failure that says what it is, with its numbers taken out: failures of one kind have the same."""
    lines = [line for line in text.splitlines() if line.startswith("E ")] or text.splitlines() or ["?"]
    # Compile errors show the source before they say what is wrong with it.
    message = [line for line in lines if re.search(r"error: |the device|took|ended", line)]
    chosen = (message or [line for line in lines if re.search(r"[Ee]rror|exception", line)] or lines)[0]
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?", "#", chosen.removeprefix("E").strip())[:160]


def by_message(failed):
    """[(message, names)] of failed results, the most frequent message first."""
    groups = collections.defaultdict(list)
    for result in failed:
        groups[headline(result["text"])].append(result["test"])
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def write_failures(path, groups, results):
    with open(path, "w") as file:
        for message, names in groups:
            file.write(f"===== {len(names)} x {message}\n" + "\n".join(f"  {name}" for name in names[:200]) + "\n")
            file.write(results[names[0]]["text"][-3000:] + "\n\n")


def print_failures(groups):
    for message, names in groups[:40]:
        print(f"{len(names):5d} x {message}\n        {names[0]}")


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
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no test is begun")
    parser.add_argument("--out", default="", help="folder of junit.xml, failures.txt and results.json")
    chosen = parser.parse_args(arguments)

    begin = time.time()
    runner = Runner(options, limit=chosen.limit, end=begin + chosen.deadline)
    tests, errors = dataclasses.replace(runner, limit=600).collect(chosen.paths)
    chunks = chunks_of(tests, max(1, min(chosen.chunk, -(-len(tests) // chosen.jobs))))
    print(f"{len(tests)} tests in {len(chunks)} processes, {chosen.jobs} at a time", flush=True)
    results = errors | run_chunks([(runner, chunk) for chunk in chunks], chosen.jobs)

    groups = by_message(result for result in results.values() if result["outcome"] == "failed")
    if chosen.out:
        os.makedirs(chosen.out, exist_ok=True)
        write_junit(results, os.path.join(chosen.out, "junit.xml"))
        with open(os.path.join(chosen.out, "results.json"), "w") as file:
            json.dump({name: result["outcome"] for name, result in results.items()}, file, indent=0)
        write_failures(os.path.join(chosen.out, "failures.txt"), groups, results)
    print_failures(groups)
    slow = sorted(results.values(), key=lambda result: -result["seconds"])[:5]
    print("slowest: " + ", ".join(f"{result['test'].split('/')[-1]} {result['seconds']:.1f} s" for result in slow))
    count = collections.Counter(result["outcome"] for result in results.values())
    print(
        f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped in {time.time() - begin:.0f} s"
    )
    sys.exit(1 if count["failed"] or not tests else 0)


if __name__ == "__main__":
    main()
