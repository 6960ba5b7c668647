"""Programs of several CTAs: num_ctas > 1 changes where elements are held and nothing else."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

CTAS = [2, 4]


@pytest.fixture(autouse=True)
def needs_clusters():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda" or target.arch < 90:
        pytest.skip("only Hopper and newer GPUs have clusters")


@triton.jit
def load_2d(ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def store_2d(ptr, value, M: tl.constexpr, N: tl.constexpr):
    tl.store(ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], value)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask) + tl.load(y_ptr + offsets, mask), mask)


@pytest.mark.parametrize("ctas", CTAS)
def test_programs_are_clusters(ctas):
    x, y = torch.randn(5000), torch.randn(5000)
    out = torch.zeros(5000)
    add_kernel[(triton.cdiv(5000, 1024),)](x, y, out, 5000, 1024, num_ctas=ctas)
    assert torch.equal(out, x + y)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offsets, offsets < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + row * n + offsets, e / tl.sum(e, 0), offsets < n)


@pytest.mark.parametrize("ctas", CTAS)
def test_reductions_to_scalars(ctas):
    x = torch.randn(7, 1000)
    out = torch.zeros(7, 1000)
    softmax_kernel[(7,)](x, out, 1000, 1024, num_ctas=ctas)
    torch.testing.assert_close(out, torch.softmax(x, 1))


@triton.jit
def reduce_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = load_2d(x_ptr, M, N)
    tl.store(out_ptr + tl.arange(0, N if AXIS == 0 else M), tl.sum(x, AXIS))
    index = tl.argmax(x, AXIS)
    tl.store(out_ptr + (N if AXIS == 0 else M) + tl.arange(0, N if AXIS == 0 else M), index)


@pytest.mark.parametrize("shape", [(64, 32), (2, 256), (128, 1)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("ctas", CTAS)
def test_reductions_along_and_across_the_cut(ctas, axis, shape):
    x = torch.from_numpy(np.random.default_rng(0).permutation(shape[0] * shape[1]).astype(np.int32)).reshape(shape)
    kept = shape[1 - axis]
    out = torch.zeros(2 * kept, dtype=torch.int64)
    reduce_kernel[(1,)](x, out, axis, *shape, num_ctas=ctas)
    assert out[:kept].tolist() == x.sum(axis).tolist()
    assert out[kept:].tolist() == x.argmax(axis).tolist()


@triton.jit
def scan_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    store_2d(out_ptr, tl.cumsum(load_2d(x_ptr, M, N), AXIS, reverse=REVERSE), M, N)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("ctas", CTAS)
def test_scans(ctas, axis, reverse):
    x = torch.randint(-9, 9, (32, 64), dtype=torch.int32)
    out = torch.zeros_like(x)
    scan_kernel[(1,)](x, out, axis, reverse, 32, 64, num_ctas=ctas)
    expected = x.flip(axis).cumsum(axis).flip(axis) if reverse else x.cumsum(axis)
    assert torch.equal(out, expected.int())


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    store_2d(out_ptr, tl.gather(load_2d(x_ptr, M, N), load_2d(index_ptr, M, N), AXIS), M, N)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("ctas", CTAS)
def test_gathers(ctas, axis):
    x = torch.randn(32, 64)
    index = torch.randint(0, (32, 64)[axis], (32, 64), dtype=torch.int32)
    out = torch.zeros_like(x)
    gather_kernel[(1,)](x, index, out, axis, 32, 64, num_ctas=ctas)
    assert torch.equal(out, torch.gather(x, axis, index.long()))


@triton.jit
def transpose_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    store_2d(out_ptr, tl.trans(load_2d(x_ptr, M, N)), N, M)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.int64])
@pytest.mark.parametrize("ctas", CTAS)
def test_conversions_between_cuts(ctas, dtype):
    x = torch.randint(-99, 99, (64, 32)).to(dtype)
    out = torch.zeros(32, 64, dtype=dtype)
    transpose_kernel[(1,)](x, out, 64, 32, num_ctas=ctas)
    assert torch.equal(out, x.T)


@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS: tl.constexpr):
    acc = tl.zeros((M, N), tl.float32)
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    for step in range(STEPS):
        a = tl.load(a_ptr + rows[:, None] * (K * STEPS) + (step * K + inner)[None, :])
        b = tl.load(b_ptr + (step * K + inner)[:, None] * N + columns[None, :])
        acc = tl.dot(a, b, acc)
    store_2d(out_ptr, acc, M, N)


@pytest.mark.parametrize("ctas", CTAS)
def test_products(ctas):
    a, b = torch.randn(64, 128).half(), torch.randn(128, 64).half()
    out = torch.zeros(64, 64)
    dot_kernel[(1,)](a, b, out, 64, 64, 32, 4, num_ctas=ctas)
    torch.testing.assert_close(out, a.float() @ b.float(), rtol=1e-3, atol=1e-2)


@triton.jit
def count_kernel(x_ptr, out_ptr, total_ptr, old_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))
    old = tl.atomic_add(total_ptr, 1)
    tl.store(old_ptr + tl.program_id(0), old)
    tl.atomic_add(total_ptr + 1 + tl.arange(0, N) % 4, x)


@pytest.mark.parametrize("ctas", CTAS)
def test_atomics_happen_once(ctas):
    x = torch.randint(0, 16, (512,), dtype=torch.int32)
    out, total, old = torch.zeros(16, dtype=torch.int32), torch.zeros(5, dtype=torch.int32), torch.zeros(3).int()
    count_kernel[(3,)](x, out, total, old, 512, 16, num_ctas=ctas)
    assert out.tolist() == torch.bincount(x, minlength=16).tolist()
    assert total[0] == 3 and sorted(old.tolist()) == [0, 1, 2]
    assert total[1:].tolist() == (3 * x.reshape(-1, 4).sum(0)).tolist()


@triton.jit
def add_product(a_desc, b_desc, c_desc, K, MIN: tl.constexpr):
    BLOCK_M: tl.constexpr = a_desc.block_shape[0]
    BLOCK_K: tl.constexpr = a_desc.block_shape[1]
    BLOCK_N: tl.constexpr = b_desc.block_shape[1]
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(a_desc.load([row, k]), b_desc.load([k, column]), total)
    if MIN:
        c_desc.atomic_min([row, column], total.to(c_desc.dtype))
    else:
        c_desc.atomic_add([row, column], total.to(c_desc.dtype))


@pytest.mark.parametrize("ctas", CTAS)
@pytest.mark.parametrize("least", [False, True])
def test_descriptors(ctas, least):
    """Every CTA loads what it needs; what is added to memory is added once."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    a, b = (torch.randint(-3, 4, shape).to(torch.float16) for shape in ((128, 64), (64, 64)))
    c = torch.randint(-3, 4, (128, 64)).to(torch.float16)
    product = (a.float() @ b.float()).to(torch.float16)
    expected = torch.minimum(c, product) if least else c + product
    descriptors = [TensorDescriptor.from_tensor(x, block) for x, block in ((a, [64, 32]), (b, [32, 32]), (c, [64, 32]))]
    add_product[(2, 2)](*descriptors, 64, least, num_ctas=ctas, num_warps=4)
    assert torch.equal(c, expected)
