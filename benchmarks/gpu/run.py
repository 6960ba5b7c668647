"""Our GPU kernels beside those of the installed Triton, and torch, in one run.

usage: PYTHONPATH=<our package> python benchmarks/gpu/run.py [--quick] [--only TEXT] [--parts speed launch compile start tune ways] [--out FOLDER]

Both packages are called `triton`, so each has processes of its own: ours with PYTHONPATH as it is, the other without the folders in it that
hold a `triton`. They take turns, part by part, on the same GPU. Writes a table (Markdown), the rows (csv) and a plot into the folder.
"""

import argparse
import contextlib
import csv
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PARTS = ["speed", "launch", "compile", "start", "tune", "ways"]
COMPILED = ("add", "softmax", "matmul", "attention")
# What the issue asks for: case -> (least or most, of what).
TARGETS = {
    "vector add f32 128 Mi": 4.3, "softmax f32 1024 columns": 4.0, "softmax f32 4096 columns": 4.0, "softmax f32 16384 columns": 4.0,
    "layer norm f16 16384x8192": 2.78, "matmul f16 4096^3": 400, "launch, 7 arguments": 2.5, "launch, 19 arguments": 3.5,
    "cold compile, add": 200, "cold compile, softmax": 220, "cold compile, matmul": 500, "cold compile, attention": 1000,
    "warm start, first launch": 5,
}  # fmt: skip


def environments():
    """name -> environment of the two packages; only ours if no other is installed."""
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    others = [folder for folder in folders if not os.path.isdir(os.path.join(folder, "triton"))]
    ours = {**os.environ}
    peer = {**os.environ, "PYTHONPATH": os.pathsep.join(others)}
    peer.pop("TRITON_BUILD", None)
    found = {"triton.cpp": ours}
    where = "import triton, os; print(triton.__version__, os.path.dirname(triton.__file__))"
    first = subprocess.run([sys.executable, "-c", where], env=ours, capture_output=True, text=True)
    second = subprocess.run([sys.executable, "-c", where], env=peer, capture_output=True, text=True, cwd="/")
    if second.returncode == 0 and second.stdout.split()[1] != first.stdout.split()[1]:
        found[f"triton {second.stdout.split()[0]}"] = peer
    return found


def start(environment, cache, *command):
    """A process whose rows can be read; what it says on standard error passes through."""
    return subprocess.Popen(
        [sys.executable, str(HERE / command[0]), *command[1:]],
        env={**environment, "TRITON_CACHE_DIR": cache},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
    )


def rows_of(process):
    """A crash ends the rows, not the run."""
    output = process.communicate()[0]
    if process.returncode:
        print(f"{' '.join(process.args[1:])} ended with {process.returncode}", file=sys.stderr)
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def measure(environment, *command, times=1):
    """The rows of the last of so many processes, one after the other, which share a cache that is empty at first."""
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(times):
            rows = rows_of(start(environment, cache, *command))
    return rows


def measure_ways(packages, only, jobs):
    """(package, row): compiled in parallel, then measured in turns, row by row, so that what one finds warm, hot or slowed down the other finds too."""
    options = ["--only", only] if only else []
    with contextlib.ExitStack() as stack:
        caches = {name: stack.enter_context(tempfile.TemporaryDirectory()) for name in packages}
        for name, cache in caches.items():
            shares = [f"{job}/{jobs}" for job in range(jobs)]
            for process in [start(packages[name], cache, "ways.py", "--compile", share, *options) for share in shares]:
                rows_of(process)
        turns = {name: start(packages[name], cache, "ways.py", "--turns", *options) for name, cache in caches.items()}
        while turns:
            for name, process in list(turns.items()):
                try:
                    print("next", file=process.stdin, flush=True)
                except BrokenPipeError:  # it has ended
                    rows_of(turns.pop(name))
                    continue
                for line in iter(process.stdout.readline, ""):
                    if line.startswith("{"):
                        yield name, json.loads(line)
                    elif line.startswith("turn"):
                        break
                else:
                    rows_of(turns.pop(name))


def collect(parts, quick, only):
    rows = []
    packages = environments()

    def add(name, *command, times=1):
        add_rows(name, measure(packages[name], *command, times=times))

    def add_rows(name, measured):
        for row in measured:
            contender = row.pop("contender", None)
            if contender is None or name == "triton.cpp":  # torch is measured beside us
                rows.append({"contender": contender or name, **row})
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)

    if "speed" in parts:
        for name in packages:
            add(name, "speed.py", *(["--quick"] if quick else []), *(["--only", only] if only else []))
    if "launch" in parts:
        for name in packages:
            add(name, "host.py", "launch")
    if "compile" in parts:
        for kernel in COMPILED:
            for name in packages:
                add(name, "host.py", "compile", kernel)
    if "start" in parts:
        for name in packages:
            add(name, "host.py", "start", times=4)
    if "tune" in parts:
        for name in packages:
            add(name, "host.py", "tune")
    if "ways" in parts:
        for name, row in measure_ways(packages, only, max(1, os.cpu_count() - 2)):
            add_rows(name, [row])
    return rows


def table(header, rows):
    """Markdown that also reads well on a terminal."""
    cells = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
    return "\n".join(
        [line(cells[0]), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, cells[1:])]
    )


def verdict(case, unit, value):
    target = TARGETS.get(case)
    if target is None or value is None:
        return "" if target is None else f"MISSED: no result, wanted {target}"
    is_rate = "/s" in unit
    good = value >= target if is_rate else value <= target
    return f"{'ok' if good else 'MISSED'}: wanted {'≥' if is_rate else '≤'} {target}"


def ratio(unit, ours, peer):
    """How many times as fast as the other package's."""
    if not ours or not peer:
        return ""
    return f"{ours / peer if '/s' in unit else peer / ours:.2f}"


def report(rows):
    cases, contenders = (
        list(dict.fromkeys(row["case"] for row in rows)),
        list(dict.fromkeys(row["contender"] for row in rows)),
    )
    lines = []
    for case in cases:
        of_case = {row["contender"]: row for row in rows if row["case"] == case}
        unit = next(iter(of_case.values()))["unit"]
        show = lambda name: (
            f"{of_case[name]['value']:.3g}" if name in of_case and of_case[name]["value"] is not None else ""
        )
        ours = of_case.get("triton.cpp", {})
        peer = next((row for name, row in of_case.items() if name.startswith("triton ")), {})
        lines.append(
            [
                case,
                unit,
                *map(show, contenders),
                ratio(unit, ours.get("value"), peer.get("value")),
                ours.get("configuration", ""),
                peer.get("configuration", ""),
                verdict(case, unit, ours.get("value")),
            ]
        )
    text = table(["case", "unit", *contenders, "ours / Triton", "our configuration", "Triton's", "target"], lines)
    compiles = [row for row in rows if row.get("stages")]
    if compiles:
        stages = list(dict.fromkeys(stage for row in compiles for stage in row["stages"]))
        cells = [
            [
                row["case"],
                row["contender"],
                f"{row['value']:.0f}",
                *(f"{row['stages'].get(stage, 0):.1f}" for stage in stages),
            ]
            for row in compiles
        ]
        text += "\n\nCold compiles, stage by stage, in ms (the rest of the total is Python, and loading the code):\n\n"
        text += table(["kernel", "package", "total", *stages], cells)
    notes = [f"- {row['case']} ({row['contender']}): {row['note']}" for row in rows if row.get("note")]
    return text + ("\n\nWhat did not run:\n\n" + "\n".join(notes) if notes else "")


def plot(rows, path):
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(14, 6))
    for axis, unit in zip(axes, ("TB/s", "TFLOP/s")):
        chosen = [row for row in rows if row["unit"] == unit and row["value"] is not None]
        cases, contenders = (
            list(dict.fromkeys(row["case"] for row in chosen)),
            list(dict.fromkeys(row["contender"] for row in chosen)),
        )
        for index, contender in enumerate(contenders):
            values = {row["case"]: row["value"] for row in chosen if row["contender"] == contender}
            places = [place + index * 0.27 for place in range(len(cases))]
            axis.barh(places, [values.get(case, 0) for case in cases], height=0.25, label=contender)
        axis.set_yticks([place + 0.27 for place in range(len(cases))], cases)
        axis.invert_yaxis()
        axis.set_xlabel(unit)
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem", "--format=csv,noheader"]
    found = shutil.which("nvidia-smi") and subprocess.run(query, capture_output=True, text=True).stdout.strip()
    return found or "unknown GPU"


def commit():
    found = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    packed = ROOT / "COMMIT"  # what scripts/bundle leaves where there is no git
    return found.stdout.strip() or (packed.read_text().strip() if packed.exists() else "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repetitions, few configurations")
    parser.add_argument("--only", default="", help="only cases whose name holds this")
    parser.add_argument("--parts", nargs="+", default=[part for part in PARTS if part != "ways"], choices=PARTS)
    parser.add_argument("--out", default=str(ROOT / "benchmarks" / "results"))
    chosen = parser.parse_args()
    rows = collect(chosen.parts, chosen.quick, chosen.only)
    name = f"{datetime.date.today()}-{commit()}-gpu"
    folder = Path(chosen.out)
    folder.mkdir(parents=True, exist_ok=True)
    text = f"# GPU benchmarks, {datetime.date.today()}, commit {commit()}\n\n{machine()}\n\n{report(rows)}\n"
    (folder / f"{name}.md").write_text(text)
    with open(folder / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["case", "unit", "contender", "value", "milliseconds", "configuration", "error", "stages", "note"]
        )
        for row in rows:
            fields = ("case", "unit", "contender", "value", "milliseconds", "configuration", "error")
            writer.writerow(
                [*(row.get(field, "") for field in fields), json.dumps(row.get("stages", "")), row.get("note", "")]
            )
    plot(rows, folder / f"{name}.png")
    print(text)


if __name__ == "__main__":
    main()
