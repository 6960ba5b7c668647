"""The text of what is emitted, before any pass: kernels are compared by it, so that every op, number and name counts."""

import re
import textwrap

import pytest
from triton._filecheck import run_parser
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.language.core import _aggregate as aggregate
from triton.runtime.jit import MockTensor

ROW = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
LINE = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
SQUARE = gl.constexpr(gl.NVMMASharedLayout(128, 16))
POINTER = MockTensor(gl.float32)


def body(kernel, *args, capability=90, function=None):
    """The lines of a function, the kernel's own or the first whose name holds `function`."""
    text = run_parser(kernel, args=args, target=GPUTarget("cuda", capability, 32)).str_nodebug()
    text = text.replace(f"{__name__}.", "")
    functions = re.findall(r"^  tt\.func (.*?)\n(.*?)^  }$", text, re.MULTILINE | re.DOTALL)
    if function:
        return next(textwrap.dedent(lines) for head, lines in functions if function in head)
    return textwrap.dedent(functions[0][1])


def lines(text):
    return textwrap.dedent(text).lstrip("\n")


@gluon.jit
def numbers(n):
    x = gl.arange(0, 128, ROW)
    y = x + 1  # noqa: F841
    z = n < 3  # noqa: F841
    w = gl.full([128], 2.0, gl.float32, ROW)  # noqa: F841


def test_numbers_are_scalars_first():
    assert body(numbers, 5) == lines(
        """
        %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
        %c1_i32 = arith.constant 1 : i32
        %c1_i32_0 = arith.constant 1 : i32
        %cst = arith.constant dense<1> : tensor<128xi32, #blocked>
        %1 = arith.addi %0, %cst : tensor<128xi32, #blocked>
        %c3_i32 = arith.constant 3 : i32
        %2 = arith.cmpi slt, %arg0, %c3_i32 : i32
        %cst_1 = arith.constant 2.000000e+00 : f32
        %cst_2 = arith.constant dense<2.000000e+00> : tensor<128xf32, #blocked>
        tt.return
        """
    )


@gluon.jit
def copied(x, n):
    at = gl.arange(0, 128, ROW)
    gl.load(x + at, mask=at < n)
    gl.atomic_add(x + at, 1.0)


def test_keywords_come_first_and_masks_are_whole():
    assert body(copied, POINTER, 5) == lines(
        """
        %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
        %1 = tt.splat %arg1 : i32 -> tensor<128xi32, #blocked>
        %2 = arith.cmpi slt, %0, %1 : tensor<128xi32, #blocked>
        %3 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
        %4 = tt.addptr %3, %0 : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
        %5 = tt.load %4, %2 : tensor<128x!tt.ptr<f32>, #blocked>
        %6 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
        %7 = tt.addptr %6, %0 : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
        %cst = arith.constant 1.000000e+00 : f32
        %cst_0 = arith.constant dense<1.000000e+00> : tensor<128xf32, #blocked>
        %true = arith.constant true
        %cst_1 = arith.constant dense<true> : tensor<128xi1, #blocked>
        %8 = tt.atomic_rmw fadd, acq_rel, gpu, %7, %cst_0, %cst_1 : (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xf32, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xf32, #blocked>
        tt.return
        """
    )


@gluon.jit
def loop(n):
    total = 0
    for i in range(n):
        total += i
    for i in range(n, 0, -2):
        total += i


def test_bounds_of_loops():
    assert body(loop, 5) == lines(
        """
        %c0_i32 = arith.constant 0 : i32
        %c0_i32_0 = arith.constant 0 : i32
        %c1_i32 = arith.constant 1 : i32
        %0 = arith.bitcast %c0_i32_0 : i32 to i32
        %1 = arith.bitcast %arg0 : i32 to i32
        %2 = arith.bitcast %c1_i32 : i32 to i32
        %3 = ub.poison : i32
        %4 = scf.for %arg1 = %0 to %1 step %2 iter_args(%arg2 = %c0_i32) -> (i32)  : i32 {
          %10 = arith.addi %arg2, %arg1 : i32
          scf.yield %10 : i32
        }
        %c0_i32_1 = arith.constant 0 : i32
        %c2_i32 = arith.constant 2 : i32
        %5 = arith.bitcast %c0_i32_1 : i32 to i32
        %6 = arith.bitcast %arg0 : i32 to i32
        %7 = arith.bitcast %c2_i32 : i32 to i32
        %8 = ub.poison : i32
        %9 = scf.for %arg1 = %5 to %6 step %7 iter_args(%arg2 = %4) -> (i32)  : i32 {
          %10 = arith.subi %6, %arg1 : i32
          %11 = arith.addi %10, %5 : i32
          %12 = arith.addi %arg2, %11 : i32
          scf.yield %12 : i32
        }
        tt.return
        """
    )


@aggregate
class Pair:
    value: gl.tensor
    step: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, value, step):
        self.value = value
        self.step = gl.constexpr(step)


@gluon.jit
def first(pair, others, flag: gl.constexpr, name=None):
    return pair.value, others[0]


@gluon.jit
def calls(n):
    gl.zeros([128], gl.float32, ROW)
    first(Pair(n, 4), (n, 7), True)
    first(Pair(n, 4), (n, 7), flag=True, name=None)


def test_calls_say_their_arguments():
    zeros = f"triton.experimental.gluon.language._standard.zeros__Tc128T_cfp32_c{ROW.value.mangle()}"
    pair = "first__Pair<i32, c4>_Ti32_c7T_cTrue"
    assert body(calls, 5) == lines(
        f"""
        %0 = tt.call @{zeros}() : () -> tensor<128xf32, #blocked>
        %1:2 = tt.call @"{pair}_cNone"(%arg0, %arg0) : (i32, i32) -> (i32, i32)
        %2:2 = tt.call @"{pair}_cNone"(%arg0, %arg0) : (i32, i32) -> (i32, i32)
        tt.return
        """
    )
    assert body(calls, 5, function="first") == lines(
        """
          tt.return %arg0, %arg1 : i32, i32
        ^bb1:  // no predecessors
          %0 = ub.poison : i32
          %1 = ub.poison : i32
          tt.return %0, %1 : i32, i32
        """
    )


@gluon.jit
def small_words():
    gl.thread_barrier()
    x = gl.full([64, 32], 3, gl.uint8, TILE)
    gl.fp4_to_fp(x, gl.float16, 1)
    gl.convert_layout(x, TILE)


def test_words_that_are_ops():
    assert body(small_words) == lines(
        """
        gpu.barrier
        %c3_i8 = arith.constant 3 : i8
        %cst = arith.constant dense<3> : tensor<64x32xi8, #blocked>
        %0 = ttg.fp4_to_fp %cst {axis = 1 : i32} : tensor<64x32xi8, #blocked> -> tensor<64x64xf16, #blocked1>
        %1 = ttg.convert_layout %cst : tensor<64x32xi8, #blocked> -> tensor<64x32xi8, #blocked>
        tt.return
        """
    )


@gluon.jit
def barriers(n):
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.arrive(bar)
    mbarrier.wait(bar, n & 1, deps=[bar])


def test_barriers():
    memory = "!ttg.memdesc<1xi64, #shared, #smem, mutable>"
    assert body(barriers, 5) == lines(
        f"""
        %0 = ttg.local_alloc : () -> {memory}
        %true = arith.constant true
        ttng.arrive_barrier %0, 1, %true : {memory}
        %c1_i32 = arith.constant 1 : i32
        %c1_i32_0 = arith.constant 1 : i32
        %1 = arith.andi %arg0, %c1_i32_0 : i32
        %true_1 = arith.constant true
        ttng.wait_barrier %0, %1, %true_1 deps %0 : {memory}, {memory}
        tt.return
        """
    )


@gluon.jit
def described(x, n):
    tma.make_tensor_descriptor(x, [n, 128], [128, 1], [64, 64], SQUARE)


def test_descriptors():
    assert body(described, MockTensor(gl.float16), 5) == lines(
        """
        %c128_i32 = arith.constant 128 : i32
        %c128_i64 = arith.constant 128 : i64
        %c1_i64 = arith.constant 1 : i64
        %0 = tt.make_tensor_descriptor %arg0, [%arg1, %c128_i32], [%c128_i64, %c1_i64] : <f16>, <tensor<64x64xf16, #shared>>
        tt.return
        """
    )


@gluon.jit
def product(A: gl.constexpr):
    a = gl.allocate_shared_memory(gl.float16, [64, 64], SQUARE)
    total = hopper.warpgroup_mma(a, a, gl.full([64, 64], 0.0, gl.float32, A))  # noqa: F841
    x = gl.full([16, 16], 1.0, gl.float32, gl.DotOperandLayout(0, TILE, 0))
    y = gl.full([16, 16], 1.0, gl.float32, gl.DotOperandLayout(1, TILE, 0))
    gl.dot_fma(x, y, gl.full([16, 16], 0.0, gl.float32, TILE))


def test_products():
    text = body(product, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
    assert "%1 = ttng.warp_group_dot %0, %0, %cst_0, %true {inputPrecision = 0 : i32} : " in text
    assert "inputPrecision = tf32 : tensor<16x16xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>" in text


@gluon.jit
def in_tensor_memory(n):
    layout: gl.constexpr = blackwell.TensorMemoryLayout((128, 128), col_stride=1)
    total = blackwell.allocate_tensor_memory(gl.float32, [128, 128], layout)
    scales = blackwell.allocate_tensor_memory(gl.int8, [128, 4], blackwell.TensorMemoryScalesLayout())  # noqa: F841
    a = gl.allocate_shared_memory(gl.float16, [128, 128], SQUARE)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    blackwell.tcgen05_mma(a, a, total)
    blackwell.tcgen05_mma(a, a, total, use_acc=n > 0, mbarriers=[bar])


def test_products_in_tensor_memory():
    text = body(in_tensor_memory, 5, capability=100)
    assert "%result = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>" in text
    assert "#tmem_scales" in text
    assert "%2 = ttng.tc_gen5_mma %0, %0, %result[], %true, %true_1 : " in text
    assert "%4 = ttng.tc_gen5_mma %0, %0, %result[], %3, %true_2, %1[%true_3] {is_async} : " in text


def test_masks_of_copies():
    @gluon.jit
    def kernel(x):
        at = gl.arange(0, 128, ROW)
        buffer = gl.allocate_shared_memory(gl.float32, [128], LINE)
        ampere.async_copy.async_copy_global_to_shared(buffer, x + at, mask=at < 5)

    assert "%5 = ttg.async_copy_global_to_local %4, %1 mask %2 : " in body(kernel, POINTER)


@pytest.mark.parametrize("value", [gl.float32, gl.int32])
def test_names_of_types(value):
    @gluon.jit
    def kernel(T: gl.constexpr):
        gl.zeros([128], T, ROW)

    assert f"zeros__Tc128T_c{value.mangle()}_c" in body(kernel, value)


@gluon.jit
def one_of(buffers, i):
    return buffers.index(i)


@gluon.jit
def exchanged(n):
    buffers = gl.allocate_shared_memory(gl.float32, [2, 128], LINE)
    a = one_of(buffers, 0)
    b = one_of(buffers, 1)
    total = gl.full([128], 0.0, gl.float32, ROW)
    for i in range(n):
        total += a.load(ROW)
        a, b = b, a


def test_names_are_carried_in_the_order_of_their_binding():
    text = body(exchanged, 5)
    assert "%1 = tt.call @" in text and "-> !ttg.memdesc<128xf32, #shared, #smem, mutable>\n" in text
    assert "iter_args(%arg2 = %1, %arg3 = %2, %arg4 = %cst_0)" in text
    assert "scf.yield %arg3, %arg2, " in text


@gluon.jit
def behind(x):
    at = x + gl.arange(0, 128, ROW)
    gl.load(at - 1)


def test_pointers_go_back():
    assert body(behind, POINTER) == lines(
        """
        %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
        %1 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
        %2 = tt.addptr %1, %0 : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
        %c1_i32 = arith.constant 1 : i32
        %cst = arith.constant dense<1> : tensor<128xi32, #blocked>
        %c0_i32 = arith.constant 0 : i32
        %cst_0 = arith.constant dense<0> : tensor<128xi32, #blocked>
        %3 = arith.subi %cst_0, %cst : tensor<128xi32, #blocked>
        %4 = tt.addptr %2, %3 : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
        %5 = tt.load %4 : tensor<128x!tt.ptr<f32>, #blocked>
        tt.return
        """
    )


@gluon.jit
def function_of_a_library():
    a = gl.full([4, 32], 1.0, gl.float32, TILE)
    b = gl.full([32], 2.0, gl.float32, gl.SliceLayout(0, TILE))[None, :]
    gl.extra.libdevice.fast_dividef(a, b)


def test_functions_of_libraries():
    text = body(function_of_a_library)
    assert text.count("tt.broadcast") == 2  # one to know the shape, one to have it
    assert '%3 = tt.extern_elementwise %cst_0, %2 {libname = "", libpath = "", pure = true' in text


@gluon.jit
def halves():
    x = gl.full([128, 128], 1, gl.int32, gl.BlockedLayout([1, 128], [32, 1], [4, 1], [0, 1]))
    a, b = x.reshape([128, 2, 64]).permute([0, 2, 1]).split()
    y = gl.join(a, b).permute([0, 2, 1]).reshape([128, 128])
    gl.static_assert(y.type == x.type)
    column = gl.full([128, 1], 1, gl.int32, gl.BlockedLayout([1, 1], [32, 1], [4, 1], [0, 1]))
    gl.static_assert(isinstance(column.reshape([128]).type.layout, gl.DistributedLinearLayout))


def test_reshapes_keep_the_order_they_are_written_with():
    assert "order = array<i32: 0, 2, 1>" in body(halves)


@gluon.jit
def too_many_columns():
    memory = blackwell.allocate_tensor_memory(gl.int32, [2, 256, 256], blackwell.TensorMemoryLayout((128, 128), 1))
    memory.index(0)


def test_tensor_memory_is_counted_when_it_is_given_out():
    assert "memdesc<2x256x256xi32" in body(too_many_columns, capability=100)
