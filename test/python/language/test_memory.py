"""Loads, stores, atomics, block pointers, descriptors and dots, against numpy and torch."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, INTS, TORCH, UINTS, reference, values

ALL = ["bool"] + INTS + UINTS + FLOATS


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("n", [1, 7, 64, 100, 1000])
@pytest.mark.parametrize("block", [1, 2, 64, 256])
def test_masked_copy(dtype, n, block):
    x = values(dtype, n, 1)
    out = torch.zeros(n + 32, dtype=TORCH[dtype])
    copy_kernel[(triton.cdiv(n, block),)](x, out, n, block)
    np.testing.assert_array_equal(reference(out[:n]), reference(x))
    assert not reference(out[n:]).any(), "wrote behind the mask"


@triton.jit
def other_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n, other=7))


@pytest.mark.parametrize("dtype", INTS + UINTS + FLOATS)
def test_other_fills_what_the_mask_leaves_out(dtype):
    x, out = values(dtype, 100, 2), torch.zeros(128, dtype=TORCH[dtype])
    other_kernel[(1,)](x, out, 100, 128)
    np.testing.assert_array_equal(reference(out), np.concatenate([reference(x), np.full(28, 7, reference(x).dtype)]))


@triton.jit
def any_mask_kernel(x_ptr, mask_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = tl.load(mask_ptr + offsets)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=-1.0) * 2, mask=mask | (offsets == 3))


def test_arbitrary_mask():
    x, mask, out = values("float32", 256, 3), values("bool", 256, 4), torch.full((256,), 9.0)
    mask[3] = False
    any_mask_kernel[(1,)](x, mask, out, 256)
    expected = torch.where(mask, x * 2, torch.tensor(9.0))
    expected[3] = -2.0
    torch.testing.assert_close(out, expected, rtol=0, atol=0)


@triton.jit
def strided_kernel(x_ptr, out_ptr, stride, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out_ptr + (N - 1 - offsets) * 3, tl.load(x_ptr + offsets * stride))


@pytest.mark.parametrize("stride", [0, 1, 2, 5, 16])
def test_strided(stride):
    x, out = values("float32", 64 * 16, 5), torch.zeros(64 * 3)
    strided_kernel[(1,)](x, out, stride, 64)
    np.testing.assert_array_equal(out.numpy()[::3][::-1], x.numpy()[np.arange(64) * stride])


@triton.jit
def short_strides_kernel(x_ptr, out_ptr, n, READ: tl.constexpr, WRITE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i * WRITE, tl.load(x_ptr + i * READ, mask=i < n), mask=i < n)


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "int64"])
@pytest.mark.parametrize("n", [256, 100])
@pytest.mark.parametrize("read, write", [(2, 1), (3, -1), (4, 2), (-1, 3), (1, 4), (-2, -2), (5, 2)])
def test_short_strides(read, write, n, dtype):
    x, out = values(dtype, 4096, 5), torch.full((4096,), 7, dtype=TORCH[dtype])
    short_strides_kernel[(1,)](x[2048:], out[2048:], n, read, write, 256)
    expected = np.full(4096, 7, x.numpy().dtype)
    expected[2048 + np.arange(n) * write] = x.numpy()[2048 + np.arange(n) * read]
    np.testing.assert_array_equal(out.numpy(), expected)


@triton.jit
def indirect_kernel(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    index = tl.load(index_ptr + offsets)
    tl.store(out_ptr + index, tl.load(x_ptr + index) + 1)


def test_indirect():
    x = values("int32", 128, 6)
    index = torch.randperm(128, generator=torch.Generator().manual_seed(1)).to(torch.int32)
    out = torch.zeros_like(x)
    indirect_kernel[(1,)](x, index, out, 128)
    np.testing.assert_array_equal(out.numpy(), x.numpy() + 1)


@triton.jit
def in_place_kernel(x_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(x_ptr + (N - 1 - offsets), x)


def test_all_loads_happen_before_the_store():
    x = values("int32", 512, 7)
    expected = x.numpy()[::-1].copy()
    in_place_kernel[(1,)](x, 512)
    np.testing.assert_array_equal(x.numpy(), expected)


@triton.jit
def aliased_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    a = tl.load(a_ptr + offsets)
    tl.store(b_ptr + offsets, a + 1)
    b = tl.load(a_ptr + offsets)
    tl.store(out_ptr + offsets, a * 1000 + b)


def test_aliased_pointers():
    x, out = values("int32", 64, 8, 0, 100), torch.zeros(64, dtype=torch.int32)
    before = x.clone()
    aliased_kernel[(1,)](x, x, out, 64)
    np.testing.assert_array_equal(out.numpy(), before.numpy() * 1000 + before.numpy() + 1)


@triton.jit
def transposed_in_place_kernel(ptr, N: tl.constexpr, FORM: tl.constexpr):
    i = tl.arange(0, N)
    if FORM == "tile":
        at = i[:, None] * N + i[None, :]
        tl.store(ptr + at, tl.trans(tl.load(ptr + at)))
    elif FORM == "sum":  # the tile itself as well
        at = i[:, None] * N + i[None, :]
        x = tl.load(ptr + at)
        tl.store(ptr + at, x + 2 * tl.trans(x))
    elif FORM == "moved":  # onto the rows before
        at = i[:, None] * N + i[None, :]
        tl.store(ptr + at, tl.trans(tl.load(ptr + N + at)) + tl.load(ptr + 3 * N // 2 + at))
    else:
        at = tl.arange(0, N * N)
        tl.store(ptr + at, tl.ravel(tl.trans(tl.reshape(tl.load(ptr + at), (N, N)))))


@pytest.mark.parametrize("form", ["tile", "sum", "moved", "flat"])
@pytest.mark.parametrize("n", [4, 16, 32, 64])
def test_transposed_in_place(n, form, device):
    if device != "cpu":
        pytest.skip("threads of a GPU load and store without waiting for each other")
    memory = torch.randint(-99, 99, (2 * n * n,), dtype=torch.int32)
    before = memory.clone()
    tile = lambda start: before[start : start + n * n].view(n, n)
    transposed_in_place_kernel[(1,)](memory, n, form)
    expected = before.clone()
    if form == "moved":
        expected[: n * n] = (tile(n).T + tile(3 * n // 2)).flatten()
    else:
        expected[: n * n] = (tile(0).T * 2 + tile(0) if form == "sum" else tile(0).T).flatten()
    assert torch.equal(memory, expected)


@triton.jit
def turned_kernel(x_ptr, y_ptr, out_ptr, rows, columns, M: tl.constexpr, N: tl.constexpr):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    x = tl.load(x_ptr + m[:, None] * columns + n[None, :], mask=inside, other=0)
    y = tl.load(y_ptr + n[:, None] * rows + m[None, :], mask=(n[:, None] < columns) & (m[None, :] < rows), other=0)
    at = n[:, None] * rows + m[None, :]
    tl.store(out_ptr + at, tl.trans(x) + y, mask=tl.trans(inside) & (m[None, :] != n[:, None]))


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("tile", [(16, 16), (32, 64), (64, 8), (8, 128)])
@pytest.mark.parametrize("shape", [(64, 128), (70, 37)])
def test_turned_tiles(shape, tile, dtype):
    rows, columns = shape
    x, y = torch.randint(-9, 9, (rows, columns)).to(dtype), torch.randint(-9, 9, (columns, rows)).to(dtype)
    out = torch.full((columns, rows), 77).to(dtype)
    turned_kernel[(triton.cdiv(rows, tile[0]), triton.cdiv(columns, tile[1]))](x, y, out, rows, columns, *tile)
    expected = x.T + y
    diagonal = torch.arange(min(rows, columns))
    expected[diagonal, diagonal] = 77
    assert torch.equal(out, expected)


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    target = tl.make_block_ptr(out_ptr, (M, N), (N, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    for _ in range(0, N, BN):
        x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, x + 1, boundary_check=(0, 1))
        source = tl.advance(source, (0, BN))
        target = tl.advance(target, (0, BN))


def test_block_pointers():
    x, out = values("float32", 50 * 70, 9), torch.zeros(50 * 70)
    block_pointer_kernel[(4,)](x, out, 50, 70, 16, 32)
    torch.testing.assert_close(out, x + 1, rtol=0, atol=0)


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    target.store([row, column], source.load([row, column]) * 2)


def test_tensor_descriptors():
    x, out = values("float32", 40 * 64, 10), torch.zeros(40 * 64)
    descriptor_kernel[(3, 2)](x, out, 40, 64, 16, 32)
    torch.testing.assert_close(out, x * 2, rtol=0, atol=0)


@triton.jit
def atomic_kernel(x_ptr, old_ptr, OP: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    value = (offsets + tl.program_id(0)).to(x_ptr.dtype.element_ty)
    old = getattr(tl, "atomic_" + OP)(x_ptr + offsets % 4, value)
    tl.store(old_ptr + tl.program_id(0) * N + offsets, old)


@pytest.mark.parametrize(
    "op, dtype",
    [
        ("add", "int32"),
        ("add", "float32"),
        ("add", "int64"),
        ("add", "float64"),
        ("add", "uint32"),
        ("add", "float16"),
        ("max", "int32"),
        ("min", "int32"),
        ("max", "float32"),
        ("min", "float64"),
        ("and", "int32"),
        ("or", "int64"),
        ("xor", "int32"),
    ],
)
def test_atomics(op, dtype):
    programs, n = 8, 16
    start = {"min": 1000, "and": -1, "max": -1000}.get(op, 0)
    x = torch.full((4,), start, dtype=torch.int64).to(TORCH[dtype])
    old = torch.zeros(programs * n, dtype=TORCH[dtype])
    atomic_kernel[(programs,)](x, old, op, n)
    expected = [start] * 4
    combine = {
        "add": lambda a, b: a + b,
        "max": max,
        "min": min,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }[op]
    for p in range(programs):
        for i in range(n):
            expected[i % 4] = combine(expected[i % 4], i + p)
    assert [int(v) for v in x] == expected


@triton.jit
def lock_kernel(lock_ptr, counter_ptr, n):
    for _ in range(n):
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            pass
        tl.store(counter_ptr, tl.load(counter_ptr) + 1)
        tl.debug_barrier()
        tl.atomic_xchg(lock_ptr, 0)


def test_spin_lock():
    lock, counter = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    lock_kernel[(16,)](lock, counter, 10)
    assert (lock.item(), counter.item()) == (0, 160)


@triton.jit
def meeting_kernel(counter_ptr, data_ptr, out_ptr, N: tl.constexpr):
    program = tl.program_id(0)
    tl.store(data_ptr + program, program + 1)
    tl.debug_barrier()
    tl.atomic_add(counter_ptr, 1)
    while tl.atomic_add(counter_ptr, 0) < N:
        pass
    tl.store(out_ptr + program, tl.load(data_ptr + (program + 1) % N))


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_all_programs_meet(n):
    if triton.knobs.runtime.interpret and n > 1:
        pytest.skip("interpreted programs run one after the other")
    counter, data, out = (torch.zeros(size, dtype=torch.int32) for size in (1, n, n))
    meeting_kernel[(n,)](counter, data, out, n)
    assert out.tolist() == [(i + 1) % n + 1 for i in range(n)]


@triton.jit
def dot_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    TRANS_A: tl.constexpr,
    TRANS_B: tl.constexpr,
    ACC: tl.constexpr,
):
    if TRANS_A:
        a = tl.trans(tl.load(a_ptr + tl.arange(0, K)[:, None] * M + tl.arange(0, M)[None, :]))
    else:
        a = tl.load(a_ptr + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    if TRANS_B:
        b = tl.load(b_ptr + tl.arange(0, N)[:, None] * K + tl.arange(0, K)[None, :]).T
    else:
        b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    out_dtype: tl.constexpr = c_ptr.dtype.element_ty
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    if ACC:
        c = tl.dot(a, b, tl.load(c_ptr + offsets), input_precision="ieee", out_dtype=out_dtype)
    else:
        c = tl.dot(a, b, input_precision="ieee", out_dtype=out_dtype)
    tl.store(c_ptr + offsets, c)


@pytest.mark.parametrize(
    "shape", [(16, 16, 16), (32, 64, 16), (64, 16, 128), (128, 128, 32), (1, 32, 64), (64, 1, 32), (2, 4, 32)]
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8"])
@pytest.mark.parametrize("form", [(False, False, False), (True, False, True), (False, True, False), (True, True, True)])
def test_dot(dtype, shape, form):
    M, N, K = shape
    K = max(K, 32) if dtype == "int8" else K
    trans_a, trans_b, acc = form
    low, high = (-128, 127) if dtype == "int8" else (-1, 1)
    a, b = values(dtype, M * K, 11, low, high), values(dtype, K * N, 12, low, high)
    out_dtype = {"int8": torch.int32, "float64": torch.float64}.get(dtype, torch.float32)
    c = torch.arange(M * N).to(out_dtype) if acc else torch.zeros(M * N, dtype=out_dtype)
    start = c.clone()
    dot_kernel[(1,)](a, b, c, M, N, K, trans_a, trans_b, acc)
    left = reference(a).astype("float64").reshape(K, M).T if trans_a else reference(a).astype("float64").reshape(M, K)
    right = reference(b).astype("float64").reshape(N, K).T if trans_b else reference(b).astype("float64").reshape(K, N)
    expected = left @ right + start.numpy().reshape(M, N)
    np.testing.assert_allclose(
        c.numpy().reshape(M, N).astype("float64"),
        expected,
        rtol=1e-5 if dtype != "int8" else 0,
        atol=1e-4 if dtype != "int8" else 0,
    )


@triton.jit
def batched_dot_kernel(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    a = tl.load(a_ptr + batch * M * K + tl.arange(0, M)[None, :, None] * K + tl.arange(0, K)[None, None, :])
    b = tl.load(b_ptr + batch * K * N + tl.arange(0, K)[None, :, None] * N + tl.arange(0, N)[None, None, :])
    tl.store(
        c_ptr + batch * M * N + tl.arange(0, M)[None, :, None] * N + tl.arange(0, N)[None, None, :],
        tl.dot(a, b, input_precision="ieee"),
    )


def test_batched_dot():
    a, b = values("float32", 4 * 16 * 32, 13), values("float32", 4 * 32 * 16, 14)
    c = torch.zeros(4 * 16 * 16)
    batched_dot_kernel[(1,)](a, b, c, 4, 16, 16, 32)
    torch.testing.assert_close(c.view(4, 16, 16), a.view(4, 16, 32) @ b.view(4, 32, 16), rtol=1e-4, atol=1e-4)


@triton.jit
def random_kernel(out_ptr, seed, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out_ptr + offsets, tl.randint(seed, offsets))


def philox(seed, offset, rounds=10):
    c, k, mask = [offset & 0xFFFFFFFF, 0, 0, 0], [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF], 0xFFFFFFFF
    for _ in range(rounds):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c[0]


@pytest.mark.parametrize("seed", [0, 5, 2**31 - 1, 2**40 + 3])
def test_random_bits_are_philox(seed):
    out = torch.zeros(64, dtype=torch.int32)
    random_kernel[(1,)](out, seed, 64)
    assert [v & 0xFFFFFFFF for v in out.tolist()] == [philox(seed, i) for i in range(64)]


@triton.jit
def rand_kernel(out_ptr, normal_ptr, seed, N: tl.constexpr):
    offsets = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + offsets, tl.rand(seed, offsets))
    tl.store(normal_ptr + offsets, tl.randn(seed, offsets))


def test_random_distributions():
    uniform, normal = torch.zeros(65536), torch.zeros(65536)
    rand_kernel[(64,)](uniform, normal, 42, 1024)
    assert 0 <= uniform.min() and uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.01 and abs(uniform.var() - 1 / 12) < 0.01
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02


@triton.jit
def host_descriptor_kernel(source, target, scale):
    row = tl.program_id(0) * source.block_shape[0]
    x = source.load([row, 0])
    target.store([row, 0], x * scale + source.shape[0] + tl.program_id(0) * 0)


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_host_descriptors_as_arguments(padding):
    from triton.tools.tensor_descriptor import TensorDescriptor

    x, out = values("float32", 40 * 20, 15).view(40, 20), torch.zeros(48, 32)
    source = TensorDescriptor(x, [40, 20], [20, 1], [16, 32], padding=padding)
    host_descriptor_kernel[(3,)](source, TensorDescriptor.from_tensor(out, [16, 32]), 2.0)
    expected = torch.full((48, 32), float("nan") if padding == "nan" else 40.0)
    expected[:40, :20] = x * 2 + 40
    torch.testing.assert_close(out, expected, rtol=0, atol=0, equal_nan=True)
