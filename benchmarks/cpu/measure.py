"""Measures every workload in this process with the number of threads the environment gives; prints rows as JSON. run.py starts it.

Contenders take turns, and the best time of each counts: noise only ever adds. All write into arrays that exist already, where their
interface allows it.
"""

import json
import os
import sys
import time

import kernels
import language_kernels
import numpy as np
import triton.language as tl
from limits import Limits

try:
    import torch
except ImportError:
    torch = None

THREADS = int(os.environ["TRITON_CPU_MAX_THREADS"])
REPETITIONS = int(os.environ.get("REPETITIONS", "25"))
QUICK = "--quick" in sys.argv
limits = Limits(THREADS)
rng = np.random.default_rng(0)


def best_times(contenders):
    """Seconds of the best of at least REPETITIONS interleaved calls; 5 calls of whatever takes more than a quarter of a second."""
    best = {}
    for name, call in contenders.items():
        call()
        begin = time.perf_counter()
        call()
        best[name] = time.perf_counter() - begin
    for repetition in range(3 if QUICK else REPETITIONS):
        for name, call in contenders.items():
            if best[name] > 0.25 and repetition >= 5:
                continue
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best


def report(workload, unit, amount, contenders, targets=()):
    """`amount`: per contender, or one for all, what `unit` counts in one call. `targets`: (contender, ratio that triton must reach)."""
    print(f"    {THREADS} thread{'s' * (THREADS > 1)}: {workload}", file=sys.stderr, flush=True)
    times = best_times({name: call for name, call in contenders.items() if call})
    rates = {
        name: (amount[name] if isinstance(amount, dict) else amount) / seconds * 1e-9 for name, seconds in times.items()
    }
    row = {"workload": workload, "threads": THREADS, "unit": unit, "rates": rates, "targets": list(targets)}
    print(json.dumps(row), flush=True)


def check(actual, expected, tolerance):
    actual = actual.float().numpy() if torch and isinstance(actual, torch.Tensor) else np.asarray(actual, np.float32)
    difference = np.max(np.abs(actual - expected))
    assert difference <= tolerance, f"wrong result: differs by {difference}"


def vector_add():
    n = 2**24
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    out, copied = np.empty_like(x), np.empty_like(x)
    kernels.add(out, x, y)
    check(out, x + y, 0)
    tx, ty, tout = (torch.from_numpy(a) for a in (x, y, out)) if torch else (None,) * 3
    report(
        "vector add f32 2^24",
        "GB/s",
        {"triton": 12 * n, "numpy": 12 * n, "torch": 12 * n, "C loop": 12 * n, "memcpy": 8 * n},
        {
            "triton": lambda: kernels.add(out, x, y),
            "numpy": lambda: np.add(x, y, out=out),
            "torch": torch and (lambda: torch.add(tx, ty, out=tout)),
            "C loop": lambda: limits.add(out, x, y),
            "memcpy": lambda: limits.copy(copied, x),
        },
        [("C loop", 0.92), ("memcpy", 1.0)],
    )


def numpy_softmax(x):
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    return numerator / numerator.sum(axis=1, keepdims=True)


def softmax(rows, cols, targets, label=""):
    x = rng.standard_normal((rows, cols), dtype=np.float32)
    out, copied = np.empty_like(x), np.empty_like(x)
    kernels.softmax(out, x)
    check(out, numpy_softmax(x), 1e-6)
    tx, tout = (torch.from_numpy(x), torch.from_numpy(out)) if torch else (None, None)
    report(
        f"softmax f32 {cols} columns{label}",
        "GB/s",
        2 * x.nbytes,
        {
            "triton": lambda: kernels.softmax(out, x),
            "numpy": lambda: numpy_softmax(x),
            "torch": torch and (lambda: torch.softmax(tx, dim=1, out=tout)),
            "memcpy": lambda: limits.copy(copied, x),
        },
        targets,
    )


def layer_norm(rows=8192, cols=4096):
    x = rng.standard_normal((rows, cols), dtype=np.float32).astype(np.float16)
    w, b = rng.random(cols, dtype=np.float32).astype(np.float16), rng.random(cols, dtype=np.float32).astype(np.float16)
    out, copied = np.empty_like(x), np.empty_like(x)

    def by_numpy(x):
        wide = x.astype(np.float32)
        wide -= wide.mean(axis=1, keepdims=True)
        return (wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-5) * w + b).astype(np.float16)

    kernels.layer_norm(out, x, w, b)
    check(out[:64], by_numpy(x[:64]).astype(np.float32), 1e-2)
    if torch:
        tx, tw, tb, tout = (torch.from_numpy(a) for a in (x, w, b, out))
        statistics = {
            "out1": torch.empty((rows, 1), dtype=torch.half),
            "out2": torch.empty((rows, 1), dtype=torch.half),
        }
        torch_layer_norm = lambda: torch.ops.aten.native_layer_norm.out(
            tx, (cols,), tw, tb, 1e-5, out0=tout, **statistics
        )
    report(
        f"layer norm f16 {cols} columns",
        "GB/s",
        2 * x.nbytes,
        {
            "triton": lambda: kernels.layer_norm(out, x, w, b),
            "numpy": lambda: by_numpy(x),
            "torch": torch and torch_layer_norm,
            "memcpy": lambda: limits.copy(copied.view(np.float32), x.view(np.float32)),
        },
        [("memcpy", 0.55)],
    )


def matmul(size, dtype, tiles):
    """`tiles`: edge of the tile -> the part of numpy's speed (OpenBLAS, float32) that it must reach."""
    a, b = (rng.standard_normal((size, size), dtype=np.float32) * 0.25 for _ in range(2))
    out, product = np.empty_like(a), np.empty_like(a)
    operations = 2.0 * size**3
    ta, tb, tout = (torch.from_numpy(m).to(getattr(torch, dtype)) for m in (a, b, out)) if torch else (None,) * 3
    ours = (ta, tb, tout) if dtype != "float32" else (a, b, out)
    if ours[0] is None:
        return
    rounds = 2_000_000
    for tile, target in tiles.items():
        kernels.matmul(ours[2], ours[0], ours[1], tile)
        check(ours[2], a @ b, 1e-3 if dtype == "float32" else 1.0)
        report(
            f"matmul {dtype} {size}³ tile {tile}²",
            "GFLOPS",
            {"FMA peak": limits.multiply_add(rounds), **dict.fromkeys(("triton", "numpy", "torch"), operations)},
            {
                "triton": lambda tile=tile: kernels.matmul(ours[2], ours[0], ours[1], tile),
                "numpy": lambda: np.matmul(a, b, out=product),
                "torch": torch and (lambda: torch.matmul(ta, tb, out=tout)),
                "FMA peak": lambda: limits.multiply_add(rounds),
            },
            [("numpy", target)] if target else [],
        )


def beside_torch(workload, unit, amount, ours, theirs, found, expected, tolerance=0.0):
    """A row with torch as the only other contender, after a check; `found` is what `ours` writes."""
    ours()
    torch.testing.assert_close(found.float(), expected.float(), atol=tolerance, rtol=tolerance)
    report(workload, unit, amount, {"triton": ours, "torch": theirs})


def language():
    """The rest of the language: reductions, scans, sorting, indirect access, atomics, conversions, attention."""
    k = language_kernels
    x = torch.randn(4096, 4096)
    out, bytes_of_x = torch.empty_like(x), x.numel() * 4
    line, other = torch.empty(4096), torch.empty(4096)
    for axis, run in ((1, k.sum_rows), (0, k.sum_columns)):
        ours, theirs = lambda run=run: run(line, x), lambda axis=axis: torch.sum(x, axis, out=other)
        beside_torch(f"sum along axis {axis} of 4096²", "GB/s", bytes_of_x, ours, theirs, line, x.sum(axis), 1e-2)
    theirs = lambda: torch.cumsum(x, 1, out=out)
    beside_torch(
        "cumsum of 4096 rows of 4096", "GB/s", 2 * bytes_of_x, lambda: k.cumsum(out, x), theirs, out, x.cumsum(1), 1e-2
    )

    x = torch.randn(2048, 1024)
    values, indices = torch.empty_like(x), torch.empty(x.shape, dtype=torch.int64)
    theirs = lambda: torch.sort(x, 1, out=(values, indices))
    out = torch.empty_like(x)
    beside_torch("sort 2048 rows of 1024", "Gelem/s", x.numel(), lambda: k.sort(out, x), theirs, out, x.sort(1).values)
    best, values, indices = torch.empty(2048, 64), torch.empty(2048, 64), torch.empty((2048, 64), dtype=torch.int64)
    theirs = lambda: torch.topk(x, 64, 1, out=(values, indices))
    beside_torch(
        "topk 64 of 2048 rows of 1024",
        "Gelem/s",
        x.numel(),
        lambda: k.topk(best, x),
        theirs,
        best,
        x.topk(64, 1).values,
    )

    n = 2**22
    x, index = torch.randn(n), torch.randperm(n)
    out = torch.empty(n)
    theirs = lambda: torch.index_select(x, 0, index, out=out)
    beside_torch("gather 2^22", "Gelem/s", n, lambda: k.gather(out, x, index), theirs, out, x[index])
    theirs = lambda: out.scatter_(0, index, x)
    beside_torch(
        "scatter 2^22",
        "Gelem/s",
        n,
        lambda: k.scatter(out, x, index),
        theirs,
        out,
        torch.empty(n).scatter_(0, index, x),
    )
    numbers, counts = torch.randint(0, 1024, (n,), dtype=torch.int32), torch.zeros(1024, dtype=torch.int32)
    ours = lambda: (counts.zero_(), k.histogram(counts, numbers))
    theirs = lambda: torch.bincount(numbers, minlength=1024)
    beside_torch("histogram by atomics, 2^22 into 1024", "Gelem/s", n, ours, theirs, counts, theirs())

    for name, dtype in (("float8_e5m2", tl.float8e5), ("float8_e4m3fn", tl.float8e4nv)):
        small, small_other = (torch.empty(n, dtype=getattr(torch, name)) for _ in range(2))
        ours, theirs = lambda: k.convert(small, x, dtype), lambda: small_other.copy_(x)
        beside_torch(f"float32 to {name}, 2^22", "Gelem/s", n, ours, theirs, small, x.to(small.dtype))
        ours, theirs = lambda: k.convert(out, small, tl.float32), lambda: out.copy_(small_other)
        beside_torch(f"{name} to float32, 2^22", "Gelem/s", n, ours, theirs, out, x.to(small.dtype).float())

    q, key, v = (torch.randn(8, 1024, 64) for _ in range(3))
    out = torch.empty_like(q)
    theirs = lambda: torch.nn.functional.scaled_dot_product_attention(q, key, v, scale=0.125)
    ours = lambda: k.attention(out, q, key, v, 0.125)
    beside_torch("attention f32 8 x 1024 x 64", "GFLOPS", 4 * 8 * 1024**2 * 64, ours, theirs, out, theirs(), 1e-4)


def main():
    if "--language" in sys.argv:
        return language()
    many = THREADS > 1
    vector_add()
    softmax(4096, 4096, [("memcpy", 0.42)])
    softmax(16384, 1000, [])
    softmax(32, 4096, [], ", in cache")
    layer_norm()
    matmul(1024, "float32", {128: 0.88 if many else 0.92} if many else {128: 0.92, 64: 0.82, 32: 0.68})
    matmul(1024, "bfloat16", {128: None} if many else {128: 0.95, 64: 0.90})
    if not many:
        matmul(1000, "float32", {128: 0.80})
    if torch:
        language()


main()
