"""Kernels of several packages, or of several commits of one, in turns: call by call, in one process.

    ways.py --target 90 --keep FOLDER [--tasks …]        compiles, without a GPU; once for each package, with PYTHONPATH
    turns.py FOLDER FOLDER… [--only TEXT]                launches what lies in the folders

Clocks, heat and memory are then the same for all: ratios repeat within half a percent, where those of run.py, which measures row by row, vary by several. Of each folder the fastest
configuration of a row counts; the first folder is what the others are compared with.
"""

import argparse
import ctypes
import json
import random
import statistics
from pathlib import Path

import torch
import ways
from speed import PEAK_CACHE_BYTES, relative_error

ROUNDS, TRIES = 15, 3


def check(code):
    if code:
        raise RuntimeError(f"CUDA error {code}")


class Kernel:
    """A kept cubin, bound to the arguments of a launch."""

    def __init__(self, path, launch):
        self.about = json.loads(path.with_suffix(".json").read_text())
        self.cuda = ctypes.CDLL("libcuda.so.1")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(self.cuda.cuModuleLoadData(ctypes.byref(module), path.read_bytes()))
        check(self.cuda.cuModuleGetFunction(ctypes.byref(self.function), module, self.about["name"].encode()))
        if self.about["shared"] > 48 * 1024:
            check(self.cuda.cuFuncSetAttribute(self.function, 8, self.about["shared"]))  # dynamic shared memory
        self.grid = (*launch.grid, 1, 1)[:3]
        programs = self.grid[0] * self.grid[1] * self.grid[2]
        self.scratch = torch.empty(max(1, self.about["scratch"] * programs), dtype=torch.int8, device="cuda")
        self.before = launch.before
        own = [self.value(each) for each in self.parameters(launch)]
        # Behind a kernel's own parameters: memory for descriptors, and for a profiler.
        self.values = [*own, ctypes.c_void_p(self.scratch.data_ptr()), ctypes.c_void_p(0)]
        self.pointers = (ctypes.c_void_p * len(self.values))(*[ctypes.addressof(value) for value in self.values])

    @staticmethod
    def parameters(launch):
        """What the code takes: neither constants nor numbers that are 1, which are compiled in."""
        for parameter, argument in zip(launch.kernel.params, launch.arguments, strict=False):
            if not parameter.is_constexpr and not (type(argument) is int and argument == 1):
                yield argument

    @staticmethod
    def value(argument):
        if isinstance(argument, torch.Tensor):
            return ctypes.c_void_p(argument.data_ptr())
        if isinstance(argument, float):
            return ctypes.c_float(argument)
        return ctypes.c_int32(argument) if argument < 2**31 else ctypes.c_int64(argument)

    def launch(self):
        if self.before is not None:
            self.before()
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        threads = self.about["threads"], 1, 1
        check(self.cuda.cuLaunchKernel(self.function, *self.grid, *threads, self.about["shared"], stream, self.pointers, None))  # fmt: skip


def calls_of(folder, row):
    """configuration -> call."""
    found = {}
    for configuration, launches in row.configurations.items():
        paths = [folder / f"{ways.file_name(row.name, configuration, number)}.cubin" for number in range(len(launches))]
        if all(path.exists() for path in paths):
            kernels = [Kernel(path, launch) for path, launch in zip(paths, launches, strict=True)]
            found[configuration] = lambda kernels=kernels: [kernel.launch() for kernel in kernels]
    return found


def milliseconds(calls, rounds, flush):
    """name -> times, every round in another order."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        events = {}
        for name in random.sample(list(calls), len(calls)):
            events[name] = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            flush.zero_()
            events[name][0].record()
            calls[name]()
            events[name][1].record()
        torch.cuda.synchronize()
        for name, (begin, end) in events.items():
            times[name].append(begin.elapsed_time(end))
    return times


def measure(row, folders, flush):
    chosen, names = {}, {}
    expected = row.expected()
    for folder in folders:
        calls = calls_of(folder, row)
        for configuration in list(calls):
            calls[configuration]()
            if not relative_error(row.result(), expected) <= row.tolerance:
                print(f"{row.name}: {folder.name} {configuration} is wrong")
                del calls[configuration]
        if calls:
            times = {name: statistics.median(each) for name, each in milliseconds(calls, TRIES, flush).items()}
            names[folder.name] = min(times, key=times.get)
            chosen[folder.name] = calls[names[folder.name]]
    if row.baseline:
        chosen["torch"] = row.baseline
    found = {name: statistics.median(times) for name, times in milliseconds(chosen, ROUNDS, flush).items()}
    first = found.get(folders[0].name)
    for name, time in found.items():
        ratio = f"{first / time:6.3f}" if first else ""
        print(
            f"{row.name:60} {name:16} {row.amount / time * 1e3:8.2f} {row.unit:8} {ratio}  {names.get(name, '')}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="only rows whose name holds this")
    given = parser.parse_args()
    random.seed(0)
    flush = torch.empty(PEAK_CACHE_BYTES // 4, dtype=torch.int32, device="cuda")
    for task in ways.Rows("cuda", False).tasks().values():
        for row in task():
            if given.only in row.name:
                measure(row, given.folders, flush)


if __name__ == "__main__":
    main()
