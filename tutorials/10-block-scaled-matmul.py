"""
Block-scaled matrix multiplication
==================================

Products of numbers of 4 and 8 bits, with a scale for every 16 or 32 of them. You will see:

* the microscaling formats mxfp4, mxfp8 and NVIDIA's nvfp4, and `tl.dot_scaled`,
* how scales are stored so that tensor cores can read them as they lie, and how a kernel sees them as a matrix again,
* tensor descriptors of five dimensions.

Run it with `python tutorials/10-block-scaled-matmul.py [--format nvfp4|mxfp4|mxfp8|mixed]`: it needs no GPU, but torch. GPUs of compute
capability 10.0 and newer have instructions for such products; elsewhere the compiler scales the numbers and multiplies those.
"""

import argparse

import torch
import triton
import triton.language as tl
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_CPU = DEVICE.type == "cpu"
HAS_INSTRUCTIONS = not ON_CPU and torch.cuda.get_device_capability()[0] >= 10

# The idea
# --------
#
# A number of 4 bits (e2m1: a sign, two bits of exponent, one of mantissa) is one of 0, 0.5, 1, 1.5, 2, 3, 4, 6 or their negatives. With a
# scale for each small group of them along K, that is enough for the weights of a neural network:
#
#     format   numbers        a scale for each   scales
#     mxfp4    e2m1           32                 e8m0, a power of two
#     nvfp4    e2m1           16                 e4m3, a float of 8 bits
#     mxfp8    e4m3           32                 e8m0
#     mixed    e4m3 and e2m1  32                 e8m0
#
# `tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1")` multiplies them: a is [M, K], a_scale [M, K / group], b [K, N], b_scale
# [N, K / group]. Two numbers of 4 bits share a byte, so a's type says [M, K / 2].
#
# Tensor cores read scales in pieces of 128 rows by 4 groups, in an order of their own. So they are stored piece by piece, each of 512 bytes:
# byte (r % 32) * 16 + r // 32 * 4 + g is the scale of row r and group g. As a tensor that is [M / 128, K / group / 4, 32, 4, 4], and a
# descriptor takes it as [1, M / 128, K / group / 4, 2, 256], whose rows are long enough to be copied well.


@triton.jit
def scales(blocks, REP: tl.constexpr, REP_K: tl.constexpr):
    """Pieces as they are stored, as the matrix of scales that they are: [128 * REP, 4 * REP_K]."""
    pieces = blocks.reshape(REP, REP_K, 32, 4, 4)
    return pieces.trans(0, 3, 2, 1, 4).reshape(REP * 128, REP_K * 4)


@triton.jit
def block_scaled_matmul_kernel(
    a_desc,
    a_scale_desc,
    b_desc,
    b_scale_desc,
    c_desc,
    K,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    NUM_STAGES: tl.constexpr,
):
    A_PER_BYTE: tl.constexpr = 2 if A_FORMAT == "e2m1" else 1
    B_PER_BYTE: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    REP_M: tl.constexpr = BLOCK_M // 128
    REP_N: tl.constexpr = BLOCK_N // 128
    REP_K: tl.constexpr = BLOCK_K // GROUP // 4
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), num_stages=NUM_STAGES):
        a = a_desc.load([pid_m * BLOCK_M, k * (BLOCK_K // A_PER_BYTE)])
        b = b_desc.load([pid_n * BLOCK_N, k * (BLOCK_K // B_PER_BYTE)])
        a_scale = scales(a_scale_desc.load([0, pid_m * REP_M, k * REP_K, 0, 0]), REP_M, REP_K)
        b_scale = scales(b_scale_desc.load([0, pid_n * REP_N, k * REP_K, 0, 0]), REP_N, REP_K)
        accumulator = tl.dot_scaled(a, a_scale, A_FORMAT, b.T, b_scale, B_FORMAT, accumulator)
    c_desc.store([pid_m * BLOCK_M, pid_n * BLOCK_N], accumulator.to(c_desc.dtype))


# The data
# --------


def numbers(rows, K, kind):
    """Random numbers of a format: as float32, and as stored."""
    if kind == "e2m1":
        values = MXFP4Tensor(size=(rows, K), device=DEVICE).random()
        return values.to(torch.float32), values.to_packed_tensor(dim=1)
    values = torch.randint(0, 3, (rows, K), device=DEVICE).float().to(torch.float8_e4m3fn)
    return values.float(), values


def random_scales(rows, groups, is_nvfp4):
    """Random scales: as a float32 matrix, and as stored, piece by piece."""
    values = torch.rand((rows, groups), device=DEVICE) + 0.5
    codes = values.to(torch.float8_e4m3fn) if is_nvfp4 else MXScaleTensor(values).data
    matrix = codes.float() if is_nvfp4 else torch.exp2(codes.float() - 127)
    pieces = codes.view(torch.uint8).reshape(rows // 128, 4, 32, groups // 4, 4).permute(0, 3, 2, 1, 4)
    return matrix, pieces.reshape(1, rows // 128, groups // 4, 2, 256).contiguous().view(codes.dtype)


FORMATS = {
    "nvfp4": ("e2m1", "e2m1", 16),
    "mxfp4": ("e2m1", "e2m1", 32),
    "mxfp8": ("e4m3", "e4m3", 32),
    "mixed": ("e4m3", "e2m1", 32),
}


class Problem:
    """Operands of one product, ready to launch."""

    def __init__(self, name, M, N, K):
        a_kind, b_kind, group = FORMATS[name]
        # Where numbers are scaled before they are multiplied, blocks of them need four times the memory: smaller ones fit.
        block_m, block_n = 128, 256 if HAS_INSTRUCTIONS else 128
        block_k = 256 if HAS_INSTRUCTIONS and a_kind == b_kind == "e2m1" else 128
        self.a, a_stored = numbers(M, K, a_kind)
        self.b, b_stored = numbers(N, K, b_kind)
        self.a_scale, a_scale = random_scales(M, K // group, name == "nvfp4")
        self.b_scale, b_scale = random_scales(N, K // group, name == "nvfp4")
        self.c = torch.empty((M, N), device=DEVICE, dtype=torch.float16)
        self.group, self.grid = group, (triton.cdiv(M, block_m), triton.cdiv(N, block_n))
        width = lambda kind: block_k // 2 if kind == "e2m1" else block_k
        pieces = lambda rows: [1, rows // 128, block_k // group // 4, 2, 256]
        tensors = (a_stored, a_scale, b_stored, b_scale, self.c)
        blocks = (
            [block_m, width(a_kind)],
            pieces(block_m),
            [block_n, width(b_kind)],
            pieces(block_n),
            [block_m, block_n],
        )
        descriptors = [TensorDescriptor.from_tensor(tensor, block) for tensor, block in zip(tensors, blocks)]
        self.arguments = (*descriptors, K, a_kind, b_kind, group, block_m, block_n, block_k, 1 if ON_CPU else 2)

    def run(self):
        warps = 4 if ON_CPU else 8
        block_scaled_matmul_kernel[self.grid](*self.arguments, num_warps=warps)
        return self.c

    def expected(self):
        a = self.a * self.a_scale.repeat_interleave(self.group, dim=1)
        b = self.b * self.b_scale.repeat_interleave(self.group, dim=1)
        return (a @ b.T).half()


# Is it right?
# ------------

parser = argparse.ArgumentParser()
parser.add_argument("--format", choices=[*FORMATS], help="only this one")
only = parser.parse_known_args()[0].format
names = [only] if only else [*FORMATS]

torch.manual_seed(0)
sizes = (256, 256, 512) if ON_CPU else (1024, 1024, 1024)
for name in names:
    problem = Problem(name, *sizes)
    torch.testing.assert_close(problem.run(), problem.expected(), atol=1e-3, rtol=1e-3)
    print(f"{name}: {' x '.join(map(str, sizes))} matches torch")

# Is it fast?
# -----------


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["K"],
        x_vals=[512, 1024] if ON_CPU else [512, 1024, 2048, 4096, 8192],
        line_arg="name",
        line_vals=names,
        line_names=["Triton, " + name for name in names],
        ylabel="GFLOPS" if ON_CPU else "TFLOPS",
        plot_name="block-scaled-matmul-performance",
        args={},
    )
)
def benchmark(K, name):
    M = N = 256 if ON_CPU else 4096
    problem = Problem(name, M, N, K)
    ms, low, high = triton.testing.do_bench(problem.run, quantiles=[0.5, 0.2, 0.8])
    rate = lambda ms: 2 * M * N * K * (1e-9 if ON_CPU else 1e-12) / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


benchmark.run(print_data=True, save_path=".")
