"""Runs a program's kernels on a simulated GPU, watched, and lists what is wrong with them.

python -m triton.simulate [--arch sm_90a] [--watch race,async,shared] [--seed N] [--counters] program.py [arguments of the program]

Ends with 1 where there was a finding, with 2 where the program itself failed.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback

from . import knobs
from ._C import libtriton
from .runtime import driver


def table(rows, titles):
    """Rows of text as columns."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [titles, *rows]]
    return "\n".join(lines)


def shorten(place):
    """A file's last name and the line."""
    file, _, line = place.rpartition(":")
    return f"{os.path.basename(file)}:{line}" if file else place


def describe_findings(findings):
    rows = [[shorten(place), kernel, kind, message if count == 1 else f"{message} ({count} times)"]
            for kernel, place, kind, message, count, _ in findings]  # fmt: skip
    return table(rows, ["line", "kernel", "finding", "what"])


def ratio(part, whole):
    return f"{part / whole:.1f}" if whole else ""


def describe_counts(counts):
    rows = [[shorten(each["place"]), each["kernel"], each["family"], each["executions"],
             ratio(each["sectors"], each["requests"]), each["global_bytes"] or "",
             ratio(each["passes"], each["needed_passes"]), each["shared_bytes"] or "", f"{max(each[part] for part in PARTS):.3f}"]
            for each in counts]  # fmt: skip
    return table(rows, ["line", "kernel", "instructions", "executed", "sectors/request", "global bytes", "passes/needed", "shared bytes", "us"])  # fmt: skip


# Of a GPU, and what the cost model calls the time that they are busy.
PARTS = {"issue_time": "issue", "memory_time": "global memory", "shared_time": "shared memory", "tensor_time": "tensor cores"}  # fmt: skip


def describe_times(counts):
    """For each kernel, how long its launches take at least: as long as the part of the GPU that has most to do."""
    lines = []
    for kernel in dict.fromkeys(each["kernel"] for each in counts):
        sums = {part: sum(each[part] for each in counts if each["kernel"] == kernel) for part in PARTS}
        busiest = max(sums, key=sums.get)
        shares = ", ".join(f"{name} {sums[part]:.3f}" for part, name in PARTS.items())
        lines.append(f"{kernel}: {sums[busiest]:.3f} us at least, by {PARTS[busiest]} ({shares})")
    return "\n".join(lines)


def run(path, arguments):
    """Runs a program as `python path arguments…` would; its exit code."""
    argv, path0 = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [path, *arguments], os.path.dirname(os.path.abspath(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        sys.argv, sys.path[0] = argv, path0
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m triton.simulate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--arch", default=knobs.runtime.simulate or "sm_90a", help="the GPU: sm_75 to sm_121a, gfx942, …"
    )
    parser.add_argument("--watch", default="race,async,shared", help="what is looked for: TRITON_SANITIZE")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which warps run and copies land")
    parser.add_argument("--counters", action="store_true", help="also list what instructions did, line by line")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, default=[], help="what the program is given")
    given = parser.parse_args(arguments)
    if not os.path.isfile(given.program):
        parser.error(f"there is no file '{given.program}'")
    knobs.runtime.simulate = os.environ["TRITON_SIMULATE"] = given.arch
    os.environ["TRITON_SANITIZE"], os.environ["TRITON_SIMULATE_SEED"] = given.watch, str(given.seed)
    try:
        driver.active.get_current_target()
    except RuntimeError as error:  # no such architecture
        parser.error(str(error))
    libtriton.cuda.observe(True, given.counters)
    code = run(given.program, given.arguments)
    findings = libtriton.cuda.take_findings()
    if given.counters:
        counts = libtriton.cuda.take_counts()
        print(describe_counts(counts), describe_times(counts), sep="\n")
    if findings:
        print(describe_findings(findings))
    print(f"{len(findings)} finding{'' if len(findings) == 1 else 's'} on a simulated {given.arch}")
    return 1 if findings else 2 if code else 0


if __name__ == "__main__":
    sys.exit(main())
