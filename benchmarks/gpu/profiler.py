"""Does triton.profiler tell the truth? A product by torch and by a kernel of Triton, and an addition, under it and by CUDA events.

usage: python benchmarks/gpu/profiler.py [--size 4096] [--count 200]

Prints the tree; then, for each scope, microseconds a call by the profiler and by events, and how far they are apart; then what the profiler adds to a launch.
Events of calls that follow each other closely measure kernels and the gaps between them: expect them to be equal to the profiler, or up to 2 us more.
"""

import argparse
import os
import tempfile
import time

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.viewer as viewer


def report(grid, kernel, args):
    M, N, K = args["M"], args["N"], args["K"]
    return {
        "name": f"{kernel.name} [M={M}, N={N}, K={K}]",
        "flops16": 2 * M * N * K,
        "bytes": 2 * (M * K + N * K + M * N),
    }


@triton.jit(launch_metadata=report)
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        depth = k + tl.arange(0, BK)
        total = tl.dot(tl.load(a + rows[:, None] * K + depth[None, :]), tl.load(b + depth[:, None] * N + columns[None, :]), total)  # fmt: skip
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets, offsets < n) + tl.load(y + offsets, offsets < n), offsets < n)


def events(function, count):
    """Microseconds a call."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(count):
        function()
    end.record()
    torch.cuda.synchronize()
    return 1000 * begin.elapsed_time(end) / count


def launch_time(function, count=2000):
    """Microseconds of the host's time a call."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        function()
    elapsed = time.perf_counter() - begin
    torch.cuda.synchronize()
    return 1e6 * elapsed / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    n, count = given.size, given.count
    a, b, c = (torch.randn((n, n), device="cuda", dtype=torch.float16) for _ in range(3))
    x, y, out = (torch.randn(n * n, device="cuda") for _ in range(3))
    small = torch.zeros(64, device="cuda")
    flops = {"flops16": 2 * n**3, "bytes": 6 * n * n}
    calls = {
        "torch": (lambda: torch.matmul(a, b, out=c), flops),
        "triton": (lambda: matmul_kernel[(n // 128, n // 128)](a, b, c, n, n, n, BM=128, BN=128, BK=64, num_warps=8), None),
        "add": (lambda: add_kernel[(triton.cdiv(n * n, 1024),)](x, y, out, n * n, BLOCK=1024), {"bytes": 12 * n * n}),
    }  # fmt: skip
    for function, _ in calls.values():
        function()
    by_events = {name: events(function, count) for name, (function, _) in calls.items()}
    tiny = lambda: add_kernel[(1,)](small, small, small, 64, BLOCK=64)
    launch_time(tiny)
    host = [launch_time(tiny)]
    file = os.path.join(tempfile.mkdtemp(), "profile")
    for hook in (None, "triton"):
        session = proton.start(file + str(hook), hook=hook)
        proton.deactivate(session)
        host.append(launch_time(tiny))
        proton.activate(session)
        for name, (function, metrics) in calls.items():
            for _ in range(count):
                with proton.scope(name, metrics):
                    function()
        with proton.scope("tiny"):
            host.append(launch_time(tiny))
        proton.finalize(session)
        tree, metrics = viewer.parse(
            ["tflop16/s", "gbyte/s", "util", "avg_time/us", "time/ms", "count"], f"{file}{hook}.hatchet"
        )
        print(f"hook={hook!r}")
        viewer.print_tree(tree, metrics)
    print(f"\n{'':8} {'profiler us':>12} {'events us':>12} {'apart':>8}")
    for child in tree.root.children:
        if child.name in by_events:
            profiled, measured = child.values["time/ms"] * 1000 / count, by_events[child.name]
            print(f"{child.name:8} {profiled:12.2f} {measured:12.2f} {100 * (profiled / measured - 1):7.1f}%")
    labels = ("no session", "inactive", "active", "inactive with hook", "active with hook")
    print("\nhost us a launch: " + ", ".join(f"{label} {value:.2f}" for label, value in zip(labels, host)))


if __name__ == "__main__":
    main()
