"""Addresses: offsets of every width and sign, arithmetic that wraps or rounds, pointers that are chosen, carried and cast."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import TORCH, values


@triton.jit
def offsets_kernel(x_ptr, offset_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    offset = tl.load(offset_ptr + i)
    middle = x_ptr + 256
    tl.store(out_ptr + i, tl.load(middle + offset))
    tl.store(out_ptr + N + i, tl.load(offset + middle))
    tl.store(out_ptr + 2 * N + i, tl.load(x_ptr + 511 - offset.to(tl.int64) - 128))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"])
def test_offsets_are_extended_by_their_sign(dtype):
    x = values("int32", 512, 1)
    low, high = (-128, 127) if dtype.startswith("int") else (0, 255)
    offset = values(dtype, 64, 2) if dtype == "bool" else values(dtype, 64, 2, low, high)
    out = torch.zeros(192, dtype=torch.int32)
    offsets_kernel[(1,)](x, offset, out, 64)
    at = offset.numpy().astype("int64")
    expected = np.concatenate([x.numpy()[256 + at], x.numpy()[256 + at], x.numpy()[383 - at]])
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def wrapped_kernel(x_ptr, out_ptr, start, size, FORM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if FORM == "broken runs":  # four and four, eight apart, from below zero
        at = (i // 4 * 8 + i % 4 - 64) % size
    elif FORM == "turned":
        at = ((i ^ 16) - 32) % size
    elif FORM == "rounded":
        at = (i - 37) // 4
    elif FORM == "rounded by a variable":
        at = (i - 37) // size
    elif FORM == "start":
        at = (start + i) % size
    elif FORM == "bytes":
        at = (i.to(tl.uint8) + 200).to(tl.int32)
    elif FORM == "signed bytes":
        at = (i.to(tl.int8) + 100).to(tl.int32)
    elif FORM == "shifted":
        at = (i - 40) >> 2
    elif FORM == "masked":
        at = (i - 40) & 31
    else:
        at = tl.minimum(i, size - 1) - tl.maximum(i - 20, 0)
    tl.store(out_ptr + i, tl.load(x_ptr + 512 + at))


def wrapped(form, i, start, size):
    if form == "broken runs":
        return np.fmod(i // 4 * 8 + i % 4 - 64, size)
    if form == "turned":
        return np.fmod((i ^ 16) - 32, size)
    if form == "rounded":
        return np.trunc((i - 37) / 4).astype(int)
    if form == "rounded by a variable":
        return np.trunc((i - 37) / size).astype(int)
    if form == "start":
        return np.fmod(start + i, size)
    if form == "bytes":
        return (i + 200) % 256
    if form == "signed bytes":
        return (i + 100 + 128) % 256 - 128
    if form == "shifted":
        return (i - 40) >> 2
    if form == "masked":
        return (i - 40) & 31
    return np.minimum(i, size - 1) - np.maximum(i - 20, 0)


FORMS = ["broken runs", "turned", "rounded", "rounded by a variable", "start", "bytes", "signed bytes", "shifted", "masked", "clamped"]  # fmt: skip


@pytest.mark.parametrize("n, warps", [(64, 1), (256, 4), (128, 2)])
@pytest.mark.parametrize("dtype", ["int8", "int32", "float16"])
@pytest.mark.parametrize("form", FORMS)
def test_arithmetic_of_offsets(form, dtype, n, warps):
    x = values(dtype, 1024, 3)
    out = torch.zeros(n, dtype=TORCH[dtype])
    wrapped_kernel[(1,)](x, out, 48, 64, form, n, num_warps=warps)
    np.testing.assert_array_equal(out.numpy(), x.numpy()[512 + wrapped(form, np.arange(n), 48, 64)])


@triton.jit
def chosen_kernel(x_ptr, y_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.where(i % 3 == 0, x_ptr + i, y_ptr + 2 * i)
    tl.store(out_ptr + i, tl.load(p))
    q = x_ptr if n > 5 else y_ptr
    for step in range(n):
        if step % 2 == 0:
            p += 1
        else:
            p = p - 2 + step
        q += step
    tl.store(out_ptr + N + i, tl.load(p))
    tl.store(out_ptr + 2 * N, tl.load(q))
    wide = (x_ptr + 3).to(tl.int64) - x_ptr.to(tl.int64)
    tl.store(out_ptr + 2 * N + 1, wide)
    tl.store(out_ptr + 2 * N + 2, tl.load((x_ptr.to(tl.int64) + 8).to(tl.pointer_type(tl.int32))))
    tl.store(out_ptr + 2 * N + 3, 1 if x_ptr else 0)


@pytest.mark.parametrize("n", [0, 3, 6])
def test_pointers_are_values(n):
    x, y = values("int32", 512, 4), values("int32", 512, 5)
    out = torch.zeros(2 * 64 + 4, dtype=torch.int32)
    chosen_kernel[(1,)](x, y, out, n, 64)
    moved = sum(1 if step % 2 == 0 else step - 2 for step in range(n))
    i = np.arange(64)
    first = np.where(i % 3 == 0, x.numpy()[i], y.numpy()[2 * i])
    second = np.where(i % 3 == 0, x.numpy()[i + moved], y.numpy()[2 * i + moved])
    q = (x if n > 5 else y).numpy()[sum(range(n))]
    np.testing.assert_array_equal(out.numpy(), np.concatenate([first, second, [q, 12, x.numpy()[2], 1]]))


@triton.jit
def rows_kernel(rows, out_ptr, first, stride, R: tl.constexpr, N: tl.constexpr, dtype: tl.constexpr):
    """Each row from an array of its own."""
    r = tl.arange(0, R)
    p = rows[0] + r * 0
    for i in tl.static_range(1, len(rows)):
        p = tl.where(r == i, rows[i], p)
    i = tl.arange(0, N)[None, :]
    at = first.to(dtype) + (i if stride is None else i.to(dtype) * stride.to(dtype))
    tl.store(out_ptr + r[:, None] * N + i, tl.load(p[:, None] + at, mask=r[:, None] < 3, other=7))


@pytest.mark.parametrize("offset", ["int16", "int32", "int64"])
@pytest.mark.parametrize("stride", [None, 3])
@pytest.mark.parametrize("n", [4, 32])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_rows_of_chosen_arrays(dtype, n, stride, offset):
    rows = [values(dtype, 128, 8 + seed) for seed in range(3)]
    out = torch.zeros((4, n), dtype=TORCH[dtype])
    rows_kernel[(1,)](tuple(rows), out, 5, stride, 4, n, getattr(tl, offset))
    expected = [row.numpy()[5 + (stride or 1) * np.arange(n)] for row in rows] + [np.full(n, 7, dtype)]
    np.testing.assert_array_equal(out.numpy(), np.stack(expected))


@triton.jit
def wide_kernel(x_ptr, out_ptr, start, N: tl.constexpr):
    """Sums beyond 32 bits that come back."""
    i = tl.arange(0, N).to(tl.int64)
    at = i + start
    at = at - 2**40
    tl.store(out_ptr + tl.arange(0, N), tl.load(x_ptr + at))
    far = x_ptr + 2**33
    tl.store(out_ptr + N + tl.arange(0, N), tl.load(far - 2**33 + tl.arange(0, N)))


def test_offsets_beyond_32_bits():
    x, out = values("int32", 256, 6), torch.zeros(128, dtype=torch.int32)
    wide_kernel[(1,)](x, out, 2**40 + 16, 64)
    np.testing.assert_array_equal(out.numpy(), np.concatenate([x.numpy()[16:80], x.numpy()[:64]]))


@triton.jit
def aligned_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=-1), mask=i < n + 3)


@pytest.mark.parametrize("shift", [0, 1, 2, 3, 4, 8])
@pytest.mark.parametrize("n", [0, 1, 5, 16, 100, 128])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_starts_and_bounds_of_any_alignment(dtype, n, shift):
    memory = values(dtype, 200, 7)
    x, out = memory[shift:], torch.zeros(200, dtype=TORCH[dtype])
    aligned_kernel[(1,)](x, out[shift:], n, 128)
    expected = np.zeros(200, dtype)
    count = min(n + 3, 128)
    expected[shift : shift + count] = -1
    expected[shift : shift + n] = x.numpy()[:n]
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def hinted_kernel(x_ptr, out_ptr, rows, columns, FORM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    if FORM == "wrapped":
        row, column = m % rows, n % columns
    else:
        row, column = tl.where(m < rows, m, 0), tl.where(n < columns, n, 0)
    row = tl.max_contiguous(tl.multiple_of(row, M), M)
    column = tl.max_contiguous(tl.multiple_of(column, N), N)
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :])
    tl.store(out_ptr + m[:, None] * (tl.num_programs(1) * N) + n[None, :], x)


@pytest.mark.parametrize("form", ["wrapped", "clipped"])
@pytest.mark.parametrize("rows, columns", [(3, 5), (16, 1), (5, 37), (33, 77)])
def test_hinted_runs_that_end_early(form, rows, columns):
    x = values("int32", rows * columns, 3).reshape(rows, columns)
    grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 64))
    m, n = np.arange(grid[0] * 16), np.arange(grid[1] * 64)
    out = torch.zeros(len(m), len(n), dtype=torch.int32)
    hinted_kernel[grid](x, out, rows, columns, form, 16, 64)
    at = (m % rows, n % columns) if form == "wrapped" else (np.where(m < rows, m, 0), np.where(n < columns, n, 0))
    np.testing.assert_array_equal(out.numpy(), x.numpy()[np.ix_(*at)])


@triton.jit
def divided_kernel(x_ptr, out_ptr, back_ptr, rows_ptr, start, width, stride, INDEX: tl.constexpr, N: tl.constexpr):
    flat = (start + tl.arange(0, N)).to(INDEX)
    row, column = flat // width, flat % width
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + 4096 + row * stride + column))
    tl.store(back_ptr + 4096 + row * stride + column, i + 1)
    tl.store(rows_ptr + i, tl.where(row > 2, row.to(tl.float32), -column.to(tl.float32)))


@pytest.mark.parametrize("index", [tl.int32, tl.int64], ids=str)
@pytest.mark.parametrize("start", [0, 7, -5, -300])
@pytest.mark.parametrize("width", [1, 3, 16, 37, 64, 100, 129, 1000])
def test_rows_by_division(width, start, index):
    n = 256
    stride = width + 3
    x = values("int32", 8192, 3)
    out, back, rows = torch.zeros(n, dtype=torch.int32), torch.zeros(8192, dtype=torch.int32), torch.zeros(n)
    divided_kernel[(1,)](x, out, back, rows, start, width, stride, index, n)
    flat = start + np.arange(n)
    row, column = np.trunc(flat / width).astype(int), np.fmod(flat, width)
    at = 4096 + row * stride + column
    np.testing.assert_array_equal(out.numpy(), x.numpy()[at])
    expected = np.zeros(8192, np.int32)
    expected[at] = np.arange(n) + 1
    if len(set(at)) == n:
        np.testing.assert_array_equal(back.numpy(), expected)
    np.testing.assert_array_equal(rows.numpy(), np.where(row > 2, row, -column).astype(np.float32))
