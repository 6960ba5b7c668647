"""Compiles kernels from their text, cold; prints one JSON row per kernel: total milliseconds, and those of each stage.

usage: python benchmarks/cpu/compile_times.py [--runs 7]
       python benchmarks/cpu/compile_times.py --series [NAME ...] [--target cpu|cuda] [--sizes 500 1000 ...]

Cold means: a kernel object that has compiled nothing, and an empty cache folder. What the process pays once, for the first kernel it
compiles at all, is reported apart.

With `--series` the kernels are those of growing_kernels.py, each in sizes that double, and a row also says how time and memory grew
since the size before: a cost that grows with the square of the kernel shows as 4. Each is compiled in a process of its own: `own_ms` is
what it spent of the processors, whatever else the machine was doing, `tools_ms` what the programs it started did (ptxas), `cpu_ms` both, and
`peak_mb` the most memory it held.
"""

import argparse
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-benchmark-")

import growing_kernels  # noqa: E402
import kernels  # noqa: E402
import numpy as np  # noqa: E402
import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

GROWING = ("cpu_ms", "own_ms", "tools_ms", "peak_mb")
TARGETS = {"cpu": GPUTarget("cpu", "native", 1), "cuda": GPUTarget("cuda", 90, 32)}


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


def timed(compile_it):
    """(milliseconds that a compile took, milliseconds of each stage)"""
    stages = {}

    def listen(times, **_):
        stages["frontend"] = times.ir_initialization / 1e3
        stages.update({name: microseconds / 1e3 for name, microseconds in times.lowering_stages})
        stages["store"] = times.store_results / 1e3

    triton.knobs.compilation.listener = listen
    begin = time.perf_counter()
    compile_it()
    return (time.perf_counter() - begin) * 1e3, stages


def measure(kernel, arguments, constants):
    """From text to a compiled kernel that can be launched."""
    return timed(lambda: cold(kernel).warmup(*arguments, **constants, grid=(1,))._init_handles())


def measure_kernels(runs):
    first = True
    for name, kernel, arguments, constants, target in workloads():
        if first:
            print(
                json.dumps(
                    {"kernel": f"{name}, the first of the process", "ms": measure(kernel, arguments, constants)[0]}
                )
            )
            first = False
        results = []
        for _ in range(runs):
            os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-benchmark-")
            results.append(measure(kernel, arguments, constants))
        total, stages = min(results, key=lambda result: result[0])
        print(json.dumps({"kernel": name, "ms": total, "stages": stages, "target": target}), flush=True)


def compile_text(text, target):
    """One row for the kernel of a file with this text."""
    with tempfile.TemporaryDirectory(prefix="triton-benchmark-") as folder:
        path = os.path.join(folder, "kernel.py")
        with open(path, "w") as file:
            file.write(text)
        spec = importlib.util.spec_from_file_location("kernel", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        source = triton.compiler.ASTSource(module.kernel, growing_kernels.SIGNATURE)
        before = os.times()
        total, stages = timed(lambda: triton.compile(source, target=target))
        user, system, tools_user, tools_system = (now - then for now, then in zip(os.times()[:4], before))
        own, tools = (user + system) * 1e3, (tools_user + tools_system) * 1e3
    return {
        "ms": round(total, 1),
        "cpu_ms": round(own + tools, 1),
        "own_ms": round(own, 1),
        "tools_ms": round(tools, 1),
        "stages": {name: round(ms, 1) for name, ms in stages.items()},
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def in_a_child(work, limit):
    """What `work` returns in a child process; a row that says why there is none where that fails or computes for longer than `limit` seconds.

    The programs that it starts have as long each. Time in which the machine did something else counts for nobody.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        with os.fdopen(write, "w") as stream:
            json.dump(work(), stream)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status)
    return {"failed": f"took more than {limit} s" if killed == signal.SIGXCPU else f"ended with status {status}"}


def measure_series(names, target, sizes, limit):
    triton.compile(  # what a process pays once is paid before it is divided
        triton.compiler.ASTSource(kernels.add_kernel, dict.fromkeys(("x_ptr", "y_ptr", "output_ptr"), "*fp32") | {"n_elements": "i32"}, {"BLOCK_SIZE": 128}),
        target=TARGETS[target],
    )  # fmt: skip
    for name in names or growing_kernels.SERIES:
        before = None
        for size in sizes:
            text = growing_kernels.SERIES[name](size)
            row = {"series": name, "target": target, "statements": size}
            row |= in_a_child(lambda text=text: compile_text(text, TARGETS[target]), limit)
            if before and "ms" in row:
                row["growth"] = {part: round(row[part] / before[part], 2) for part in GROWING if before[part]}
            print(json.dumps(row), flush=True)
            if "failed" in row:
                break
            before = row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="compiles of each kernel, of which the fastest counts")
    parser.add_argument("--series", nargs="*", metavar="NAME", help="series of growing_kernels.py; all without a name")
    parser.add_argument("--target", choices=TARGETS, default="cpu")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 4000, 8000])
    parser.add_argument("--limit", type=int, default=120, help="seconds that one compile of a series may compute")
    arguments = parser.parse_args()
    if arguments.series is None:
        return measure_kernels(arguments.runs)
    unknown = set(arguments.series) - set(growing_kernels.SERIES)
    if unknown:
        sys.exit(f"no series {sorted(unknown)}; there are: {', '.join(growing_kernels.SERIES)}")
    measure_series(arguments.series, arguments.target, arguments.sizes, arguments.limit)


main()
