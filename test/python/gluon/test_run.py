"""Gluon kernels launched as any other: right on a GPU, compiled without one (--compile-only sm_90a,sm_80,sm_100a)."""

import numpy as np
import pytest
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.blackwell import float2
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.language.core import _aggregate as aggregate

TILE = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])


@pytest.fixture(autouse=True)
def gpu():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda":
        pytest.skip("Gluon is for GPUs")
    return target


def needs(gpu, capability):
    if gpu.arch < capability:
        pytest.skip(f"needs sm_{capability}")


@gluon.jit
def copy(x, y, n, N: gl.constexpr, layout: gl.constexpr):
    at = gl.program_id(0) * N + gl.arange(0, N, layout)
    gl.store(y + at, gl.load(x + at, mask=at < n), mask=at < n)


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_copy(width, num_warps):
    x = torch.randn(1000)
    y = torch.zeros_like(x)
    layout = gl.BlockedLayout([width], [32], [num_warps], [0])
    copy[(triton.cdiv(1000, 256),)](x, y, 1000, 256, layout, num_warps=num_warps)
    assert torch.equal(x, y)


@gluon.jit
def rows(x, sums, places, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, num_warps: gl.constexpr):
    gl.static_assert(gl.num_warps() == num_warps)
    r = gl.arange(0, M, gl.SliceLayout(1, L))
    value = gl.load(x + r[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :])
    gl.store(sums + r, gl.sum(value, axis=1))
    gl.store(places + r, gl.max(value - gl.max(value, axis=1)[:, None], axis=1))


def test_reductions():
    x = torch.randn(64, 64)
    sums, places = torch.zeros(64), torch.ones(64)
    rows[(1,)](x, sums, places, 64, 64, TILE, num_warps=4)
    torch.testing.assert_close(sums, x.sum(1))
    assert (places == 0).all()


@gluon.jit
def through(x, y, M: gl.constexpr, N: gl.constexpr, A: gl.constexpr, B: gl.constexpr):
    at = gl.arange(0, M, gl.SliceLayout(1, A))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, A))[None, :]
    value = gl.convert_layout(gl.load(x + at), B)
    to = gl.arange(0, M, gl.SliceLayout(1, B))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, B))[None, :]
    gl.store(y + to, value)


LAYOUTS = {
    "columns": gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]),
    "mma": gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]),
    "left": gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2),
    "right": gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2),
    "wgmma": gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16]),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_conversions(name):
    x = torch.randn(64, 64).half()
    y = torch.zeros_like(x)
    through[(1,)](x, y, 64, 64, TILE, LAYOUTS[name])
    assert torch.equal(x, y)


@gluon.jit
def running_total(x, y, n, N: gl.constexpr):
    at = gl.arange(0, N)
    total = gl.zeros([N], gl.float32)
    for i in range(n):
        total += gl.load(x + i * N + at)
    gl.store(y + gl.set_auto_layout(at, gl.BlockedLayout([2], [32], [4], [0])), total)


def test_layouts_that_are_inferred():
    x = torch.randn(4, 256)
    y = torch.zeros(256)
    running_total[(1,)](x, y, 4, 256)
    torch.testing.assert_close(y, x.sum(0))


@gluon.jit
def begun(x, y, L: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, 128, L)
    gl.store(y + at, gl.allocate_shared_memory(gl.int8, [128], S, gl.load(x + at)).load(L))


def test_buffers_have_no_signs():
    x, y = torch.arange(128, 256).to(torch.uint8), torch.zeros(128, dtype=torch.int8)
    begun[(1,)](x, y, gl.BlockedLayout([1], [32], [4], [0]), gl.SwizzledSharedLayout(1, 1, 1, [0]), num_warps=4)
    assert torch.equal(y, x.view(torch.int8))


@gluon.jit
def copy_part(x, y, rows, columns, stride, M: gl.constexpr, N: gl.constexpr):
    r = gl.program_id(0) * M + gl.arange(0, M)
    c = gl.program_id(1) * N + gl.arange(0, N)
    at, mask = r[:, None] * stride + c[None, :], (r[:, None] < rows) & (c[None, :] < columns)
    value = gl.load(gl.set_auto_layout(x + at, gl.CoalescedLayout()), mask=mask)
    gl.store(gl.set_auto_layout(y + at, gl.CoalescedLayout()), value, gl.set_auto_layout(mask, gl.CoalescedLayout()))


def test_layouts_that_accesses_want():
    x = torch.randn(50, 72)
    y = torch.zeros_like(x)
    copy_part[(2, 2)](x, y, 50, 72, 72, 32, 64, num_warps=4)
    assert torch.equal(x, y)


@gluon.jit
def transpose(x, y, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    buffer = gl.allocate_shared_memory(gl.float16, [N, N], S, gl.load(x + at))
    gl.store(y + at, buffer.permute([1, 0]).load(L))


@pytest.mark.parametrize(
    "layout",
    [
        gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
        gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
        gl.NVMMASharedLayout(128, 16),
        gl.NVMMASharedLayout(64, 16, transposed=True),
        gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0]),
    ],
    ids=str,
)
def test_transpose_in_shared_memory(layout):
    x = torch.randn(64, 64).half()
    y = torch.zeros_like(x)
    transpose[(1,)](x, y, 64, TILE, layout)
    assert torch.equal(x.T, y)


@gluon.jit
def one_of(buffers, i):
    return buffers.index(i % 2)


@gluon.jit
def ring(x, y, n, N: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, N, L)
    buffers = gl.allocate_shared_memory(gl.float32, [2, N], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    ampere.async_copy.async_copy_global_to_shared(buffers.index(0), x + at)
    ampere.async_copy.commit_group()
    total = gl.zeros([N], gl.float32, L)
    for i in range(n):
        ampere.async_copy.async_copy_global_to_shared(
            buffers.index((i + 1) % 2), x + (i + 1) * N + at, mask=at < N * (i + 1 < n)
        )
        ampere.async_copy.commit_group()
        ampere.async_copy.wait_group(1)
        total += one_of(buffers, i).load(L)
    ampere.async_copy.wait_group(0)
    gl.store(y + at, total)


def test_copies_that_run_ahead():
    x = torch.randn(5, 512)
    y = torch.zeros(512)
    ring[(1,)](x, y, 5, 512, gl.BlockedLayout([4], [32], [4], [0]))
    torch.testing.assert_close(y, x.sum(0))


@gluon.jit
def add_one(source, target, N: gl.constexpr, L: gl.constexpr):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_type.shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.block_type.nbytes)
    tma.async_copy_global_to_shared(source, [0, gl.program_id(0) * N], bar, buffer)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    buffer.store(buffer.load(L) + 1.0)
    hopper.fence_async_shared()
    tma.async_copy_shared_to_global(target, [0, gl.program_id(0) * N], buffer)
    tma.store_wait(0)


def test_descriptors_of_the_host(gpu):
    needs(gpu, 90)
    x = torch.randn(64, 128).half()
    y = torch.zeros_like(x)
    layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    source, target = (TensorDescriptor.from_tensor(each, [64, 64], layout) for each in (x, y))
    add_one[(2,)](source, target, 64, TILE)
    torch.testing.assert_close(y, x + 1)


@gluon.jit
def product(x, y, z, N: gl.constexpr, L: gl.constexpr, A: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.convert_layout(gl.load(x + at), gl.DotOperandLayout(0, A, 2))
    b = gl.convert_layout(gl.load(y + at), gl.DotOperandLayout(1, A, 2))
    gl.store(z + at, gl.convert_layout(ampere.mma_v2(a, b, gl.zeros([N, N], gl.float32, A)), L))


def test_product_in_registers():
    x, y = torch.randn(64, 64).half(), torch.randn(64, 64).half()
    z = torch.zeros(64, 64)
    product[(1,)](x, y, z, 64, TILE, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]))
    torch.testing.assert_close(z, x.float() @ y.float(), rtol=1e-3, atol=1e-2)


@gluon.jit
def product_of_threads(x, y, z, N: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.convert_layout(gl.load(x + at), gl.DotOperandLayout(0, L, 0))
    b = gl.convert_layout(gl.load(y + at), gl.DotOperandLayout(1, L, 0))
    gl.store(z + at, gl.dot_fma(a, b, gl.zeros([N, N], gl.float32, L)))


def test_product_of_threads():
    x, y, z = torch.randn(32, 32), torch.randn(32, 32), torch.zeros(32, 32)
    product_of_threads[(1,)](x, y, z, 32, TILE)
    torch.testing.assert_close(z, x @ y, rtol=1e-4, atol=1e-4)


@gluon.jit
def product_in_shared(x, y, z, N: gl.constexpr, L: gl.constexpr, A: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.allocate_shared_memory(gl.float16, [N, N], S, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float16, [N, N], S, gl.load(y + at))
    hopper.fence_async_shared()
    total = hopper.warpgroup_mma_init(gl.zeros([N, N], gl.float32, A))
    for _ in range(2):
        total = hopper.warpgroup_mma(a, b.permute([1, 0]), total, is_async=True)
    total = hopper.warpgroup_mma_wait(0, deps=(total,))
    gl.store(z + at, gl.convert_layout(total, L))


def test_product_in_shared_memory(gpu):
    if gpu.arch != 90:
        pytest.skip("wgmma is sm_90's")
    x, y = torch.randn(64, 64).half(), torch.randn(64, 64).half()
    z = torch.zeros(64, 64)
    layout = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    product_in_shared[(1,)](x, y, z, 64, TILE, layout, gl.NVMMASharedLayout(128, 16))
    torch.testing.assert_close(z, 2 * (x.float() @ y.float().T), rtol=1e-3, atol=1e-2)


@aggregate
class Channel:
    buffer: gl.shared_memory_descriptor
    ready: gl.shared_memory_descriptor
    empty: gl.shared_memory_descriptor
    layout: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, buffer, ready, empty, layout):
        self.buffer = buffer
        self.ready = ready
        self.empty = empty
        self.layout = gl.constexpr(layout)

    @gluon.jit
    def send(self, i, value):
        mbarrier.wait(self.empty, (i & 1) ^ 1)
        self.buffer.store(value)
        mbarrier.arrive(self.ready, count=1)

    @gluon.jit
    def receive(self, i):
        mbarrier.wait(self.ready, i & 1)
        value = self.buffer.load(self.layout)
        mbarrier.arrive(self.empty, count=1)
        return value


@gluon.jit
def produce(x, channel, n, L: gl.constexpr):
    for i in range(n):
        channel.send(i, gl.load(x + i * 128 + gl.arange(0, 128, L)))


@gluon.jit
def consume(channel, n, L: gl.constexpr):
    total = gl.zeros([128], gl.float32, L)
    for i in range(n):
        total += channel.receive(i)
    return total


@gluon.jit
def specialized(x, y, n, L: gl.constexpr, W: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    channel = Channel(buffer, bars.index(0), bars.index(1), L)
    total = gl.warp_specialize([(consume, (channel, n, L)), (produce, (x, channel, n, W))], [1], [24])
    gl.store(y + gl.arange(0, 128, L), total)


def test_partitions(gpu):
    needs(gpu, 90)
    x = torch.randn(7, 128)
    y = torch.zeros(128)
    specialized[(1,)](x, y, 7, gl.BlockedLayout([1], [32], [4], [0]), gl.BlockedLayout([1], [32], [1], [0]))
    torch.testing.assert_close(y, x.sum(0))


def test_autotuned():
    configs = [triton.Config({"N": n, "layout": gl.BlockedLayout([n // 128], [32], [4], [0])}) for n in (128, 256)]
    tuned = triton.autotune(configs, key=["n"])(copy)
    x, y = torch.randn(512), torch.zeros(512)
    tuned[lambda meta: (triton.cdiv(512, meta["N"]),)](x, y, 512)
    assert torch.equal(x, y)


def test_what_a_launch_compiles_is_kept():
    x, y = torch.randn(256), torch.zeros(256)
    first = copy[(1,)](x, y, 256, 256, gl.BlockedLayout([1], [32], [4], [0]))
    assert copy[(1,)](x, y, 256, 256, gl.BlockedLayout([1], [32], [4], [0])) is first
    assert copy[(1,)](x, y, 256, 256, gl.BlockedLayout([2], [32], [4], [0])) is not first
    assert copy.is_gluon() and np.all(list(first.asm)[0] != "ttir")


@gluon.jit
def unpack_numbers(x, y, T: gl.constexpr, AXIS: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, 16, gl.SliceLayout(1, L))[:, None] * 16 + gl.arange(0, 16, gl.SliceLayout(0, L))[None, :]
    numbers = gl.fp4_to_fp(gl.load(x + at), T, AXIS)
    out: gl.constexpr = gl.to_linear_layout(numbers.type.layout, numbers.shape)
    numbers = gl.convert_layout(numbers, out, assert_trivial=True)
    rows = gl.arange(0, numbers.shape[0], gl.SliceLayout(1, out))[:, None]
    columns = gl.arange(0, numbers.shape[1], gl.SliceLayout(0, out))[None, :]
    gl.store(y + rows * numbers.shape[1] + columns, numbers)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("element, dtype", [(gl.float16, torch.float16), (gl.bfloat16, torch.bfloat16)])
@pytest.mark.parametrize("bytes_are", [torch.uint8, torch.int8])
def test_numbers_of_four_bits(axis, element, dtype, bytes_are):
    x = torch.arange(256, dtype=torch.uint8).reshape(16, 16)
    table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=dtype)
    low, high = table[(x & 15).long()], table[(x >> 4).long()]
    expected = torch.stack([low, high], dim=axis + 1).reshape([32, 16] if axis == 0 else [16, 32])
    y = torch.zeros_like(expected)
    unpack_numbers[(1,)](x.view(bytes_are), y, element, axis, gl.BlockedLayout([1, 4], [8, 4], [2, 2], [1, 0]))
    assert torch.equal(y.view(torch.int16), expected.view(torch.int16))


@gluon.jit
def pairs(x, y, z, L: gl.constexpr):
    at = gl.arange(0, 32, gl.SliceLayout(1, L))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, L))[None, :]
    a = float2.pack(gl.load(x + at), axis=1)
    b = float2.fma(a, a + a, float2.full_like(a, 0.5)) - a * a
    even, odd = float2.unpack2(b.sum(axis=1))
    gl.store(y + at, gl.convert_layout(float2.unpack(b, axis=1), L))
    rows = gl.arange(0, 32, gl.SliceLayout(1, L))
    gl.store(z + rows, gl.convert_layout(even + odd, gl.SliceLayout(1, L)))


def test_pairs_of_floats(gpu):
    needs(gpu, 100)
    x = torch.randint(-4, 4, (32, 64)).float()  # exact however it is rounded
    y, z = torch.zeros_like(x), torch.zeros(32)
    pairs[(1,)](x, y, z, TILE)
    assert torch.equal(y, x * x + 0.5)
    assert torch.equal(z, (x * x + 0.5).sum(1))


@gluon.jit
def add_places(x, ROWS: gl.constexpr, COLUMNS: gl.constexpr, SHARED: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, 64, gl.SliceLayout(1, L))[:, None] * 128 + gl.arange(0, 128, gl.SliceLayout(0, L))[None, :]
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [64, 128], SHARED, gl.load(x + at))
    for i in gl.static_range(64 // ROWS):
        for j in gl.static_range(128 // COLUMNS):
            part = buffer.slice(i * ROWS, ROWS, dim=0).slice(j * COLUMNS, COLUMNS, dim=1)
            place = gl.arange(0, ROWS, gl.SliceLayout(1, L))[:, None] * 128
            place += gl.arange(0, COLUMNS, gl.SliceLayout(0, L))[None, :] + (i * ROWS * 128 + j * COLUMNS)
            part.store((part.load(L) + place).to(x.dtype.element_ty))
    gl.store(x + at, buffer.load(L))


@pytest.mark.parametrize("rows, columns", [(64, 32), (8, 8), (32, 128)])
@pytest.mark.parametrize("shared", [gl.SwizzledSharedLayout(8, 1, 8, [1, 0]), gl.NVMMASharedLayout(128, 16)], ids=str)
def test_parts_of_swizzled_rows(rows, columns, shared):
    x = torch.randint(0, 8, (64, 128)).to(torch.int16)
    expected = x + torch.arange(64 * 128, dtype=torch.int16).reshape(64, 128)
    add_places[(1,)](x, rows, columns, shared, TILE)
    assert torch.equal(x, expected)


@gluon.jit
def copy_tile(x, y, N: gl.constexpr, SHARED: gl.constexpr):
    tiled: gl.constexpr = blackwell.TensorMemoryLayout((128, N), col_stride=1)
    layout: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [128, N], tiled, gl.num_warps())
    at = gl.arange(0, 128, gl.SliceLayout(1, layout))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [128, N], SHARED, gl.load(x + at))
    tile = blackwell.allocate_tensor_memory(gl.float32, [128, N], tiled)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    blackwell.fence_async_shared()
    blackwell.tcgen05_copy(buffer, tile)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    gl.store(y + at, tile.load(layout))


@gluon.jit
def copy_scales(x, y, SHARED: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [4, 1], [1, 0])
    rows, columns = gl.arange(0, 64, gl.SliceLayout(1, layout))[:, None], gl.arange(0, 16, gl.SliceLayout(0, layout))
    buffer = gl.allocate_shared_memory(gl.int8, [64, 16], SHARED, gl.load(x + rows * 16 + columns[None, :]))
    scales = blackwell.allocate_tensor_memory(gl.int8, [64, 16], blackwell.TensorMemoryScalesLayout())
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    blackwell.fence_async_shared()
    blackwell.tcgen05_copy(buffer, scales)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    held = scales._reinterpret(gl.int8, [128, 32], blackwell.TensorMemoryLayout((128, 32), col_stride=1)).load(layout)
    rows, columns = gl.arange(0, 128, gl.SliceLayout(1, layout))[:, None], gl.arange(0, 32, gl.SliceLayout(0, layout))
    gl.store(y + rows * 32 + columns[None, :], held)


CHUNKS = [[0, 1], [0, 2], [32, 0], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]]


@pytest.mark.parametrize("columns, swizzle", [(8, 32), (32, 64), (64, 128)])
def test_copies_to_tensor_memory(gpu, columns, swizzle):
    if gpu.arch // 10 != 10:
        pytest.skip("tensor memory is sm_100's")
    x = torch.randn(128, columns)
    y = torch.zeros_like(x)
    copy_tile[(1,)](x, y, columns, gl.NVMMASharedLayout(swizzle, 32, 2), num_warps=4)
    assert torch.equal(x, y)


def test_copies_of_scales(gpu):
    if gpu.arch // 10 != 10:
        pytest.skip("tensor memory is sm_100's")
    x, y = torch.randint(-100, 100, (64, 16), dtype=torch.int8), torch.zeros(128, 32, dtype=torch.int8)
    copy_scales[(1,)](x, y, gl.SharedLinearLayout(CHUNKS), num_warps=4)
    # A cell has four along K; then come rows from 32 on, then the rest of K. All quarters of tensor memory have the same.
    expected = x.reshape(2, 32, 2, 2, 4).permute(1, 2, 3, 0, 4).reshape(32, 32)
    assert torch.equal(y, expected.repeat(4, 1))
    with pytest.raises(triton.compiler.errors.CompilationError, match="tcgen05.cp has no descriptor for"):
        copy_scales[(1,)](x, y, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), num_warps=4)
