"""Programs of several CTAs: right on a GPU, compiled without one (--compile-only sm_90a,sm_100a)."""

import pytest
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor


@pytest.fixture(autouse=True)
def gpu():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda" or target.arch < 90:
        pytest.skip("only Hopper and newer GPUs have clusters")
    return target


def tile(split):
    return gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], [split])


@gluon.jit
def moved(x, y, A: gl.constexpr, B: gl.constexpr):
    gl.static_assert(gl.num_ctas() == 2)
    at = gl.program_id(0) * 256 + gl.arange(0, 256, A)
    to = gl.program_id(0) * 256 + gl.arange(0, 256, B)
    gl.store(y + to, gl.convert_layout(gl.load(x + at), B))


@pytest.mark.parametrize("split", [1, 0], ids=["halves", "copies"])
def test_elements_go_between_ctas(split):
    x = torch.randn(512)
    y = torch.zeros_like(x)
    halves, other = (gl.BlockedLayout([1 + s], [32], [4], [0], [[s]]) for s in (1, split))
    moved[(2,)](x, y, halves, other, num_ctas=2)
    assert torch.equal(x, y)


@gluon.jit
def totals(x, columns, rows, L: gl.constexpr):
    r = gl.arange(0, 128, gl.SliceLayout(1, L))
    c = gl.arange(0, 32, gl.SliceLayout(0, L))
    value = gl.load(x + r[:, None] * 32 + c[None, :])
    gl.store(columns + c, gl.sum(value, 0))
    gl.store(rows + r, gl.sum(value, 1))


@pytest.mark.parametrize("split", [[1, 0], [0, 1]], ids=str)
def test_sums_over_what_ctas_share(split):
    x = torch.randint(-8, 8, (128, 32)).float()
    columns, rows = torch.zeros(32), torch.zeros(128)
    totals[(1,)](x, columns, rows, tile(split), num_ctas=2)
    assert torch.equal(columns, x.sum(0)) and torch.equal(rows, x.sum(1))


@gluon.jit
def plus_one(source, target, L: gl.constexpr, PARTS: gl.constexpr):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout([[0]]))
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.block_type.nbytes // PARTS)
    tma.async_copy_global_to_shared(source, [gl.program_id(0) * 128, 0], bar, buffer)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    buffer.store(buffer.load(L) + 1.0)
    hopper.fence_async_shared()
    tma.async_copy_shared_to_global(target, [gl.program_id(0) * 128, 0], buffer)
    tma.store_wait(0)


@gluon.jit
def plus_one_described(x, y, S: gl.constexpr, L: gl.constexpr, PARTS: gl.constexpr):
    source = tma.make_tensor_descriptor(x, [256, 128], [128, 1], [128, 128], S)
    target = tma.make_tensor_descriptor(y, [256, 128], [128, 1], [128, 128], S)
    plus_one(source, target, L, PARTS)


SPLITS = pytest.mark.parametrize("split", [[1, 0], [0, 1], [0, 0]], ids=str)


@SPLITS
def test_each_cta_copies_its_part(split):
    x = torch.randn(256, 128).half()
    y = torch.zeros_like(x)
    layout = gl.NVMMASharedLayout(128, 16, cga_layout=[split])
    source, target = (TensorDescriptor.from_tensor(each, [128, 128], layout) for each in (x, y))
    plus_one[(2,)](source, target, tile(split), 1 + any(split), num_ctas=2)
    torch.testing.assert_close(y, x + 1)


@SPLITS
def test_each_cta_copies_its_part_of_what_the_kernel_describes(split):
    x = torch.randn(256, 128).half()
    y = torch.zeros_like(x)
    layout = gl.NVMMASharedLayout(128, 16, cga_layout=[split])
    plus_one_described[(2,)](x, y, layout, tile(split), 1 + any(split), num_ctas=2)
    torch.testing.assert_close(y, x + 1)


@gluon.jit
def product(x, y, z, A: gl.constexpr, B: gl.constexpr, SA: gl.constexpr, SB: gl.constexpr, ACC: gl.constexpr):
    ar, ac = gl.arange(0, 128, gl.SliceLayout(1, A)), gl.arange(0, 64, gl.SliceLayout(0, A))
    br, bc = gl.arange(0, 64, gl.SliceLayout(1, B)), gl.arange(0, 64, gl.SliceLayout(0, B))
    a = gl.allocate_shared_memory(gl.float16, [128, 64], SA, gl.load(x + ar[:, None] * 64 + ac[None, :]))
    b = gl.allocate_shared_memory(gl.float16, [64, 64], SB, gl.load(y + br[:, None] * 64 + bc[None, :]))
    hopper.fence_async_shared()
    total = hopper.warpgroup_mma(a, b, gl.zeros([128, 64], gl.float32, ACC))
    zr, zc = gl.arange(0, 128, gl.SliceLayout(1, ACC)), gl.arange(0, 64, gl.SliceLayout(0, ACC))
    gl.store(z + zr[:, None] * 64 + zc[None, :], total)


def test_products_of_clusters(gpu):
    if gpu.arch != 90:
        pytest.skip("wgmma is sm_90's")
    x, y, z = torch.randn(128, 64).half(), torch.randn(64, 64).half(), torch.zeros(128, 64)
    left, right = ([1, 0], [0, 0])
    shared = (gl.NVMMASharedLayout(128, 16, cga_layout=[split]) for split in (left, right))
    total = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], [left])
    product[(1,)](x, y, z, tile(left), tile(right), *shared, total, num_ctas=2)
    torch.testing.assert_close(z, x.float() @ y.float(), rtol=1e-3, atol=1e-2)


@gluon.jit
def multicast_copy(desc, y, WIDE: gl.constexpr, L: gl.constexpr):
    barrier = hopper.mbarrier.allocate_mbarrier()
    hopper.mbarrier.init(barrier, count=1)
    hopper.cluster.barrier()
    buffer = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    hopper.mbarrier.expect(barrier, desc.nbytes_per_cta)
    hopper.tma.async_load(desc, [0, 0], barrier, buffer, multicast=True)
    hopper.mbarrier.wait(barrier, 0)
    at = gl.arange(0, 64, gl.SliceLayout(1, L))[:, None] * WIDE + gl.arange(0, WIDE, gl.SliceLayout(0, L))[None, :]
    gl.store(y + at, buffer.load(L))
    hopper.cluster.barrier()


@pytest.mark.parametrize("cluster", [[[0, 0]], [[0, 0], [0, 1]], [[0, 1], [0, 0]]], ids=str)
def test_one_copy_for_several_ctas(cluster):
    layout = gl.NVMMASharedLayout(128, 16, 2, cga_layout=cluster)
    wide = 128 if len(cluster) == 2 else 64
    x = torch.randn(64, wide, dtype=torch.float16)
    y = torch.zeros_like(x)
    descriptor = TensorDescriptor.from_tensor(x, [64, wide], layout)
    kernel = multicast_copy[(1,)](
        descriptor, y, wide, gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], cluster), num_ctas=2 ** len(cluster)
    )
    assert "multicast::cluster" in kernel.asm["ptx"]
    assert torch.equal(x, y)
