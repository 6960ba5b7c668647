"""Our vector functions beside SLEEF's (Debian's libsleef-dev), on one thread: worst error in units of the last place, and time per element.

    python benchmarks/cpu/vector_math.py

Times are those of a kernel, less those of one that only copies: 64 KiB of numbers, which the nearest caches hold. docs/decisions/0028 has a table of them.
"""

import ctypes
import os
import subprocess
import tempfile
import time
from pathlib import Path

os.environ.setdefault("TRITON_CPU_MAX_THREADS", "1")

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

SOURCE = Path(__file__).with_name("vector_math.c")
RANGES = {
    "exp": (-80, 80),
    "log": (1e-6, 1e6),
    "sin": (-100, 100),
    "cos": (-100, 100),
    "tanh": (-10, 10),
    "erf": (-5, 5),
    "pow": (0.01, 30),
}


@triton.jit
def apply(x_ptr, y_ptr, out_ptr, repeat, FUNCTION: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    for _ in range(repeat):
        for start in range(0, SIZE, BLOCK):
            offsets = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + offsets)
            if FUNCTION == "exp":
                x = tl.exp(x)
            elif FUNCTION == "log":
                x = tl.log(x)
            elif FUNCTION == "sin":
                x = tl.sin(x)
            elif FUNCTION == "cos":
                x = tl.cos(x)
            elif FUNCTION == "tanh":
                x = libdevice.tanh(x)
            elif FUNCTION == "erf":
                x = tl.erf(x)
            elif FUNCTION == "pow":
                x = libdevice.pow(x, tl.load(y_ptr + offsets))
            tl.store(out_ptr + offsets, x)


def library():
    path = Path(tempfile.mkdtemp()) / "vector_math.so"
    command = ["clang-22", "-O3", "-march=native", "-shared", "-fPIC", "-o", path, SOURCE, "-lsleef", "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(path))


def seconds(run, rounds=7):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    sleef = library()
    repeat = 200
    print(f"{'':10}{'ours':>16}{'SLEEF':>18}\n{'':10}{'ulp':>6}{'ns':>10}{'ulp':>8}{'ns':>10}")
    for dtype, suffix in ((np.float32, "f32"), (np.float64, "f64")):
        size = 65536 // dtype().itemsize

        def ours(name, x, y, out, times):
            apply[(1,)](x, y, out, times, FUNCTION=name, SIZE=size, BLOCK=1024)

        def theirs(name, x, y, out, times):
            function = getattr(sleef, f"sleef_{name}_{suffix}")
            for _ in range(times):
                function(*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, out)), ctypes.c_long(size))

        def measure(run, name, x, y, out):
            run(name, x, y, out, 1)  # compiles
            return seconds(lambda: run(name, x, y, out, repeat)) / (repeat * size) * 1e9

        for name, (low, high) in RANGES.items():
            rng = np.random.default_rng(1)
            x, y = rng.uniform(low, high, size).astype(dtype), rng.uniform(-20, 20, size).astype(dtype)
            row = []
            for run in (ours, theirs):
                worst, out = 0.0, np.empty_like(x)
                check = getattr(sleef, f"worst_{name}_{suffix}")
                check.restype = ctypes.c_double
                for _ in range(20):
                    sample = rng.uniform(low, high, size).astype(dtype)
                    run(name, sample, y, out, 1)
                    pointers = (ctypes.c_void_p(a.ctypes.data) for a in (sample, y, out))
                    worst = max(worst, check(*pointers, ctypes.c_long(size)))
                copied = measure(run, "copy", x, y, out)
                row += [worst, measure(run, name, x, y, out) - copied]
            print(f"{name:6}{suffix:4}{row[0]:6.2f}{row[1]:10.2f}{row[2]:8.2f}{row[3]:10.2f}", flush=True)


if __name__ == "__main__":
    main()
