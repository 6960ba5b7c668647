"""Compiles each kernel of the benchmark from its text, cold; prints one JSON row per kernel: total milliseconds, and those of each stage.

Cold means: a kernel object that has compiled nothing, and an empty cache folder. What the process pays once, for the first kernel it
compiles at all, is reported apart.
"""

import json
import os
import sys
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-benchmark-")

import kernels  # noqa: E402
import numpy as np  # noqa: E402
import triton  # noqa: E402


def cold(fn):
    """The same kernel as an object that has compiled nothing."""
    return triton.jit(fn.fn)


def workloads():
    f32 = np.zeros((4096, 4096), np.float32)
    f16 = f32.astype(np.float16)
    small = np.zeros((1024, 1024), np.float32)
    yield "add", kernels.add_kernel, (f32, f32, f32, f32.size), {"BLOCK_SIZE": 4096}, 30
    yield "softmax", kernels.softmax_kernel, (f32, f32, 4096, 4096), {"BLOCK_SIZE": 4096}, 80
    yield "layer norm", kernels.layer_norm_kernel, (f16, f16, f16, f16, 4096, 4096, 1e-5), {"BLOCK_SIZE": 4096}, None
    tile = {"BM": 128, "BN": 128, "BK": 64}
    yield "matmul", kernels.matmul_kernel, (small, small, small, 1024, 1024, 1024, 1024, 1024, 1024), tile, 250


def measure(kernel, arguments, constants):
    """(milliseconds from text to a compiled kernel that can be launched, milliseconds of each stage)"""
    stages = {}

    def listen(times, **_):
        stages["frontend"] = times.ir_initialization / 1e3
        stages.update({name: microseconds / 1e3 for name, microseconds in times.lowering_stages})
        stages["store"] = times.store_results / 1e3

    triton.knobs.compilation.listener = listen
    begin = time.perf_counter()
    compiled = cold(kernel).warmup(*arguments, **constants, grid=(1,))
    compiled._init_handles()
    return (time.perf_counter() - begin) * 1e3, stages


def main():
    first = True
    for name, kernel, arguments, constants, target in workloads():
        if first:
            print(
                json.dumps(
                    {"kernel": f"{name}, the first of the process", "ms": measure(kernel, arguments, constants)[0]}
                )
            )
            first = False
        runs = []
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 7):
            os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-benchmark-")
            runs.append(measure(kernel, arguments, constants))
        total, stages = min(runs, key=lambda run: run[0])
        print(json.dumps({"kernel": name, "ms": total, "stages": stages, "target": target}), flush=True)


main()
