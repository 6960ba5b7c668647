"""What the host may ask about layouts, what types tell, and names in IR."""

import os
import subprocess
import sys

import pytest
import triton
from gluon_code import compile, ir
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import CompilationError
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language._layouts import make_cga_layout
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, float2, get_tmem_reg_layout
from triton.language.core import _aggregate as aggregate

ROW = gl.BlockedLayout([1], [32], [4], [0])
TILE = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])


@pytest.mark.parametrize(
    "arguments, bases",
    [
        (([1], [1], [0]), []),
        (([2, 1], [2, 1], [1, 0]), [[1, 0]]),
        (([2, 4], [2, 2], [1, 0]), [[0, 1], [0, 0], [1, 0]]),
        (([4, 2], [4, 1], [0, 1]), [[1, 0], [2, 0], [0, 0]]),
    ],
)
def test_cga_layouts(arguments, bases):
    assert make_cga_layout(*arguments) == bases


def test_cga_layouts_have_no_more_parts_than_ctas():
    with pytest.raises(AssertionError, match="2 CTAs cannot share 4 parts of dimension 0"):
        make_cga_layout([2], [4], [0])


def test_linear_layouts_on_the_host():
    layout = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    expected = gl.DistributedLinearLayout(
        [[4, 0], [8, 0]], [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], [[1, 0], [2, 0]], [], [16, 16]
    )
    answer = gl.to_linear_layout(layout, [16, 16])
    assert type(answer) is gl.DistributedLinearLayout and answer == expected
    assert gl.to_linear_layout(expected, [16, 16]) == expected
    assert gl.to_linear_layout(gl.AutoLayout(), [16, 16]) == gl.AutoLayout()
    clustered = gl.BlockedLayout([1], [4], [4], [0], [[1], [0]])
    assert gl.to_linear_layout(clustered, [32]).block_bases == [[16], [0]]
    swizzled = gl.to_linear_layout(gl.SwizzledSharedLayout(2, 1, 4, [1, 0]), [8, 16])
    assert swizzled == gl.SharedLinearLayout([[0, 1], [0, 2], [0, 4], [0, 8], [1, 2], [2, 4], [4, 0]])
    assert gl.to_linear_layout(gl.NVMMASharedLayout(128, 16, 2), [64, 64]).alignment == 1024
    with pytest.raises(ValueError, match="takes no layout with gaps"):
        gl.to_linear_layout(gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 16], [1, 0]), [8, 16])
    with pytest.raises(AssertionError, match="rank mismatch"):
        gl.to_linear_layout(layout, [16])
    with pytest.raises(AssertionError, match="tensor layout must be a DistributedLayout, got rows"):
        gl.to_linear_layout("rows", [16])


def test_registers_of_tensor_memory_on_the_host():
    layout = TensorMemoryLayout((128, 128), col_stride=1)
    answer = get_tmem_reg_layout(gl.float32, (128, 128), layout, num_warps=8)
    assert answer.reg_bases == [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]
    assert answer.warp_bases == [[32, 0], [64, 0], [0, 64]]
    with pytest.raises(ValueError, match="unknown instr_variant: 8x8b"):
        get_tmem_reg_layout(gl.float32, (128, 128), layout, num_warps=4, instr_variant="8x8b")


def test_other_builtins_stay_within_kernels():
    with pytest.raises(ValueError, match="_semantic"):
        gl.arange(0, 128, ROW)


@gluon.constexpr_function
def described(type):
    return f"{type.__class__.__name__} {type.shape[0]} {type.element_ty} {type.layout.mangle()}"


@gluon.constexpr_function
def asked(layout, shape):
    return gl.to_linear_layout(layout, shape).lane_bases[0][0]


@gluon.jit
def typed(x, L: gl.constexpr, S: gl.constexpr):
    values = gl.full([128], 1.0, gl.float32, L)
    buffer = gl.allocate_shared_memory(gl.float32, [128], S, values)
    gl.static_assert(described(values.type) == "distributed_type 128 fp32 " + L.mangle())
    gl.static_assert(described(buffer.type) == "shared_memory_descriptor_type 128 fp32 " + S.mangle())
    gl.static_assert(values.type == gl.distributed_type(gl.float32, [128], L))
    gl.static_assert(values.type != gl.distributed_type(gl.float32, [128], gl.AutoLayout()))
    gl.static_assert(buffer.type.nbytes == 512)
    gl.static_assert(values.type.layout == L)
    gl.static_assert(values.type.element_ty == gl.float32)
    gl.static_assert(gl.bank_conflicts(values.type, buffer.type) == 0)
    gl.static_assert(asked(L, [128]) == 1)
    gl.store(x + gl.arange(0, 128, L), buffer.load(L))


def test_types_know_layouts():
    compile(typed, {"x": "*fp32", "L": ROW, "S": gl.SwizzledSharedLayout(1, 1, 1, [0])})


@aggregate
class Stage:
    values: gl.tensor
    buffer: gl.shared_memory_descriptor
    size: gl.constexpr
    layout: gl.constexpr

    def __init__(self, values, buffer):
        assert values.type == gl.distributed_type(gl.float32, [128], values.type.layout)
        assert buffer.type.layout == buffer.layout and buffer.rank == 1 and buffer.dtype == gl.float32
        self.values = values
        self.buffer = buffer
        self.size = gl.constexpr(buffer.shape[0])
        self.layout = gl.constexpr(values.type.layout)

    @gluon.jit
    def __add__(self, other):
        return Stage(self.values + other.values, self.buffer)

    @gluon.jit
    def __rmul__(self, factor):
        return Stage(self.values * factor, self.buffer)


@gluon.jit
def staged(x, L: gl.constexpr, S: gl.constexpr):
    values = gl.full([128], 1.0, gl.float32, L)
    stage = Stage(values, gl.allocate_shared_memory(gl.float32, [128], S, values))
    gl.static_assert(stage.size == 128)
    gl.static_assert(stage.layout == L)
    total = 3 * (stage + stage)
    gl.store(x + gl.arange(0, 128, L), total.values + total.buffer.load(L))


def test_aggregates_see_types_and_have_operators():
    text = ir(staged, {"x": "*fp32", "L": ROW, "S": gl.SwizzledSharedLayout(1, 1, 1, [0])})
    assert "dense<6.0" in text or "arith.mulf" in text


@gluon.jit
def without_operator(L: gl.constexpr, S: gl.constexpr):
    values = gl.full([128], 1.0, gl.float32, L)
    stage = Stage(values, gl.allocate_shared_memory(gl.float32, [128], S, values))
    stage - stage


def test_operators_that_an_aggregate_has_not():
    with pytest.raises(CompilationError, match="operator - is not implemented for .*Stage and .*Stage"):
        compile(without_operator, {"L": ROW, "S": gl.SwizzledSharedLayout(1, 1, 1, [0])})


def conflicts(layout, shared, shape, element):
    tensor = gl.distributed_type(element, shape, layout)
    return gl.bank_conflicts(tensor, gl.shared_memory_descriptor_type(element, shape, shared, shape))


@pytest.mark.parametrize(
    "layout, shared, shape, element, expected",
    [
        (gl.NVMMADistributedLayout([2, 0], [2, 4], [16, 8]), gl.NVMMASharedLayout(0, 16), [4, 64], gl.float16, 3),
        (gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 8]), gl.NVMMASharedLayout(128, 32), [128, 64], gl.float32, 1),
        (gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]), gl.NVMMASharedLayout(128, 16), [64, 64], gl.float16, 0),
        (gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1]), gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), [32, 32], gl.float32, 31),
        (gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1]), gl.SwizzledSharedLayout(1, 1, 32, [1, 0]), [32, 32], gl.float32, 0),
    ],
)  # fmt: skip
def test_bank_conflicts(layout, shared, shape, element, expected):
    assert conflicts(layout, shared, shape, element) == expected


def test_bank_conflicts_need_types_that_fit():
    shared = gl.SwizzledSharedLayout(1, 1, 1, [0])
    tensor = gl.distributed_type(gl.float32, [128], ROW)
    with pytest.raises(TypeError, match="distr_ty must be a distributed_type"):
        gl.bank_conflicts(ROW, tensor)
    with pytest.raises(TypeError, match="shared_ty must be a shared_memory_descriptor_type"):
        gl.bank_conflicts(tensor, tensor)
    for element, shape, whole, message in (
        (gl.float32, [64], [64], "shapes must match"),
        (gl.int32, [128], [128], "element types must match"),
        (gl.float32, [128], [256], "whole buffers"),
    ):
        with pytest.raises(ValueError, match=message):
            gl.bank_conflicts(tensor, gl.shared_memory_descriptor_type(element, shape, shared, whole))


@gluon.jit
def calls(x, L: gl.constexpr, S: gl.constexpr):
    values = gl.full([128], 1.0, gl.float32, L)
    buffer = gl.allocate_shared_memory(gl.float32, [2, 128], S)
    gl.store(x + gl.arange(0, 128, L), kept(values, buffer.index(0), 8, "it's a.b") + scaled(gl.load(x), 3))


@gluon.jit
def kept(values, buffer, n: gl.constexpr, text: gl.constexpr):
    buffer.store(values)
    return values


@gluon.jit(noinline=True)
def scaled(x, n: gl.constexpr):
    return x * n


def test_callees_are_named_by_layouts():
    shared = gl.SwizzledSharedLayout(1, 1, 1, [0])
    source = compile(calls, {"x": "*fp32", "L": ROW, "S": shared}).asm["source"]
    buffer = f"MDfp32S128SL{shared.mangle()}LAS128ASMD"
    assert f"kept__fp32S128SL{ROW.mangle()}L_{buffer}_c8_c" in source
    assert "scaled__fp32_c3" in source
    kernel = compile(calls, {"x": "*fp32", "L": ROW, "S": shared})
    for stage in ("ttgir", "ptx"):
        assert "scaled__fp32_c3" in kernel.asm[stage]
    other = gl.BlockedLayout([4], [32], [4], [0])
    assert f"SL{other.mangle()}L" in compile(calls, {"x": "*fp32", "L": other, "S": shared}).asm["source"]


@gluon.jit
def small(x, L: gl.constexpr):
    gl.store(x + gl.arange(0, 128, L), 1.0)


def test_registers_are_limited_on_the_module():
    text = ir(small, {"x": "*fp32", "L": ROW}, maxnreg=64)
    assert "ttg.maxnreg = 64 : i32" in text
    assert ".maxnreg 64" in compile(small, {"x": "*fp32", "L": ROW}, maxnreg=64).asm["ptx"]
    assert "maxnreg" not in ir(small, {"x": "*fp32", "L": ROW})


@gluon.jit
def unpacked(x, y, T: gl.constexpr, AXIS: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, 32, gl.SliceLayout(1, L))[:, None] * 32 + gl.arange(0, 32, gl.SliceLayout(0, L))[None, :]
    numbers = gl.fp4_to_fp(gl.load(x + at), T, AXIS)
    gl.static_assert(numbers.dtype == T)
    gl.static_assert(numbers.shape[AXIS] == 64)
    gl.static_assert(numbers.numel == 2048)
    out: gl.constexpr = numbers.type.layout
    rows = gl.arange(0, numbers.shape[0], gl.SliceLayout(1, out))[:, None]
    gl.store(y + rows * numbers.shape[1] + gl.arange(0, numbers.shape[1], gl.SliceLayout(0, out))[None, :], numbers)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("type", ["fp16", "bf16"])
def test_numbers_of_four_bits(type, axis):
    element = {"fp16": gl.float16, "bf16": gl.bfloat16}[type]
    compile(unpacked, {"x": "*u8", "y": f"*{type}", "T": element, "AXIS": axis, "L": TILE})


@gluon.jit
def pairs(x, y, L: gl.constexpr):
    at = gl.arange(0, 32, gl.SliceLayout(1, L))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, L))[None, :]
    a = float2.pack(gl.load(x + at), axis=1)
    gl.static_assert(a.value.dtype == gl.int64)
    gl.static_assert(a.value.shape[1] == 32)
    b = float2.fma(a, a + a, float2.full_like(a, 0.5)) - a * a
    total0, total1 = float2.unpack2(b.sum(axis=1))
    out = gl.convert_layout(float2.unpack(b, axis=1), L)
    gl.store(y + at, out + gl.convert_layout(total0 + total1, gl.SliceLayout(1, L))[:, None])


def test_pairs_of_floats():
    ptx = compile(pairs, {"x": "*fp32", "y": "*fp32", "L": TILE}, capability=100).asm["ptx"]
    for instruction in ("fma.rn.f32x2", "add.rn.f32x2", "sub.rn.f32x2", "mul.rn.f32x2"):
        assert instruction in ptx
    assert blackwell.float2 is float2


def test_there_is_no_interpreter(tmp_path):
    script = tmp_path / "kernel.py"
    script.write_text(
        "from triton.experimental import gluon\n"
        "@gluon.jit\n"
        "def kernel(x):\n"
        "    pass\n"
        "try:\n"
        "    kernel[(1,)](None)\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
    )
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=100)
    assert done.stdout == (
        "the Gluon kernel 'kernel' cannot be interpreted: Gluon has no interpreter mode, unset TRITON_INTERPRET\n"
    ), done.stderr


def test_there_is_no_cpu():
    source = GluonASTSource(small, {"x": "*fp32", "L": "constexpr"}, constexprs={"L": ROW})
    with pytest.raises(RuntimeError, match="Gluon kernels run on GPUs, not on the target 'cpu'"):
        triton.compile(source, target=GPUTarget("cpu", "native", 1))


def test_the_concurrency_sanitizer_is_for_one_cta(capfd):
    layout = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[0]])
    compile(small, {"x": "*fp32", "L": layout}, instrumentation_mode="consan", num_ctas=2)
    assert (
        "without the concurrency sanitizer (consan): it checks kernels of one CTA, this one has 2"
        in capfd.readouterr().err
    )


def test_ahead_of_time(tmp_path):
    from triton.tools.compile import CompileArgs, compile_kernel

    source = tmp_path / "kernels.py"
    source.write_text(
        "from triton.experimental import gluon\n"
        "from triton.experimental.gluon import language as gl\n"
        "@gluon.jit\n"
        "def fill(x, N: gl.constexpr):\n"
        "    gl.store(x + gl.arange(0, N, gl.BlockedLayout([1], [32], [4], [0])), 1.0)\n"
    )
    arguments = CompileArgs(
        str(source), "fill", "*fp32:16, 128", "1, 1, 1", "cuda:90:32", 4, 1, None, str(tmp_path / "fill")
    )
    function, paths = compile_kernel(arguments)
    assert function.startswith("fill_")
    assert "CUdeviceptr x" in (tmp_path / [path for path in paths if path.endswith(".h")][0]).read_text()
