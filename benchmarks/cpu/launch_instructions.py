"""Instructions of a warm launch, counted by callgrind: the same on a noisy machine as on a quiet one.

    python benchmarks/cpu/launch_instructions.py             prints the counts
    python benchmarks/cpu/launch_instructions.py --record    and writes them to benchmarks/results/launch-instructions.json
    python benchmarks/cpu/launch_instructions.py --check     fails where a count has grown by more than a twentieth

A count is the difference between two runs, one of which launches more often, divided by how much more often: what the process does besides cancels out. The kernels
are empty, so what is counted is the launch: binding, key, lookup, packing, the call. Threads are left out.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD = ROOT / "benchmarks" / "results" / "launch-instructions.json"
FEW, MANY = 200, 1200
SLACK = 1.05

PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def nothing():
    pass

@triton.jit
def seven(a, b, c, d, n, s, BLOCK: tl.constexpr):
    pass

@triton.jit
def nineteen(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, BLOCK: tl.constexpr):
    pass

x = np.zeros(64, np.float32)
cases = {
    "nothing": (nothing, ()),
    "seven": (seven, (x, x, x, x, 1000, 2.5, 64)),
    "nineteen": (nineteen, (x, x, x, x, x, x, x, x, 1000, 1000, 1000, 1000, 7, 7, 7, 2.5, 2.5, 2.5, 64)),
}
kernel, arguments = cases[sys.argv[1]]
launch = kernel[(1,)]
launch(*arguments)
for _ in range(int(sys.argv[2])):
    launch(*arguments)
"""


def stripped_build(folder):
    """The native libraries without debug information, which valgrind of this age cannot read."""
    build = Path(os.environ.get("TRITON_BUILD", ROOT / "build"))
    extension = next((build / "python" / "triton" / "_C").glob("libtriton*.so"))
    library = (build / "lib" / "libtriton.so.3").resolve()
    for source, target in ((extension, folder / "python" / "triton" / "_C" / extension.name), (library, folder / "lib" / "libtriton.so.3")):  # fmt: skip
        target.parent.mkdir(parents=True)
        subprocess.run(["strip", "--strip-debug", "-o", target, source], check=True)
    return folder


def count(case, launches, folder):
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "TRITON_BUILD": str(folder),
        "TRITON_CACHE_DIR": str(folder / "cache"),
        "TRITON_CPU_MAX_THREADS": "1",
        "LD_LIBRARY_PATH": str(folder / "lib"),
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'out'}", sys.executable, "-c", PROGRAM]
    program = folder / "program.py"
    program.write_text(PROGRAM)
    command = [*command[:-2], str(program), case, str(launches)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    found = re.search(r"Collected\s*:\s*(\d+)", result.stderr)
    if result.returncode or not found:
        raise SystemExit(f"error: {' '.join(command)}\n{result.stderr[-2000:]}")
    return int(found[1])


def measure():
    if shutil.which("valgrind") is None:
        raise SystemExit("error: valgrind is not installed")
    counts = {}
    with tempfile.TemporaryDirectory() as name:
        folder = stripped_build(Path(name))
        for case in ("nothing", "seven", "nineteen"):
            count(case, 1, folder)  # compiles
            counts[case] = round((count(case, MANY, folder) - count(case, FEW, folder)) / (MANY - FEW))
            print(f"{case:>9}: {counts[case]} instructions per launch", flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    counts = measure()
    if given.record:
        RECORD.write_text(json.dumps(counts, indent=1) + "\n")
    if given.check:
        recorded = json.loads(RECORD.read_text())
        grown = [f"{case}: {recorded[case]} before, {counts[case]} now" for case in counts if counts[case] > recorded[case] * SLACK]  # fmt: skip
        if grown:
            raise SystemExit("error: launches take more instructions\n  " + "\n  ".join(grown))


if __name__ == "__main__":
    main()
