"""Block pointers and descriptors: one to five dimensions, every dtype, blocks inside, across and outside of the edges, against padded arrays."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import TORCH, bits, ctas, random_bits, values
from triton.tools.tensor_descriptor import TensorDescriptor

TYPES = ["int8", "uint8", "int16", "int32", "float8_e5m2", "float8_e4m3fn", "float16", "bfloat16", "float32"]
WIDE = ["int64", "float64"]


@pytest.fixture(autouse=True)
def scratch(device):
    if device == "cuda":
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))


def window(array, offsets, block, fill=0):
    """The block at `offsets`, `fill` outside of the array."""
    result = np.full(block, fill, array.dtype)
    low = [max(-offset, 0) for offset in offsets]
    high = [min(size - offset, extent) for size, offset, extent in zip(array.shape, offsets, block)]
    if all(h > l for l, h in zip(low, high)):
        inside = tuple(slice(l, h) for l, h in zip(low, high))
        result[inside] = array[tuple(slice(o + l, o + h) for o, l, h in zip(offsets, low, high))]
    return result


def place(array, offsets, block):
    """Writes into `array` what of `block` lies in it."""
    for index in np.ndindex(block.shape):
        where = tuple(o + i for o, i in zip(offsets, index))
        if all(0 <= w < size for w, size in zip(where, array.shape)):
            array[where] = block[index]


# Per number of dimensions: shape, block, and offsets. Rows are multiples of 16 bytes for every dtype.
CASES = {
    1: ((80,), (32,), [(0,), (64,), (-16,), (96,)]),
    2: ((10, 48), (4, 32), [(0, 0), (8, 32), (-2, -16), (20, 0), (3, 16)]),
    3: ((3, 5, 32), (2, 4, 16), [(0, 0, 0), (2, 3, 16), (-1, -2, 32), (1, 1, -16)]),
    4: ((2, 3, 5, 32), (1, 2, 4, 16), [(0, 0, 0, 0), (1, 2, 3, 16), (-1, 1, 2, 16), (0, 0, 0, 32)]),
    5: ((2, 2, 3, 3, 32), (1, 2, 2, 4, 16), [(0, 0, 0, 0, 0), (1, 1, 2, 2, 16), (1, -1, -1, 1, 16)]),
}


@triton.jit
def copy_block_kernel(source, target):
    target.store([0, 0], source.load([0, 0]))


@triton.jit
def copy_rows_kernel(source, target):
    target.store([0, 0], source.gather(tl.arange(0, 8), 0))


@pytest.mark.parametrize("kernel, block", [(copy_block_kernel, [8, 16]), (copy_rows_kernel, [1, 16])])
@pytest.mark.parametrize("rounds", [False, True])
def test_loads_round_to_tf32(kernel, block, rounds):
    """To the nearest, ties to even; NaN and infinity are kept, and stores round nothing."""
    patterns = np.random.default_rng(0).integers(0, 2**32, (8, 16), dtype=np.uint32)
    patterns[0, :8] = [0x3F801000, 0x3F803000, 0x3F801001, 0x7F800000, 0x7F800001, 0xFFFFFFFF, 0x80000000, 0x7F7FFFFF]
    source, target = torch.from_numpy(patterns.view(np.float32)), torch.zeros(8, 16)
    kernel[(1,)](
        TensorDescriptor.from_tensor(source, block, round_f32_to_tf32=rounds),
        TensorDescriptor.from_tensor(target, [8, 16], round_f32_to_tf32=True),
    )
    wide = patterns.astype(np.uint64)
    rounded = (wide + 0xFFF + (wide >> np.uint64(13) & np.uint64(1))).astype(np.uint32) & np.uint32(0xFFFFE000)
    is_nan = np.isnan(source.numpy())
    found = target.numpy().view(np.uint32)
    np.testing.assert_array_equal(np.isnan(target.numpy()), is_nan)
    np.testing.assert_array_equal(found[~is_nan], (rounded if rounds else patterns)[~is_nan])


def test_only_float32_rounds_to_tf32():
    with pytest.raises(AssertionError, match="round_f32_to_tf32 is only supported for float32 tensors"):
        TensorDescriptor.from_tensor(torch.zeros(8, 16, dtype=torch.float16), [8, 16], round_f32_to_tf32=True)


@triton.jit
def far_block_kernel(x, out, offset, extent, SIZE: tl.constexpr):
    block = tl.make_block_ptr(x, (extent,), (1,), (offset,), (SIZE,), (0,))
    block = tl.advance(block, (3 - offset,))
    tl.store(out + tl.arange(0, SIZE), tl.load(block, boundary_check=(0,), padding_option="zero"))


@pytest.mark.parametrize("offset", [5, 2**33, -(2**40)])
def test_offsets_of_block_pointers_are_as_wide_as_they_are(offset):
    x, out = torch.arange(8, dtype=torch.int32), torch.full((8,), -1, dtype=torch.int32)
    far_block_kernel[(1,)](x, out, offset, 8, 8)
    assert out.tolist() == [3, 4, 5, 6, 7, 0, 0, 0]


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, copy_ptr, offsets, SHAPE: tl.constexpr, STRIDES: tl.constexpr, BLOCK: tl.constexpr, PADDING: tl.constexpr):  # fmt: skip
    source = tl.make_tensor_descriptor(x_ptr, SHAPE, STRIDES, BLOCK, padding_option=PADDING)
    target = tl.make_tensor_descriptor(copy_ptr, SHAPE, STRIDES, BLOCK)
    x = source.load(offsets)
    tl.static_assert(x.shape == BLOCK)
    tl.store(out_ptr + tl.arange(0, x.numel), tl.reshape(x, [x.numel]))
    target.store(offsets, x)


def strides_of(shape):
    return tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))


@pytest.mark.parametrize("rank", CASES)
@pytest.mark.parametrize("dtype", TYPES + WIDE)
def test_descriptors_made_by_kernels(dtype, rank):
    shape, block, places = CASES[rank]
    x = random_bits(dtype, shape, 1)
    for offsets in places:
        out, copy = torch.zeros(block, dtype=x.dtype), torch.zeros(shape, dtype=x.dtype)
        descriptor_kernel[(1,)](x, out, copy, offsets, shape, strides_of(shape), block, "zero")
        expected = window(bits(x), offsets, block)
        np.testing.assert_array_equal(bits(out), expected, str(offsets))
        written = np.zeros_like(bits(x))
        place(written, offsets, expected)
        np.testing.assert_array_equal(bits(copy), written, str(offsets))


@pytest.mark.parametrize("warps, count", [(1, 1), (8, 1), (4, 2)])
@pytest.mark.parametrize("rank", CASES)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_nan_outside(dtype, rank, warps, count):
    shape, block, places = CASES[rank]
    x = values(dtype, int(np.prod(shape)), 2).view(shape)
    for offsets in places:
        out, copy = torch.zeros(block, dtype=x.dtype), torch.zeros(shape, dtype=x.dtype)
        descriptor_kernel[(1,)](x, out, copy, offsets, shape, strides_of(shape), block, "nan", num_warps=warps, num_ctas=ctas(count))  # fmt: skip
        np.testing.assert_array_equal(out.numpy(), window(x.numpy(), offsets, block, np.nan), str(offsets))


@triton.jit
def host_kernel(source, target, offsets):
    x = source.load(offsets)
    tl.static_assert(len(source.shape) == len(source.block_shape))
    target.store(offsets, x)


@pytest.mark.parametrize("rank", CASES)
@pytest.mark.parametrize("dtype", TYPES + WIDE)
def test_descriptors_made_by_hosts(dtype, rank):
    shape, block, places = CASES[rank]
    x = random_bits(dtype, shape, 3)
    for offsets in places:
        copy = torch.zeros(shape, dtype=x.dtype)
        source, target = (TensorDescriptor.from_tensor(t, list(block)) for t in (x, copy))
        host_kernel[(1,)](source, target, offsets)
        written = np.zeros_like(bits(x))
        place(written, offsets, window(bits(x), offsets, block))
        np.testing.assert_array_equal(bits(copy), written, str(offsets))


@triton.jit
def strided_kernel(x_ptr, out_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, [M, N], [stride, 1], [BM, BN])
    tl.static_assert(isinstance(d, tl.tensor_descriptor))
    tl.static_assert(d.dtype == x_ptr.dtype.element_ty)
    tl.static_assert(d.block_shape == [BM, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, N, BN):
        total += d.load([tl.program_id(0) * BM, k]).to(tl.float32)
    at = (tl.program_id(0) * BM + tl.arange(0, BM))[:, None] * BN + tl.arange(0, BN)[None, :]
    tl.store(out_ptr + at, total + d.shape[0] + d.shape[1].to(tl.float32) + d.strides[0].to(tl.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16"])
@pytest.mark.parametrize("N", [16, 40, 64, 100])
def test_rows_apart(dtype, N):
    x = values("int32", 24 * 128, 4, -8, 8).to(TORCH[dtype]).view(24, 128)
    out = torch.zeros(32, 16)
    strided_kernel[(4,)](x, out, 24, N, 128, 8, 16)
    padded = torch.zeros(32, (N + 15) // 16 * 16)
    padded[:24, :N] = x[:, :N].float()
    assert torch.equal(out, padded.view(32, -1, 16).sum(1) + 24 + N + 128)


@triton.jit
def convert_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    d = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [M, N])
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store_tensor_descriptor(d, [0, 0], x)
    again = tl.load_tensor_descriptor(d, [0, 0])
    tl.static_assert(again.dtype == out_ptr.dtype.element_ty)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int32", "int8"])
def test_stores_cast(dtype):
    x = values("int32", 8 * 32, 5, -99, 99).float().view(8, 32)
    out = torch.zeros(8, 32, dtype=TORCH[dtype])
    convert_kernel[(1,)](x, out, 8, 32)
    assert torch.equal(out, x.to(TORCH[dtype]))


@triton.jit
def atomic_kernel(x_ptr, v_ptr, OP: tl.constexpr, M, N: tl.constexpr, BM: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, N])
    v = tl.load(v_ptr + tl.arange(0, BM)[:, None] * N + tl.arange(0, N)[None, :])
    if OP == "add":
        d.atomic_add([2, 0], v)
    elif OP == "min":
        d.atomic_min([2, 0], v)
    elif OP == "max":
        d.atomic_max([2, 0], v)
    elif OP == "and":
        d.atomic_and([2, 0], v)
    elif OP == "or":
        d.atomic_or([2, 0], v)
    else:
        d.atomic_xor([2, 0], v)


ATOMICS = [("add", t) for t in ("uint32", "int32", "uint64", "float32", "float16", "bfloat16")]
ATOMICS += [(op, t) for op in ("min", "max", "and", "or", "xor") for t in ("uint32", "int32", "uint64", "int64")]


@pytest.mark.parametrize("op, dtype", ATOMICS)
def test_atomics(op, dtype):
    x, v = values(dtype, 8 * 16, 6), values(dtype, 8 * 16, 7)
    combine = {"add": lambda a, b: a + b, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}  # fmt: skip
    if dtype == "bfloat16":
        expected = x.view(8, 16).clone()
        expected[2:] += v.view(8, 16)[:6]
        expected = expected.float().numpy()
    else:
        expected = x.numpy().reshape(8, 16).copy()
        expected[2:] = combine[op](expected[2:], v.numpy().reshape(8, 16)[:6])
    atomic_kernel[(1,)](x, v, op, 8, 16, 8)
    np.testing.assert_array_equal((x.float() if dtype == "bfloat16" else x).numpy().reshape(8, 16), expected)


@triton.jit
def gather_kernel(x_ptr, rows_ptr, out_ptr, copy_ptr, column, M, N: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    source = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [1, COLUMNS])
    target = tl.make_tensor_descriptor(copy_ptr, [M, N], [N, 1], [1, COLUMNS])
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    x = source.gather(rows, column)
    tl.static_assert(x.shape == [ROWS, COLUMNS])
    tl.store(out_ptr + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :], x)
    target.scatter(x, rows, column)


@pytest.mark.parametrize("column", [0, 16, 48, -16])
@pytest.mark.parametrize("count, columns", [(8, 32), (32, 64)])
@pytest.mark.parametrize("dtype", TYPES)
def test_rows_by_number(dtype, count, columns, column):
    M, N = 40, 64
    x = random_bits(dtype, (M, N), 8)
    rows = torch.randperm(M, generator=torch.Generator().manual_seed(1))[:count].int()
    rows[3] = M + 2  # outside: zeros, and nothing written
    out, copy = torch.zeros(count, columns, dtype=x.dtype), torch.zeros(M, N, dtype=x.dtype)
    gather_kernel[(1,)](x, rows, out, copy, column, M, N, count, columns)
    expected, written = np.zeros((count, columns), bits(x).dtype), np.zeros_like(bits(x))
    for i, row in enumerate(rows.tolist()):
        expected[i] = window(bits(x), (row, column), (1, columns))[0]
        place(written, (row, column), expected[i : i + 1])
    np.testing.assert_array_equal(bits(out), expected)
    np.testing.assert_array_equal(bits(copy), written)


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, copy_ptr, offsets, move, SHAPE: tl.constexpr, STRIDES: tl.constexpr, BLOCK: tl.constexpr, ORDER: tl.constexpr, CHECK: tl.constexpr, PADDING: tl.constexpr):  # fmt: skip
    p = tl.make_block_ptr(x_ptr, SHAPE, STRIDES, offsets, BLOCK, ORDER)
    q = tl.make_block_ptr(copy_ptr, SHAPE, STRIDES, offsets, BLOCK, ORDER)
    p = tl.advance(p, move)
    q = q.advance(move)
    x = tl.load(p, boundary_check=CHECK, padding_option=PADDING)
    tl.store(out_ptr + tl.arange(0, x.numel), tl.reshape(x, [x.numel]))
    tl.store(q, x, boundary_check=CHECK)


POINTERS = {
    1: ((77,), (32,), [((0,), (0,)), ((70,), (2,)), ((10,), (-20,)), ((96,), (0,))]),
    2: ((9, 33), (4, 16), [((0, 0), (1, 1)), ((8, 30), (0, -1)), ((0, 0), (-3, -7)), ((4, 40), (0, 0))]),
    3: ((3, 5, 17), (2, 4, 8), [((0, 0, 0), (1, 2, 3)), ((2, 4, 16), (0, 0, -1)), ((0, 0, 0), (-1, -1, -1))]),
}


@pytest.mark.parametrize("rank", POINTERS)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("dtype", ["bool"] + TYPES + WIDE)
def test_block_pointers(dtype, backwards, rank):
    """Row by row, and with the first dimension the one that lies together."""
    shape, block, places = POINTERS[rank]
    x = random_bits(dtype, shape, 9)
    strides, order = strides_of(shape), tuple(range(rank))[::-1]
    memory = x
    if backwards:
        memory = x.permute(*order).contiguous()
        strides, order = tuple(strides_of(shape[::-1]))[::-1], order[::-1]
    for offsets, move in places:
        out, copy = torch.zeros(block, dtype=x.dtype), torch.zeros_like(memory)
        block_pointer_kernel[(1,)](
            memory, out, copy, offsets, move, shape, strides, block, order, tuple(range(rank)), "zero"
        )
        at = [o + m for o, m in zip(offsets, move)]
        expected = window(bits(x), at, block)
        np.testing.assert_array_equal(bits(out), expected, str(at))
        written = np.zeros_like(bits(x))
        place(written, at, expected)
        found = bits(copy).transpose(tuple(range(rank))[::-1]) if backwards else bits(copy)
        np.testing.assert_array_equal(found, written, str(at))


@triton.jit
def some_dimensions_kernel(x_ptr, out_ptr, M, N, row, CHECK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (row, 0), (BM, BN), (1, 0))
    x = tl.load(p, boundary_check=CHECK, padding_option="nan")
    tl.store(out_ptr + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], x)


def test_only_named_dimensions_are_checked():
    """What is not checked is read: behind a row lies the next one."""
    x = torch.arange(12.0 * 6).view(12, 6)
    out = torch.zeros(4, 8)
    some_dimensions_kernel[(1,)](x, out, 5, 6, 3, (0,), 4, 8)
    flat, expected = x.reshape(-1), torch.full((4, 8), float("nan"))
    for i in range(2):
        expected[i] = flat[(3 + i) * 6 : (3 + i) * 6 + 8]
    np.testing.assert_array_equal(out.numpy(), expected.numpy())
    some_dimensions_kernel[(1,)](x, out, 5, 6, 3, (1,), 4, 8)
    expected[:, :6], expected[:, 6:] = x[3:7], float("nan")
    np.testing.assert_array_equal(out.numpy(), expected.numpy())


@triton.jit
def carried_kernel(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (0, 0), (4, 16), (1, 0))
    q = tl.make_block_ptr(x_ptr, (N, M), (1, N), (0, 0), (16, 4), (0, 1))
    total = tl.zeros((4, 16), tl.float32)
    for i in range(n):
        total += tl.load(p, boundary_check=(0,), padding_option="zero")
        total -= 2 * tl.trans(tl.load(q, boundary_check=(1, 0), padding_option="zero"))
        if i % 2 == 0:
            p = tl.advance(p, (4, 0))
        else:
            p = tl.advance(p, (0, 16))
            q = tl.advance(q, (16, 4))
    tl.store(tl.make_block_ptr(out_ptr, (4, 16), (16, 1), (0, 0), (4, 16), (1, 0)), total)


def test_block_pointers_are_carried():
    x, out = torch.arange(8.0 * 64).view(8, 64), torch.zeros(4, 16)
    carried_kernel[(1,)](x, out, 4, 8, 64)
    at, other, expected = [0, 0], [0, 0], np.zeros((4, 16), "float32")
    for i in range(4):
        expected += window(x.numpy(), at, (4, 16)) - 2 * window(x.numpy(), other, (4, 16))
        if i % 2 == 0:
            at[0] += 4
        else:
            at[1] += 16
            other = [other[0] + 4, other[1] + 16]
    np.testing.assert_array_equal(out.numpy(), expected)
