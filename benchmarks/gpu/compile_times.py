"""How long cold compiles take, ours beside another package's: processor time of the compiler and of ptxas apart. Needs no GPU, nor torch.

    compile_times.py [--beside PYTHON] [--runs 9] [--only TEXT] [--ptxas PATH] [--target 90]

PYTHON: an interpreter with the other package (a virtual environment with `pip install triton==3.6.0`). Both compile the same kernels with the same options
and, with --ptxas, by the same assembler; a kernel of one is compiled right after that of the other, each time into an empty cache. Processor time counts
what a process and its children spent, whatever else the machine did; the least of all runs counts. What a process pays once is paid before.
`load` is the processor time of the same compile from the cache's files. A row also says what ptxas had to read and what it made: lines of PTX, registers, spilled bytes.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def workloads():
    """name -> (kernel, types of its arguments in order, constants, options). Pointers and `i32:16` are multiples of 16, as launches find them."""
    import kernels
    import ways_kernels as ways

    f16, f32, size = "*fp16", "*fp32", "i32:16"
    matmul = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8}
    matmul_types = [f16, f16, f16, size, size, size, size, 1, size, 1, size, 1]
    attention = {"BM": 128, "BN": 64, "D": 128}
    backward = [f16, f16, f16, "fp32", f16, f16, f16, f16, f32, f32, size, size]
    backward_tiles = {"BM1": 32, "BN1": 128, "BM2": 128, "BN2": 32, "SLICES": 2, "D": 128, "PART": 0}
    return {
        "add": (kernels.add_kernel, [f32, f32, f32, size], {"BLOCK": 1024}, {}),
        "softmax": (kernels.softmax_kernel, [f32, f32, size, size, size], {"BLOCK": 4096}, {"num_warps": 8}),
        "layer norm": (kernels.layer_norm_kernel, [f16, f16, f16, f16, f32, f32, size, size, "fp32"], {"BLOCK": 4096}, {"num_warps": 8}),
        "matmul": (kernels.matmul_kernel, matmul_types, matmul, {"num_warps": 8, "num_stages": 3}),
        "matmul 64x128x32": (kernels.matmul_kernel, matmul_types, {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, {"num_warps": 4, "num_stages": 4}),
        "attention": (ways.attention_ways_kernel, [f16, f16, f16, f16, "fp32", size, size, size], {**attention, "CAUSAL": False, "MASKED": False}, {"num_warps": 8, "num_stages": 3}),
        "attention causal": (ways.attention_ways_kernel, [f16, f16, f16, f16, "fp32", size, size, size], {**attention, "CAUSAL": True, "MASKED": False}, {"num_warps": 8, "num_stages": 3}),
        "attention causal, two loops": (ways.attention_two_loops_kernel, [f16, f16, f16, f32, f16, "fp32", size, size, size], attention, {"num_warps": 8, "num_stages": 3}),
        "attention backward": (ways.attention_backward_kernel, backward, backward_tiles, {"num_warps": 4, "num_stages": 5}),
    }  # fmt: skip


def source_of(kernel, types, constants):
    """What triton.compile takes. Among the types an int is a constant, as launches make of ones."""
    from triton.compiler import ASTSource

    signature, constexprs, attributes = {}, {}, {}
    values = iter(types)
    for index, name in enumerate(kernel.arg_names):
        value = constants[name] if name in constants else next(values)
        if name in constants or isinstance(value, int):
            signature[name], constexprs[name] = "constexpr", value
            continue
        signature[name] = value.removesuffix(":16")
        if value.startswith("*") or value.endswith(":16"):
            attributes[(index,)] = [["tt.divisibility", 16]]
    return ASTSource(kernel, signature, constexprs, attributes)


def spent(who):
    usage = resource.getrusage(who)
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def load_again(kernel, types, constants, target, options):
    """The same from the cache's files, for a function that has compiled nothing; the driver's part is not in it."""
    import triton

    triton.knobs.compilation.listener = None
    source = source_of(triton.jit(kernel.fn), types, constants)
    begin = time.process_time()
    triton.compile(source, target=target, options=options)
    return 1e3 * (time.process_time() - begin)


def measure(name, target):
    """One cold compile, in milliseconds."""
    import triton

    stages = {}

    def listen(times, **_):
        stages["frontend"] = times.ir_initialization / 1e3
        stages.update({stage: microseconds / 1e3 for stage, microseconds in times.lowering_stages})
        stages["store"] = times.store_results / 1e3

    triton.knobs.compilation.listener = listen
    kernel, types, constants, options = workloads()[name]
    with tempfile.TemporaryDirectory(prefix="triton-benchmark-") as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        source = source_of(triton.jit(kernel.fn), types, constants)
        before = [spent(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        begin = time.perf_counter()
        compiled = triton.compile(source, target=target, options=options)
        wall = 1e3 * (time.perf_counter() - begin)
        after = [spent(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        load = min(load_again(kernel, types, constants, target, options) for _ in range(5))
    compiler, assembler = (late - early for early, late in zip(before, after, strict=True))
    return {
        "wall": wall,
        "compiler": compiler,
        "ptxas": assembler,
        "load": load,
        "stages": stages,
        "ptx": compiled.asm["ptx"],
    }


def serve(target):
    """Measures the kernels whose names come on standard input."""
    from triton.backends.compiler import GPUTarget

    target = GPUTarget("cuda", target, 32)
    for kernel in ("add", "matmul 64x128x32"):  # what a process pays once
        measure(kernel, target)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(line.strip(), target)), flush=True)


class Package:
    """A process that compiles with one package."""

    def __init__(self, python, target, environment):
        command = [python, __file__, "--serve", "--target", str(target)]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.hear()

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("a process that compiles has ended; what it said stands above")
        return line

    def measure(self, kernel):
        self.process.stdin.write(kernel + "\n")
        self.process.stdin.flush()
        return json.loads(self.hear())


def assembled(ptx, ptxas, target):
    """(registers, spilled bytes) that the assembler makes of it."""
    architecture = re.search(r"\.target (\w+)", ptx)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        log = subprocess.run([ptxas, "-v", f"--gpu-name={architecture}", file.name, "-o", "/dev/null"], capture_output=True, text=True).stderr  # fmt: skip
    figure = lambda pattern: int(found[1]) if (found := re.search(pattern, log)) else -1
    return figure(r"Used (\d+) registers"), figure(r"(\d+) bytes spill stores")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", metavar="PYTHON", help="an interpreter with another package")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", default="", help="only kernels whose name holds this")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"), help="the assembler of both")
    parser.add_argument("--target", type=int, default=90)
    parser.add_argument("--keep", type=Path, help="a folder for the PTX of both")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        return serve(given.target)
    environment = {**os.environ, **({"TRITON_PTXAS_PATH": given.ptxas} if given.ptxas else {})}
    packages = {"ours": Package(sys.executable, given.target, environment)}
    if given.beside:
        elsewhere = {name: value for name, value in environment.items() if name not in ("PYTHONPATH", "TRITON_BUILD")}
        packages["theirs"] = Package(given.beside, given.target, elsewhere)
    print(f"cold compiles, ms of processor time (least of {given.runs}): compiler + ptxas; wall time; load from the cache; PTX lines, registers, spills\n")  # fmt: skip
    for kernel in (name for name in workloads() if given.only in name):
        runs = {package: [] for package in packages}
        for _ in range(given.runs):
            for package, process in packages.items():
                runs[package].append(process.measure(kernel))
        show(kernel, runs, given)


def show(kernel, runs, given):
    least = {}
    for package, each in runs.items():
        best = {part: min(run[part] for run in each) for part in ("compiler", "ptxas", "wall", "load")}
        best["all"] = min(run["compiler"] + run["ptxas"] for run in each)
        stages = {stage: min(run["stages"][stage] for run in each) for stage in each[0]["stages"]}
        ptx = each[0]["ptx"]
        lines = sum(bool(re.match(r"\s+[@a-z]", line)) for line in ptx.splitlines())
        registers, spills = assembled(ptx, given.ptxas, given.target) if given.ptxas else (-1, -1)
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            (given.keep / f"{kernel.replace(' ', '-')}.{package}.ptx").write_text(ptx)
        print(f"{kernel:28} {package:7} {best['all']:7.1f} = {best['compiler']:7.1f} + {best['ptxas']:6.1f}   wall {best['wall']:7.1f}   load {best['load']:5.2f}   {lines:6} lines {registers:4} registers {spills:4} spilled   "  # fmt: skip
            + ", ".join(f"{stage} {milliseconds:.1f}" for stage, milliseconds in stages.items()), flush=True)  # fmt: skip
        least[package] = best
    if "theirs" in least:
        print(f"{'':28} theirs / ours: {least['theirs']['all'] / least['ours']['all']:.1f} (processor), {least['theirs']['wall'] / least['ours']['wall']:.1f} (wall), {least['theirs']['compiler'] / least['ours']['compiler']:.1f} without ptxas", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
