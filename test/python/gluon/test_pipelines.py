"""A product whose operands one warp copies ahead while others multiply: right on a GPU, compiled without one (--compile-only sm_90a)."""

import pytest
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.language.core import _aggregate as aggregate


@aggregate
class Turn:
    """Which buffer of a ring is next, and the parity of its round."""

    index: gl.tensor
    phase: gl.tensor
    count: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, index, phase, count):
        self.index = index
        self.phase = phase
        self.count = gl.constexpr(count)

    @gluon.jit
    def first(phase, count: gl.constexpr):
        return Turn(gl.to_tensor(0), gl.to_tensor(phase), count)

    @gluon.must_use_result
    @gluon.jit
    def next(self):
        index = self.index + 1
        wraps = index == self.count
        return Turn(gl.where(wraps, 0, index), gl.where(wraps, self.phase ^ 1, self.phase), self.count)


@aggregate
class Ring:
    a: tma.tensor_descriptor
    b: tma.tensor_descriptor
    a_buffers: gl.shared_memory_descriptor
    b_buffers: gl.shared_memory_descriptor
    empty: gl.shared_memory_descriptor
    ready: gl.shared_memory_descriptor
    count: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, a, b, a_buffers, b_buffers, empty, ready, count):
        self.a = a
        self.b = b
        self.a_buffers = a_buffers
        self.b_buffers = b_buffers
        self.empty = empty
        self.ready = ready
        self.count = gl.constexpr(count)

    @gluon.jit
    def operands(self, turn):
        return self.a_buffers.index(turn.index), self.b_buffers.index(turn.index)


@gluon.jit
def copy_ahead(ring, K):
    turn = Turn.first(1, ring.count)
    row = gl.program_id(0) * ring.a.block_type.shape[0]
    column = gl.program_id(1) * ring.b.block_type.shape[1]
    for k in range(0, K, ring.a.block_type.shape[1]):
        bar = ring.ready.index(turn.index)
        a, b = ring.operands(turn)
        mbarrier.wait(ring.empty.index(turn.index), turn.phase)
        mbarrier.expect(bar, ring.a.block_type.nbytes + ring.b.block_type.nbytes)
        tma.async_copy_global_to_shared(ring.a, [row, k], bar, a)
        tma.async_copy_global_to_shared(ring.b, [k, column], bar, b)
        turn = turn.next()


@gluon.jit
def multiply(ring, K, ACC: gl.constexpr):
    total = gl.zeros([ring.a.block_type.shape[0], ring.b.block_type.shape[1]], gl.float32, ACC)
    turn = Turn.first(0, ring.count)
    for k in range(0, K, ring.a.block_type.shape[1]):
        mbarrier.wait(ring.ready.index(turn.index), turn.phase)
        a, b = ring.operands(turn)
        running = hopper.warpgroup_mma(a, b, total, is_async=True)
        total = hopper.warpgroup_mma_wait(0, deps=(running,))
        mbarrier.arrive(ring.empty.index(turn.index), count=1)
        turn = turn.next()
    return total


@gluon.jit
def product(a, b, c, K, COUNT: gl.constexpr, ACC: gl.constexpr):
    a_buffers = gl.allocate_shared_memory(a.dtype, [COUNT] + a.block_type.shape, a.layout)
    b_buffers = gl.allocate_shared_memory(b.dtype, [COUNT] + b.block_type.shape, b.layout)
    empty = gl.allocate_shared_memory(gl.int64, [COUNT, 1], mbarrier.MBarrierLayout())
    ready = gl.allocate_shared_memory(gl.int64, [COUNT, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(COUNT):
        mbarrier.init(empty.index(i), count=1)
        mbarrier.init(ready.index(i), count=1)
    ring = Ring(a, b, a_buffers, b_buffers, empty, ready, COUNT)
    total = gl.warp_specialize([(multiply, (ring, K, ACC)), (copy_ahead, (ring, K))], [1], [24])
    buffer = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    buffer.store(total.to(c.dtype))
    hopper.fence_async_shared()
    row, column = gl.program_id(0) * c.block_type.shape[0], gl.program_id(1) * c.block_type.shape[1]
    tma.async_copy_shared_to_global(c, [row, column], buffer)
    tma.store_wait(0)


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("count", [2, 3])
def test_product(count, num_warps):
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda" or target.arch != 90:
        pytest.skip("wgmma is sm_90's")
    m, n, k = 256, 256, 320
    a, b, c = torch.randn(m, k).half(), torch.randn(k, n).half(), torch.zeros(m, n).half()
    blocks = ([128, 64], [64, 128], [128, 128])
    described = (
        TensorDescriptor.from_tensor(each, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))
        for each, block in zip((a, b, c), blocks)
    )
    layout = gl.NVMMADistributedLayout([3, 0], [num_warps, 1], [16, 128, 16])
    product[(m // 128, n // 128)](*described, k, count, layout, num_warps=num_warps)
    torch.testing.assert_close(c.float(), a.float() @ b.float(), rtol=1e-2, atol=5e-2)
