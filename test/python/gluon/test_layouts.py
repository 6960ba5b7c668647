"""Layouts as values of the host, and the maps that the compiler makes of them."""

import copy
import dataclasses
import math
import pickle
import re
import sys

import pytest
from gluon_code import compile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import _layouts
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.ampere import mbarrier
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.runtime.jit import MockTensor, mangle_type

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


EVERY = [
    gl.AutoLayout(),
    gl.CoalescedLayout(),
    BLOCKED,
    gl.SliceLayout(1, BLOCKED),
    linear([16], [], [[1], [2]], [[4], [8]]),
    MMA2,
    gl.DotOperandLayout(0, MMA2, 2),
    gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
    gl.NVMMASharedLayout(128, 16),
    gl.PaddedSharedLayout([[4, 2]], [[0, 1], [1, 0]], [], [2, 2]),
    gl.SharedLinearLayout([[0, 1], [1, 0]]),
    mbarrier.MBarrierLayout(),
    blackwell.TensorMemoryLayout((128, 64), 1, cta_split_num=(2, 1), two_ctas=True),
    blackwell.TensorMemoryScalesLayout(),
    gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]),
    gl.amd.AMDWMMALayout(2, False, [2, 2]),
]


def test_every_class_of_the_table_is_here():
    assert {type(layout).__name__ for layout in EVERY} == set(_layouts.CLASSES)


@pytest.mark.parametrize("layout", EVERY, ids=lambda layout: type(layout).__name__)
def test_layouts_are_values(layout):
    cls = type(layout)
    assert getattr(sys.modules[cls.__module__], cls.__name__) is cls and cls.__doc__
    assert pickle.loads(pickle.dumps(layout)) == layout == copy.deepcopy(layout)
    assert hash(pickle.loads(pickle.dumps(layout))) == hash(layout)
    assert repr(layout).startswith(f"{cls.__name__}(") and layout.type == gl.constexpr(layout).type
    assert re.fullmatch(r"[\w~\[\], ]+", layout.mangle())
    if cls is not mbarrier.MBarrierLayout:
        assert eval(repr(layout), {**_layouts.CLASSES}) == layout
        values = {field.name: getattr(layout, field.name) for field in dataclasses.fields(layout)}
        assert cls(**values) == layout == dataclasses.replace(layout)


def test_symbols_of_layouts():
    names = [layout.mangle() for layout in EVERY]
    assert names[0] == "AL" and names[2] == "B2_4_16_2_2_2_1_0_B" and names[3] == f"SL1_{names[2]}SL"
    assert names[5] == "MMA_[2, 0]_[2, 2]_[16, 8]__MMA" and names[6] == f"DO0_{names[5]}_2DO"
    assert names[7] == names[11].replace("1_1_1_0", "8_1_8_1_0") == "SSS_8_1_8_1_0__SSS"
    assert names[9] == "PaddedShared_[[4, 2]]_[[0, 1], [1, 0]]_[]_[2, 2]_PaddedShared"
    assert names[12] == "TL128x64C1CS2x12CTTL" and names[13] == "TLSTLS"
    assert gl.BlockedLayout([1], [32], [4], [0], [[1], [0]]).mangle() == "B1_32_4_0_1_0B"
    assert (
        gl.NVMMASharedLayout(128, 16, cga_layout=[[0, 1], [2, 0]]).mangle() == "NVMMA_128_16_False_False_0~1_2~0_NVMMA"
    )


def test_fields_of_a_wrong_kind():
    for make, what in [
        (lambda: gl.BlockedLayout(1, [32], [4], [0]), "size_per_thread of BlockedLayout must be a list of integers, got 1"),
        (lambda: gl.SwizzledSharedLayout("8", 1, 8, [1, 0]), "vec of SwizzledSharedLayout must be an integer, got '8'"),
        (lambda: gl.BlockedLayout([1], [32], [4], [0], [1]), "cga_layout of BlockedLayout must be a list of lists of integers"),
        (lambda: gl.BlockedLayout([1], [32], [4]), "order"),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=re.escape(what)):
            make()
    with pytest.raises(AssertionError, match="parent of SliceLayout must be a layout of tensors, got 3"):
        gl.SliceLayout(0, 3)


def test_how_far_bases_reach():
    assert _layouts.bases_per_dim([[0, 1], [0, 2], [4, 0]], 2) == [2, 4]
    assert _layouts.bases_per_dim([], 3) == [1, 1, 1]
    assert _layouts.bases_per_dim([[1, 0], [0, 0], [0, 1]], 2) == [2, 2]
    assert _layouts.bases_per_dim([[1, 0], [0, 0], [0, 1]], 2, skip_broadcast=False) == [4, 2]
    with pytest.raises(AssertionError, match="needs 2 numbers"):
        _layouts.bases_per_dim([[1]], 2)


def test_warps_of_layouts():
    assert _layouts.warps_per_cta(BLOCKED, [64, 64]) == [2, 2]
    assert _layouts.warps_per_cta(gl.SliceLayout(0, BLOCKED), [64]) == [2, 2]
    assert _layouts.warps_per_cta(gl.DotOperandLayout(1, MMA2, 2), [32, 32]) == [2, 2]
    copies = linear([16, 4], [[0, 1], [0, 2]], [[1, 0], [2, 0]], [[4, 0], [8, 0], [0, 0]])
    assert math.prod(_layouts.warps_per_cta(copies, [16, 4])) == 8
    with pytest.raises(ValueError, match="has no warps"):
        _layouts.warps_per_cta(gl.AutoLayout(), [16])


@gluon.jit
def counts_warps(layout: gl.constexpr, shape: gl.constexpr):
    gl.static_assert(_layouts.warps_per_cta(layout, shape)[1] == 2)


def test_functions_of_layouts_in_kernels():
    compile(counts_warps, {"layout": BLOCKED, "shape": (64, 64)})


def test_functions_beside_the_language():
    import triton.experimental.gluon.language.extra as extra
    import triton.language.extra.libdevice as libdevice

    assert extra.libdevice is libdevice is gl.extra.libdevice


def test_descriptors_carry_their_layout():
    layout = gl.NVMMASharedLayout(128, 16)
    descriptor = TensorDescriptor(MockTensor(gl.float16), [64, 64], [64, 1], [64, 64], layout)
    ty = mangle_type(descriptor)
    assert ty == f"tensordesc<fp16[64, 64],{layout!r}>" and ty.layout is layout
    assert pickle.loads(pickle.dumps(ty)).layout == layout
