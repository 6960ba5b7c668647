"""Loops with a number of stages of their own run all loads ahead, also where no product needs them. That changes no results."""

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

STAGES = [1, 2, 3, 5]


@triton.jit
def rows_kernel(x_ptr, y_ptr, out_ptr, rows, columns, N: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, N)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * N + i)
        y = tl.load(y_ptr + row * columns + i, mask=i < columns, other=0)
        tl.store(out_ptr + row * N + i, x + 2 * y + tl.max(x, 0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.int64], ids=str)
@pytest.mark.parametrize("rows, columns, size", [(0, 64, 64), (2, 64, 64), (9, 1024, 1024), (21, 500, 512)])
@pytest.mark.parametrize("stages", STAGES)
def test_rows(stages, rows, columns, size, dtype):
    generator = torch.Generator().manual_seed(rows + stages)
    x = torch.randint(-20, 20, (rows, size), generator=generator).to(dtype)
    y = torch.randint(-9, 9, (rows, columns), generator=generator).to(dtype)
    out = torch.zeros_like(x)
    rows_kernel[(4,)](x, y, out, rows, columns, size, stages)
    expected = x + x.amax(1, keepdim=True) if rows else x.clone()
    expected[:, :columns] += 2 * y
    assert torch.equal(out, expected)


@triton.jit
def in_place_kernel(x_ptr, steps, N: tl.constexpr, STAGES: tl.constexpr):
    """Each step reads what the one before has written."""
    at = x_ptr + tl.arange(0, N)
    for _ in tl.range(0, steps, num_stages=STAGES):
        tl.store(at + N, tl.load(at) + 1)
        at += N


@triton.jit
def swapped_kernel(x_ptr, y_ptr, steps, N: tl.constexpr, STAGES: tl.constexpr):
    """Two tensors take turns in being read and written."""
    source, target = x_ptr, y_ptr
    for _ in tl.range(0, steps, num_stages=STAGES):
        i = tl.arange(0, N)
        tl.store(target + i, tl.load(source + i) * 2 + 1)
        source, target = target, source


@pytest.mark.parametrize("stages", STAGES)
@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_steps_that_read_what_others_wrote(steps, stages):
    start = torch.arange(256, dtype=torch.int32)
    x = torch.zeros(8, 256, dtype=torch.int32)
    x[0] = start
    in_place_kernel[(1,)](x, steps, 256, stages)
    assert all(torch.equal(x[step], start + step) for step in range(steps + 1))

    pair = [start.clone(), torch.zeros_like(start)]
    swapped_kernel[(1,)](*pair, steps, 256, stages)
    assert torch.equal(pair[steps % 2], 2**steps * start + 2**steps - 1)


@triton.jit
def indirect_kernel(table_ptr, index_ptr, out_ptr, n, N: tl.constexpr, STAGES: tl.constexpr):
    """Addresses are loaded too."""
    i = tl.arange(0, N)
    sums = tl.zeros((N,), tl.float32)
    for block in tl.range(0, n, num_stages=STAGES):
        row = tl.load(index_ptr + block)
        places = tl.load(index_ptr + row * N + i)
        sums += tl.load(table_ptr + row * N + i) - tl.load(table_ptr + places)
    tl.store(out_ptr + i, sums)


@pytest.mark.parametrize("stages", STAGES)
def test_addresses_that_are_loaded(stages):
    n, size = 11, 128
    generator = torch.Generator().manual_seed(stages)
    table = torch.randint(-50, 50, (n * size,), generator=generator).float()
    index = torch.randint(0, n, (n * size,), generator=generator, dtype=torch.int32)
    out = torch.zeros(size)
    indirect_kernel[(1,)](table, index, out, n, size, stages)
    rows = index[:n].long()
    places = index.view(n, size)[rows].long()
    assert torch.equal(out, (table.view(n, size)[rows] - table[places]).sum(0))


@triton.jit
def nested_kernel(x_ptr, y_ptr, out_ptr, rows, columns, B: tl.constexpr, STAGES: tl.constexpr):
    """A loop in a loop, and a block that is turned around on the way."""
    i = tl.arange(0, B)
    for row in tl.range(0, rows, B, num_stages=STAGES):
        scale = tl.load(y_ptr + row + i)
        total = tl.zeros((B, B), tl.float32)
        for column in tl.range(0, columns, B, num_stages=STAGES):
            block = tl.load(x_ptr + (row + i[:, None]) * columns + column + i[None, :])
            total += block + block.T
        tl.store(out_ptr + (row + i[:, None]) * B + i[None, :], total * scale[:, None])


@pytest.mark.parametrize("rows, columns", [(32, 96), (96, 32), (64, 160)])
@pytest.mark.parametrize("stages", STAGES)
def test_nested_loops(stages, rows, columns):
    generator = torch.Generator().manual_seed(rows)
    x = torch.randint(-9, 9, (rows, columns), generator=generator).float()
    y = torch.randint(-9, 9, (rows,), generator=generator).float()
    out = torch.zeros(rows, 32)
    nested_kernel[(1,)](x, y, out, rows, columns, 32, stages)
    blocks = x.view(rows // 32, 32, columns // 32, 32).permute(0, 2, 1, 3)
    total = (blocks + blocks.transpose(2, 3)).sum(1).reshape(rows, 32)
    assert torch.equal(out, total * y[:, None])


@triton.jit
def descriptors_kernel(x, y, out, tiles, STEP: tl.constexpr, B: tl.constexpr, STAGES: tl.constexpr):
    """Stores are counted from one step before the first tile, as persistent kernels do."""
    stored = tl.program_id(0) - STEP
    for tile in tl.range(tl.program_id(0), tiles, STEP, num_stages=STAGES):
        block = x.load([tile * B, 0]) + 3 * y.load([tile * B, 0])
        stored += STEP
        out.store([stored * B, 0], block)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32], ids=str)
@pytest.mark.parametrize("rows", [32, 200, 320])
@pytest.mark.parametrize("stages", STAGES)
def test_descriptors(stages, rows, dtype):
    generator = torch.Generator().manual_seed(rows)
    x, y = (torch.randint(-9, 9, (rows, 64), generator=generator).to(dtype) for _ in range(2))
    out = torch.zeros_like(x)
    blocks = [TensorDescriptor.from_tensor(tensor, [32, 64]) for tensor in (x, y, out)]
    descriptors_kernel[(3,)](*blocks, triton.cdiv(rows, 32), 3, 32, stages)
    assert torch.equal(out, x + 3 * y)


@triton.jit
def settled_kernel(a_ptr, b_ptr, out_ptr, last_ptr, steps, FORM: tl.constexpr):
    """Carried values that loads run ahead with, and that no iteration computes: they change once, or never."""
    i = tl.arange(0, 64)
    columns, later = i, i + 64
    scale, settled = 2, 3
    total = tl.zeros((64, 64), tl.float32)
    for step in range(steps):
        a = tl.load(a_ptr + i[:, None] * 128 + columns[None, :])
        b = tl.load(b_ptr + step * 4096 + i[:, None] * 64 + i[None, :])
        total = tl.dot(a, b, total) * scale
        columns = later if FORM == "once" else tl.arange(0, 64)
        scale = settled
    tl.store(out_ptr + i[:, None] * 64 + i[None, :], total)
    tl.store(last_ptr + i, columns)


@pytest.mark.parametrize("form", ["once", "never"])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("stages", STAGES)
def test_carried_values_that_settle(stages, steps, form):
    generator = torch.Generator().manual_seed(steps)
    a, b = (torch.randint(-2, 3, shape, generator=generator).half() for shape in ((64, 128), (5, 64, 64)))
    out, last = torch.zeros(64, 64), torch.zeros(64, dtype=torch.int32)
    settled_kernel[(1,)](a, b, out, last, steps, form, num_stages=stages)
    expected = torch.zeros(64, 64)
    for step in range(steps):
        left = a[:, 64:] if form == "once" and step else a[:, :64]
        expected = (expected + left.float() @ b[step].float()) * (3 if step else 2)
    assert torch.equal(out, expected)
    assert torch.equal(last, torch.arange(64, dtype=torch.int32) + (64 if form == "once" and steps else 0))


@triton.jit
def scaled_product_kernel(
    a_ptr, w_ptr, scale_ptr, shift_ptr, out_ptr, K, GROUP: tl.constexpr, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """Scales of columns, some masked, and a shift of each step are too narrow to be copied: they are loaded an iteration ahead."""
    rows, columns, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rows[:, None] * K + k + ks[None, :])
        w = tl.load(w_ptr + (k + ks)[:, None] * N + columns[None, :])
        scale = tl.load(scale_ptr + k // GROUP * N + columns, mask=columns < N - 3, other=2.0)
        shift = tl.load(shift_ptr + k // BK)
        acc = tl.dot(a, (w.to(tl.float16) - shift) * scale[None, :], acc)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], acc)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("rows", [16, 64])
def test_products_with_scales(rows, steps, stages):
    N, BK, group = 64, 32, 64
    generator = torch.Generator().manual_seed(steps)
    K = steps * BK
    a = torch.randint(-3, 4, (rows, K), generator=generator).half()
    w = torch.randint(-8, 8, (K, N), generator=generator, dtype=torch.int8)
    scale = torch.randint(1, 4, (max(1, -(-K // group)), N), generator=generator).half()
    shift = torch.randint(-2, 3, (max(1, steps),), generator=generator).half()
    out = torch.empty(rows, N)
    scaled_product_kernel[(1,)](a, w, scale, shift, out, K, group, rows, N, BK, num_stages=stages)
    scale[:, N - 3 :] = 2
    dense = (w.float() - shift.float().repeat_interleave(BK)[:K, None]) * scale.float().repeat_interleave(group, 0)[:K]
    assert torch.equal(out, a.float() @ dense)


@triton.jit
def chased_kernel(index_ptr, table_ptr, right_ptr, out_ptr, steps, N: tl.constexpr):
    """Each step writes the index by which the next one reads."""
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    right = tl.load(right_ptr + at)
    sums = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        block = tl.load(index_ptr + step)
        sums = tl.dot(tl.load(table_ptr + block * N * N + at), right, sums)
        tl.store(index_ptr + step + 1, (block + 3) % 7)
    tl.store(out_ptr + at, sums)


@pytest.mark.parametrize("stages", STAGES)
def test_addresses_that_the_loop_writes(stages):
    n, steps = 32, 6
    generator = torch.Generator().manual_seed(stages)
    table, right = (torch.randint(-3, 4, (7, n, n), generator=generator).half() for _ in range(2))
    index, out = torch.ones(steps + 1, dtype=torch.int32), torch.zeros(n, n)
    chased_kernel[(1,)](index, table, right[0], out, steps, n, num_stages=stages, num_warps=1)
    blocks = [(1 + 3 * step) % 7 for step in range(steps + 1)]
    assert index.tolist() == blocks
    assert torch.equal(out, sum(table[block].float() @ right[0].float() for block in blocks[:-1]))
