"""How close to the device's limits a benchmark runs: profiles to records, records to CSV files, CSV files to a plot.

python -m triton_kernels.roofline --series a.csv b.csv --dtype fp16 --out_path roofline.png --labels first second
"""

from __future__ import annotations

import argparse
import csv
import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path

import torch

from ._errors import InvalidArgumentError

_COLUMNS = ("x", "flops", "bytes", "time_ns")


@dataclass
class PerfRecord:
    time_ns: float
    flops: float
    bytes: float


def parse_profile(profile_path, useful_op_regex):
    """The sums over a profile (a tree in JSON, as Proton writes it): time of everything, operations and bytes of what the pattern matches.

    `useful_op_regex` is matched against the names of nodes; nodes below a match are part of it.
    """
    pattern = re.compile(useful_op_regex)
    roots = json.loads(Path(profile_path).read_text())
    roots = roots if isinstance(roots, list) else [roots]
    record = PerfRecord(0.0, 0.0, 0.0)

    def visit(node, is_useful):
        is_useful = is_useful or pattern.search(node["frame"]["name"]) is not None
        metrics = node.get("metrics", {})
        if not node.get("children"):
            record.time_ns += metrics.get("time (ns)", 0)
        if is_useful:
            record.flops += sum(value for name, value in metrics.items() if re.fullmatch(r"flops\d*", name))
            record.bytes += metrics.get("bytes", 0)
        for child in node.get("children", ()):
            visit(child, is_useful)

    for root in roots:
        if "frame" in root:
            visit(root, False)
    return record


def _call_with(function, name, value, args, kwargs):
    """`args` are those of the other parameters: `value` goes where its parameter stands among them, or by name."""
    parameters = inspect.signature(function).parameters
    if name not in parameters and not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        raise InvalidArgumentError(f"the benchmark has no parameter {name}; it has {', '.join(parameters)}")
    positional = [
        each.name for each in parameters.values() if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    place = positional.index(name) if name in positional else len(args) + 1
    if place > len(args):
        return function(*args, **{**kwargs, name: value})
    return function(*args[:place], value, *args[place:], **kwargs)


def compute_roofline(*args, bench_fn, intensity_proxy_name, intensity_proxy_values, out_path, verbose=True, **kwargs):
    """Calls `bench_fn` for each value of the parameter named by the proxy, the others being `args` and `kwargs`, and writes its `PerfRecord`s to a CSV file."""
    records = []
    for value in intensity_proxy_values:
        record = _call_with(bench_fn, intensity_proxy_name, value, args, kwargs)
        records.append((value, record.flops, record.bytes, record.time_ns))
        if verbose:
            ms, tflops, tbps = (
                record.time_ns * 1e-6,
                record.flops / record.time_ns * 1e-3,
                record.bytes / record.time_ns * 1e-3,
            )
            print(f"{intensity_proxy_name} = {value}: {ms:.4g} ms, {tflops:.3g} TFLOPS, {tbps:.3g} TB/s")
    out_path = Path(out_path)
    out_path.parent.mkdir(parents=True, exist_ok=True)
    with out_path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        writer.writerows(records)
    return out_path


def read_series(path):
    """The rows of a CSV file as dictionaries of numbers."""
    with Path(path).open(newline="") as file:
        return [{name: float(row[name]) for name in _COLUMNS} for row in csv.DictReader(file)]


def _milliseconds(fn):
    from triton.testing import do_bench

    return do_bench(fn, return_mode="median")


def _device():
    return "cuda" if torch.cuda.is_available() else "cpu"


def get_memset_tbps():
    """Terabytes per second at which memory is filled."""
    buffer = torch.empty(2**30 if _device() == "cuda" else 2**27, dtype=torch.uint8, device=_device())
    return buffer.numel() / (_milliseconds(lambda: buffer.fill_(0)) * 1e-3) * 1e-12


def get_blas_tflops(dtype, workspace_size=32 * 1024 * 1024, device=None):
    """Teraflops of the vendor's matrix product; `dtype` is fp16, bf16, fp32 or fp8. PyTorch brings its workspace itself."""
    types = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp8": torch.float8_e4m3fn}
    if dtype not in types:
        raise ValueError(f"the types are {', '.join(types)}, not {dtype}")
    device = _device() if device is None else device
    size = 8192 if torch.device(device).type == "cuda" else 512
    a, b = (torch.randn(size, size, device=device) for _ in range(2))
    if dtype == "fp8":
        one = torch.ones((), device=device)
        a, b = a.to(types[dtype]), b.to(types[dtype]).T.contiguous().T
        multiply = lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    else:
        a, b = a.to(types[dtype]), b.to(types[dtype])
        multiply = lambda: a @ b
    return 2 * size**3 / (_milliseconds(multiply) * 1e-3) * 1e-12


def get_cublas_tflops(dtype):
    """The same, under its earlier name."""
    return get_blas_tflops(dtype)


def plot_roofline(
    series, flops_dtype, out_path, max_tbps="memset", max_tflops="cublas", title="", xlabel="", labels=None
):
    """Plots teraflops over the proxy of each series (CSV files), with what memory and matrix units allow.

    The limits are numbers, or "memset" and "cublas": then they are measured.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    limit_tbps = get_memset_tbps() if max_tbps == "memset" else float(max_tbps)
    limit_tflops = get_cublas_tflops(flops_dtype) if max_tflops == "cublas" else float(max_tflops)
    rows = [read_series(path) for path in series]
    labels = labels or [Path(path).stem for path in series]
    if len(labels) != len(rows):
        raise ValueError(f"{len(rows)} series need as many labels, not {len(labels)}")
    figure, axes = pyplot.subplots(figsize=(7, 5))
    xs = [row["x"] for row in rows[0]]
    roof = [min(limit_tflops, limit_tbps * row["flops"] / max(row["bytes"], 1)) for row in rows[0]]
    axes.plot(xs, roof, "--", color="black", label=f"limit: {limit_tbps:.2f} TB/s, {limit_tflops:.0f} TFLOPS")
    for label, points in zip(labels, rows):
        axes.plot(
            [row["x"] for row in points], [row["flops"] / row["time_ns"] * 1e-3 for row in points], "o-", label=label
        )
    axes.set(title=title, xlabel=xlabel, ylabel="TFLOPS", xscale="log", yscale="log")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(out_path)
    pyplot.close(figure)
    return out_path


def main(arguments=None):
    parser = argparse.ArgumentParser(description="plots how close to the device's limits benchmarks run")
    parser.add_argument("--series", nargs="+", required=True, help="CSV files with columns x, flops, bytes, time_ns")
    parser.add_argument(
        "--dtype", required=True, help="of the matrix product that sets the limit: fp16, bf16, fp32 or fp8"
    )
    parser.add_argument("--out_path", required=True, help="of the picture")
    parser.add_argument("--title", default="")
    parser.add_argument("--xlabel", default="")
    parser.add_argument("--labels", nargs="+", help="one for each series")
    options = parser.parse_args(arguments)
    plot_roofline(
        options.series,
        options.dtype,
        options.out_path,
        title=options.title,
        xlabel=options.xlabel,
        labels=options.labels,
    )


if __name__ == "__main__":
    main()
