"""How long the first launch of a kernel takes in a new process, when an earlier one has compiled it: the median of many processes.

python benchmarks/cpu/warm_start.py [--processes 20] [--cuda]

--cuda: for an NVIDIA GPU, with the driver's library of the tests, which loads code and runs nothing: what is left out is the real driver's part.
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
import ctypes
import os
import sys
import time
import numpy as np
if "cuda" in sys.argv:
    import torch  # as every program with a GPU has it
begin = time.perf_counter()
import triton
import triton.language as tl
imported = time.perf_counter()

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)

class OnDevice:
    dtype = "float32"

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address

x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
if "cuda" in sys.argv:
    allocate = ctypes.CDLL(os.environ["TRITON_LIBCUDA_PATH"] + "/libcuda.so.1").fakeCudaAllocate
    allocate.restype = ctypes.c_uint64
    x, out = OnDevice(allocate(4096)), OnDevice(allocate(4096))
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
    parser.add_argument("--cuda", action="store_true")
    given = parser.parse_args()
    build = Path(os.environ.get("TRITON_BUILD", ROOT / "build"))
    cuda = {"TRITON_DEFAULT_BACKEND": "cuda", "TRITON_LIBCUDA_PATH": str(build / "fake-cuda")} if given.cuda else {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TRITON_CACHE_DIR": f"{folder}/cache", **cuda}
        run = lambda: [float(part) for part in subprocess.run([sys.executable, program, *(["cuda"] if given.cuda else [])], env=environment, capture_output=True, text=True, check=True).stdout.split()]  # fmt: skip  # noqa: E731
        cold = run()
        warm = [run() for _ in range(given.processes)]
    for name, index in (("import", 0), ("first launch", 1), ("second kernel's", 2)):
        times = sorted(times[index] for times in warm)
        print(f"{name:>16}: {statistics.median(times):7.2f} ms (fastest {times[0]:.2f}, slowest {times[-1]:.2f}; compiling: {cold[index]:.2f})")  # fmt: skip


if __name__ == "__main__":
    main()
