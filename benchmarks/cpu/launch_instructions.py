"""Instructions of a warm launch, counted by callgrind: the same on a noisy machine as on a quiet one.

    python benchmarks/cpu/launch_instructions.py             prints the counts
    python benchmarks/cpu/launch_instructions.py --record    and writes them to benchmarks/results/launch-instructions.json
    python benchmarks/cpu/launch_instructions.py --check     fails where a count has grown by more than a twentieth
    python benchmarks/cpu/launch_instructions.py --profile FOLDER    and leaves callgrind's files there

Counted is `kernel[grid](…)` in a loop, the interpreter included, for kernels that do nothing: on the CPU with numpy's arrays and with torch's tensors, and on CUDA
with torch's tensors, where the driver's library is one that does nothing. A count is the difference between two loops, one of which is longer. Threads are left out.
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
BUILD = Path(os.environ.get("TRITON_BUILD", ROOT / "build"))
RECORD = ROOT / "benchmarks" / "results" / "launch-instructions.json"
FEW, MANY = 200, 1200
SLACK = 1.05

PROGRAM = """
import ctypes
import os
import sys
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

probe = ctypes.CDLL(sys.argv[1])
arrays = sys.argv[2]
if arrays == "numpy":
    import numpy
    x = numpy.zeros(64, numpy.float32)
else:
    import torch
    # A tensor without memory is one of a device for all that a launch looks at.
    x = torch.zeros(64, device="meta" if arrays == "torch, CUDA" else "cpu")
if arrays == "torch, CUDA":
    ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"] + "/libcuda.so.1").fakeCudaBeQuiet()
    triton._C.libtriton.cuda.set_current_device(0)
cases = {
    "nothing": (nothing, ()),
    "seven": (seven, (x, x, x, x, 1000, 2.5, 64)),
    "nineteen": (nineteen, (x, x, x, x, x, x, x, x, 1000, 1000, 1000, 1000, 7, 7, 7, 2.5, 2.5, 2.5, 64)),
}
grid = (1,)

def loop(kernel, arguments, count):
    for _ in range(count):
        kernel[grid](*arguments)

for name, (kernel, arguments) in cases.items():
    loop(kernel, arguments, 20)
    for count in map(int, sys.argv[3:]):
        probe.begin()
        loop(kernel, arguments, count)
        probe.end(f"{name} {count}".encode())
"""

PROBE = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(const char *name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""


def stripped_build(folder):
    """The native libraries without debug information, which valgrind of this age cannot read."""
    extension = next((BUILD / "python" / "triton" / "_C").glob("libtriton*.so"))
    library = (BUILD / "lib" / "libtriton.so.3").resolve()
    for source, target in ((extension, folder / "python" / "triton" / "_C" / extension.name), (library, folder / "lib" / "libtriton.so.3")):  # fmt: skip
        target.parent.mkdir(parents=True)
        subprocess.run(["strip", "--strip-debug", "-o", target, source], check=True)


def count(arrays, folder):
    """(case, launches) -> instructions, of one process."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "TRITON_BUILD": str(folder),
        "TRITON_CACHE_DIR": str(folder / "cache"),
        "TRITON_CPU_MAX_THREADS": "1",
        "LD_LIBRARY_PATH": str(folder / "lib"),
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "TRITON_DEFAULT_BACKEND": "cuda" if "CUDA" in arrays else "cpu",
        "TRITON_LIBCUDA_PATH": str(BUILD / "fake-cuda"),
    }
    out = folder / arrays.replace(", ", "-")
    program = [sys.executable, str(folder / "program.py"), str(folder / "probe.so"), arrays, str(FEW), str(MANY)]
    subprocess.run(program, env=environment, check=True)  # compiles
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", *program]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"error: {' '.join(command)}\n{result.stderr[-2000:]}")
    counts = {}
    for dump in folder.glob(out.name + ".*"):
        text = dump.read_text()
        trigger = re.search(r"^desc: Trigger: Client Request: (\w+) (\d+)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if trigger and total:
            counts[trigger[1], int(trigger[2])] = int(total[1])
    return counts


def measure(folder):
    if shutil.which("valgrind") is None:
        raise SystemExit("error: valgrind is not installed")
    stripped_build(folder)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "probe.c").write_text(PROBE)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", folder / "probe.c", "-o", folder / "probe.so"], check=True)
    table = {}
    for arrays in ("numpy", "torch", "torch, CUDA"):
        counts = count(arrays, folder)
        table[arrays] = {case: round((counts[case, MANY] - counts[case, FEW]) / (MANY - FEW)) for case, launches in counts if launches == MANY}  # fmt: skip
        print(f"{arrays:>12}: " + ", ".join(f"{case} {number}" for case, number in table[arrays].items()), flush=True)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--profile", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.profile or Path(name)
        table = measure(folder)
    if given.record:
        RECORD.write_text(json.dumps(table, indent=1) + "\n")
    if given.check:
        recorded = json.loads(RECORD.read_text())
        grown = [f"{arrays}, {case}: {recorded[arrays][case]} before, {number} now" for arrays, row in table.items()
                 for case, number in row.items() if number > recorded[arrays][case] * SLACK]  # fmt: skip
        if grown:
            raise SystemExit("error: launches take more instructions\n  " + "\n  ".join(grown))


if __name__ == "__main__":
    main()
