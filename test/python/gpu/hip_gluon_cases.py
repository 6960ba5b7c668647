"""Gluon's words for AMD GPUs, run: cases of test_hip_simulated.py."""

import pytest
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import amd


@gluon.jit
def copy_kernel(x_ptr, y_ptr, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [64], [4], [0])
    offsets = gl.arange(0, 1024, layout)
    x = amd.cdna3.buffer_load(x_ptr, offsets, mask=offsets < n, other=7.0)
    amd.cdna3.buffer_store(x + 1, y_ptr, offsets, mask=offsets < n + 3)


def test_masks_are_offsets_out_of_range():
    x, y, expected = torch.arange(1024, dtype=torch.float32), torch.zeros(1024), torch.zeros(1024)
    copy_kernel[(1,)](x, y, 1000, num_warps=4)
    expected[:1000] = x[:1000] + 1
    expected[1000:1003] = 8
    assert torch.equal(y, expected)


@gluon.jit
def product_kernel(a_ptr, b_ptr, c_ptr, SUM: gl.constexpr):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 64, gl.SliceLayout(1, blocked))[:, None]
    columns = gl.arange(0, 64, gl.SliceLayout(0, blocked))[None, :]
    a = gl.convert_layout(gl.load(a_ptr + rows * 64 + columns), gl.DotOperandLayout(0, SUM, 4))
    b = gl.convert_layout(gl.load(b_ptr + rows * 64 + columns), gl.DotOperandLayout(1, SUM, 4))
    c = amd.cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, SUM))
    gl.store(c_ptr + rows * 64 + columns, gl.convert_layout(c, blocked))


def test_products():
    torch.manual_seed(0)
    a, b = (torch.randint(-4, 4, (64, 64)).half() for _ in range(2))
    for shape in ([32, 32, 8], [16, 16, 16]):
        for is_transposed in (True, False):
            c = torch.zeros(64, 64)
            product_kernel[(1,)](a, b, c, amd.AMDMFMALayout(3, shape, is_transposed, [2, 2]), num_warps=4)
            assert torch.equal(c, a.float() @ b.float())


@gluon.jit
def shared_kernel(x_ptr, y_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.arange(0, 32, gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], shared)
    amd.cdna4.async_copy.buffer_load_to_shared(buffer, x_ptr, columns * 32 + rows, mask=columns < 16)
    amd.cdna4.async_copy.commit_group()
    amd.cdna4.async_copy.wait_group(0)
    gl.store(y_ptr + rows * 32 + columns, amd.cdna4.async_copy.load_shared_relaxed(buffer, layout))


def test_copies_to_shared_memory():
    x, y = torch.arange(1024, dtype=torch.float32), torch.empty(1024)
    shared_kernel[(1,)](x, y, num_warps=4)
    expected = x.reshape(32, 32).T.clone()
    expected[:, 16:] = 0
    assert torch.equal(y.reshape(32, 32), expected)


@gluon.jit
def count_kernel(x_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    offsets = gl.arange(0, 256, layout) % 16
    amd.cdna3.buffer_atomic_add(x_ptr, offsets, gl.full([256], 1, gl.int32, layout), mask=offsets < 12)


def test_updates():
    x = torch.zeros(16, dtype=torch.int32)
    count_kernel[(1,)](x, num_warps=4)
    assert x.tolist() == [16] * 12 + [0] * 4


@gluon.jit
def indexed_kernel(x_ptr, index_ptr, gathered_ptr, scattered_ptr, sums_ptr, old_ptr, KIND: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [8, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 4, [1, 0])
    rows = gl.arange(0, 32, gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 16, gl.SliceLayout(0, layout))[None, :]
    at = rows * 16 + columns
    x, index = gl.load(x_ptr + at), gl.load(index_ptr + at)
    buffer = gl.allocate_shared_memory(x.dtype, [32, 16], shared, x)
    gl.store(gathered_ptr + at, buffer.gather(index, 0))
    others = gl.allocate_shared_memory(x.dtype, [32, 16], shared)
    others.scatter(x, index, axis=0)
    gl.store(scattered_ptr + at, others.load(layout))
    sums = gl.allocate_shared_memory(x.dtype, [32, 16], shared, gl.full([32, 16], 1, x.dtype, layout))
    if KIND == "add":
        old = sums.atomic_scatter_add(x, index // 4, axis=0, mask=columns < 15)
    elif KIND == "max":
        old = sums.atomic_scatter_max(x, index // 4, axis=0, mask=columns < 15)
    else:
        old = sums.atomic_scatter_xor(x, index // 4, axis=0, mask=columns < 15)
    gl.store(sums_ptr + at, sums.load(layout))
    gl.store(old_ptr + at, old)


@pytest.mark.parametrize(
    "kind, dtype",
    [("add", torch.float32), ("add", torch.float16), ("add", torch.int32), ("max", torch.int32), ("xor", torch.int64)],
)
def test_elements_that_indices_choose(kind, dtype):
    x = torch.randint(-9, 9, (32, 16)).to(dtype)
    index = torch.stack([torch.randperm(32) for _ in range(16)], 1).int()
    gathered, scattered, sums, old = (torch.zeros_like(x) for _ in range(4))
    indexed_kernel[(1,)](x, index, gathered, scattered, sums, old, kind, num_warps=4)
    assert torch.equal(gathered, torch.gather(x, 0, index.long()))
    assert torch.equal(scattered, torch.zeros_like(x).scatter(0, index.long(), x))
    combine = {"add": lambda a, b: a + b, "max": max, "xor": lambda a, b: a ^ b}[kind]
    expected = torch.ones_like(x)
    for column in range(15):
        for row in range(32):
            place = int(index[row, column]) // 4
            expected[place, column] = combine(expected[place, column], x[row, column])
    assert torch.equal(sums, expected)
    assert all((old[:, column] == 1).sum() >= 8 for column in range(15))  # who came first
