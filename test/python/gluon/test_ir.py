"""What is emitted, and what the passes leave."""

import re

import pytest
from gluon_code import compile, ir
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

ROW = gl.BlockedLayout([1], [32], [4], [0])
WIDE = gl.BlockedLayout([2], [32], [4], [0])
TILE = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])


def holds_in_order(text, pieces):
    at = 0
    for piece in pieces:
        found = re.compile(re.escape(piece)).search(text, at)
        assert found, f"not found (in order): {piece}\nin:\n{text}"
        at = found.end()


@gluon.jit
def double(x, y, n, N: gl.constexpr, L: gl.constexpr):
    at = gl.program_id(0) * N + gl.arange(0, N, L)
    gl.store(y + at, gl.load(x + at, mask=at < n) * 2, mask=at < n)


def test_stages_and_module():
    kernel = compile(double, {"x": "*fp32", "y": "*fp32", "n": "i32", "N": 512, "L": ROW})
    assert [stage for stage in kernel.asm if stage != "source"] == ["ttgir", "llir", "ptx", "cubin"]
    text = ir(double, {"x": "*fp32", "y": "*fp32", "n": "i32", "N": 512, "L": ROW}, num_warps=4)
    holds_in_order(
        text,
        [
            "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
            '"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32',
            "tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>",
            "tt.splat %n : i32 -> tensor<512xi32, #blocked>",
            "tt.load",
            "tt.store",
        ],
    )


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_vectors_are_as_wide_as_the_layout_says(capability):
    signature = {"x": "*fp32", "y": "*fp32", "n": "i32", "N": 512}
    wide = compile(double, {**signature, "L": gl.BlockedLayout([4], [32], [4], [0])}, capability).asm["ptx"]
    narrow = compile(double, {**signature, "L": ROW}, capability).asm["ptx"]
    assert "ld.global.v4" not in narrow
    assert "st.global" in wide


@gluon.jit
def inferred(x, y, N: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, N)
    total = gl.zeros([N], gl.float32)
    for _ in range(4):
        total += 1.0
    rows = gl.arange(0, N)[:, None] + gl.zeros([N, 32], gl.int32)
    gl.store(x + gl.set_auto_layout(gl.sum(rows, axis=1), L), 0.0)
    gl.store(gl.set_auto_layout(y + at, L), total)


def test_layouts_left_open_follow_from_those_named():
    parent = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    signature = {"x": "*fp32", "y": "*fp32", "N": 128, "L": gl.SliceLayout(1, parent)}
    source = compile(inferred, signature).asm["source"]
    assert "#gluon.auto_encoding" in source and "gluon.set_auto_layout" in source
    text = ir(inferred, signature)
    assert "gluon" not in text
    holds_in_order(text, ["tensor<128x32xi32, #blocked>", '"tt.reduce"'])
    assert "ttg.convert_layout" not in text


@gluon.jit
def unanchored(x):
    gl.device_print("at", gl.arange(0, 128))


def test_a_layout_that_nothing_names():
    with pytest.raises(Exception, match="Failed to infer return type"):
        compile(unanchored, {"x": "*fp32"})


@gluon.jit
def torn(x, L: gl.constexpr, W: gl.constexpr):
    at = gl.arange(0, 256)
    gl.store(x + gl.set_auto_layout(at, L), 0.0)
    gl.store(x + gl.set_auto_layout(at, W), 0.0)


def test_a_layout_that_is_named_twice():
    with pytest.raises(Exception, match="found conflicting encodings for value"):
        compile(torn, {"x": "*fp32", "L": ROW, "W": WIDE})


@gluon.jit
def coalesced(x, y, M: gl.constexpr, N: gl.constexpr):
    rows = gl.arange(0, M)[:, None]
    at = gl.set_auto_layout(rows * N + gl.arange(0, N)[None, :], gl.CoalescedLayout())
    gl.store(y + at, gl.load(x + at) + 1)


def test_layouts_that_suit_memory():
    text = ir(coalesced, {"x": "*fp32", "y": "*fp32", "M": 64, "N": 64})
    assert "sizePerThread = [1, 4]" in text and "gluon" not in text


@gluon.jit
def helper(a, b):
    return a + b, a * b


@gluon.jit
def calls(x, L: gl.constexpr):
    at = gl.arange(0, 128, L)
    added, multiplied = helper(at, 2)
    gl.store(x + added, multiplied)


def test_functions_keep_layouts():
    text = ir(calls, {"x": "*i32", "L": ROW})
    assert "tt.call" not in text and "arith.muli" in text


@gluon.jit
def buffered(x, y, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    buffers = gl.allocate_shared_memory(gl.float16, [2, N, N], S)
    one = buffers.index(1)
    one.store(gl.load(x + at))
    gl.store(y + at, one.permute([1, 0]).load(L))
    gl.store(y + at, one.slice(0, N, dim=1).load(L))
    buffers._keep_alive()


@pytest.mark.parametrize("capability", [80, 90, 100])
@pytest.mark.parametrize(
    "layout",
    [
        gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
        gl.NVMMASharedLayout(128, 16),
        gl.PaddedSharedLayout.with_identity_for([[32, 8]], [64, 64], [1, 0]),
    ],
    ids=lambda layout: type(layout).__name__,
)
def test_buffers(capability, layout):
    kernel = compile(buffered, {"x": "*fp16", "y": "*fp16", "N": 64, "L": TILE, "S": layout}, capability)
    holds_in_order(
        kernel.asm["ttgir"],
        [
            "ttg.local_alloc",
            "ttg.memdesc_index",
            "ttg.local_store",
            "ttg.memdesc_trans",
            "ttg.local_load",
            "ttg.local_dealloc",
        ],
    )
    assert "bar.sync" in kernel.asm["ptx"]
    assert kernel.metadata.shared >= 2 * 64 * 64 * 2


@gluon.jit
def copies(x, y, n, N: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, N, L)
    buffer = gl.allocate_shared_memory(gl.float32, [N], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    ampere.async_copy.async_copy_global_to_shared(buffer, x + at, mask=at < n)
    ampere.async_copy.commit_group()
    ampere.async_copy.wait_group(0)
    bar = gl.allocate_shared_memory(gl.int64, [1], ampere.mbarrier.MBarrierLayout())
    ampere.mbarrier.init(bar, count=1)
    ampere.async_copy.async_copy_global_to_shared(buffer, x + at)
    ampere.async_copy.mbarrier_arrive(bar)
    ampere.mbarrier.arrive(bar)
    ampere.mbarrier.wait(bar, 0, deps=[buffer])
    ampere.mbarrier.invalidate(bar)
    gl.store(y + at, buffer.load(L))


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_copies_by_threads(capability):
    layout = gl.BlockedLayout([4], [32], [4], [0])
    ptx = compile(copies, {"x": "*fp32", "y": "*fp32", "n": "i32", "N": 512, "L": layout}, capability).asm["ptx"]
    holds_in_order(ptx, ["cp.async.", "cp.async.commit_group", "cp.async.wait_group", "mbarrier.init", "cp.async.cg"])
    holds_in_order(ptx, ["cp.async.mbarrier.arrive", "mbarrier.arrive", "mbarrier.inval"])


@gluon.jit
def blocks(x, y, n, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    source = tma.make_tensor_descriptor(x, [n, n], [n, 1], [N, N], S)
    target = tma.make_tensor_descriptor(y, [n, n], [n, 1], [N, N], S)
    gl.static_assert(source.layout == S and source.block_type.nbytes == N * N * 2)
    buffer = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
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


@pytest.mark.parametrize("capability", [90, 100])
def test_copies_by_the_copy_engine(capability):
    signature = {"x": "*fp16", "y": "*fp16", "n": "i32", "N": 64, "L": TILE, "S": gl.NVMMASharedLayout(128, 16)}
    ptx = compile(blocks, signature, capability).asm["ptx"]
    holds_in_order(ptx, ["cp.async.bulk.tensor.2d.shared", "fence.proxy.async", "cp.async.bulk.tensor.2d.global"])
    holds_in_order(ptx, ["cp.async.bulk.wait_group.read"])


@gluon.jit
def multiply(x, y, z, N: gl.constexpr, L: gl.constexpr, A: gl.constexpr, K: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.convert_layout(gl.load(x + at), gl.DotOperandLayout(0, A, K))
    b = gl.convert_layout(gl.load(y + at), gl.DotOperandLayout(1, A, K))
    total = gl.zeros([N, N], gl.float32, A)
    if K == 0:
        total = gl.dot_fma(a, b, total)
    else:
        total = ampere.mma_v2(a, b, total)
    gl.store(z + at, gl.convert_layout(total, L))


@pytest.mark.parametrize("capability", [80, 90, 100])
@pytest.mark.parametrize("dtype, width", [("fp16", 2), ("bf16", 2), ("fp32", 1)])
def test_products_in_registers(capability, dtype, width):
    layout = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    signature = {"x": f"*{dtype}", "y": f"*{dtype}", "z": "*fp32", "N": 64, "L": TILE, "A": layout, "K": width}
    assert "mma.sync.aligned" in compile(multiply, signature, capability).asm["ptx"]


def test_products_by_threads():
    signature = {"x": "*fp32", "y": "*fp32", "z": "*fp32", "N": 32, "L": TILE, "A": TILE, "K": 0}
    ptx = compile(multiply, signature, 80).asm["ptx"]
    assert "fma.rn" in ptx and "mma.sync" not in ptx


@gluon.jit
def by_warpgroup(x, y, z, n, N: gl.constexpr, L: gl.constexpr, A: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.allocate_shared_memory(gl.float16, [N, N], S, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float16, [N, N], S)
    b.store(gl.load(y + at))
    hopper.fence_async_shared()
    total = hopper.warpgroup_mma_init(gl.zeros([N, N], gl.float32, A))
    for _ in range(n):
        total = hopper.warpgroup_mma(a, b.permute([1, 0]), total, is_async=True)
    total = hopper.warpgroup_mma_wait(0, deps=(total,))
    gl.static_assert(total.type.layout == A)
    total = hopper.warpgroup_mma(a, b, total, use_acc=n > 1)
    gl.store(z + at, gl.convert_layout(total, L))


def test_products_in_shared_memory():
    layout = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    signature = {"x": "*fp16", "y": "*fp16", "z": "*fp32", "n": "i32", "N": 64, "L": TILE, "A": layout}
    kernel = compile(by_warpgroup, {**signature, "S": gl.NVMMASharedLayout(128, 16)})
    assert "wgmma.mma_async" in kernel.asm["ptx"]
    holds_in_order(
        kernel.asm["ttgir"], ["isAsync = true", "ttng.warp_group_dot_wait", "pendings = 0", "ttng.warp_group_dot"]
    )


@gluon.jit
def produce(x, buffer, ready, empty, n, L: gl.constexpr):
    gl.static_assert(gl.num_warps() == 1)
    for i in range(n):
        mbarrier.wait(empty, (i & 1) ^ 1)
        buffer.store(gl.load(x + i * 128 + gl.arange(0, 128, L)))
        mbarrier.arrive(ready, count=1)


@gluon.jit
def consume(buffer, ready, empty, n, L: gl.constexpr):
    gl.static_assert(gl.num_warps() == 4)
    total = gl.zeros([128], gl.float32, L)
    for i in range(n):
        mbarrier.wait(ready, i & 1)
        total += buffer.load(L)
        mbarrier.arrive(empty, count=1)
    return total, n + 1


@gluon.jit
def specialized(x, y, n, L: gl.constexpr, W: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    ready, empty = bars.index(0), bars.index(1)
    total, more = gl.warp_specialize(
        [(consume, (buffer, ready, empty, n, L)), (produce, (x, buffer, ready, empty, n, W))], [1], [24]
    )
    gl.store(y + gl.arange(0, 128, L), total + more)


@pytest.mark.parametrize("capability", [90, 100])
def test_partitions(capability):
    signature = {"x": "*fp32", "y": "*fp32", "n": "i32", "L": ROW, "W": gl.BlockedLayout([1], [32], [1], [0])}
    kernel = compile(specialized, signature, capability)
    assert "_NW1" in kernel.asm["source"]
    holds_in_order(
        kernel.asm["ttgir"],
        [
            "ttg.warp_specialize(",
            "requestedRegisters = array<i32: 24>",
            "default {",
            "ttg.warp_yield",
            "num_warps(1)",
            "ttg.warp_return",
        ],
    )
    assert kernel.metadata.num_warps == 8


@gluon.jit
def in_tensor_memory(x, y, z, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.allocate_shared_memory(gl.float16, [N, N], S, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float16, [N, N], S, gl.load(y + at))
    layout: gl.constexpr = blackwell.TensorMemoryLayout((N, N), col_stride=1)
    total = blackwell.allocate_tensor_memory(gl.float32, [N, N], layout)
    gl.static_assert(total.layout == layout and total.shape == (N, N))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    hopper.fence_async_shared()
    blackwell.tcgen05_mma(a, b.permute([1, 0]), total, use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    blackwell.tcgen05_mma(a, b, total)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 1)
    registers: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, (N, N), layout, gl.num_warps())
    value = total.load(registers)
    total.slice(0, N // 2).store(
        gl.zeros(
            [N, N // 2],
            gl.float32,
            blackwell.get_tmem_reg_layout(gl.float32, (N, N // 2), blackwell.TensorMemoryLayout((N, N // 2), 1), 4),
        )
    )
    gl.store(z + at, gl.convert_layout(value, L))


def test_products_in_tensor_memory():
    signature = {"x": "*fp16", "y": "*fp16", "z": "*fp32", "N": 128, "L": TILE, "S": gl.NVMMASharedLayout(128, 16)}
    kernel = compile(in_tensor_memory, signature, 100)
    holds_in_order(
        kernel.asm["ttgir"],
        [
            "ttng.tmem_alloc",
            "ttng.tc_gen5_mma",
            "is_async",
            "ttng.wait_barrier",
            "ttng.tc_gen5_mma",
            "ttng.tc_gen5_commit",
            "ttng.tmem_load",
        ],
    )
    holds_in_order(kernel.asm["ptx"], ["tcgen05.alloc", "tcgen05.mma", "tcgen05.commit", "tcgen05.ld"])
    with pytest.raises(Exception, match="allocate_tensor_memory is for sm_100, this is sm_90"):
        compile(in_tensor_memory, signature, 90)


@gluon.jit
def register_layouts(
    W: gl.constexpr, variant: gl.constexpr, shape: gl.constexpr, block: gl.constexpr, expected: gl.constexpr
):
    layout: gl.constexpr = blackwell.TensorMemoryLayout(block, 1)
    gl.static_assert(blackwell.get_tmem_reg_layout(gl.float32, shape, layout, W, variant) == expected)


def columns(end, first=1):
    return [[0, 1 << bit] for bit in range(first.bit_length() - 1, end.bit_length())]


ROWS = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
REGISTERS = {
    "four warps": (4, "32x32b", [128, 128], (128, 128), (columns(64), ROWS, [[32, 0], [64, 0]])),
    "eight warps": (8, "32x32b", [128, 128], (128, 128), (columns(32), ROWS, [[32, 0], [64, 0], [0, 64]])),
    "16x256b": (
        4,
        "16x256b",
        [128, 128],
        (128, 128),
        (
            [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [16, 0]],
            [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
            [[32, 0], [64, 0]],
        ),
    ),
    "64 rows": (4, "32x32b", [64, 64], (64, 64), (columns(16), [*ROWS[:4], [0, 32]], [[16, 0], [32, 0]])),
    "halves are registers": (
        8,
        "32x32b_splitn",
        [128, 128],
        (128, 128),
        ([*columns(16), [0, 64]], ROWS, [[32, 0], [64, 0], [0, 32]]),
    ),
}


@pytest.mark.parametrize("name", REGISTERS)
def test_registers_of_tensor_memory(name):
    warps, variant, shape, block, bases = REGISTERS[name]
    expected = gl.DistributedLinearLayout(*bases, [], shape)
    constants = {"W": warps, "shape": shape, "block": block, "expected": expected}
    compile(register_layouts, {**constants, "variant": gl.constexpr(variant)}, 100)


@gluon.jit
def rows_by_number(x, y, numbers, n, L: gl.constexpr, S: gl.constexpr):
    source = blackwell.tma.make_tensor_descriptor(x, [n, n], [n, 1], [1, 64], S)
    target = blackwell.tma.make_tensor_descriptor(y, [n, n], [n, 1], [1, 64], S)
    rows = gl.load(numbers + gl.arange(0, 32, L))
    buffer = gl.allocate_shared_memory(gl.float16, [32, 64], S)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, 32 * 64 * 2)
    blackwell.tma.async_gather(source, rows, 0, bar, buffer)
    mbarrier.wait(bar, 0)
    blackwell.tma.async_scatter(target, rows, 0, buffer)
    blackwell.tma.store_wait(0)


def test_rows_by_the_copy_engine():
    layout = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    signature = {"x": "*fp16", "y": "*fp16", "numbers": "*i32", "n": "i32", "L": layout}
    ptx = compile(rows_by_number, {**signature, "S": gl.NVMMASharedLayout(128, 16)}, 100).asm["ptx"]
    holds_in_order(ptx, ["tile::gather4", "tile::scatter4"])


@gluon.jit
def scaled(x, y, z, N: gl.constexpr, L: gl.constexpr, S: gl.constexpr):
    at = gl.arange(0, N, gl.SliceLayout(1, L))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    a = gl.allocate_shared_memory(gl.float8e4nv, [N, N], S, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float8e4nv, [N, N], S, gl.load(y + at))
    layout: gl.constexpr = blackwell.TensorMemoryLayout((N, N), col_stride=1)
    scales: gl.constexpr = blackwell.TensorMemoryScalesLayout()
    total = blackwell.allocate_tensor_memory(gl.float32, [N, N], layout)
    of_a = blackwell.allocate_tensor_memory(gl.int8, [N, N // 32], scales)
    of_b = blackwell.allocate_tensor_memory(gl.int8, [N, N // 32], scales)
    registers: gl.constexpr = blackwell.get_tmem_reg_layout(gl.int8, (N, N // 32), scales, 4)
    of_a.store(gl.full([N, N // 32], 127, gl.int8, registers))
    of_b.store(gl.full([N, N // 32], 127, gl.int8, registers))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    blackwell.fence_async_shared()
    blackwell.tcgen05_mma_scaled(a, b, total, of_a, of_b, "e4m3", "e4m3", use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    value = total.load(blackwell.get_tmem_reg_layout(gl.float32, (N, N), layout, 4))
    gl.store(z + at, gl.convert_layout(value, L))


def test_scaled_products():
    signature = {"x": "*fp8e4nv", "y": "*fp8e4nv", "z": "*fp32", "N": 128, "L": TILE}
    ptx = compile(scaled, {**signature, "S": gl.NVMMASharedLayout(128, 8)}, 100).asm["ptx"]
    assert "tcgen05.mma" in ptx and "block_scale" in ptx


def test_parser_for_tests():
    from triton._filecheck import run_parser
    from triton.runtime.jit import MockTensor

    pointer = MockTensor(gl.float32)
    module = str(run_parser(double, args=(pointer, pointer, 7, 512, ROW)))
    assert "#blocked" in module and 'ttg.target = "cuda:100"' in module
