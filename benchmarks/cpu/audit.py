"""Ordinary kernels of every family on the CPU, beside torch and the machine's limits, on one thread.

usage: python benchmarks/cpu/audit.py [--only TEXT] [--rounds 9] [--json FILE] [--beside FILE]

Contenders take turns in one process, and time is the processor's, so that other work of the machine counts little. A row gives the best
time of either, the median of the ratio of one turn (above 1: we are faster), the part of the machine's limit that we reach (a copy of
as many bytes, as many fused multiply-adds), and the time to compile. `--json` keeps the rows, `--beside` compares with rows kept before.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

for name in ("TRITON_CPU_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-audit-")

import audit_kernels as k  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from limits import Limits  # noqa: E402
from run import table  # noqa: E402

torch.set_num_threads(1)
torch.manual_seed(0)
F = torch.nn.functional
cdiv = triton.cdiv
CASES = []


def case(name):
    """The function gives (ours, theirs, found, amount): `found` is compared with what `theirs` returns unless it is None."""

    def keep(make):
        CASES.append((name, make))
        return make

    return keep


def bytes_of(*tensors):
    return {"bytes": sum(t.numel() * t.element_size() for t in tensors)}


# Elementwise

for BLOCK in (16, 128, 1024, 65536):

    @case(f"vector add f32 2^20, block {BLOCK}")
    def _(BLOCK=BLOCK):
        x, y, out, other = (torch.randn(2**20) for _ in range(4))
        ours = lambda: k.add[(cdiv(x.numel(), BLOCK),)](x, y, out, x.numel(), BLOCK=BLOCK)
        return ours, lambda: torch.add(x, y, out=other), out, bytes_of(x, y, out)


@case("vector add f16 2^20")
def _():
    x, y, out, other = (torch.randn(2**20).half() for _ in range(4))
    ours = lambda: k.add[(cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return ours, lambda: torch.add(x, y, out=other), out, bytes_of(x, y, out)


@case("vector add int8 2^20")
def _():
    x, y, out, other = (torch.randint(-50, 50, (2**20,), dtype=torch.int8) for _ in range(4))
    ours = lambda: k.add[(cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return ours, lambda: torch.add(x, y, out=other), out, bytes_of(x, y, out)


@case("vector add f64 2^20")
def _():
    x, y, out, other = (torch.randn(2**20).double() for _ in range(4))
    ours = lambda: k.add[(cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return ours, lambda: torch.add(x, y, out=other), out, bytes_of(x, y, out)


for DTYPE in (torch.float32, torch.bfloat16):

    @case(f"gelu tanh {DTYPE} 2^20")
    def _(DTYPE=DTYPE):
        x, out = torch.randn(2**20).to(DTYPE), torch.empty(2**20, dtype=DTYPE)
        ours = lambda: k.gelu_tanh[(cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return ours, lambda: F.gelu(x, approximate="tanh"), out, bytes_of(x, out)


@case("gelu erf f32 2^20")
def _():
    x, out = torch.randn(2**20), torch.empty(2**20)
    ours = lambda: k.gelu_erf[(cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return ours, lambda: F.gelu(x), out, bytes_of(x, out)


@case("silu and multiply f16, 512 rows of 2048")
def _():
    x, out = torch.randn(512, 4096).half(), torch.empty(512, 2048).half()
    ours = lambda: k.silu_mul[(512,)](x, out, 2048, BLOCK=1024)
    return ours, lambda: F.silu(x[:, :2048]) * x[:, 2048:], out, bytes_of(x, out)


@case("dropout f32 2^20, tl.rand")
def _():
    x, out = torch.randn(2**20), torch.empty(2**20)
    ours = lambda: k.dropout[(cdiv(x.numel(), 1024),)](x, out, x.numel(), 0.5, 123, BLOCK=1024)
    return ours, lambda: F.dropout(x, 0.5), None, bytes_of(x, out)


@case("where chain f32 2^20")
def _():
    x, out = torch.randn(2**20), torch.empty(2**20)
    even = torch.arange(2**20) % 2 == 0

    def theirs():
        y = torch.where(x > 1, x * 2, x)
        y = torch.where(y < -1, -y, y)
        y = torch.where((x > 0) & (y < 0.5), y + 3, y - 1)
        return torch.where(even, y.clamp(-2, 2), x)

    ours = lambda: k.where_chain[(cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return ours, theirs, out, bytes_of(x, out)


for A, B in (
    (torch.float32, torch.float16),
    (torch.float32, torch.bfloat16),
    (torch.bfloat16, torch.float32),
    (torch.float32, torch.int8),
    (torch.int8, torch.float32),
    (torch.float32, torch.float8_e4m3fn),
    (torch.float8_e4m3fn, torch.float32),
    (torch.float32, torch.float8_e5m2),
    (torch.float8_e5m2, torch.float16),
    (torch.float16, torch.float8_e4m3fn),
    (torch.int64, torch.float32),
    (torch.float32, torch.int64),
):

    @case(f"convert {str(A)[6:]} to {str(B)[6:]} 2^20")
    def _(A=A, B=B):
        x = (torch.randn(2**20) * 8).to(A)
        out, other = torch.empty(2**20, dtype=B), torch.empty(2**20, dtype=B)
        ours = lambda: k.convert[(cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return ours, lambda: other.copy_(x), out, bytes_of(x, out)


@case("index by // and %, f32 1024 x 1000 of 1024")
def _():
    x, out, other = torch.randn(1024, 1024), torch.empty(1024, 1000), torch.empty(1024, 1000)
    ours = lambda: k.strided_index[(cdiv(out.numel(), 1024),)](x, out, out.numel(), 1000, 1024, BLOCK=1024)
    return ours, lambda: torch.mul(x[:, :1000], 2, out=other), out, bytes_of(x, out)


@case("int32 // int32, 2^20")
def _():
    x, y = torch.randint(0, 2**30, (2**20,), dtype=torch.int32), torch.randint(1, 999, (2**20,), dtype=torch.int32)
    out, other = torch.empty_like(x), torch.empty_like(x)
    ours = lambda: k.integer_division[(cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return ours, lambda: torch.div(x, y, rounding_mode="trunc", out=other), out, bytes_of(x, y, out)


for NAME in ("rotary", "rotary_interleaved", "rotary_joined"):

    @case(f"{NAME} f32, 512 positions, 16 heads of 128")
    def _(NAME=NAME):
        q, cos, sin = torch.randn(512, 16, 128), torch.randn(512, 64), torch.randn(512, 64)
        out, other = torch.empty_like(q), torch.empty_like(q)

        def theirs():
            low, high = (q[..., :64], q[..., 64:]) if NAME == "rotary" else (q[..., ::2], q[..., 1::2])
            o = (other[..., :64], other[..., 64:]) if NAME == "rotary" else (other[..., ::2], other[..., 1::2])
            c, s = cos[:, None], sin[:, None]
            torch.sub(low * c, high * s, out=o[0])
            torch.add(high * c, low * s, out=o[1])
            return other

        grid = (512, 16) if NAME == "rotary" else (512,)
        ours = lambda: getattr(k, NAME)[grid](q, cos, sin, out, 16, HALF=64)
        return ours, theirs, out, bytes_of(q, out)


# Rows

for ROWS, COLS in ((65536, 16), (16384, 64), (4096, 256), (1024, 1000), (256, 4096), (32, 32768)):

    @case(f"softmax f32, {ROWS} rows of {COLS}, a row a program")
    def _(ROWS=ROWS, COLS=COLS):
        x, out, other = (torch.randn(ROWS, COLS) for _ in range(3))
        ours = lambda: k.softmax[(ROWS,)](x, out, COLS, COLS, BLOCK=triton.next_power_of_2(COLS))
        return ours, lambda: torch.softmax(x, 1, out=other), out, bytes_of(x, out)


for ROWS, COLS in ((65536, 16), (32768, 30), (16384, 64), (1024, 1000)):

    @case(f"softmax f32, {ROWS} rows of {COLS}, 16 rows a program")
    def _(ROWS=ROWS, COLS=COLS):
        x, out, other = (torch.randn(ROWS, COLS) for _ in range(3))
        ours = lambda: k.softmax_rows[(cdiv(ROWS, 16),)](
            x, out, ROWS, COLS, ROWS=16, BLOCK=triton.next_power_of_2(COLS)
        )
        return ours, lambda: torch.softmax(x, 1, out=other), out, bytes_of(x, out)


@case("softmax f32 online, 64 rows of 16384")
def _():
    x, out, other = (torch.randn(64, 16384) for _ in range(3))
    ours = lambda: k.softmax_online[(64,)](x, out, 16384, BLOCK=1024)
    return ours, lambda: torch.softmax(x, 1, out=other), out, bytes_of(x, out)


for DTYPE in (torch.float32, torch.float16, torch.bfloat16):

    @case(f"rms norm {str(DTYPE)[6:]}, 512 rows of 2048")
    def _(DTYPE=DTYPE):
        x, w, out = torch.randn(512, 2048).to(DTYPE), torch.randn(2048).to(DTYPE), torch.empty(512, 2048, dtype=DTYPE)
        ours = lambda: k.rms_norm[(512,)](x, w, out, 2048, 1e-5, BLOCK=2048)
        return ours, lambda: F.rms_norm(x, (2048,), w, 1e-5), out, bytes_of(x, out)


@case("layer norm f32 in loops, 512 rows of 2000")
def _():
    x, w, b, out = torch.randn(512, 2000), torch.randn(2000), torch.randn(2000), torch.empty(512, 2000)
    mean, rstd = torch.empty(512), torch.empty(512)
    ours = lambda: k.layer_norm_loops[(512,)](x, out, w, b, mean, rstd, 2000, 1e-5, BLOCK=1024)
    return ours, lambda: F.layer_norm(x, (2000,), w, b, 1e-5), out, bytes_of(x, out)


@case("layer norm backward f32, 512 rows of 2000")
def _():
    x, w, b, dy = torch.randn(512, 2000), torch.randn(2000), torch.randn(2000), torch.randn(512, 2000)
    _, mean, rstd = torch.native_layer_norm(x, (2000,), w, b, 1e-5)
    dx, dw, db, out_w = torch.empty_like(x), torch.empty(64, 2000), torch.empty(64, 2000), torch.empty(2, 2000)
    locks = torch.zeros(128, dtype=torch.int32)

    def ours():
        locks.zero_()
        k.layer_norm_backward[(512,)](dx, dy, dw, db, x, w, mean, rstd, locks, 2000, GROUP=64, BLOCK=2048)
        for i, part in enumerate((dw, db)):
            k.column_sums[(cdiv(2000, 128),)](part, out_w[i], 64, 2000, BLOCK_M=32, BLOCK_N=128)

    theirs = lambda: torch.ops.aten.native_layer_norm_backward(dy, x, (2000,), mean, rstd, w, b, (True, True, True))[0]
    return ours, theirs, dx, bytes_of(x, dy, dx)


@case("cross entropy and gradient f32, 64 rows of 32000")
def _():
    x, y = torch.randn(64, 32000), torch.randint(0, 32000, (64,))
    loss, dx = torch.empty(64), torch.empty_like(x)

    def theirs():
        p = torch.log_softmax(x, 1)
        F.nll_loss(p, y, reduction="none")
        g = p.exp()
        g[torch.arange(64), y] -= 1
        return g

    return lambda: k.cross_entropy[(64,)](x, y, loss, dx, 32000, BLOCK=4096), theirs, dx, bytes_of(x, dx)


# Reductions

for AXIS, BM, BN in (
    (1, 64, 64),
    (0, 64, 64),
    (1, 256, 16),
    (0, 256, 16),
    (1, 256, 4),
    (0, 16, 256),
    (1, 16, 256),
    (1, 1024, 8),
):

    @case(f"sum f32 of {BM} x {BN} tiles along {AXIS}")
    def _(AXIS=AXIS, BM=BM, BN=BN):
        x = torch.randn(1024, 1024)
        out = torch.empty(1024 // BM, 1024) if AXIS == 0 else torch.empty(1024, 1024 // BN)
        theirs = lambda: x.view(1024 // BM, BM, 1024).sum(1) if AXIS == 0 else x.view(1024, 1024 // BN, BN).sum(2)
        ours = lambda: k.reduce_2d[(1024 // BM, 1024 // BN)](x, out, 1024, 1024, AXIS=AXIS, BM=BM, BN=BN)
        return ours, theirs, out, bytes_of(x, out)


for AXIS, BM, BN in ((1, 64, 64), (0, 64, 64)):

    @case(f"argmax f32 of {BM} x {BN} tiles along {AXIS}")
    def _(AXIS=AXIS, BM=BM, BN=BN):
        x = torch.randn(1024, 1024)
        out = torch.empty((1024 // BM, 1024) if AXIS == 0 else (1024, 1024 // BN), dtype=torch.int32)
        theirs = lambda: x.view(1024 // BM, BM, 1024).argmax(1) if AXIS == 0 else x.view(1024, 1024 // BN, BN).argmax(2)
        ours = lambda: k.argmax_2d[(1024 // BM, 1024 // BN)](x, out, 1024, AXIS=AXIS, BM=BM, BN=BN)
        return ours, theirs, out, bytes_of(x, out)


for AXIS in (0, 1, 2):

    @case(f"sum f32 of 16 x 32 x 16 tiles along {AXIS}")
    def _(AXIS=AXIS):
        x = torch.randn(128, 16, 32, 16)
        out = torch.empty_like(x.sum(AXIS + 1))
        ours = lambda: k.reduce_3d[(128,)](x, out, AXIS=AXIS, A=16, B=32, C=16)
        return ours, lambda: x.sum(AXIS + 1), out, bytes_of(x, out)


@case("argmax f32, 512 rows of 2000")
def _():
    x, out = torch.randn(512, 2000), torch.empty(512, dtype=torch.int64)
    return lambda: k.argmax_row[(512,)](x, out, 2000, BLOCK=2048), lambda: x.argmax(1), out, bytes_of(x)


@case("welford f32, 512 rows of 2048")
def _():
    x, mean, var = torch.randn(512, 2048), torch.empty(512), torch.empty(512)
    theirs = lambda: torch.var_mean(x, 1, correction=0)[0]
    return lambda: k.welford[(512,)](x, mean, var, 2048, BLOCK=2048), theirs, var, bytes_of(x)


for AXIS, BM, BN in ((1, 1, 1024), (1, 2, 512), (1, 8, 1024), (1, 64, 64), (0, 64, 64), (0, 1024, 16), (0, 1024, 1)):

    @case(f"cumsum f32 of {BM} x {BN} tiles along {AXIS}")
    def _(AXIS=AXIS, BM=BM, BN=BN):
        x, out = torch.randn(1024, 1024), torch.empty(1024, 1024)
        shape = (1024 // BM, BM, 1024 // BN, BN)
        theirs = lambda: x.view(shape).cumsum(1 if AXIS == 0 else 3).view(1024, 1024)
        ours = lambda: k.cumsum_2d[(1024 // BM, 1024 // BN)](x, out, 1024, AXIS=AXIS, BM=BM, BN=BN)
        return ours, theirs, out, bytes_of(x, out)


for AXIS, BM, BN in ((1, 16, 256), (0, 256, 16)):

    @case(f"recurrence f32 of {BM} x {BN} tiles along {AXIS}, beside cumsum")
    def _(AXIS=AXIS, BM=BM, BN=BN):
        a, b, out = torch.rand(1024, 1024), torch.randn(1024, 1024), torch.empty(1024, 1024)
        shape = (1024 // BM, BM, 1024 // BN, BN)
        theirs = lambda: b.view(shape).cumsum(1 if AXIS == 0 else 3)
        ours = lambda: k.scan_recurrence[(1024 // BM, 1024 // BN)](a, b, out, 1024, AXIS=AXIS, BM=BM, BN=BN)
        return ours, theirs, None, bytes_of(a, b, out)


@case("recurrence f32, 1024 rows of 1024, beside cumsum")
def _():
    a, b, out = torch.rand(1024, 1024), torch.randn(1024, 1024), torch.empty(1024, 1024)
    return lambda: k.scan_row[(1024,)](a, b, out, N=1024), lambda: b.cumsum(1), None, bytes_of(a, b, out)


# Products


def product(name, make_ours, a, b, out, expected=None, reference=None):
    M, K = a.shape[-2:]
    N = b.shape[-1]
    flops = 2 * M * N * K * (a.shape[0] if a.dim() == 3 else 1)

    @case(name)
    def _():
        return make_ours, reference or (lambda: torch.matmul(a, b)), out, {"flops": flops}


def matmul(a, b, out, BM, BN, BK, acc=tl.float32):
    M, K = a.shape
    N = b.shape[1]
    strides = (*a.stride(), *b.stride(), *out.stride())
    return lambda: k.matmul[(cdiv(M, BM) * cdiv(N, BN),)](
        a, b, out, M, N, K, *strides, BM=BM, BN=BN, BK=BK, GROUP=8, ACC=acc
    )


def square(dtype, size=512):
    if dtype == torch.int8:
        return torch.randint(-100, 100, (size, size), dtype=dtype)
    return (torch.randn(size, size) * 0.25).to(dtype)


for DTYPE in (torch.float32, torch.float16, torch.bfloat16):
    name = str(DTYPE)[6:]
    for BM, BN, BK in (
        (16, 16, 16),
        (32, 32, 32),
        (64, 64, 32),
        (128, 128, 32),
        (128, 64, 64),
        (16, 128, 64),
        (128, 16, 64),
    ):
        a, b, out = square(DTYPE), square(DTYPE), torch.empty(512, 512, dtype=DTYPE)
        product(f"matmul {name} 512³, tile {BM} x {BN} x {BK}", matmul(a, b, out, BM, BN, BK), a, b, out)
    for which in ("A", "B", "both"):
        a, b = square(DTYPE), square(DTYPE)
        a, b = a.T if which != "B" else a, b.T if which != "A" else b
        out = torch.empty(512, 512, dtype=DTYPE)
        product(f"matmul {name} 512³, tile 64 x 64 x 32, {which} transposed", matmul(a, b, out, 64, 64, 32), a, b, out)

for BM, BN, BK in ((32, 32, 32), (64, 64, 64), (128, 128, 64)):
    a, b, out = square(torch.int8), square(torch.int8), torch.empty(512, 512, dtype=torch.int32)
    reference = lambda a=a, b=b: torch._int_mm(a, b)
    product(
        f"matmul int8 512³, tile {BM} x {BN} x {BK}",
        matmul(a, b, out, BM, BN, BK, tl.int32),
        a,
        b,
        out,
        None,
        reference,
    )
a, b, out = square(torch.int8), square(torch.int8).T, torch.empty(512, 512, dtype=torch.int32)
product(
    "matmul int8 512³, tile 64 x 64 x 64, B transposed",
    matmul(a, b, out, 64, 64, 64, tl.int32),
    a,
    b,
    out,
    None,
    lambda a=a, b=b: torch._int_mm(a, b),
)
a, b, out = square(torch.float32, 500), square(torch.float32, 500), torch.empty(500, 500)
product("matmul float32 500³, tile 64 x 64 x 32", matmul(a, b, out, 64, 64, 32), a, b, out)
a, b, out = (torch.randn(512, 512, dtype=torch.float64) for _ in range(3))
product("matmul float64 512³, tile 64 x 64 x 32", matmul(a, b, out, 64, 64, 32, tl.float64), a, b, out)

a, b, out = square(torch.float32), square(torch.float32), torch.empty(512, 512)
product(
    "matmul f32 512³ by block pointers, 64 x 64 x 32",
    lambda a=a, b=b, out=out: k.matmul_block_pointers[(8, 8)](a, b, out, 512, 512, 512, BM=64, BN=64, BK=32),
    a,
    b,
    out,
)
a, bt, out = square(torch.float16), square(torch.float16), torch.empty(512, 512).half()
product(
    "matmul f16 512³ persistent by descriptors, 64 x 64 x 64",
    lambda a=a, b=bt, out=out: k.matmul_descriptors[(2,)](a, b, out, 512, 512, 512, 2, BM=64, BN=64, BK=64),
    a,
    bt.T,
    out,
)
a, b, out = torch.randn(16, 128, 64), torch.randn(16, 64, 128), torch.empty(16, 128, 128)
product(
    "batched matmul f32 16 x 128 x 128 x 64, tile 32 x 32 x 32",
    lambda a=a, b=b, out=out: k.batched_matmul[(4, 4, 16)](a, b, out, 128, 128, 64, BM=32, BN=32, BK=32),
    a,
    b,
    out,
)
a, b, out = torch.randn(64, 4096), torch.randn(4096, 64), torch.empty(64, 64)


@case("split-K f32 64 x 64 x 4096, tile 32 x 32 x 64, 8 parts")
def _(a=a, b=b, out=out):
    def ours():
        out.zero_()
        k.split_k[(2, 2, 8)](a, b, out, 64, 64, 4096, SPLIT=8, BM=32, BN=32, BK=64)

    return ours, lambda: a @ b, out, {"flops": 2 * 64 * 64 * 4096}


for DTYPE in (torch.float32, torch.float16):
    for BM, BN in ((16, 64), (1, 1024), (64, 16)):

        @case(f"matrix x vector {str(DTYPE)[6:]} 1024², tile {BM} x {BN}")
        def _(DTYPE=DTYPE, BM=BM, BN=BN):
            a, x, out = torch.randn(1024, 1024).to(DTYPE), torch.randn(1024).to(DTYPE), torch.empty(1024)
            ours = lambda: k.matvec[(1024 // BM,)](a, x, out, 1024, 1024, BM=BM, BN=BN)
            return ours, lambda: a @ x, out, bytes_of(a)


@case("vector x matrix f32 1024², tile 16 x 64")
def _():
    a, x, out = torch.randn(1024, 1024), torch.randn(1024), torch.empty(1024)
    ours = lambda: k.vecmat[(16,)](a, x, out, 1024, 1024, BM=16, BN=64)
    return ours, lambda: x @ a, out, bytes_of(a)


@case("int4 weights dequantised, f32 64 x 512 x 512, beside f32")
def _():
    a, q = torch.randn(64, 512), torch.randint(-(2**31), 2**31 - 1, (64, 512), dtype=torch.int32)
    s, out = torch.rand(4, 512), torch.empty(64, 512)
    shift = (torch.arange(512) % 8 * 4).to(torch.int32)
    w = (((q.repeat_interleave(8, 0) >> shift[:, None]) & 15) - 8).float() * s.repeat_interleave(128, 0)
    ours = lambda: k.dequantised_matmul[(2, 8)](a, q, s, out, 64, 512, 512, G=128, BM=32, BN=64, BK=64)
    return ours, lambda: a @ w, out, {"flops": 2 * 64 * 512 * 512}


@case("convolution f32 4 x 32 x 34 x 34, 64 filters of 3 x 3")
def _():
    x, w, out = torch.randn(4, 32, 34, 34), torch.randn(64, 32, 3, 3), torch.empty(4, 64, 32, 32)
    ours = lambda: k.convolution[(4 * 32 * 32 // 64, 1)](
        x, w, out, 4, 32, 34, 34, 64, R=3, S=3, P=32, Q=32, BM=64, BN=64, BK=32
    )
    return ours, lambda: F.conv2d(x, w), out, {"flops": 2 * 4 * 64 * 32 * 32 * 32 * 9}


# Attention

for DTYPE in (torch.float32, torch.float16, torch.bfloat16):
    for CAUSAL in (False, True):
        for D, BM, BN in ((64, 64, 64), (128, 64, 32)):
            if D == 128 and (CAUSAL or DTYPE != torch.float32):
                continue

            @case(f"attention {str(DTYPE)[6:]} 4 x 512 x {D}{', causal' * CAUSAL}")
            def _(DTYPE=DTYPE, CAUSAL=CAUSAL, D=D, BM=BM, BN=BN):
                q, key, v = (torch.randn(1, 4, 512, D).to(DTYPE) for _ in range(3))
                out, lse = torch.empty_like(q), torch.empty(4, 512)
                ours = lambda: k.attention[(512 // BM, 4)](
                    q, key, v, out, lse, D**-0.5, 512, CAUSAL=CAUSAL, D=D, BM=BM, BN=BN
                )
                theirs = lambda: F.scaled_dot_product_attention(q, key, v, is_causal=CAUSAL)
                return ours, theirs, out, {"flops": 4 * 4 * 512 * 512 * D // (1 + CAUSAL)}


for DTYPE in (torch.float32, torch.bfloat16):

    @case(f"attention backward {str(DTYPE)[6:]} 4 x 512 x 64, causal")
    def _(DTYPE=DTYPE):
        q, key, v, do = (torch.randn(1, 4, 512, 64).to(DTYPE) for _ in range(4))
        out, lse = torch.empty_like(q), torch.empty(4, 512)
        k.attention[(8, 4)](q, key, v, out, lse, 0.125, 512, CAUSAL=True, D=64, BM=64, BN=64)
        delta = (out.float() * do.float()).sum(-1).contiguous()
        dq, dk, dv = (torch.zeros(1, 4, 512, 64) for _ in range(3))

        def ours():
            dq.zero_()
            k.attention_backward[(8, 4)](
                q, key, v, do, dq, dk, dv, lse, delta, 0.125, 512, CAUSAL=True, D=64, BM=64, BN=64
            )

        leaves = [t.clone().requires_grad_() for t in (q, key, v)]
        forward = F.scaled_dot_product_attention(*leaves, is_causal=True)
        theirs = lambda: torch.autograd.grad(forward, leaves, do, retain_graph=True)[1]
        return ours, theirs, dk, {"flops": 10 * 4 * 512 * 512 * 64 // 2}


# Movement

for BM, BN in ((32, 32), (64, 64), (16, 128)):
    for DTYPE in (torch.float32, torch.float16):

        @case(f"transpose {str(DTYPE)[6:]} 1024², tile {BM} x {BN}")
        def _(DTYPE=DTYPE, BM=BM, BN=BN):
            x, out, other = (torch.randn(1024, 1024).to(DTYPE) for _ in range(3))
            ours = lambda: k.transpose[(1024 // BM, 1024 // BN)](x, out, 1024, 1024, BM=BM, BN=BN)
            return ours, lambda: other.copy_(x.T), out, bytes_of(x, out)


@case("permute f32 (64, 128, 64) to (128, 64, 64)")
def _():
    x, out, other = torch.randn(64, 128, 64), torch.empty(128, 64, 64), torch.empty(128, 64, 64)
    ours = lambda: k.permute_102[(8, 16)](x, out, 64, 128, 64, BA=8, BB=8, BC=64)
    return ours, lambda: other.copy_(x.permute(1, 0, 2)), out, bytes_of(x, out)


@case("flip f32, 1024 rows of 1024")
def _():
    x, out = torch.randn(1024, 1024), torch.empty(1024, 1024)
    return lambda: k.flip[(1024,)](x, out, N=1024), lambda: x.flip(1), out, bytes_of(x, out)


@case("embedding f32, 4096 of 8192 rows of 128")
def _():
    table_, index, out = torch.randn(8192, 128), torch.randint(0, 8192, (4096,)), torch.empty(4096, 128)
    ours = lambda: k.embedding[(256,)](index, table_, out, D=128, ROWS=16)
    return ours, lambda: F.embedding(index, table_), out, bytes_of(out, out)


@case("embedding backward f32, 4096 into 8192 rows of 128")
def _():
    grad, index, out, other = (
        torch.randn(4096, 128),
        torch.randint(0, 8192, (4096,)),
        torch.zeros(8192, 128),
        torch.zeros(8192, 128),
    )
    ours = lambda: k.embedding_backward[(256,)](index, grad, out, D=128, ROWS=16)
    return ours, lambda: other.index_add_(0, index, grad), None, bytes_of(grad, grad, grad)


for DTYPE in (torch.int64, torch.int32):

    @case(f"gather f32 2^20 by {str(DTYPE)[6:]}, masked")
    def _(DTYPE=DTYPE):
        x, index, out = torch.randn(2**20), torch.randint(0, 2**14, (2**20,), dtype=DTYPE), torch.empty(2**20)
        ours = lambda: k.gather_elements[(1024,)](x, index, out, 2**20, BLOCK=1024)
        return ours, lambda: torch.index_select(x, 0, index), out, bytes_of(index, out)


@case("tl.gather f32, 1024 rows of 1024")
def _():
    x, index, out = (
        torch.randn(1024, 1024),
        torch.randint(0, 1024, (1024, 1024), dtype=torch.int32),
        torch.empty(1024, 1024),
    )
    wide = index.long()
    return (
        lambda: k.gather_in_block[(1024,)](x, index, out, N=1024),
        lambda: torch.gather(x, 1, wide),
        out,
        bytes_of(x, index, out),
    )


@case("atomic add f32 2^20, beside add_")
def _():
    x, out, other = torch.randn(2**20), torch.zeros(2**20), torch.zeros(2**20)
    ours = lambda: k.atomic_add_row[(1024,)](x, out, 2**20, BLOCK=1024)
    return ours, lambda: other.add_(x), None, bytes_of(x, out, out)


for BINS in (64, 256, 4096):

    @case(f"tl.histogram of 2^20 in {BINS} bins")
    def _(BINS=BINS):
        x, out = torch.randint(0, BINS, (2**20,), dtype=torch.int32), torch.zeros(BINS, dtype=torch.int32)

        def ours():
            out.zero_()
            k.histogram[(64,)](x, out, 2**20, BINS=BINS, BLOCK=16384)

        return ours, lambda: torch.bincount(x, minlength=BINS), out, bytes_of(x)


for ROWS, N in ((1, 64), (1, 1024), (16, 64), (16, 256)):

    @case(f"sort f32 rows of {N}, {ROWS} a program")
    def _(ROWS=ROWS, N=N):
        x = torch.randn(2**17 // N, N)
        out = torch.empty_like(x)
        kernel = k.sort_row if ROWS == 1 else k.sort_rows
        extra = {} if ROWS == 1 else {"ROWS": ROWS}
        ours = lambda: kernel[(x.shape[0] // ROWS,)](x, out, N=N, **extra)
        return ours, lambda: x.sort(1).values, out, bytes_of(x, out)


@case("topk 16 f32, 256 rows of 1024")
def _():
    x, out = torch.randn(256, 1024), torch.empty(256, 16)
    return lambda: k.topk_row[(256,)](x, out, N=1024, K=16), lambda: x.topk(16, 1).values, out, bytes_of(x)


@case("mandelbrot f32 256², 64 steps of 8 operations")
def _():
    out = torch.empty(65536, dtype=torch.int32)

    def theirs():
        at = torch.arange(65536)
        cx, cy = (at % 256) * (3.0 / 256) - 2.0, (at // 256) * (3.0 / 256) - 1.5
        x, y, count = torch.zeros(65536), torch.zeros(65536), torch.zeros(65536, dtype=torch.int32)
        for _ in range(64):
            inside = x * x + y * y < 4
            new = x * x - y * y + cx
            y = torch.where(inside, 2 * x * y + cy, y)
            x = torch.where(inside, new, x)
            count += inside
        return count

    return lambda: k.mandelbrot[(64,)](out, 256, 64, BLOCK=1024), theirs, None, {"flops": 65536 * 64 * 8}


@case("65536 programs that do nothing")
def _():
    x = torch.empty(1)
    return lambda: k.nothing[(65536,)](x), None, None, {}


@case("65536 programs of one element")
def _():
    x, out = torch.randn(65536), torch.empty(65536)
    return lambda: k.one_element[(65536,)](x, out), lambda: x + 1, out, bytes_of(x, out)


def seconds(call):
    begin = time.process_time_ns()
    call()
    return (time.process_time_ns() - begin) * 1e-9


def measure(name, make, rounds, limits):
    ours, theirs, found, amount = make()
    compiling = seconds(ours)
    row = {"name": name, "compile_ms": compiling * 1e3, "wrong": False}
    if theirs and found is not None:
        expected = theirs()
        tolerance = {torch.float16: 2e-2, torch.bfloat16: 6e-2, torch.float8_e4m3fn: 0, torch.float8_e5m2: 0}.get(
            found.dtype, 1e-3
        )
        low = max(tolerance, 3e-2 if expected.dtype == torch.bfloat16 else 0)
        try:
            torch.testing.assert_close(found.double().view(expected.shape), expected.double(), atol=4 * low, rtol=low)
        except AssertionError as error:
            row["wrong"] = str(error).splitlines()[0:4]
    repeat = max(1, int(2e-3 / max(min(seconds(ours) for _ in range(3)), 1e-7)))
    times, other, ratios = [], [], []
    for _ in range(rounds):
        times.append(seconds(lambda: [ours() for _ in range(repeat)]) / repeat)
        if theirs:
            other.append(seconds(lambda: [theirs() for _ in range(repeat)]) / repeat)
            ratios.append(other[-1] / times[-1])
    row["us"] = min(times) * 1e6
    if theirs:
        row["torch_us"], row["ratio"] = min(other) * 1e6, statistics.median(ratios)
    if "bytes" in amount:
        row["limit"] = amount["bytes"] / limits["bytes"] / min(times)
    if "flops" in amount:
        row["limit"] = amount["flops"] / limits["flops"] / min(times)
    return row


def find_limits():
    """Bytes and multiply-adds of float32 a second: those of a copy in cache of the second level, and in registers."""
    limits = Limits(1)
    a, b = torch.randn(2**17), torch.randn(2**17)
    copy = min(seconds(lambda: [b.copy_(a) for _ in range(32)]) / 32 for _ in range(20))
    rounds = 200_000
    operations = limits.multiply_add(rounds)
    best = min(seconds(lambda: limits.multiply_add(rounds)) for _ in range(5))
    return {"bytes": 2 * a.numel() * 4 / copy, "flops": operations / best}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    parser.add_argument("--beside")
    arguments = parser.parse_args()
    before = {row["name"]: row for row in json.load(open(arguments.beside))} if arguments.beside else {}
    limits = find_limits()
    print(
        f"limits: copy {limits['bytes'] * 1e-9:.0f} GB/s, multiply-add {limits['flops'] * 1e-9:.0f} GFLOPS",
        file=sys.stderr,
    )
    rows = []
    for name, make in CASES:
        if arguments.only not in name:
            continue
        row = measure(name, make, arguments.rounds, limits)
        rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
    if arguments.json:
        json.dump(rows, open(arguments.json, "w"))

    def cells(row):
        old = before.get(row["name"])
        return [
            row["name"] + " WRONG" * bool(row["wrong"]),
            *([f"{old['us']:.0f}"] if old else [""] if before else []),
            f"{row['us']:.0f}",
            f"{row['torch_us']:.0f}" if "torch_us" in row else "",
            f"{row['ratio']:.2f}" if "ratio" in row else "",
            f"{row['limit']:.2f}" if "limit" in row else "",
            f"{row['compile_ms']:.0f}",
        ]

    header = ["kernel", *["µs before"] * bool(before), "µs", "torch µs", "torch / ours", "of the limit", "compile ms"]
    print(table(header, [cells(row) for row in rows]))


if __name__ == "__main__":
    main()
