"""Shape manipulation: what moves where, against numpy."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import values


@triton.jit
def load_2d(ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def store_flat(ptr, x):
    x = tl.reshape(x, [x.numel])
    tl.store(ptr + tl.arange(0, x.numel), x)


@triton.jit
def shape_kernel(x_ptr, out_ptr, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = load_2d(x_ptr, M, N)
    if OP == "trans":
        y = tl.trans(x)
    elif OP == "T":
        y = x.T
    elif OP == "permute":
        y = tl.permute(x, (1, 0))
    elif OP == "reshape":
        y = tl.reshape(x, (N, M))
    elif OP == "split":
        a, b = tl.split(tl.reshape(x, (M, N // 2, 2)))
        y = tl.join(b, a)
    elif OP == "interleave":
        y = tl.interleave(x, x + 1)
    elif OP == "expand":
        y = tl.broadcast_to(tl.expand_dims(x, 1), (M, 2, N))
    elif OP == "flip":
        y = tl.flip(x, 1)
    elif OP == "three":
        y = tl.permute(tl.reshape(x, (M, N // 4, 4)), (2, 0, 1))
    elif OP == "none":
        y = x[:, None, :] + tl.zeros((1, 2, 1), tl.int32)
    else:
        y = tl.ravel(x)
    store_flat(out_ptr, y)


CASES = {
    "trans": lambda x: x.T,
    "T": lambda x: x.T,
    "permute": lambda x: x.T,
    "reshape": lambda x: x,
    "split": lambda x: np.stack([x[:, 1::2], x[:, ::2]], -1),
    "interleave": lambda x: np.stack([x, x + 1], -1),
    "expand": lambda x: np.stack([x, x], 1),
    "flip": lambda x: x[:, ::-1],
    "ravel": lambda x: x,
    "three": lambda x: x.reshape(x.shape[0], -1, 4).transpose(2, 0, 1),
    "none": lambda x: np.stack([x, x], 1),
}


@pytest.mark.parametrize("op", sorted(CASES))
@pytest.mark.parametrize("shape", [(4, 8), (32, 32), (1, 16), (64, 4), (2, 128)])
def test_shape(op, shape):
    x = values("int32", shape[0] * shape[1], 1, -1000, 1000)
    expected = CASES[op](x.numpy().reshape(shape)).reshape(-1)
    out = torch.zeros(expected.size, dtype=torch.int32)
    shape_kernel[(1,)](x, out, op, *shape)
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def cat_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.load(y_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, 2 * N), tl.cat(x, y, can_reorder=True))


def test_cat_holds_both():
    x, y = values("float32", 64, 2), values("float32", 64, 3)
    out = torch.zeros(128)
    cat_kernel[(1,)](x, y, out, 64)
    torch.testing.assert_close(out.sort().values, torch.cat([x, y]).sort().values, rtol=0, atol=0)


@triton.jit
def hypercube_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 1024))
    y = tl.reshape(x, [2] * 10)
    y = tl.permute(y, (9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
    tl.store(out_ptr + tl.arange(0, 1024), tl.reshape(y, [1024]))


def test_rank_ten():
    x = values("int32", 1024, 4)
    out = torch.zeros_like(x)
    hypercube_kernel[(1,)](x, out)
    np.testing.assert_array_equal(out.numpy(), x.numpy().reshape([2] * 10).transpose(range(9, -1, -1)).reshape(-1))


@triton.jit
def gather_kernel(
    x_ptr, index_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, IM: tl.constexpr, IN: tl.constexpr
):
    x = load_2d(x_ptr, M, N)
    index = load_2d(index_ptr, IM, IN)
    store_flat(out_ptr, tl.gather(x, index, AXIS))


@pytest.mark.parametrize(
    "axis, shape, index_shape",
    [(0, (16, 8), (4, 8)), (1, (16, 8), (16, 32)), (-1, (4, 64), (4, 64)), (0, (64, 1), (64, 1))],
)
def test_gather(axis, shape, index_shape):
    x = values("float32", shape[0] * shape[1], 5)
    index = values("int32", index_shape[0] * index_shape[1], 6, 0, shape[axis] - 1)
    out = torch.zeros(index.numel())
    gather_kernel[(1,)](x, index, out, axis, *shape, *index_shape)
    expected = np.take_along_axis(x.numpy().reshape(shape), index.numpy().reshape(index_shape), axis)
    np.testing.assert_array_equal(out.numpy(), expected.reshape(-1))


@triton.jit
def scalar_index_kernel(x_ptr, out_ptr, N: tl.constexpr):
    row, n = tl.program_id(0), tl.arange(0, N)
    tl.static_assert(row[:, None].shape == [1])
    tl.static_assert(row[None, :].shape == [1])
    tl.static_assert(n[:, None][:, :, None].shape == [N, 1, 1])
    at = row[:, None] * N + n[None, :]
    tl.store(out_ptr + at, tl.load(x_ptr + at) + row[None])


def test_scalars_and_trailing_slices():
    x = torch.arange(24, dtype=torch.int32)
    out = torch.zeros_like(x)
    scalar_index_kernel[(3,)](x, out, 8)
    assert out.tolist() == [i + i // 8 for i in range(24)]
