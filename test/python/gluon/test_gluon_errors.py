"""What kernels are told that cannot be compiled."""

import pytest
from gluon_code import compile
from triton.compiler.errors import CompilationError
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier

ROW = gl.BlockedLayout([1], [32], [4], [0])
WIDE = gl.BlockedLayout([2], [32], [4], [0])
TILE = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
SHARED = gl.SwizzledSharedLayout(1, 1, 1, [0])


@gluon.jit
def meet():
    gl.arange(0, 128, ROW) + gl.arange(0, 128, WIDE)


@gluon.jit
def ranks():
    gl.zeros([16, 16], gl.int32, TILE) + gl.arange(0, 16, gl.SliceLayout(0, TILE))


@gluon.jit
def expand():
    gl.arange(0, 128, ROW)[:, None]


@gluon.jit
def expand_elsewhere():
    gl.arange(0, 128, gl.SliceLayout(0, TILE))[:, None]


@gluon.jit
def rank_of_layout():
    gl.zeros([16, 16], gl.float32, ROW)


@gluon.jit
def no_layout():
    gl.arange(0, 128, 4)


@gluon.jit
def buffer_in_registers():
    gl.allocate_shared_memory(gl.float32, [128], ROW)


@gluon.jit
def tensor_in_shared():
    gl.arange(0, 128, SHARED)


@gluon.jit
def order():
    gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [1]))


@gluon.jit
def anchored():
    gl.set_auto_layout(gl.arange(0, 128, ROW), WIDE)


@gluon.jit
def trivial():
    gl.convert_layout(gl.arange(0, 128, ROW), gl.BlockedLayout([2], [32], [4], [0]), assert_trivial=True)


@gluon.jit
def store_shape():
    gl.allocate_shared_memory(gl.int32, [64], SHARED).store(gl.arange(0, 128, ROW))


@gluon.jit
def store_dtype():
    gl.allocate_shared_memory(gl.float32, [128], SHARED).store(gl.arange(0, 128, ROW))


@gluon.jit
def store_number():
    gl.allocate_shared_memory(gl.float32, [128], SHARED).store(1.0)


@gluon.jit
def barrier_of_floats():
    mbarrier.init(gl.allocate_shared_memory(gl.float32, [1], SHARED), count=1)


@gluon.jit
def wait_for_nothing():
    done = hopper.warpgroup_mma_wait(0)  # noqa: F841


@gluon.jit
def operands():
    acc = gl.zeros([64, 64], gl.float32, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]))
    x = gl.zeros([64, 64], gl.float16, TILE)
    ampere.mma_v2(x, x, acc)


@gluon.jit
def nothing_to_do():
    pass


@gluon.jit
def partition_arguments():
    gl.warp_specialize([(nothing_to_do, 3)], [], [])


@gluon.jit
def partition_counts():
    gl.warp_specialize([(nothing_to_do, ()), (nothing_to_do, ())], [4, 4], [24])


@gluon.jit
def unknown_method():
    gl.allocate_shared_memory(gl.float32, [128], SHARED).fetch()


@pytest.mark.parametrize(
    "kernel, message",
    [
        (meet, "Layout mismatch in broadcast: BlockedLayout.* and BlockedLayout"),
        (ranks, "rank mismatch"),
        (expand, "expand_dims expects the layout of its input to be a SliceLayout, got BlockedLayout"),
        (expand_elsewhere, r"needs SliceLayout\(dim=1"),
        (rank_of_layout, "tensor shape and layout rank mismatch"),
        (no_layout, "tensor layout must be a DistributedLayout, got 4"),
        (buffer_in_registers, "expected 'layout' to be a SharedLayout but got BlockedLayout"),
        (tensor_in_shared, "tensor layout must be a DistributedLayout, got SwizzledSharedLayout"),
        (order, r"order must be a permutation of 0..\(rank-1\), but was \[1\]"),
        (anchored, "set_auto_layout takes a tensor whose layout is an AutoLayout"),
        (trivial, "layout conversion from .* to .* is not trivial"),
        (store_shape, r"source shape \[128\] and destination shape \[64\] must match"),
        (store_dtype, "source dtype int32 and destination dtype fp32 must match"),
        (store_number, "only tensors can be stored"),
        (barrier_of_floats, "barrier allocation must be a descriptor of 1xi64 type"),
        (wait_for_nothing, "deps must be given"),
        (operands, r"a must be in DotOperandLayout\(0"),
        (partition_arguments, "arguments must be a tuple"),
        (partition_counts, "worker_num_regs needs one number for each of the 1 workers, got 2|worker_num_warps"),
        (unknown_method, "no attribute 'fetch'"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_errors(kernel, message):
    with pytest.raises(CompilationError, match=message):
        compile(kernel, {})


@gluon.jit
def fill(x, L: gl.constexpr):
    gl.store(x + gl.arange(0, 128, L), 1.0)


def test_layouts_fit_the_kernel():
    with pytest.raises(CompilationError, match="4 warps per CTA, but the context requires 8"):
        compile(fill, {"x": "*fp32", "L": ROW}, num_warps=8)
    with pytest.raises(CompilationError, match="16 threads per warp"):
        compile(fill, {"x": "*fp32", "L": gl.BlockedLayout([1], [16], [4], [0])})


@gluon.jit
def changing(x, L: gl.constexpr, W: gl.constexpr):
    value = gl.arange(0, 128, L)
    for _ in range(4):
        value = gl.convert_layout(value, W)
    gl.store(x + value, 1.0)


def test_loops_keep_layouts():
    with pytest.raises(CompilationError, match="Loop-carried variable value has initial type"):
        compile(changing, {"x": "*fp32", "L": ROW, "W": WIDE})


def test_architectures():
    @gluon.jit
    def kernel():
        hopper.fence_async_shared()

    with pytest.raises(CompilationError, match="fence_async_shared needs sm_90 or newer, this is sm_80"):
        compile(kernel, {}, capability=80)


@gluon.jit
def words_of_ampere(x, WORD: gl.constexpr):
    if WORD == "async_copy_global_to_shared":
        buffer = gl.allocate_shared_memory(gl.int32, [128], SHARED)
        ampere.async_copy.async_copy_global_to_shared(buffer, x + gl.arange(0, 128, ROW))
    elif WORD == "async_copy.commit_group":
        ampere.async_copy.commit_group()
    elif WORD == "async_copy.wait_group":
        ampere.async_copy.wait_group(0)
    elif WORD == "mma_v2":
        layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
        a = gl.zeros([64, 16], gl.float16, gl.DotOperandLayout(0, layout, 2))
        b = gl.zeros([16, 8], gl.float16, gl.DotOperandLayout(1, layout, 2))
        ampere.mma_v2(a, b, gl.zeros([64, 8], gl.float32, layout))
    else:
        barrier = gl.allocate_shared_memory(gl.int64, [1], ampere.mbarrier.MBarrierLayout())
        if WORD == "mbarrier.init":
            ampere.mbarrier.init(barrier, 1)
        elif WORD == "mbarrier.invalidate":
            ampere.mbarrier.invalidate(barrier)
        elif WORD == "mbarrier.arrive":
            ampere.mbarrier.arrive(barrier)
        elif WORD == "mbarrier.wait":
            ampere.mbarrier.wait(barrier, 0)
        else:
            ampere.async_copy.mbarrier_arrive(barrier)


@pytest.mark.parametrize("word", [
    "async_copy_global_to_shared", "async_copy.commit_group", "async_copy.wait_group", "async_copy.mbarrier_arrive", "mma_v2",
    "mbarrier.init", "mbarrier.invalidate", "mbarrier.arrive", "mbarrier.wait",
])  # fmt: skip
def test_words_of_ampere_on_older_gpus(word):
    """They are refused at their line, not by the assembler."""
    with pytest.raises(CompilationError, match=f"{word} needs sm_80 or newer, this is sm_75"):
        compile(words_of_ampere, {"x": "*i32", "WORD": gl.constexpr(word)}, capability=75)
    compile(words_of_ampere, {"x": "*i32", "WORD": gl.constexpr(word)}, capability=80)


@gluon.jit
def shared_of_others():
    gl.allocate_shared_memory(gl.float32, [64], SHARED, gl.zeros([128], gl.float32, ROW))


@gluon.jit
def tensor_memory_of_others():
    layout: gl.constexpr = blackwell.TensorMemoryLayout([128, 32], col_stride=1)
    blackwell.allocate_tensor_memory(gl.float32, [128, 32], layout, gl.zeros([64, 32], gl.float32, TILE))


@pytest.mark.parametrize("kernel, capability", [(shared_of_others, 90), (tensor_memory_of_others, 100)])
def test_contents_of_another_shape(kernel, capability):
    with pytest.raises(CompilationError, match=r"a buffer of fp32 \[.*\] cannot begin with"):
        compile(kernel, {}, capability)


@gluon.jit
def described(desc):
    desc.shape


@pytest.mark.parametrize("text", ["__import__('os').getcwd()", "Layout(1)", "NVMMASharedLayout("])
def test_layouts_in_types_are_layouts_alone(text):
    with pytest.raises(ValueError, match="is no layout"):
        compile(described, {"desc": f"tensordesc<fp16[64, 64],{text}>"})


@gluon.jit
def wide_columns():
    blackwell.allocate_tensor_memory(gl.float32, [128, 64], blackwell.TensorMemoryLayout((128, 64), col_stride=2))


@gluon.jit
def wide_scales():
    blackwell.allocate_tensor_memory(gl.int16, [128, 4], blackwell.TensorMemoryScalesLayout())


@gluon.jit
def half_of_nothing():
    gl.static_print(
        blackwell.get_tmem_reg_layout(
            gl.float32, (128, 1), blackwell.TensorMemoryLayout((128, 1), 1), 4, "32x32b_splitn"
        )
    )


@gluon.jit
def in_any_order():
    gl.reshape(gl.arange(0, 128, ROW), [2, 64], can_reorder=True)


@gluon.jit
def padded_copies(x):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 8, fp4_padded=True)
    hopper.tma.make_tensor_descriptor(x, [128, 64], [64, 1], [128, 64], layout)


@gluon.jit
def across_the_swizzle():
    gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16)).slice(0, 4, dim=0)


@gluon.jit
def no_partition():
    gl.warp_specialize([], [], [])


@gluon.jit
def bound_of_a_loop():
    for i in range(gl.arange(0, 128, ROW), 4):
        pass


@gluon.jit
def anchored_in_memory():
    gl.set_auto_layout(gl.arange(0, 128), SHARED)


@pytest.mark.parametrize(
    "kernel, cause, message",
    [
        (wide_columns, ValueError, "bitwidth \\* col_stride must be less than or equal to 32, got 32 and 2"),
        (wide_scales, ValueError, "scales have 8 bits, not those of int16"),
        (half_of_nothing, ValueError, "splitn with 1 register requires the last lane basis"),
        (in_any_order, ValueError, "can_reorder is not supported in gluon"),
        (padded_copies, ValueError, "TMA does not pad"),
        (across_the_swizzle, ValueError, "We don't support splitting along the swizzling pattern"),
        (no_partition, AssertionError, "expected at least one function for the default partition"),
        (bound_of_a_loop, TypeError, "For lower bound must be a scalar"),
        (anchored_in_memory, ValueError, "set_auto_layout must set to a distributed layout"),
        (tensor_in_shared, AssertionError, "tensor layout must be a DistributedLayout"),
        (buffer_in_registers, ValueError, "expected 'layout' to be a SharedLayout"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_kinds_of_errors(kernel, cause, message):
    with pytest.raises(CompilationError, match=message) as error:
        compile(kernel, {"x": "*u8"} if kernel is padded_copies else {}, capability=100)
    assert isinstance(error.value.__cause__, cause)
