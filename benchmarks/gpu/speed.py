"""Device time of kernels compiled by the `triton` that this process imports, and of torch doing the same; prints rows as JSON. run.py starts it
once for each package.

    speed.py [--quick] [--only TEXT]

`split`: with a warp that only copies (`warp_specialize`). Every result is checked against torch before it is timed. Times are medians of device events, the L2 cache written over before each call.
"""

import argparse
import statistics

import torch
from rows import say

PEAK_CACHE_BYTES = 256 * 2**20  # several times any L2 cache


def device_milliseconds(call, quick):
    """The median over calls that find nothing of their inputs in the cache."""
    flush = torch.empty(PEAK_CACHE_BYTES // 4, dtype=torch.int32, device="cuda")
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(5):
        call()
    end.record()
    torch.cuda.synchronize()
    estimate = max(begin.elapsed_time(end) / 5, 1e-3)
    for _ in range(int(20 / estimate) + 1 if not quick else 1):  # clocks up
        call()
    count = 10 if quick else max(15, min(100, int(150 / estimate)))
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    for begin, end in pairs:
        flush.zero_()
        begin.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) for begin, end in pairs)


def relative_error(actual, expected):
    actual, expected = actual.double(), expected.double()
    if not torch.isfinite(actual).all():
        return float("inf")
    return (torch.linalg.vector_norm(actual - expected) / torch.linalg.vector_norm(expected)).item()


class Speed:
    def __init__(self, quick, only):
        self.quick, self.only = quick, only

    def case(self, name, unit, amount, launches, out, expected, tolerance, baseline=None):
        """`launches`: configuration -> call; the fastest counts. `amount`: what `unit` counts in one call, in 10^9 or 10^12."""
        if self.only and self.only not in name:
            return
        best, failures = None, []
        for configuration, launch in launches.items():
            try:
                out.fill_(float("nan")) if out.dtype.is_floating_point and out.element_size() > 1 else out.zero_()
                launch()
                torch.cuda.synchronize()
                error = relative_error(out, expected)
                if not error <= tolerance:
                    failures.append(f"{configuration}: wrong, relative error {error:.2e}")
                    continue
                milliseconds = device_milliseconds(launch, self.quick)
                if best is None or milliseconds < best[0]:
                    best = (milliseconds, configuration, error)
            except Exception as problem:  # one configuration that cannot run must not hide the others
                failures.append(f"{configuration}: {type(problem).__name__}: {str(problem)[:300]}")
                if "CUDA" in str(problem) and "illegal" in str(problem):
                    say(case=name, unit=unit, value=None, note="; ".join(failures))
                    raise
        row = {"case": name, "unit": unit, "value": None, "note": "; ".join(failures)}
        if best:
            row.update(value=amount / best[0] * 1e3, milliseconds=best[0], configuration=best[1], error=best[2])
        say(**row)
        if baseline:
            milliseconds = device_milliseconds(baseline, self.quick)
            say(case=name, unit=unit, value=amount / milliseconds * 1e3, milliseconds=milliseconds, contender="torch")

    def add(self, n):
        from kernels import add_kernel

        x, y = (torch.randn(n, device="cuda") for _ in range(2))
        out = torch.empty_like(x)
        launches = {
            f"BLOCK={block} warps={warps}": lambda block=block, warps=warps: add_kernel[(-(-n // block),)](
                x, y, out, n, BLOCK=block, num_warps=warps
            )
            for block, warps in ((1024, 4), (2048, 8), (4096, 8))
        }
        self.case(
            f"vector add f32 {n >> 20} Mi",
            "TB/s",
            12 * n * 1e-12,
            launches,
            out,
            x + y,
            1e-7,
            lambda: torch.add(x, y, out=out),
        )

    def softmax(self, columns, elements=2**27):
        from kernels import softmax_kernel

        x = torch.randn(elements // columns, columns, device="cuda")
        out = torch.empty_like(x)
        launches = {
            f"warps={warps}": lambda warps=warps: softmax_kernel[(x.shape[0],)](
                out, x, x.stride(0), out.stride(0), columns, BLOCK=columns, num_warps=warps
            )
            for warps in (4, 8, 16)
        }
        expected = torch.softmax(x, 1)
        self.case(
            f"softmax f32 {columns} columns",
            "TB/s",
            8 * x.numel() * 1e-12,
            launches,
            out,
            expected,
            1e-6,
            lambda: torch.softmax(x, 1),
        )

    def layer_norm(self, rows=16384, columns=8192):
        from kernels import layer_norm_kernel

        x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
        w, b = (torch.randn(columns, device="cuda", dtype=torch.float16) for _ in range(2))
        out, mean, rstd = torch.empty_like(x), torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
        launches = {
            f"warps={warps}": lambda warps=warps: layer_norm_kernel[(rows,)](
                x, out, w, b, mean, rstd, columns, columns, 1e-5, BLOCK=columns, num_warps=warps
            )
            for warps in (4, 8, 16)
        }
        run = lambda: torch.nn.functional.layer_norm(x, (columns,), w, b, 1e-5)
        self.case(f"layer norm f16 {rows}x{columns}", "TB/s", 4 * x.numel() * 1e-12, launches, out, run(), 2e-3, run)

    TILES = (
        (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 32, 4, 4), (64, 256, 32, 4, 4), (256, 128, 64, 8, 3),
    )  # fmt: skip

    def matmul(self, size, kind):
        from kernels import matmul_kernel

        torch.manual_seed(0)
        a, b = (torch.randn(size, size, device="cuda") * 0.25 for _ in range(2))
        operand = {"f16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32, "fp8": torch.float8_e4m3fn}[
            kind
        ]
        a, b = a.to(operand), b.to(operand)
        if kind == "fp8":
            b = b.T.contiguous().T  # as tensor cores want 8-bit operands
        out = torch.empty(size, size, device="cuda", dtype=torch.float32 if kind == "tf32" else torch.float16)
        tiles = [
            (m, n, k * (2 if kind == "fp8" else 1) // (2 if kind == "tf32" else 1), w, s)
            for m, n, k, w, s in self.TILES
        ]
        launches = {
            f"{m}x{n}x{k} warps={w} stages={s}": lambda m=m, n=n, k=k, w=w, s=s: matmul_kernel[(-(-size // m) * -(-size // n),)](
                a, b, out, size, size, size, *a.stride(), *b.stride(), *out.stride(), BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP_M=8, num_warps=w, num_stages=s
            )
            for m, n, k, w, s in tiles[: 2 if self.quick else None]
        }  # fmt: skip
        baseline = None
        if kind != "fp8":
            torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
            result = torch.empty(size, size, device="cuda", dtype=operand)
            baseline = lambda: torch.matmul(a, b, out=result)
        expected = a.float().double() @ b.float().double()
        self.case(f"matmul {kind} {size}^3", "TFLOP/s", 2 * size**3 * 1e-12, launches, out, expected, 1e-2, baseline)

    def attention(self, head, causal, batch=4, heads=32, length=4096):
        from kernels import attention_kernel

        q, k, v = (torch.randn(batch, heads, length, head, device="cuda", dtype=torch.float16) for _ in range(3))
        out, scale = torch.empty_like(q), head**-0.5
        launches = {
            f"{m}x{n} warps={w} stages={s}": lambda m=m, n=n, w=w, s=s: attention_kernel[(length // m, batch * heads)](
                q, k, v, out, scale, q.stride(1), q.stride(2), length, BLOCK_M=m, BLOCK_N=n, HEAD=head, CAUSAL=causal, num_warps=w, num_stages=s
            )
            for m, n, w, s in ((128, 64, 4, 3), (128, 128, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3))[: 2 if self.quick else None]
        }  # fmt: skip
        run = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
        name = f"attention f16 head {head}{' causal' if causal else ''} {length}"
        flops = 4 * batch * heads * length * length * head * (0.5 if causal else 1)
        self.case(name, "TFLOP/s", flops * 1e-12, launches, out, run(), 1e-2, run)

    def matmul_by_descriptors(self, size, kind):
        from kernels import matmul_descriptor_kernel
        from triton.tools.tensor_descriptor import TensorDescriptor

        torch.manual_seed(0)
        operand = {"f16": torch.float16, "fp8": torch.float8_e4m3fn}[kind]
        a, b = ((torch.randn(size, size, device="cuda") * 0.25).to(operand) for _ in range(2))
        transposed = kind == "fp8"  # rows of b then are columns of the product's right operand
        out = torch.empty(size, size, device="cuda", dtype=torch.float16)
        launches = {}
        for m, n, k, w, s in self.TILES[: 2 if self.quick else None]:
            k *= 2 if kind == "fp8" else 1
            blocks = ((a, [m, k]), (b, [n, k] if transposed else [k, n]), (out, [m, n]))
            descriptors = [TensorDescriptor.from_tensor(tensor, block) for tensor, block in blocks]
            grid = (-(-size // m) * -(-size // n),)
            for split in (False, True):
                name = f"{m}x{n}x{k} warps={w} stages={s}{' split' if split else ''}"
                launches[name] = lambda d=descriptors, g=grid, m=m, n=n, k=k, w=w, s=s, split=split: (
                    matmul_descriptor_kernel[g](
                        *d, size, size, size, m, n, k, 8, transposed, split, num_warps=w, num_stages=s
                    )
                )
        expected = a.float().double() @ (b.T if transposed else b).float().double()
        name = f"matmul {kind} {size}^3 by descriptors"
        self.case(name, "TFLOP/s", 2 * size**3 * 1e-12, launches, out, expected, 1e-2)

    def attention_by_descriptors(self, head, batch=4, heads=32, length=4096):
        from kernels import attention_descriptor_kernel
        from triton.tools.tensor_descriptor import TensorDescriptor

        q, k, v = (torch.randn(batch * heads * length, head, device="cuda", dtype=torch.float16) for _ in range(3))
        out, scale = torch.empty_like(q), head**-0.5
        launches = {}
        for m, n, w, s in ((128, 64, 4, 3), (128, 128, 8, 2), (128, 64, 8, 3))[: 2 if self.quick else None]:
            blocks = ((q, m), (k, n), (v, n), (out, m))
            descriptors = [TensorDescriptor.from_tensor(tensor, [rows, head]) for tensor, rows in blocks]
            for split in (False, True):
                name = f"{m}x{n} warps={w} stages={s}{' split' if split else ''}"
                launches[name] = lambda d=descriptors, m=m, n=n, w=w, s=s, split=split: attention_descriptor_kernel[
                    (length // m, batch * heads)
                ](*d, scale, length, BLOCK_M=m, BLOCK_N=n, HEAD=head, SPLIT=split, num_warps=w, num_stages=s)
        shaped = [tensor.view(batch, heads, length, head) for tensor in (q, k, v)]
        expected = torch.nn.functional.scaled_dot_product_attention(*shaped, scale=scale).reshape(q.shape)
        flops = 4 * batch * heads * length * length * head
        self.case(
            f"attention f16 head {head} {length} by descriptors",
            "TFLOP/s",
            flops * 1e-12,
            launches,
            out,
            expected,
            1e-2,
        )

    def all(self):
        self.add(2**27)
        for columns in (1024, 4096, 16384):
            self.softmax(columns)
        self.layer_norm()
        for size, kind in ((4096, "f16"), (8192, "f16"), (2048, "f16"), (4096, "bf16"), (4096, "tf32"), (4096, "fp8")):
            self.matmul(size, kind)
        for head, causal in ((128, False), (64, False), (128, True)):
            self.attention(head, causal)
        for size, kind in ((4096, "f16"), (8192, "f16"), (4096, "fp8")):
            self.matmul_by_descriptors(size, kind)
        for head in (128, 64):
            self.attention_by_descriptors(head)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repetitions, few configurations")
    parser.add_argument("--only", default="", help="only cases whose name holds this")
    given = parser.parse_args()
    Speed(given.quick, given.only).all()


if __name__ == "__main__":
    main()
