"""Thirty kernels whose code for AMD GPUs is compared with that of another compiler: (name, function, signature, constants, options)."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@triton.jit
def copy_2d(x, out, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    places = rows[:, None] * stride + columns[None, :]
    tl.store(out + places, tl.load(x + places))


@triton.jit
def transpose(x, out, stride_x, stride_out, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x + rows[:, None] * stride_x + columns[None, :])
    tl.store(out + columns[:, None] * stride_out + rows[None, :], tl.trans(tile))


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    values = tl.load(x + row * stride + columns, mask=mask, other=-float("inf")).to(tl.float32)
    values = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * stride + columns, values / tl.sum(values, 0), mask=mask)


@triton.jit
def layer_norm(x, weight, bias, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    values = tl.load(x + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(values, 0) / n
    centred = tl.where(mask, values - mean, 0.0)
    variance = tl.sum(centred * centred, 0) / n
    scaled = centred * tl.rsqrt(variance + eps) * tl.load(weight + columns, mask=mask) + tl.load(
        bias + columns, mask=mask
    )
    tl.store(out + row * stride + columns, scaled, mask=mask)


@triton.jit
def row_sum(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * stride + columns, mask=columns < n, other=0.0)
    tl.store(out + row, tl.sum(total, 0))


@triton.jit
def running_sum(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.cumsum(tl.load(x + offsets, mask=offsets < n, other=0.0), 0), mask=offsets < n)


@triton.jit
def count(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offsets, mask=offsets < n, other=0)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(values, BINS))


@triton.jit
def scatter_add(x, index, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(out + tl.load(index + offsets, mask=mask, other=0), tl.load(x + offsets, mask=mask), mask=mask)


@triton.jit
def gather_rows(table, index, out, width, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0))
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < width
    tl.store(out + tl.program_id(0) * width + columns, tl.load(table + row * width + columns, mask=mask), mask=mask)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x + offsets, mask=mask).to(tl.float32)
    tl.store(out + offsets, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=mask)


@triton.jit
def dropout(x, out, n, seed, p, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    keep = tl.rand(seed, offsets) > p
    tl.store(out + offsets, tl.where(keep, tl.load(x + offsets, mask=mask) / (1 - p), 0.0), mask=mask)


@triton.jit
def argmax(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + columns, mask=columns < n, other=-float("inf"))
    tl.store(out + row, tl.argmax(values, 0))


@triton.jit
def matmul(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):  # fmt: skip
    pid = tl.program_id(0)
    columns_of_tiles = tl.cdiv(N, BN)
    rows = (pid // columns_of_tiles) * BM + tl.arange(0, BM)
    columns = (pid % columns_of_tiles) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_places = a + rows[:, None] * stride_am + depth[None, :] * stride_ak
    b_places = b + depth[:, None] * stride_bk + columns[None, :] * stride_bn
    total = tl.zeros([BM, BN], ACC)
    for _ in range(0, tl.cdiv(K, BK)):
        total = tl.dot(tl.load(a_places), tl.load(b_places), total, out_dtype=ACC)
        a_places += BK * stride_ak
        b_places += BK * stride_bk
    tl.store(c + rows[:, None] * stride_cm + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, out, stride, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns, width = tl.arange(0, BN), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * stride + width[None, :])
    largest = tl.full([BM], -float("inf"), tl.float32)
    norm = tl.zeros([BM], tl.float32)
    total = tl.zeros([BM, D], tl.float32)
    for start in range(0, n, BN):
        keys = tl.load(k + (start + columns)[None, :] * stride + width[:, None])
        scores = tl.dot(query, keys) * scale
        new = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - new[:, None])
        factor = tl.exp2(largest - new)
        norm = norm * factor + tl.sum(weights, 1)
        values = tl.load(v + (start + columns)[:, None] * stride + width[None, :])
        total = tl.dot(weights.to(values.dtype), values, total * factor[:, None])
        largest = new
    tl.store(out + rows[:, None] * stride + width[None, :], (total / norm[:, None]).to(out.dtype.element_ty))


@triton.jit
def quantised_matmul(
    a, b, scales, c, K, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    rows, columns, depth = (
        tl.program_id(0) * BM + tl.arange(0, BM),
        tl.program_id(1) * BN + tl.arange(0, BN),
        tl.arange(0, BK),
    )
    total = tl.zeros([BM, BN], tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + rows[:, None] * stride_a + (start + depth)[None, :])
        right = tl.load(b + (start + depth)[:, None] * stride_b + columns[None, :])
        total = tl.dot(left, right.to(left.dtype), total)
    tl.store(c + rows[:, None] * stride_c + columns[None, :], total * tl.load(scales + columns)[None, :])


def _flat(types, **constants):
    return types.split(), constants


def _matmul(ty, out, bm, bn, bk, acc="fp32", b_by_columns=False, warps=4, **options):
    strides = ["i32:16", "i32=1", "i32=1", "i32:16"] if b_by_columns else ["i32:16", "i32=1", "i32:16", "i32=1"]
    signature = [f"*{ty}:16", f"*{ty}:16", f"*{out}:16", "i32:16", "i32:16", "i32:16", *strides, "i32:16"]
    accumulator = {"fp32": tl.float32, "i32": tl.int32, "fp64": tl.float64}[acc]
    return signature, {"BM": bm, "BN": bn, "BK": bk, "ACC": accumulator}, {"num_warps": warps, **options}


def _case(name, function, signature, constants, options=None):
    return name, function, signature, constants, options or {}


KERNELS = [
    _case("add f32", add, *_flat("*fp32:16 *fp32:16 *fp32:16 i32:16", BLOCK=1024)),
    _case("add f16", add, *_flat("*fp16:16 *fp16:16 *fp16:16 i32:16", BLOCK=2048)),
    _case("copy 2d f16", copy_2d, *_flat("*fp16:16 *fp16:16 i32:16", BLOCK_M=64, BLOCK_N=128)),
    _case("transpose f32", transpose, *_flat("*fp32:16 *fp32:16 i32:16 i32:16", BLOCK=64)),
    _case("softmax 1024", softmax, *_flat("*fp32:16 *fp32:16 i32:16 i32:16", BLOCK=1024)),
    _case("softmax 4096 f16", softmax, *_flat("*fp16:16 *fp16:16 i32:16 i32:16", BLOCK=4096), {"num_warps": 8}),
    _case("layer norm 2048", layer_norm, *_flat("*fp16:16 *fp16:16 *fp16:16 *fp16:16 i32:16 i32:16 fp32", BLOCK=2048)),
    _case("row sum", row_sum, *_flat("*fp32:16 *fp32:16 i32:16 i32:16", BLOCK=1024)),
    _case("running sum", running_sum, *_flat("*fp32:16 *fp32:16 i32:16", BLOCK=1024)),
    _case("histogram", count, *_flat("*i32:16 *i32:16 i32:16", BLOCK=1024, BINS=256)),
    _case("scatter add", scatter_add, *_flat("*fp32:16 *i32:16 *fp32:16 i32:16", BLOCK=512)),
    _case("gather rows f16", gather_rows, *_flat("*fp16:16 *i32:16 *fp16:16 i32:16", BLOCK=1024)),
    _case("gelu f16", gelu, *_flat("*fp16:16 *fp16:16 i32:16", BLOCK=1024)),
    _case("dropout", dropout, *_flat("*fp32:16 *fp32:16 i32:16 i32 fp32", BLOCK=1024)),
    _case("argmax", argmax, *_flat("*fp32:16 *i32:16 i32:16 i32:16", BLOCK=2048)),
    _case("matmul f16 64x64x32", matmul, *_matmul("fp16", "fp16", 64, 64, 32)),
    _case("matmul f16 128x128x32", matmul, *_matmul("fp16", "fp16", 128, 128, 32)),
    _case("matmul f16 128x128x64", matmul, *_matmul("fp16", "fp16", 128, 128, 64, warps=8)),
    _case("matmul f16 256x128x32", matmul, *_matmul("fp16", "fp16", 256, 128, 32, warps=8)),
    _case("matmul f16 128x128x32 B by columns", matmul, *_matmul("fp16", "fp16", 128, 128, 32, b_by_columns=True)),
    _case("matmul f16 MFMA 16", matmul, *_matmul("fp16", "fp16", 128, 128, 32, matrix_instr_nonkdim=16)),
    _case("matmul bf16", matmul, *_matmul("bf16", "bf16", 128, 128, 32)),
    _case("matmul f32", matmul, *_matmul("fp32", "fp32", 64, 64, 32)),
    _case("matmul i8", matmul, *_matmul("i8", "i32", 128, 128, 64, acc="i32")),
    _case("matmul fp8 fnuz", matmul, *_matmul("fp8e4b8", "fp16", 128, 128, 64)),
    _case("matmul f64", matmul, *_matmul("fp64", "fp64", 32, 32, 16, acc="fp64")),
    _case(
        "quantised matmul",
        quantised_matmul,
        *_flat("*fp16:16 *i8:16 *fp32:16 *fp32:16 i32:16 i32:16 i32:16 i32:16", BM=64, BN=64, BK=64),
    ),
    _case(
        "attention f16 d64",
        attention,
        *_flat("*fp16:16 *fp16:16 *fp16:16 *fp16:16 i32:16 i32:16 fp32", BM=128, BN=64, D=64),
    ),
    _case(
        "attention f16 d128",
        attention,
        *_flat("*fp16:16 *fp16:16 *fp16:16 *fp16:16 i32:16 i32:16 fp32", BM=128, BN=64, D=128),
        {"num_warps": 8},
    ),
    _case(
        "attention bf16 d64",
        attention,
        *_flat("*bf16:16 *bf16:16 *bf16:16 *bf16:16 i32:16 i32:16 fp32", BM=64, BN=64, D=64),
    ),
]
