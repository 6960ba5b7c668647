"""Options of loops change no results: flattened, unrolled, pipelined, split over warps, kept as written."""

import functools
import operator

import pytest
import torch
import triton
import triton.language as tl

TRIPS = [(0, 3), (3, 0), (4, 5), (2, 2), (7, 3)]


@triton.jit
def nested_kernel(x_ptr, out_ptr, n, m, FLATTEN: tl.constexpr, UNROLL: tl.constexpr, STAGES: tl.constexpr):
    total = 0.0
    for i in tl.range(0, n, flatten=FLATTEN, num_stages=STAGES):
        base = tl.load(x_ptr + i)
        part = base
        for j in tl.range(0, m, loop_unroll_factor=UNROLL):
            part = part * 0.5 + tl.load(x_ptr + i * m + j)
        total = total * 0.25 + part - base
        tl.store(out_ptr + 1 + i, part)
    tl.store(out_ptr, total)


@pytest.mark.parametrize("n, m", TRIPS)
@pytest.mark.parametrize("flatten, unroll, stages", [(True, None, None), (True, 2, 3), (False, 4, None), (False, 3, 2)])
def test_nested_scalars(n, m, flatten, unroll, stages):
    x, out = torch.arange(64.0), torch.zeros(16)
    nested_kernel[(1,)](x, out, n, m, flatten, unroll, stages)
    expected, total = torch.zeros(16), 0.0
    for i in range(n):
        part = float(x[i])
        for j in range(m):
            part = part * 0.5 + float(x[i * m + j])
        total = total * 0.25 + part - float(x[i])
        expected[1 + i] = part
    expected[0] = total
    torch.testing.assert_close(out, expected, rtol=1e-6, atol=1e-6)


@triton.jit
def blocks_kernel(x_ptr, out_ptr, rows, columns, FLATTEN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), flatten=FLATTEN):
        sums = tl.zeros((N,), tl.float32)
        start = x_ptr + row * columns
        for column in range(0, columns, N):
            sums += tl.load(start + column + i, mask=column + i < columns, other=0.0)
        tl.store(out_ptr + row * N + i, sums)


@pytest.mark.parametrize("columns", [0, 16, 100, 64])
@pytest.mark.parametrize("rows", [0, 2, 9])
@pytest.mark.parametrize("flatten", [False, True])
def test_rows_of_a_persistent_kernel(flatten, rows, columns):
    x, out = torch.arange(float(max(rows * columns, 1))), torch.full((max(rows, 1) * 32,), 7.0)
    blocks_kernel[(4,)](x, out, rows, columns, flatten, 32)
    expected = torch.full((max(rows, 1), 32), 7.0)
    if rows:
        padded = torch.zeros(rows, (columns + 31) // 32 * 32)
        padded[:, :columns] = x[: rows * columns].view(rows, columns)
        expected = padded.view(rows, -1, 32).sum(1)
    assert torch.equal(out, expected.reshape(-1))


@triton.jit
def three_kernel(out_ptr, n, FLATTEN: tl.constexpr):
    count = 0
    for i in tl.range(0, n, flatten=FLATTEN):
        for j in range(1, 7, 2):
            for k in range(0, n):
                tl.store(out_ptr + count, i * 100 + j * 10 + k)
                count += 1
    tl.store(out_ptr + 255, count)


@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("n", [0, 2, 4])
def test_three_loops(n, flatten):
    out = torch.zeros(256, dtype=torch.int32)
    three_kernel[(1,)](out, n, flatten)
    expected = [i * 100 + j * 10 + k for i in range(n) for j in (1, 3, 5) for k in range(n)]
    assert out.tolist() == expected + [0] * (255 - len(expected)) + [len(expected)]


@triton.jit
def dependent_kernel(out_ptr, n, FLATTEN: tl.constexpr):
    total = 0
    for i in tl.range(0, n, flatten=FLATTEN):
        for j in range(0, i):
            total += i * j
    tl.store(out_ptr, total)


@pytest.mark.parametrize("flatten", [False, True])
def test_bounds_that_change(flatten):
    out = torch.zeros(1, dtype=torch.int32)
    dependent_kernel[(1,)](out, 9, flatten)
    assert out.item() == sum(i * j for i in range(9) for j in range(i))


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, FLATTEN: tl.constexpr, SPECIALIZE: tl.constexpr, SINGLE: tl.constexpr, LICM: tl.constexpr, STAGES: tl.constexpr):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    for tile in tl.range(tl.program_id(0), 4, tl.num_programs(0), flatten=FLATTEN):
        acc = tl.zeros((M, N), tl.float32)
        for step in tl.range(0, K, BK, num_stages=STAGES, warp_specialize=SPECIALIZE, disallow_acc_multi_buffer=SINGLE, disable_licm=LICM):  # fmt: skip
            a = tl.load(a_ptr + (tile * M + m)[:, None] * K + (step + k)[None, :])
            b = tl.load(b_ptr + (step + k)[:, None] * N + n[None, :])
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + (tile * M + m)[:, None] * N + n[None, :], acc)


OPTIONS = [
    dict(FLATTEN=True),
    dict(SPECIALIZE=True),
    dict(SINGLE=True),
    dict(LICM=True),
    dict(STAGES=1),
    dict(STAGES=4),
    dict(FLATTEN=True, SPECIALIZE=True, STAGES=3),
]


@pytest.mark.parametrize("K", [32, 128])
@pytest.mark.parametrize("size", [16, 64])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_products(options, size, K):
    plain = dict(FLATTEN=False, SPECIALIZE=False, SINGLE=False, LICM=False, STAGES=None)
    generator = torch.Generator().manual_seed(size)
    a = torch.randint(-4, 5, (4 * size, K), generator=generator).half()
    b = torch.randint(-4, 5, (K, size), generator=generator).half()
    c = torch.zeros(4 * size, size)
    matmul_kernel[(2,)](a, b, c, K, size, size, 32, **{**plain, **options})
    assert torch.equal(c, a.float() @ b.float())


@triton.jit
def sums_kernel(x_ptr, out_ptr, n, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    rows = tl.full((M,), 3, x_ptr.dtype.element_ty)
    every = tl.full((), 3, x_ptr.dtype.element_ty)
    for step in range(n):
        x = tl.load(x_ptr + step * (M * N) + at)
        if OP == "sum":
            rows += tl.sum(x, 1)
            every += tl.sum(x)
        elif OP == "max":
            rows = tl.maximum(rows, tl.max(x, 1))
            every = tl.maximum(every, tl.max(x))
        elif OP == "min":
            rows = tl.minimum(tl.min(x, 1), rows)
            every = tl.minimum(tl.min(x), every)
        else:
            rows ^= tl.xor_sum(x, 1)
            every ^= tl.xor_sum(tl.ravel(x), 0)
    tl.store(out_ptr, every)
    tl.store(out_ptr + 1 + tl.arange(0, M), rows)


@pytest.mark.parametrize("n", [0, 2, 5])
@pytest.mark.parametrize("shape, warps", [((4, 8), 4), ((32, 128), 4), ((1, 1024), 8), ((64, 16), 1)])
@pytest.mark.parametrize("op, dtype", [(op, t) for op in ("sum", "max", "min", "xor") for t in ("int32", "int64", "float32", "float64") if op != "xor" or t[0] == "i"])  # fmt: skip
def test_sums_over_loops(op, dtype, shape, warps, n):
    """Whether they are added up over threads in the loop or behind it."""
    M, N = shape
    kind = getattr(torch, dtype)
    x = torch.randint(-50, 50, (max(n, 1), M, N), generator=torch.Generator().manual_seed(1)).to(kind)
    if kind.is_floating_point and op in ("max", "min"):
        x[:, 0, :] = float("nan")
    out = torch.zeros(1 + M, dtype=kind)
    sums_kernel[(1,)](x, out, n, op, M, N, num_warps=warps)
    start = torch.full((M,), 3, dtype=kind)
    used = x[:n].transpose(0, 1).reshape(M, -1)
    extended = torch.cat([start[:, None], used], 1).nan_to_num(3)
    if op == "xor":
        rows = torch.tensor([functools.reduce(operator.xor, row) for row in extended.tolist()])
        every = functools.reduce(operator.xor, used.reshape(-1).tolist(), 3)
    elif op == "sum":
        rows, every = extended.sum(1), 3 + used.sum()
    else:
        pick = torch.amax if op == "max" else torch.amin
        rows, every = pick(extended, 1), pick(extended, (0, 1))
    assert out.tolist() == [float(every) if kind.is_floating_point else int(every)] + rows.tolist()


@triton.jit
def while_kernel(x_ptr, out_ptr, LICM: tl.constexpr):
    i = 0
    total = 0
    while tl.condition(tl.load(x_ptr + i) > 0, disable_licm=LICM):
        total += tl.load(x_ptr + i)
        i += 1
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, i)


@pytest.mark.parametrize("licm", [False, True])
def test_while_with_a_wrapped_condition(licm):
    x, out = torch.tensor([3, 4, 5, 0, 9], dtype=torch.int32), torch.zeros(2, dtype=torch.int32)
    while_kernel[(1,)](x, out, licm)
    assert out.tolist() == [12, 3]
