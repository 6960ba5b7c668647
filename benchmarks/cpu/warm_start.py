"""How long the first launch of a kernel takes in a new process, when an earlier one has compiled it: the median of many processes.

python benchmarks/cpu/warm_start.py [--processes 20]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PROGRAM = """
import time
import numpy as np
begin = time.perf_counter()
import triton
import triton.language as tl
imported = time.perf_counter()

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)

x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
ready = time.perf_counter()
add[(1,)](x, x, out, 1000, BLOCK=1024)
first = time.perf_counter()
add[(1,)](x, x, out, 1000, BLOCK=512)
second = time.perf_counter()
print(*(1e3 * time for time in (imported - begin, first - ready, second - first)))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TRITON_CACHE_DIR": f"{folder}/cache"}
        run = lambda: [float(part) for part in subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=True).stdout.split()]  # fmt: skip  # noqa: E731
        cold = run()
        warm = [run() for _ in range(given.processes)]
    for name, index in (("import", 0), ("first launch", 1), ("second kernel's", 2)):
        times = sorted(times[index] for times in warm)
        print(f"{name:>16}: {statistics.median(times):7.2f} ms (fastest {times[0]:.2f}, slowest {times[-1]:.2f}; compiling: {cold[index]:.2f})")  # fmt: skip


if __name__ == "__main__":
    main()
