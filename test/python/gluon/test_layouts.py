"""Layouts as values of the host, and the maps that the compiler makes of them."""

import pytest
from gluon_code import compile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import mbarrier

BLOCKED = gl.BlockedLayout([2, 4], [16, 2], [2, 2], [1, 0])
MMA2 = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])

pytestmark = pytest.mark.filterwarnings("ignore")


def test_layouts_are_equal_by_value():
    assert gl.BlockedLayout([1], [32], [4], [0]) == gl.BlockedLayout([1], [32], [4], [0])
    assert gl.BlockedLayout([1], [32], [4], [0]) != gl.BlockedLayout([2], [32], [4], [0])
    assert len({gl.BlockedLayout([1], [32], [4], [0]), gl.BlockedLayout((1,), (32,), (4,), (0,))}) == 1
    assert gl.SliceLayout(1, BLOCKED) == gl.SliceLayout(1, gl.BlockedLayout([2, 4], [16, 2], [2, 2], [1, 0]))
    assert gl.AutoLayout() == gl.AutoLayout() and gl.AutoLayout() != gl.CoalescedLayout()
    assert gl.BlockedLayout([gl.constexpr(1)], [32], [4], gl.constexpr([0])) == gl.BlockedLayout([1], [32], [4], [0])


def test_layouts_are_frozen():
    with pytest.raises(AttributeError):
        BLOCKED.order = [0, 1]


def test_layouts_print_as_they_are_written():
    assert repr(gl.SliceLayout(1, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))) == (
        "SliceLayout(dim=1, parent=BlockedLayout(size_per_thread=[1, 1], threads_per_warp=[1, 32], warps_per_cta=[4, 1], "
        "order=[1, 0], cga_layout=[]))"
    )


def test_ranks():
    assert BLOCKED.rank == 2 and gl.SliceLayout(0, BLOCKED).rank == 1
    assert gl.DotOperandLayout(0, MMA2, 2).rank == 2
    for layout in (gl.AutoLayout(), gl.CoalescedLayout()):
        with pytest.raises(ValueError):
            layout.rank


def test_what_clusters_share():
    layout = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], [[1, 0], [0, 1]])
    assert gl.DotOperandLayout(0, layout, 2).cga_layout == [[1, 0], [0, 0]]
    assert gl.DotOperandLayout(1, layout, 2).cga_layout == [[0, 0], [0, 1]]
    assert gl.SliceLayout(0, layout).cga_layout == [[0], [1]]


def test_mangling():
    assert gl.BlockedLayout([1], [32], [4], [0]).mangle() == "B1_32_4_0_B"
    assert gl.NVMMASharedLayout(128, 16).mangle() == "NVMMA_128_16_False_False__NVMMA"


@pytest.mark.parametrize(
    "make",
    [
        lambda: gl.BlockedLayout([1, 1], [32], [4], [0]),
        lambda: gl.BlockedLayout([1], [32], [4], [0], [[1, 0]]),
        lambda: gl.NVMMASharedLayout(16, 16),
        lambda: gl.NVMMASharedLayout(128, 4),
        lambda: gl.NVMMASharedLayout(128, 16, cga_layout=[[1]]),
        lambda: gl.DotOperandLayout(2, MMA2, 2),
        lambda: gl.PaddedSharedLayout([], [[1]], [], [2]),
        lambda: gl.PaddedSharedLayout([[2, 3]], [[1]], [], [2]),
        lambda: gl.PaddedSharedLayout([[2, 1], [2, 2]], [[1]], [], [2]),
        lambda: gl.SharedLinearLayout([]),
        lambda: gl.PaddedSharedLayout.with_identity_for([[2, 1]], [4, 6], [1, 0]),
        lambda: gl.SharedLinearLayout([[1, 0], [1]]),
        lambda: gl.SharedLinearLayout([[1]], alignment=3),
        lambda: gl.DistributedLinearLayout([[1, 0]], [], [], [], [2]),
        lambda: gl.distributed_type(gl.float32, [16, 16], gl.BlockedLayout([1], [32], [4], [0])),
    ],
)
def test_layouts_that_cannot_be(make):
    with pytest.raises(AssertionError):
        make()


def test_default_for_a_buffer():
    default = gl.NVMMASharedLayout.get_default_for
    assert default([64, 64], gl.float16) == gl.NVMMASharedLayout(128, 16)
    assert default([64, 32], gl.float16).swizzle_byte_width == 64
    assert default([64, 16], gl.float16).swizzle_byte_width == 32
    assert default([64, 8], gl.float16).swizzle_byte_width == 0
    assert default([4, 64], gl.float16).swizzle_byte_width == 0
    assert default([128], gl.float32) == gl.NVMMASharedLayout(0, 32, rank=1)
    assert default([16, 64], gl.float16, transposed=True).swizzle_byte_width == 32


def test_padding_of_an_identity():
    layout = gl.PaddedSharedLayout.with_identity_for([[4, 2]], [2, 4], [1, 0])
    assert layout.offset_bases == [[0, 1], [0, 2], [1, 0]] and layout.shape == [2, 4]


def test_barriers_lie_in_a_row():
    layout = mbarrier.MBarrierLayout()
    assert isinstance(layout, gl.SwizzledSharedLayout) and layout.order == [0]


@gluon.jit
def same_map(layout: gl.constexpr, shape: gl.constexpr, expected: gl.constexpr):
    gl.static_assert(gl.to_linear_layout(layout, shape) == expected)


def linear(shape, reg, lane, warp, block=()):
    return gl.DistributedLinearLayout(reg, lane, warp, list(block), shape)


LANES = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
MAPS = {
    "a row of threads": (gl.BlockedLayout([1], [4], [4], [0]), linear([16], [], [[1], [2]], [[4], [8]])),
    "two of four CTAs are copies": (
        gl.BlockedLayout([1], [4], [4], [0], [[1], [0]]),
        linear([32], [], [[1], [2]], [[4], [8]], [[16], [0]]),
    ),
    "CTAs side by side": (
        gl.BlockedLayout([8, 1], [8, 4], [1, 4], [0, 1], [[0, 1]]),
        linear(
            [64, 128],
            [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]],
            [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]],
            [[0, 4], [0, 8]],
            [[0, 64]],
        ),
    ),
    "a lane too many": (
        gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]),
        linear([16, 16], [[4, 0], [8, 0]], [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], [[1, 0], [2, 0]]),
    ),
    "tiles repeat": (
        BLOCKED,
        linear(
            [128, 128],
            [[0, 1], [0, 2], [1, 0], [0, 16], [0, 32], [0, 64], [64, 0]],
            [[0, 4], [2, 0], [4, 0], [8, 0], [16, 0]],
            [[0, 8], [32, 0]],
        ),
    ),
    "mma.sync": (
        gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]),
        linear([64, 16], [[0, 1], [8, 0], [0, 8]], LANES, [[16, 0], [32, 0]]),
    ),
    "wgmma": (
        gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16]),
        linear([64, 64], [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], LANES, [[16, 0], [32, 0]]),
    ),
    "wgmma of eight warps": (
        gl.NVMMADistributedLayout([3, 0], [4, 2], [16, 32, 16]),
        linear([128, 64], [[0, 1], [8, 0], [0, 8], [0, 16], [64, 0]], LANES, [[16, 0], [32, 0], [0, 32]]),
    ),
    "left operand": (
        gl.DotOperandLayout(0, MMA2, 2),
        linear([32, 32], [[0, 1], [8, 0], [0, 8], [0, 16]], LANES, [[0, 0], [16, 0]]),
    ),
    "right operand": (
        gl.DotOperandLayout(1, MMA2, 2),
        linear([32, 16], [[1, 0], [8, 0], [16, 0]], [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], [[0, 8], [0, 0]]),
    ),
    "left operand of wgmma": (
        gl.DotOperandLayout(0, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16]), 2),
        linear([64, 32], [[0, 1], [8, 0], [0, 8], [0, 16]], LANES, [[16, 0], [32, 0]]),
    ),
    "a slice": (
        gl.SliceLayout(1, gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])),
        linear([128], [], [[1], [2], [4], [8], [16]], [[32], [64]]),
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_maps(name):
    layout, expected = MAPS[name]
    compile(same_map, {"layout": layout, "shape": expected.shape, "expected": expected})


@gluon.jit
def check_inferred(L: gl.constexpr, A: gl.constexpr):
    x = gl.zeros([128, 32], gl.float32, L)
    gl.static_assert(x.type.layout == L)
    gl.static_assert(gl.sum(x, axis=0).type.layout == gl.SliceLayout(0, L))
    gl.static_assert(gl.sum(x, axis=1)[:, None].type.layout == L)
    gl.static_assert(x.permute(1, 0).type.layout == gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]))
    a, b = x.reshape(128, 16, 2).split()
    gl.static_assert(a.type.layout.dim == 2)
    gl.static_assert(gl.join(a, b).reshape(128, 32).type.layout == L)
    parts = x.reshape(128, 2, 16).permute(0, 2, 1).split()
    gl.static_assert(gl.join(parts[0], parts[1]).permute(0, 2, 1).reshape(128, 32).type.layout == L)
    y = gl.zeros([256], gl.float32, gl.BlockedLayout([2], [32], [4], [0])).reshape(8, 4, 8)
    gl.static_assert(y.type.layout == gl.BlockedLayout([1, 1, 2], [2, 4, 4], [4, 1, 1], [2, 1, 0]))
    gl.static_assert(gl.zeros([64, 64], gl.float32, A).type.layout == A)
    gl.static_assert(gl.arange(0, 16).type.layout == gl.AutoLayout())


def test_layouts_that_ops_give():
    compile(check_inferred, {"L": gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]), "A": MMA2})


@gluon.jit
def check_buffers(N: gl.constexpr):
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    b = gl.allocate_shared_memory(gl.float16, [3, N, N], swizzled)
    gl.static_assert(b.shape[0] == 3 and b.rank == 3 and b.dtype == gl.float16 and b.numel == 3 * N * N)
    gl.static_assert(b.layout == swizzled)
    one = b.index(1)
    gl.static_assert(one.shape == (N, N) and one.layout == swizzled)
    gl.static_assert(one.permute([1, 0]).layout == gl.SwizzledSharedLayout(8, 1, 8, [0, 1]))
    m = gl.allocate_shared_memory(gl.float16, [N, N], gl.NVMMASharedLayout(128, 16))
    gl.static_assert(m.permute([1, 0]).layout == gl.NVMMASharedLayout(128, 16, transposed=True))
    gl.static_assert(m.slice(N // 2, N // 2).shape == (N // 2, N))


def test_layouts_that_views_give():
    compile(check_buffers, {"N": 64})


def test_builtins_need_a_kernel():
    with pytest.raises(ValueError, match="_semantic"):
        gl.arange(0, 16)


@gluon.jit
def linear_stays_linear(R: gl.constexpr):
    x = gl.zeros([128, 64], gl.float32, R)
    halves = x.reshape(128, 2, 32)
    gl.static_assert(isinstance(halves.type.layout, gl.DistributedLinearLayout))
    a, b = halves.permute(0, 2, 1).split()
    whole = gl.join(a, b).permute(0, 2, 1).reshape(128, 64)
    gl.static_assert(whole.type.layout == R)


def test_maps_stay_maps():
    columns = [[0, 1 << bit] for bit in range(6)]
    rows = [[1 << bit, 0] for bit in range(7)]
    compile(linear_stays_linear, {"R": gl.DistributedLinearLayout(columns, rows[:5], rows[5:], [], [128, 64])})
