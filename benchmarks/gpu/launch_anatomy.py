"""Where the time of a launch goes, on the current GPU: the driver's call by itself in many variants, then from Python, ours, the installed Triton's, torch's.

usage: PYTHONPATH=<our package> python benchmarks/gpu/launch_anatomy.py [--json FILE]        (about a minute; needs a C++ compiler)

Columns, in microseconds per launch:
  host          until the call has returned, bursts that fit into the queue, GPU free to run; the best of 15 bursts
  held host     the same while a waiting kernel holds the GPU: nothing that the GPU does can slow the host down
  device        from the first launch of a burst to the end of its last, by the GPU's clock
  held device   the same behind the waiting kernel: how fast the GPU retires kernels that are all queued; only where this is more than `host` does
                the GPU, not the host, set the time of a burst
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from run import environments, machine, table

HERE = Path(__file__).resolve().parent
SPINS, YIELDS, BLOCKS = 1, 2, 4  # how a context waits


def build(folder):
    library = os.path.join(folder, "anatomy.so")
    source = str(HERE / "launch_anatomy.cpp")
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-std=c++17", "-O2", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
    return library


def child(library, where, flags, whole, with_torch):
    if with_torch:
        import torch

        torch.zeros(1, device="cuda").add_(1)  # the runtime's context, as every program with torch has it
        torch.cuda.synchronize()
    sys.exit(ctypes.CDLL(library).anatomy(where.encode(), flags, whole))


def run(command, environment):
    process = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, cwd="/")
    if process.returncode:
        print(f"{' '.join(command)} ended with {process.returncode}", file=sys.stderr)
    rows = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    print(f"  {len(rows)} rows", file=sys.stderr, flush=True)
    return rows


def bare(library, where, flags=0, whole=False, with_torch=False, prefix=(), **variables):
    print(where, file=sys.stderr, flush=True)
    command = [*prefix, sys.executable, __file__, "--child", library, where, str(flags), str(int(whole)), str(int(with_torch))]  # fmt: skip
    return run(command, {**os.environ, **variables})


def from_cpp():
    """The launches of launch_from_cpp.cpp, where scripts/bundle has left the program."""
    program = HERE.parent.parent / "bin" / "launch_from_cpp"
    return run([str(program)], dict(os.environ)) if program.exists() else []


def from_python():
    """The launches of host.py, in each package."""
    rows = []
    for name, environment in environments().items():
        print(name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as cache:
            command = [sys.executable, str(HERE / "host.py"), "launch"]
            for row in run(command, {**environment, "TRITON_CACHE_DIR": cache}):
                if row.get("contender", name) == name or name == "triton.cpp":
                    rows.append({"contender": name, **row})
    return rows


def microseconds(row, *names):
    return [f"{row[name] / 1e3:.2f}" if row.get(name) is not None else row.get("note", "") for name in names]


def report(rows, python_rows):
    print(f"\n{machine()}; {os.cpu_count()} processors; {cpu()}\n")
    columns = ("host", "host_median", "held_host", "device", "held_device")
    cells = [[row.get("where", ""), row["what"], row.get("burst", ""), *microseconds(row, *columns)] for row in rows]
    header = ["where", "what", "burst", "host", "(median)", "held host", "device", "held device"]
    print(table(header, cells))
    print("\nFrom Python, microseconds:\n")
    show = lambda value: "" if value is None else f"{value:.2f}"
    print(table(["what", "package", "us", "note"], [[row["case"], row["contender"], show(row["value"]), row.get("note", "")] for row in python_rows]))  # fmt: skip


def cpu():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="also writes the rows here")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        rows = [
            *bare(library, "own context", whole=True),
            *bare(library, "torch's context", with_torch=True),
            *bare(library, "spins", flags=SPINS),
            *bare(library, "yields", flags=YIELDS),
            *bare(library, "blocks", flags=BLOCKS),
            *bare(library, "eager loading", CUDA_MODULE_LOADING="EAGER"),
            *bare(library, "1 connection", CUDA_DEVICE_MAX_CONNECTIONS="1"),
            *bare(library, "32 connections", CUDA_DEVICE_MAX_CONNECTIONS="32"),
            *bare(library, "one core", prefix=("taskset", "-c", "2")),
        ]
        rows += from_cpp()
    python_rows = from_python()
    report(rows, python_rows)
    if chosen.json:
        Path(chosen.json).write_text(json.dumps({"bare": rows, "python": python_rows}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        library, where, flags, whole, with_torch = sys.argv[2:]
        child(library, where, int(flags), int(whole), int(with_torch))
    main()
