"""Our CPU kernels beside numpy, torch and what the machine can do at best, in one run.

usage: python benchmarks/cpu/run.py [--threads 1 2] [--quick] [--no-save]

Prints tables, and saves them with the machine's description as benchmarks/results/<date>-<commit>.md. Each number of threads is a
process of its own, in which all contenders take turns; the best of at least 20 calls counts. Targets come from the design of the CPU
backend; a ratio is triton's rate divided by the other's.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REFERENCES = ("numpy", "torch", "C loop", "memcpy", "FMA peak")
# Contenders take turns in one process: a pool whose threads go on spinning after its turn would take the next one's cores.
NO_SPINNING = {
    "OPENBLAS_THREAD_TIMEOUT": "4",
    "OMP_WAIT_POLICY": "PASSIVE",
    "GOMP_SPINCOUNT": "0",
    "KMP_BLOCKTIME": "0",
}


def rows_of(script, *arguments, **environment):
    """The JSON rows that a script beside this one prints; what it says on standard error passes through."""
    process = subprocess.run(
        [sys.executable, HERE / script, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **NO_SPINNING, **environment},
    )
    if process.returncode:
        sys.exit(f"{script} failed with exit code {process.returncode}")
    return [json.loads(line) for line in process.stdout.splitlines()]


def table(header, rows):
    """Markdown that also reads well on a terminal."""
    cells = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
    return "\n".join(
        [line(cells[0]), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, cells[1:])]
    )


def speed_table(rows):
    lines = []
    for row in rows:
        rates = row["rates"]
        rate = lambda name: f"{rates[name]:.1f}" if name in rates else ""
        ratio = lambda name: rates["triton"] / rates[name]
        ratios = "  ".join(f"{name} {ratio(name):.2f}" for name in REFERENCES if name in rates)
        verdicts = [
            f"{'ok' if ratio(name) >= goal else 'MISSED'}: {ratio(name):.2f} of {name}, wanted {goal}"
            for name, goal in row["targets"]
        ]
        lines.append(
            [
                row["workload"],
                row["threads"],
                row["unit"],
                rate("triton"),
                *map(rate, REFERENCES),
                ratios,
                "; ".join(verdicts),
            ]
        )
    return table(["workload", "threads", "unit", "triton", *REFERENCES, "triton as a ratio of", "target"], lines)


def per_element_note(rows):
    """How well a row of 1000 does in its block of 1024, against full rows, per thread count."""
    for threads in sorted({row["threads"] for row in rows}):
        rate = {row["workload"]: row["rates"]["triton"] for row in rows if row["threads"] == threads}
        ratio = rate["softmax f32 1000 columns"] / rate["softmax f32 4096 columns"]
        verdict = "ok" if ratio >= 0.9 else "MISSED"
        yield f"softmax with {threads} thread(s): rows of 1000 run at {ratio:.2f} of the rate of rows of 4096 ({verdict}, wanted 0.9)"


def compile_table(rows):
    lines = []
    for row in rows:
        stages = "  ".join(f"{name} {milliseconds:.1f}" for name, milliseconds in row.get("stages", {}).items())
        target = row.get("target")
        lines.append(
            [
                row["kernel"],
                f"{row['ms']:.1f}",
                stages,
                f"{'ok' if row['ms'] <= target else 'MISSED'}: wanted {target}" if target else "",
            ]
        )
    return table(["kernel", "text to runnable, ms", "of which, ms", "target"], lines)


def import_line():
    def best(statement):
        times = []
        for _ in range(7):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            times.append(time.perf_counter() - begin)
        return min(times) * 1e3

    cost = best("import triton") - best("pass")
    return f"import triton: {cost:.0f} ms ({'ok' if cost <= 150 else 'MISSED'}, wanted 150)"


def machine():
    model = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown"
    )
    flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
    isa = [flag for flag in ("avx2", "fma", "f16c", "avx512f", "avx512_bf16", "amx_bf16") if flag in flags]
    return f"{model}, {os.cpu_count()} CPUs, {' '.join(isa)}; Linux {platform.release()}, Python {platform.python_version()}"


def commit():
    git = lambda *arguments: subprocess.run(
        ["git", "-C", ROOT, *arguments], capture_output=True, text=True
    ).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + (
        "-modified" if git("status", "--porcelain", "--untracked-files=no") else ""
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--quick", action="store_true", help="three calls of each instead of 25")
    parser.add_argument("--no-save", action="store_true")
    arguments = parser.parse_args()

    rows = []
    for threads in arguments.threads:
        names = ("TRITON_CPU_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        rows += rows_of("measure.py", *["--quick"] * arguments.quick, **dict.fromkeys(names, str(threads)))
    report = f"""# CPU benchmark, {datetime.date.today()}, commit {commit()}

{machine()}

{speed_table(rows)}

{chr(10).join("- " + note for note in per_element_note(rows))}
- memcpy: GB/s of a plain copy, reads and writes counted. C loop: a hand-written vector loop. FMA peak: fused multiply-adds in
  registers, float32; bfloat16 instructions can pass it. numpy's matmul is OpenBLAS in float32, also beside bfloat16.

## Compile time

{compile_table(rows_of("compile_times.py"))}

- {import_line()}
"""
    print(report)
    if not arguments.no_save:
        results = ROOT / "benchmarks" / "results"
        results.mkdir(exist_ok=True)
        path = results / f"{datetime.date.today()}-{commit()}.md"
        path.write_text(report)
        print(f"saved as {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
