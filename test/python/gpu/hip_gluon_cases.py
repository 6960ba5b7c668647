"""Gluon's words for AMD GPUs, run: cases of test_hip_simulated.py."""

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
