"""Integer division by zero and of the least numbers, ours beside another Triton's and torch's.

python test/clients/edges.py [--device cpu|cuda] [--peer [PYTHON]]

Divides every edge of every integer type by every other, as tensors, by a uniform divisor and as scalars. Results are compared with what
docs/reference/numbers.md says and, with --peer, with those of the Triton that the other Python finds (this one, without PYTHONPATH, if none is
named). Divisors are run-time values: by constants other Tritons give no defined result.
"""

import argparse
import json
import os
import subprocess
import sys

import numpy as np

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
N = 16


def edges(dtype):
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    return [low, low + 1, low // 2, -100, -2, -1, 0, 1, 2, 7, 100, high // 2, high // 2 + 1, high - 2, high - 1, high] if low else [
        0, 1, 2, 3, 7, 100, 101, 127, high // 4, high // 3, high // 2, high // 2 + 1, high - 3, high - 2, high - 1, high
    ]  # fmt: skip


def documented(op, a, b, dtype):
    bits = np.iinfo(dtype).bits
    if b == 0:
        result = 2**32 - 1 if bits == 64 and 0 <= a < 2**32 else -1
    else:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        result = quotient if op == "//" else a - quotient * b
    return int(np.array([result % 2**bits], dtype=f"uint{bits}").view(dtype)[0])


def play(device):
    """Runs the kernels with the Triton that this process finds, and prints what they give."""
    import torch
    import triton
    import triton.language as tl

    globals().update(triton=triton, tl=tl)

    @triton.jit
    def apply(x, y, OP: tl.constexpr):
        if OP == "//":
            return x // y
        else:
            return x % y

    globals()["apply"] = apply

    @triton.jit
    def tensors(x, y, z, OP: tl.constexpr, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(z + i, apply(tl.load(x + i), tl.load(y + i), OP))

    @triton.jit
    def uniform(x, y, z, OP: tl.constexpr, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(z + i, apply(tl.load(x + i), tl.load(y), OP))

    @triton.jit
    def scalars(x, y, z, OP: tl.constexpr, N: tl.constexpr):
        for i in range(N):
            tl.store(z + i, apply(tl.load(x + i), tl.load(y + i), OP))

    for dtype in TYPES:
        x = torch.from_numpy(np.array(edges(dtype), dtype=dtype)).to(device)
        for op in ("//", "%"):
            for b in edges(dtype):
                y = torch.from_numpy(np.array([b] * N, dtype=dtype)).to(device)
                for kernel in (tensors, uniform, scalars):
                    z = torch.zeros(N, dtype=x.dtype, device=device)
                    kernel[(1,)](x, y, z, OP=op, N=N)
                    print(json.dumps([f"{dtype} x {op} {b}, {kernel.__name__}", z.cpu().numpy().tolist()]))


def start(python, device, is_peer):
    environment = dict(os.environ)
    if is_peer:
        environment.pop("PYTHONPATH", None)
    elif device == "cpu":
        environment["TRITON_DEFAULT_BACKEND"] = "cpu"
    command = [python, __file__, "--device", device, "--play"]
    text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(line) for line in text.splitlines() if line.startswith("["))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--peer", nargs="?", const=sys.executable, help="a Python that finds another Triton")
    parser.add_argument("--play", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        return play(options.device)
    ours = start(sys.executable, options.device, is_peer=False)
    others = {"the documents": {}}
    for title in ours:
        dtype, _, op, b = title.split(",")[0].split()
        others["the documents"][title] = [documented(op, a, int(b), dtype) for a in edges(dtype)]
    if options.peer:
        others["the other Triton"] = start(options.peer, "cuda", is_peer=True)
    failed = 0
    for name, results in others.items():
        for title, values in ours.items():
            if values != results.get(title):
                failed += 1
                print(f"FAILED {title}: {values}, by {name} {results.get(title)}")
    print(f"{len(ours) * len(others) - failed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
