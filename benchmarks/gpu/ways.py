"""Tasks written in several ways, each timed; prints rows as JSON. run.py (--parts ways) starts it once for each package and joins the rows to ratios.

    ways.py [--only TEXT] [--keep FOLDER]   times; keeps the PTX of each configuration, and what ptxas says of it, in the folder
    ways.py --compile 0/14 [--only TEXT]    launches each configuration once, of those every 14th: such processes fill the cache in parallel
    ways.py --turns                         times one row for each line of standard input, and says `turn` behind it
    ways.py --device cpu                    small sizes, checked against torch and not timed
    ways.py --target 90 --keep FOLDER       compiles for an architecture, on a machine without a GPU

A row is `task / way`; the fastest of its configurations counts. Results are checked against torch before they are timed.
"""

import argparse
import itertools
import json
import math
import re
import sys
from functools import cache
from pathlib import Path

import torch
import triton
import ways_kernels as kernels
from rows import say
from speed import device_milliseconds, relative_error


class Launch:
    """A kernel with its arguments: to run, or to compile alone."""

    def __init__(self, kernel, grid, *arguments, before=None, **options):
        self.kernel, self.grid, self.arguments, self.before, self.options = kernel, grid, arguments, before, options

    def run(self):
        if self.before is not None:
            self.before()
        return self.kernel[self.grid](*self.arguments, **self.options)

    def compile(self):
        return self.kernel.warmup(*self.arguments, grid=self.grid, **self.options)


class Row:
    """`configurations`: name -> launches that follow each other. `result` and `expected` are functions; so is `baseline`, which is torch's way."""

    def __init__(self, name, unit, amount, configurations, result, expected, tolerance, baseline=None):
        self.name, self.unit, self.amount, self.configurations = name, unit, amount, configurations
        self.result, self.expected, self.tolerance, self.baseline = result, expected, tolerance, baseline


class Rows:
    """`small`: sizes at which a CPU, or a machine that only compiles, has little to do."""

    def __init__(self, device, small):
        self.device, self.small = device, small
        torch.manual_seed(0)

    def random(self, *shape, dtype=torch.float16, factor=1.0):
        return (torch.randn(*shape, device=self.device, dtype=torch.float32) * factor).to(dtype)

    def empty(self, *shape, dtype=torch.float16):
        return torch.empty(*shape, device=self.device, dtype=dtype)

    def scan(self):
        length, channels, programs = 1024, 16, 2 if self.small else 1024
        a, x = torch.rand(length, channels * programs, device=self.device), self.random(length, channels * programs, dtype=torch.float32)  # fmt: skip
        out = torch.empty_like(x)

        @cache
        def expected():
            h, rows = torch.zeros_like(x[0]), []
            for step in range(length):
                h = a[step] * h + x[step]
                rows.append(h)
            return torch.stack(rows)

        apart = lambda tensor: tensor.view(length, programs, channels).permute(1, 0, 2).contiguous()
        a_apart, x_apart, out_apart = apart(a), apart(x), apart(out)
        for way, slab, masked in (("tiles", False, False), ("slabs", True, False), ("tiles, masked", False, True)):
            arguments = (a, x, out, length, channels * programs) if slab else (a_apart, x_apart, out_apart, length, channels)  # fmt: skip
            yield Row(
                f"scan of pairs 1024x16 / {way}", "TB/s", 12 * x.numel() * 1e-12,
                {f"warps={warps}": [Launch(kernels.scan_kernel, (programs,), *arguments, length, channels, masked, slab, num_warps=warps)] for warps in (4, 8)},
                lambda slab=slab: out if slab else out_apart,
                lambda slab=slab: expected() if slab else apart(expected()), 1e-4,
            )  # fmt: skip

    def int4(self):
        M, N, K, group = (16, 256, 256, 128) if self.small else (16, 8192, 8192, 128)
        a = self.random(M, K, factor=0.1)
        weights = torch.randint(0, 16, (K, N), device=self.device, dtype=torch.int32)
        scales = torch.rand(K // group, N, device=self.device).half() * 0.1
        words = torch.zeros(K // 8, N, device=self.device, dtype=torch.int32)
        for place in range(8):
            words |= weights[place::8] << (4 * place)
        packed = (weights[0::2] | weights[1::2] << 4).to(torch.uint8).T.contiguous()
        out = self.empty(M, N)
        dense = ((weights - 8).half() * scales.repeat_interleave(group, 0)).contiguous()
        configurations = ((16, 64, 128, 4, 3), (16, 128, 64, 4, 4), (16, 128, 128, 8, 3))
        ways = {
            "words": lambda m, n: (kernels.int4_words_kernel, words, False),
            "words, masked": lambda m, n: (kernels.int4_words_kernel, words, True),
            "bytes, joined": lambda m, n: (kernels.int4_bytes_kernel, packed, True),
            "bytes, two products": lambda m, n: (kernels.int4_bytes_kernel, packed, False),
        }
        for way, choose in ways.items():
            launches = {}
            for m, n, k, warps, stages in configurations:
                kernel, w, flag = choose(m, n)
                launches[f"{m}x{n}x{k} warps={warps} stages={stages}"] = [
                    Launch(kernel, (triton.cdiv(M, m), triton.cdiv(N, n)), a, w, scales, out, M, N, K, a.stride(0), w.stride(0), out.stride(0), m, n, k, group, flag, num_warps=warps, num_stages=stages)
                ]  # fmt: skip
            product = lambda: torch.matmul(a, dense)
            yield Row(
                f"int4 weights M=16 / {way}", "TB/s", N * K / 2 * 1e-12, launches, lambda: out, product, 1e-2, product
            )

    TILES = ((128, 256, 64, 8, 3), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4))

    def matmul(self, size):
        size = 256 if self.small else size
        a, b, out = self.random(size, size, factor=0.25), self.random(size, size, factor=0.25), self.empty(size, size)
        turned = b.T.contiguous().T
        expected = cache(lambda: a.float() @ b.float())
        ways = {
            "masked": lambda: (kernels.matmul_plain_kernel, b, (True, False)),
            "no masks, tl.range": lambda: (kernels.matmul_plain_kernel, b, (False, False)),
            "int64 offsets, b transposed": lambda: (kernels.matmul_plain_kernel, turned, (False, True)),
            "block pointers": lambda: (kernels.matmul_block_pointer_kernel, b, ()),
        }
        for way, choose in ways.items():
            kernel, right, flags = choose()
            yield Row(
                f"matmul f16 {size}^3 / {way}", "TFLOP/s", 2 * size**3 * 1e-12,
                {
                    f"{m}x{n}x{k} warps={warps} stages={stages}": [
                        Launch(kernel, (triton.cdiv(size, m) * triton.cdiv(size, n),), a, right, out, size, size, size, *a.stride(), *right.stride(), *out.stride(), m, n, k, 8, *flags, num_warps=warps, num_stages=stages)
                    ]
                    for m, n, k, warps, stages in self.TILES
                },
                lambda: out, expected, 1e-2,
                lambda right=right: torch.matmul(a, right, out=out),
            )  # fmt: skip

    def persistent(self, depth):
        size, depth = (256, 128) if self.small else (8192, depth)
        sms = torch.cuda.get_device_properties(0).multi_processor_count if self.device == "cuda" else 132
        a, bt, out = self.random(size, depth, factor=0.25), self.random(size, depth, factor=0.25), self.empty(size, size)  # fmt: skip
        b = bt.T
        plain = b.contiguous()
        tiles = ((128, 256, 64, 8, 3), (128, 128, 64, 8, 4), (128, 128, 64, 4, 3))

        def launches(kernel, right, flags, strides):
            return {
                f"{m}x{n}x{k} warps={warps} stages={stages}": [
                    Launch(kernel, (min(sms, triton.cdiv(size, m) * triton.cdiv(size, n)),), a, right, out, size, size, depth, *strides, m, n, k, 8, sms, *flags, num_warps=warps, num_stages=stages)
                ]
                for m, n, k, warps, stages in tiles
            }  # fmt: skip

        expected = cache(lambda: a.float() @ b.float())
        strides = lambda right: (*a.stride(), *right.stride(), *out.stride())
        ways = {
            "pointers": (kernels.persistent_pointer_kernel, plain, (False,), strides(plain)),
            "pointers, b transposed": (kernels.persistent_pointer_kernel, b, (False,), strides(b)),
            "pointers, flattened": (kernels.persistent_pointer_kernel, plain, (True,), strides(plain)),
            "descriptors": (kernels.persistent_descriptor_kernel, bt, (False, False), ()),
            "descriptors, flattened": (kernels.persistent_descriptor_kernel, bt, (True, False), ()),
            "descriptors, warps that copy": (kernels.persistent_descriptor_kernel, bt, (None, False), ()),
            "descriptors, flattened, halves": (kernels.persistent_descriptor_kernel, bt, (True, True), ()),
        }
        for way, chosen in ways.items():
            yield Row(
                f"persistent matmul K={depth} / {way}", "TFLOP/s", 2 * size * size * depth * 1e-12, launches(*chosen),
                lambda: out, expected, 1e-2,
                lambda: torch.matmul(a, b, out=out),
            )  # fmt: skip

    def attention_backward(self):
        heads, T, D = (2, 256, 128) if self.small else (32, 4096, 128)
        scale = D**-0.5
        q, k, v, dout = (self.random(heads, T, D, factor=0.5) for _ in range(4))
        dq, dk, dv = (torch.empty_like(q) for _ in range(3))
        scaled = (k.float() * (scale * math.log2(math.e))).half()
        lse, delta = self.empty(heads, T, dtype=torch.float32), self.empty(heads, T, dtype=torch.float32)
        out = torch.empty_like(q)

        def forward():
            """Head by head: the scores of all would not fit."""
            future = torch.ones(T, T, device=self.device, dtype=torch.bool).triu(1)
            for head in range(heads):
                scores = (q[head].float() @ k[head].float().T * scale).masked_fill(future, -math.inf)
                lse[head] = torch.logsumexp(scores, 1) * math.log2(math.e)
                out[head] = (torch.softmax(scores, 1) @ v[head].float()).half()

        forward()

        @cache
        def expected():
            leaves = [tensor.detach().float().requires_grad_() for tensor in (q, k, v)]
            future = torch.ones(T, T, device=self.device, dtype=torch.bool).triu(1)
            for head in range(heads):
                scores = (leaves[0][head] @ leaves[1][head].T * scale).masked_fill(future, -math.inf)
                (torch.softmax(scores, 1) @ leaves[2][head]).backward(dout[head].float())
            return torch.stack([leaf.grad for leaf in leaves])

        first = Launch(kernels.attention_backward_delta_kernel, (T // 128, heads), out, dout, delta, T, 128, D)

        def backward(part, m1, n1, m2, n2, warps, stages):
            return Launch(
                kernels.attention_backward_kernel, (T // n1, heads), q, scaled, v, scale, dout, dq, dk, dv, lse, delta, D, T, m1, n1, m2, n2, 2, D, part, num_warps=warps, num_stages=stages
            )  # fmt: skip

        configurations = ((32, 128, 128, 32, 4, 5), (64, 128, 128, 64, 8, 3), (64, 64, 64, 64, 4, 3))
        ways = {"one kernel": (0,), "two kernels": (1, 2)}
        gradient = [tensor.detach().clone().unsqueeze(0).requires_grad_() for tensor in (q, k, v)]
        with_graph = None
        if self.device == "cuda":
            with_graph = torch.nn.functional.scaled_dot_product_attention(*gradient, is_causal=True, scale=scale)
        baseline = lambda: torch.autograd.grad(with_graph, gradient, dout.unsqueeze(0), retain_graph=True)
        for way, parts in ways.items():
            yield Row(
                f"attention backward hd128 causal / {way}", "TFLOP/s", 5 * heads * T * T * D * 1e-12,
                {
                    f"{m1}x{n1} warps={warps} stages={stages}": [first, *(backward(part, m1, n1, m2, n2, warps, stages) for part in parts)]
                    for m1, n1, m2, n2, warps, stages in configurations
                },
                lambda: torch.stack([dq, dk, dv]), expected, 2e-2,
                baseline if with_graph is not None else None,
            )  # fmt: skip

    def attention(self, D, causal):
        heads, T = (2, 256) if self.small else (128, 4096)
        q, k, v = (self.random(heads, T, D) for _ in range(3))
        out, scale = torch.empty_like(q), D**-0.5
        run = lambda: torch.nn.functional.scaled_dot_product_attention(
            q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), is_causal=causal, scale=scale
        )
        tiles = ((128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (128, 128, 8, 3), (64, 64, 4, 3), (128, 32, 4, 4))
        for way, masked in (("scale in q", False), ("masked keys", True)):
            yield Row(
                f"attention hd{D}{' causal' if causal else ''} / {way}", "TFLOP/s", 4 * heads * T * T * D * (0.5 if causal else 1) * 1e-12,
                {
                    f"{m}x{n} warps={warps} stages={stages}": [
                        Launch(kernels.attention_ways_kernel, (T // m, heads), q, k, v, out, scale, T * D, D, T, m, n, D, causal, masked, num_warps=warps, num_stages=stages)
                    ]
                    for m, n, warps, stages in tiles
                },
                lambda: out, lambda: run().squeeze(0), 2e-2,
                run,
            )  # fmt: skip

    def matvec(self, kind, dtype):
        size = 512 if self.small else 8192
        a, x, y = self.random(size, size, dtype=dtype), self.random(size, dtype=dtype), self.empty(size, dtype=torch.float32)  # fmt: skip
        tiles = ((16, 128, 4), (4, 512, 4), (32, 64, 4), (8, 256, 8))
        for way, number in (("elementwise sums", 0), ("sums by iteration", 1), ("masked, int64", 2)):
            yield Row(
                f"matvec {kind} {size}^2 / {way}", "TB/s", a.numel() * a.element_size() * 1e-12,
                {f"{m}x{n} warps={warps}": [Launch(kernels.matvec_kernel, (size // m,), a, x, y, size, size, size, m, n, number, num_warps=warps)] for m, n, warps in tiles},
                lambda: y, lambda: a.float() @ x.float(), 1e-3,
                lambda: torch.mv(a, x),
            )  # fmt: skip

    def norm_forward(self):
        M, N = (4, 15872) if self.small else (4096, 15872)
        x, w, b = self.random(M, N), self.random(N), self.random(N)
        y, mean, rstd = torch.empty_like(x), *(self.empty(M, dtype=torch.float32) for _ in range(2))
        run = lambda: torch.nn.functional.layer_norm(x, (N,), w, b, 1e-5)
        whole = triton.next_power_of_2(N)
        for way, block, choices in (("one block", whole, (8, 16)), ("blocks of 4096", min(whole, 4096), (8, 4)), ("blocks of 2048", min(whole, 2048), (8, 4))):  # fmt: skip
            yield Row(
                f"layer norm forward {M}x{N} / {way}", "TB/s", 4 * x.numel() * 1e-12,
                {f"warps={warps}": [Launch(kernels.norm_forward_kernel, (M,), x, y, w, b, mean, rstd, N, N, 1e-5, block, num_warps=warps)] for warps in choices},
                lambda: y, run, 5e-3,
                run,
            )  # fmt: skip

    def norm_backward(self):
        M, N = (8, 256) if self.small else (4096, 1024)
        groups = 256
        x, dy, w, b = self.random(M, N), self.random(M, N, factor=0.1), self.random(N), self.random(N)
        mean = x.float().mean(1)
        rstd = (x.float().var(1, correction=0) + 1e-5).rsqrt()
        dx, locks = torch.empty_like(x), torch.zeros(2 * groups, device=self.device, dtype=torch.int32)
        partial, sums = self.empty(2, groups, N).zero_(), self.empty(2, N)
        leaves = [tensor.detach().clone().requires_grad_() for tensor in (x, w, b)]
        forward = torch.nn.functional.layer_norm(leaves[0], (N,), leaves[1], leaves[2], 1e-5)
        gradient = lambda: torch.autograd.grad(forward, leaves, dy, retain_graph=True)
        for way, dtype, choices in (("locks", torch.int32, (4, 8)),):
            yield Row(
                f"layer norm backward {M}x{N} / {way}", "TB/s", 6 * x.numel() * 1e-12,
                {
                    f"warps={warps}": [
                        Launch(kernels.norm_backward_kernel, (M,), dx, dy, partial[0], partial[1], x, w, mean, rstd, locks, N, N, groups, triton.next_power_of_2(N), before=locks.zero_, num_warps=warps),
                        Launch(kernels.norm_backward_sums_kernel, (triton.cdiv(N, 128),), partial[0], partial[1], sums[0], sums[1], min(groups, M), N, 32, 128),
                    ]
                    for warps in choices
                },
                lambda: torch.cat([dx.flatten(), sums.flatten()]),
                lambda: torch.cat([part.flatten() for part in gradient()]), 2e-2,
                gradient,
            )  # fmt: skip

    def tasks(self):
        return {
            "scan": self.scan,
            "int4": self.int4,
            **{f"matmul-{size}": lambda size=size: self.matmul(size) for size in (1024, 4096, 8192)},
            **{f"persistent-{depth}": lambda depth=depth: self.persistent(depth) for depth in (512, 4096)},
            "attention-backward": self.attention_backward,
            "matvec-f32": lambda: self.matvec("f32", torch.float32),
            "matvec-f16": lambda: self.matvec("f16", torch.float16),
            "norm-forward": self.norm_forward,
            "norm-backward": self.norm_backward,
            "attention-64": lambda: self.attention(64, False),
            "attention-64-causal": lambda: self.attention(64, True),
            "attention-128": lambda: self.attention(128, False),
            "attention-128-causal": lambda: self.attention(128, True),
        }


def run_all(launches):
    return [launch.run() for launch in launches]


def file_name(row, configuration, number):
    """Of a kept kernel: says the row."""
    return re.sub(r"[^A-Za-z0-9=.]+", "-", f"{row} {configuration} {number}")


def keep(folder, row, configuration, kernels_of):
    """GPU IR, PTX and code of each kernel, and what a launch of the code must know (turns.py)."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, kernel in enumerate(kernels_of):
        name = file_name(row, configuration, number)
        for stage in ("ttgir", "ptx"):
            (folder / f"{name}.{stage}").write_text(kernel.asm[stage])
        if "cubin" in kernel.asm:
            (folder / f"{name}.cubin").write_bytes(kernel.asm["cubin"])
            about = kernel.metadata
            threads = re.search(r"\.(?:req|max)ntid\s+(\d+)", kernel.asm["ptx"])[1]
            launch = {
                "name": about.name,
                "shared": about.shared,
                "threads": int(threads),
                "scratch": about.global_scratch_size,
            }
            (folder / f"{name}.json").write_text(json.dumps(launch))


def time(row, keeps):
    best, failures = None, []
    expected = row.expected()
    for configuration, launches in row.configurations.items():
        try:
            compiled = run_all(launches)
            if keeps:
                keep(keeps, row.name, configuration, compiled)
            error = relative_error(row.result(), expected)
            if not error <= row.tolerance:
                failures.append(f"{configuration}: wrong, relative error {error:.2e}")
                continue
            milliseconds = device_milliseconds(lambda launches=launches: run_all(launches), True)
            if best is None or milliseconds < best[0]:
                resources = [(kernel.n_regs, kernel.n_spills, kernel.metadata.shared) for kernel in compiled]
                best = (milliseconds, configuration, error, resources)
        except Exception as problem:  # one configuration that cannot run must not hide the others
            failures.append(f"{configuration}: {type(problem).__name__}: {str(problem)[:200]}")
            if "CUDA" in str(problem) and "illegal" in str(problem):
                say(case=row.name, unit=row.unit, value=None, note="; ".join(failures))
                raise
    said = {"case": row.name, "unit": row.unit, "value": None, "note": "; ".join(failures)}
    if best:
        text = best[1] + "".join(f" [{r} regs, {s} spilled, {b} B]" for r, s, b in best[3])
        said.update(value=row.amount / best[0] * 1e3, milliseconds=best[0], configuration=text, error=best[2])
    say(**said)
    if row.baseline:
        milliseconds = device_milliseconds(row.baseline, True)
        say(case=row.name, unit=row.unit, value=row.amount / milliseconds * 1e3, milliseconds=milliseconds, contender="torch")  # fmt: skip


def check(row):
    for configuration, launches in row.configurations.items():
        run_all(launches)
        error = relative_error(row.result(), row.expected())
        print(f"{row.name} {configuration}: relative error {error:.1e}{'' if error <= row.tolerance else ' WRONG'}")


def compile_all(rows, given):
    first, step = map(int, (given.compile or "0/1").split("/"))
    each = ((row, *configuration) for row in rows for configuration in row.configurations.items())
    for row, configuration, launches in itertools.islice(each, first, None, step):
        try:
            compiled = [launch.compile() for launch in launches] if given.target else run_all(launches)
            if given.keep:
                keep(given.keep, row.name, configuration, compiled)
        except Exception as problem:  # told when it is measured
            print(f"{row.name} {configuration}: {type(problem).__name__}: {str(problem)[:200]}")


class OnlyTarget:
    """A driver of a GPU that is not there: enough to compile for it."""

    def __init__(self, architecture):
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget("cuda", architecture, 32)

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only rows whose name holds this")
    parser.add_argument("--tasks", nargs="+", help="only these tasks: " + " ".join(Rows("cpu", True).tasks()))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--compile", metavar="I/N", help="launch every Nth configuration once, beginning with the Ith")
    parser.add_argument("--turns", action="store_true", help="a row for each line of standard input")
    parser.add_argument("--target", type=int, help="compile alone, for this architecture")
    parser.add_argument("--keep", help="where PTX and cubins are kept")
    given = parser.parse_args()
    if given.target:
        triton.runtime.driver.set_active(OnlyTarget(given.target))
    device = "meta" if given.target else given.device
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device))
    rows = (
        row
        for task, make in Rows(device, device == "cpu").tasks().items()
        if not given.tasks or task in given.tasks
        for row in make()
        if given.only in row.name
    )
    if given.target or given.compile:
        compile_all(rows, given)
        return
    while not given.turns or sys.stdin.readline():
        row = next(rows, None)
        if row is None:
            break
        check(row) if device == "cpu" else time(row, given.keep)
        if given.turns:
            print("turn", flush=True)


if __name__ == "__main__":
    main()
