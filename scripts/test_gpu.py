"""Everything that needs a GPU, in one command, on a machine that has one and either a build or an unpacked bundle (scripts/bundle).

    python3 scripts/test_gpu.py [--parts tests sanitizer random programs torch launch benchmarks] [--jobs 16] [--out FOLDER]

tests        all Python tests with --device cuda, in many processes; those about the processor or the host alone are skipped
sanitizer    compute-sanitizer's memcheck and racecheck over a representative set
random       random programs on the GPU, the CPU and the interpreter
programs     the C++ example
torch        torch.compile of a small transformer, forward and backward, against eager mode
launch       where the time of a launch goes, from Python and from C++
benchmarks   benchmarks/gpu/run.py --quick

A part that fails does not end the run. Each leaves its output in FOLDER (default: gpu-results); the table at the end says how it went.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tool(name):
    """A program of the build or of the bundle."""
    folders = (Path(os.environ.get("TRITON_BUILD", ROOT / "build")) / "bin", ROOT / "bin")
    return next((str(folder / name) for folder in folders if os.access(folder / name, os.X_OK)), None)


def commands(part, jobs, out):
    """(name, command or None if what it runs is not there, seconds) of the steps of a part."""
    python = sys.executable
    if part == "tests":
        options = ["--jobs", str(jobs), "--limit", "60", "--deadline", "400", "--out", out]
        yield "tests", [python, "scripts/run_sharded.py", *options, "test/python", "--", "--device", "cuda"], 460
    elif part == "sanitizer":
        tools = ["--tools", "memcheck", "racecheck", "--jobs", str(jobs)]
        yield "sanitizer", [python, "scripts/sanitize_gpu.py", *tools, "--out", out], 500
    elif part == "random":
        program = tool("triton-differential")
        for warps in (1, 2, 4, 8, 16):
            command = program and [program, "--target", "cuda", "--warps", str(warps), "--seed", "1", "--count", "300"]
            yield f"random programs, {warps} warps", command, 60
        features = ["--no-windows", "--no-narrow-floats"]
        command = program and [program, "--target", "cuda", "--seed", "5000", "--count", "500", *features]
        yield "random programs, wide floats", command, 60
    elif part == "programs":
        yield "C++ example", (example := tool("cuda_example")) and [example], 60
    elif part == "torch":
        yield "torch.compile", [python, "benchmarks/gpu/inductor.py"], 200
        yield "torch.compile, workers", [python, "benchmarks/gpu/inductor.py", "--compile-threads", "8"], 200
    elif part == "launch":
        yield "launch", [python, "benchmarks/gpu/launch_anatomy.py"], 120
        yield "launch from C++", (program := tool("launch_from_cpp")) and [program], 60
    elif part == "benchmarks":
        yield "benchmarks", [python, "benchmarks/gpu/run.py", "--quick", "--out", out], 500


PARTS = ["tests", "sanitizer", "random", "programs", "torch", "launch", "benchmarks"]


def run(name, command, seconds, out):
    """What the table says of a step; its output is shown as it comes, and kept."""
    if command is None:
        return "not here", 0.0
    begin = time.time()
    with open(Path(out) / f"{name.replace(' ', '-').replace(',', '')}.log", "w") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        timer = subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -9 -{process.pid}"], start_new_session=True)
        for line in process.stdout:
            log.write(line)
            print(f"    {line}", end="", flush=True)
        process.wait()
        is_late = timer.poll() is not None
        if not is_late:
            os.killpg(timer.pid, signal.SIGKILL)  # the program `kill` of some systems takes "-123" for "-1": everything
        timer.wait()
    word = (
        "ok"
        if process.returncode == 0
        else f"FAILED: {f'over {seconds} s' if is_late else f'exit code {process.returncode}'}"
    )
    return word, time.time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="gpu-results")
    given = parser.parse_args()
    out = os.path.abspath(given.out)
    os.makedirs(out, exist_ok=True)
    begin, rows = time.time(), []
    for part in given.parts:
        for name, command, seconds in commands(part, given.jobs, out):
            print(f"==> [{time.time() - begin:3.0f}s] {name}", flush=True)
            rows.append((name, *run(name, command, seconds, out)))
    width = max(len(name) for name, *_ in rows)
    print("\n".join(f"{name:<{width}}  {seconds:6.1f} s  {word}" for name, word, seconds in rows))
    failed = sum(word.startswith("FAILED") for _, word, _ in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
