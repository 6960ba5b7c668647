"""Products of matrices in loops: every operand type, number of stages and warps, and trip counts down to none."""

import pytest
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PRECISION: tl.constexpr,
    OUT: tl.constexpr,
    LIMIT: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    acc = tl.zeros((BM, BN), OUT)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < K - k * BK), other=0.0)
        b = tl.load(b_ptrs, mask=(inner[:, None] < K - k * BK) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=OUT, max_num_imprecise_acc=LIMIT)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def multiply(a, b, block, precision=None, out=torch.float32, limit=None, **options):
    if precision is None:  # AMD's GPUs but one do without
        precision = "ieee" if triton.runtime.driver.active.get_current_target().backend == "hip" else "tf32"
    M, K, N = a.shape[0], a.shape[1], b.shape[1]
    c = torch.full((M, N), 77, dtype=out)
    dtype = {torch.float32: tl.float32, torch.float16: tl.float16, torch.int32: tl.int32}[out]
    BM, BN, BK = block
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), BM, BN, BK, precision, dtype, limit, **options)
    return c


def operands(dtype, M, N, K, transposed=False):
    torch.manual_seed(M + N + K)
    if dtype == torch.int8:
        a, b = torch.randint(-128, 128, (M, K)), torch.randint(-128, 128, (K, N))
    else:
        a, b = torch.randn(M, K), torch.randn(K, N)
    a, b = a.to(dtype), b.to(dtype)
    if transposed:  # consecutive along M, and along K
        a, b = a.T.contiguous().T, b.T.contiguous().T
    return a, b, a.double() @ b.double()


TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.float8_e4m3fn, torch.float8_e5m2]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    "block", [(64, 64, 32, 4), (128, 64, 64, 8), (16, 32, 32, 2), (64, 16, 128, 4), (128, 128, 32, 4)]
)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_types(dtype, block, transposed, device):
    a, b, expected = operands(dtype, 144, 112, 208, transposed)
    out = torch.int32 if dtype == torch.int8 else torch.float32
    c = multiply(a, b, block[:3], out=out, num_warps=block[3], num_stages=3)
    tolerance = {torch.float32: 1e-2, torch.int8: 0}.get(dtype, 1e-4)
    if dtype.itemsize == 1 and dtype.is_floating_point and device == "cuda":
        tolerance = 4e-3  # Hopper's tensor cores keep about 14 bits of sums of 8-bit products
    torch.testing.assert_close(c.double(), expected, rtol=tolerance, atol=tolerance * 16)


@triton.jit
def wrapped_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    FORM: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    row, column = rows % M, columns % N
    if FORM == "wide":
        row, column = row.to(tl.int64), column.to(tl.int64)
    if FORM == "from below zero":  # wraps to the last columns, by numbers below zero
        column = (columns - 5) % N
    a_ptrs = a_ptr + row[:, None] * sam + inner[None, :] * sak
    b_ptrs = b_ptr + inner[:, None] * sbk + column[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=inner[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=inner[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


@pytest.mark.parametrize("form", ["plain", "wide", "from below zero"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shape", [(64, 128, 64), (37, 45, 40), (80, 20, 33), (16, 130, 16)])
def test_operands_that_wrap(shape, transposed, form):
    M, N, K = shape
    a, b, _ = operands(torch.float32, M, N, K, transposed)
    whole = torch.zeros(K, N + 32)
    whole[:, 16 : 16 + N] = b
    whole[:, 16 - 5 : 16] = torch.randn(K, 5)
    if transposed:
        whole = whole.T.contiguous().T
    b = whole[:, 16 : 16 + N]
    c = torch.zeros(M, N)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    wrapped_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), form, 32, 32, 16)
    columns = torch.arange(N) - 5 if form == "from below zero" else torch.arange(N)
    columns = torch.fmod(columns, N)
    expected = a.double() @ whole[:, 16 + columns].double()
    torch.testing.assert_close(c.double(), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("block", [(64, 64, 4), (32, 32, 4)])
def test_stages(block, stages, trips):
    a, b, expected = operands(torch.float16, block[0], block[1], 32 * trips)
    c = multiply(a, b, (*block[:2], 32), num_warps=block[2], num_stages=stages)
    torch.testing.assert_close(c.double(), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("shape", [(64, 128), (16, 16), (256, 32), (32, 256)])
def test_warps(shape, warps):
    a, b, expected = operands(torch.bfloat16, *shape, 128)
    torch.testing.assert_close(multiply(a, b, (*shape, 64), num_warps=warps).double(), expected, rtol=1e-3, atol=1e-3)


# f16 holds 11 bits, tf32 too, two bf16 16, three bf16 and three products of tf32 nearly all of f32.
@pytest.mark.parametrize(
    "precision, error", [("tf32", 3e-2), ("bf16x3", 1e-3), ("tf32x3", 2e-5), ("bf16x6", 2e-5), ("ieee", 2e-5)]
)
@pytest.mark.parametrize("shape", [(64, 64, 64), (16, 32, 32)])
def test_precisions(precision, error, shape):
    a, b, expected = operands(torch.float32, *shape)
    c = multiply(a, b, (shape[0], shape[1], 32), precision)
    assert (c.double() - expected).abs().max() < error


def test_infinities():
    a, b, _ = operands(torch.float32, 64, 64, 32)
    a[3, 5] = float("inf")
    expected = a @ b
    for precision in ("tf32x3", "bf16x3", "bf16x6"):
        torch.testing.assert_close(multiply(a, b, (64, 64, 32), precision)[3], expected[3])


@pytest.mark.parametrize("shape", [(64, 64), (16, 16)])
def test_half_sums(shape):
    a, b, expected = operands(torch.float16, *shape, 64)
    c = multiply(a, b, (*shape, 32), out=torch.float16)
    torch.testing.assert_close(c.double(), expected, rtol=2e-2, atol=5e-2)


@pytest.mark.parametrize("limit", [32, 64, 128])
def test_imprecise_sums(limit, device):
    a, b, expected = operands(torch.float8_e5m2, 64, 64, 256, transposed=True)
    c = multiply(a, b, (64, 64, 128), limit=limit)
    # One instruction on Hopper keeps about 14 bits of the sum of its products, however few are asked for.
    tolerance = 1e-4 if device == "cpu" else 4e-3
    torch.testing.assert_close(c.double(), expected, rtol=tolerance, atol=10 * tolerance)


@pytest.mark.skipif(triton.knobs.runtime.interpret, reason="looks at code")
def test_imprecise_sums_are_plain_additions():
    """Spelled as Triton's, so that who counts them in PTX finds them: `add.f32`, which ptxas may fuse, not `add.rn.f32`."""
    types = dict.fromkeys(("a_ptr", "b_ptr"), "*fp8e4nv") | {"c_ptr": "*fp32"} | dict.fromkeys(("M", "N", "K"), "i32")
    types |= dict.fromkeys(("stride_am", "stride_bn"), "i32")
    constants = {"stride_ak": 1, "stride_bk": 1, "BM": 64, "BN": 64, "BK": 128, "PRECISION": "ieee"}
    constants |= {"OUT": tl.float32, "LIMIT": 64}
    names = [param.name for param in matmul_kernel.params]
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in types}
    signature = {name: types.get(name, "constexpr") for name in names}
    source = triton.compiler.ASTSource(matmul_kernel, signature, constants, attributes)
    ptx = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    assert "wgmma" in ptx
    assert ptx.count("add.f32") == 64 * 64 // 128 * (128 // 64) and ptx.count("add.rn.f32") == 0


@triton.jit
def batch_kernel(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + (batch[:, None, None] * M + m[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (batch[:, None, None] * K + k[None, :, None]) * N + n[None, None, :])
    tl.store(c_ptr + (batch[:, None, None] * M + m[None, :, None]) * N + n[None, None, :], tl.dot(a, b))


@pytest.mark.parametrize("shape", [(2, 16, 16, 16), (8, 32, 16, 32), (1, 64, 64, 32)])
def test_batches(shape):
    B, M, N, K = shape
    torch.manual_seed(0)
    a, b, c = torch.randn(B, M, K).half(), torch.randn(B, K, N).half(), torch.zeros(B, M, N)
    batch_kernel[(1,)](a, b, c, *shape)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-3, atol=1e-3)


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, scale, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    depth = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + depth[None, :])
    highest = tl.full([BM], float("-inf"), tl.float32)
    total = tl.full([BM], 0.0, tl.float32)
    acc = tl.full([BM, D], 0.0, tl.float32)
    for start in range(0, N, BN):
        inside = start + columns[:, None] < N
        k = tl.load(k_ptr + (start + columns)[:, None] * D + depth[None, :], mask=inside, other=0.0)
        s = tl.dot(q, k.T) * scale
        s = tl.where(start + columns[None, :] < N, s, float("-inf"))
        higher = tl.maximum(highest, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        alpha = tl.exp(highest - higher)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + (start + columns)[:, None] * D + depth[None, :], mask=inside, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        highest = higher
    tl.store(out_ptr + rows[:, None] * D + depth[None, :], acc)
    tl.store(out_ptr + tl.num_programs(0) * BM * D + rows, total)


@pytest.mark.parametrize("N", [0, 16, 64, 77, 128, 200, 512])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("block", [(64, 64, 64, 4), (128, 64, 32, 4), (128, 32, 128, 8), (16, 32, 32, 4)])
def test_attention(block, stages, N):
    BM, BN, D, warps = block
    torch.manual_seed(N)
    rows = 2 * BM
    q, k, v = torch.randn(rows, D).half(), torch.randn(N, D).half(), torch.randn(N, D).half()
    out = torch.full((rows * D + rows,), 5.0)
    attention_kernel[(2,)](q, k, v, out, D**-0.5, N, BM, BN, D, num_warps=warps, num_stages=stages)
    acc, total = out[: rows * D].view(rows, D), out[rows * D :]
    if N == 0:
        assert not acc.any() and not total.any()
        return
    expected = torch.softmax(q.double() @ k.double().T * D**-0.5, 1) @ v.double()
    torch.testing.assert_close((acc / total[:, None]).double(), expected, rtol=1e-2, atol=2e-3)


@triton.jit
def scaled_kernel(
    a_ptr,
    a_scale_ptr,
    b_ptr,
    b_scale_ptr,
    c_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    A: tl.constexpr,
    B: tl.constexpr,
):
    a_columns: tl.constexpr = K // 2 if A == "e2m1" else K
    b_rows: tl.constexpr = K // 2 if B == "e2m1" else K
    a = tl.load(a_ptr + tl.arange(0, M)[:, None] * a_columns + tl.arange(0, a_columns)[None, :])
    b = tl.load(b_ptr + tl.arange(0, b_rows)[:, None] * N + tl.arange(0, N)[None, :])
    groups = tl.arange(0, K // 32)[None, :]
    a_scale = tl.load(a_scale_ptr + tl.arange(0, M)[:, None] * (K // 32) + groups)
    b_scale = tl.load(b_scale_ptr + tl.arange(0, N)[:, None] * (K // 32) + groups)
    c = tl.dot_scaled(a, a_scale, A, b, b_scale, B)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


def microscaled(kind, rows, columns, packed):
    """An operand as it is stored, and what it means before scaling; two 4-bit floats lie in a byte along dimension `packed`."""
    if kind == "e2m1":
        codes = torch.randint(0, 16, (rows, columns))
        table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
        values = table[codes & 7] * torch.where(codes >= 8, -1.0, 1.0)
        low, high = codes.unflatten(packed, (-1, 2)).unbind(packed + 1)
        return (low | high << 4).to(torch.uint8), values
    dtype = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "bf16": torch.bfloat16}[kind]
    stored = torch.randn(rows, columns).to(dtype)
    return stored, stored.double()


@pytest.mark.parametrize("shape", [(64, 64, 128), (128, 32, 64), (16, 16, 64)])
@pytest.mark.parametrize("kinds", [("e4m3", "e4m3"), ("e2m1", "bf16"), ("e5m2", "e2m1"), ("e2m1", "e2m1")])
def test_scaled(kinds, shape):
    M, N, K = shape
    torch.manual_seed(1)
    a, left = microscaled(kinds[0], M, K, 1)
    b, right = microscaled(kinds[1], K, N, 0)
    scales = [torch.randint(120, 134, (rows, K // 32)).to(torch.uint8) for rows in (M, N)]
    c = torch.zeros(M, N)
    scaled_kernel[(1,)](a, scales[0], b, scales[1], c, M, N, K, *kinds)
    factors = [torch.exp2(scale.double() - 127).repeat_interleave(32, 1) for scale in scales]
    expected = (left * factors[0]) @ (right * factors[1].T)
    torch.testing.assert_close(c.double(), expected, rtol=1e-3, atol=1e-2)
