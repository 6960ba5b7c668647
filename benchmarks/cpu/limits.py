"""The yardsticks of limits.c, called from Python: compiled once for this machine, run on as many threads as asked."""

import ctypes
import hashlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("limits.c")


def _library():
    text = SOURCE.read_bytes()
    path = Path(tempfile.gettempdir()) / f"triton-limits-{hashlib.sha256(text).hexdigest()[:16]}.so"
    if not path.exists():
        building = path.with_suffix(".building")
        command = ["clang-22", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-o", building, SOURCE]
        subprocess.run(command, check=True)
        building.rename(path)
    library = ctypes.CDLL(str(path))
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    library.copy.argtypes = [pointer, pointer, count]
    library.add.argtypes = [pointer, pointer, pointer, count]
    library.multiplyAdd.argtypes = [count, pointer]
    library.multiplyAdd.restype = ctypes.c_double
    return library


class Limits:
    """Each method runs its yardstick once, split over the threads."""

    def __init__(self, threads):
        self.threads = threads
        self.library = _library()
        self.pool = ThreadPoolExecutor(threads)
        self.sink = np.zeros((threads, 64), np.float32)

    def _split(self, function, *arrays):
        size = arrays[0].size
        edges = [size * t // self.threads for t in range(self.threads + 1)]
        parts = [
            [array.ctypes.data + 4 * begin for array in arrays] + [end - begin] for begin, end in zip(edges, edges[1:])
        ]
        if self.threads == 1:
            function(*parts[0])
        else:
            list(self.pool.map(lambda part: function(*part), parts))

    def copy(self, out, x):
        self._split(self.library.copy, out, x)

    def add(self, out, x, y):
        self._split(self.library.add, out, x, y)

    def multiply_add(self, rounds):
        """Gives the number of operations done."""
        run = lambda t: self.library.multiplyAdd(rounds, self.sink[t].ctypes.data)
        return run(0) if self.threads == 1 else sum(self.pool.map(run, range(self.threads)))
