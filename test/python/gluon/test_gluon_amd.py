"""Gluon's words for AMD's hardware, compiled: the instructions that each becomes. No AMD GPU is needed, and none has run them."""

import re

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language import amd, nvidia

pytestmark = pytest.mark.cpu_only  # for another target, whichever device there is


def compile(kernel, types, arch, constants=None, **options):
    signature = dict(zip(kernel.arg_names, types))
    places = {(kernel.arg_names.index(name),): value for name, value in (constants or {}).items()}
    signature |= {name: "constexpr" for name in (constants or {})}
    source = gluon.GluonASTSource(kernel, signature, places)
    target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    return triton.compile(source, target=target, options={"num_warps": 4, **options})


def count(text, instruction):
    return len(re.findall(instruction, text))


@gluon.jit
def copy_kernel(x_ptr, y_ptr, n, LANES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [LANES], [4], [0])
    offsets = gl.arange(0, 16 * LANES, layout)
    mask = offsets < n
    x = amd.cdna3.buffer_load(x_ptr, offsets, mask=mask, other=1.0, cache=".cg")
    amd.cdna3.buffer_store(x + 1, y_ptr, offsets, mask=mask)


@pytest.mark.parametrize("arch, lanes", [("gfx90a", 64), ("gfx942", 64), ("gfx950", 64)])
def test_buffers_need_no_branches(arch, lanes):
    code = compile(copy_kernel, ["*fp32", "*fp32", "i32"], arch, {"LANES": lanes}).asm["amdgcn"]
    assert (
        count(code, r"buffer_load_dwordx?4?") == 4 and count(code, r"buffer_store_dword") == 4
    )  # nothing is known to be aligned
    assert "s_cbranch" not in code and "global_load" not in code


@gluon.jit
def wide_kernel(x_ptr, y_ptr):
    layout: gl.constexpr = gl.BlockedLayout([4], [64], [4], [0])
    offsets = gl.arange(0, 1024, layout)
    amd.cdna3.buffer_store(amd.cdna3.buffer_load(x_ptr, offsets), y_ptr, offsets)


def test_accesses_are_as_wide_as_alignment_allows():
    kernel = wide_kernel
    source = gluon.GluonASTSource(kernel, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, {}, {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]})  # fmt: skip
    code = triton.compile(source, target=GPUTarget("hip", "gfx942", 64), options={"num_warps": 4})
    assert "amdg.buffer_load" in code.asm["ttgir"] and "amdg.buffer_store" in code.asm["ttgir"]
    assert (
        count(code.asm["amdgcn"], "buffer_load_dwordx4") == 1 and count(code.asm["amdgcn"], "buffer_store_dwordx4") == 1
    )


@gluon.jit
def update_kernel(x_ptr, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    offsets = gl.arange(0, 256, layout)
    one = gl.full([256], 1, gl.int32, layout)
    amd.cdna3.buffer_atomic_add(x_ptr, offsets, one, mask=offsets < n)
    amd.cdna3.buffer_atomic_max(x_ptr, offsets, one)
    amd.cdna3.buffer_atomic_xor(x_ptr, offsets, one, sem="relaxed", scope="cta")


def test_updates():
    code = compile(update_kernel, ["*i32", "i32"], "gfx942").asm["amdgcn"]
    for name in ("add", "smax", "xor"):
        assert count(code, f"atomic_{name}\\b"), name


@gluon.jit
def product_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    SUM: gl.constexpr,
    K_WIDTH: gl.constexpr,
    USE: gl.constexpr,
    LANES: gl.constexpr,
    OUT: gl.constexpr,
):
    blocked: gl.constexpr = gl.BlockedLayout([1, 4], [LANES // 8, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 32, gl.SliceLayout(1, blocked))[:, None]
    columns = gl.arange(0, 32, gl.SliceLayout(0, blocked))[None, :]
    a = gl.convert_layout(gl.load(a_ptr + rows * 32 + columns), gl.DotOperandLayout(0, SUM, K_WIDTH))
    b = gl.convert_layout(gl.load(b_ptr + rows * 32 + columns), gl.DotOperandLayout(1, SUM, K_WIDTH))
    acc = gl.zeros([32, 32], OUT, SUM)
    if USE == 0:
        c = amd.cdna3.mfma(a, b, acc)
    elif USE == 1:
        c = amd.rdna3.wmma(a, b, acc)
    else:
        c = amd.rdna4.wmma(a, b, acc)
    gl.store(c_ptr + rows * 32 + columns, gl.convert_layout(c, blocked))


MFMA = amd.AMDMFMALayout


@pytest.mark.parametrize("arch, layout, k_width, use, instruction", [
    ("gfx942", MFMA(3, [32, 32, 8], True, [2, 2]), 4, 0, "v_mfma_f32_32x32x8_f16"),
    ("gfx942", MFMA(3, [16, 16, 16], True, [2, 2]), 4, 0, "v_mfma_f32_16x16x16_f16"),
    ("gfx950", MFMA(4, [16, 16, 32], True, [2, 2]), 8, 0, "v_mfma_f32_16x16x32_f16"),
    ("gfx90a", MFMA(2, [32, 32, 8], True, [2, 2]), 4, 0, "v_mfma_f32_32x32x8f?_?f16"),
    ("gfx1100", amd.AMDWMMALayout(1, True, [2, 2]), 16, 1, "v_wmma_f32_16x16x16_f16"),
    ("gfx1200", amd.AMDWMMALayout(2, True, [2, 2]), 8, 2, "v_wmma_f32_16x16x16_f16"),
])  # fmt: skip
def test_products(arch, layout, k_width, use, instruction):
    constants = {
        "SUM": layout,
        "K_WIDTH": k_width,
        "USE": use,
        "LANES": 64 if arch.startswith("gfx9") else 32,
        "OUT": gl.float32,
    }
    code = compile(product_kernel, ["*fp16", "*fp16", "*fp32"], arch, constants).asm["amdgcn"]
    assert count(code, instruction) >= 1


@gluon.jit
def shared_kernel(x_ptr, y_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.arange(0, 32, gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], shared)
    amd.cdna4.async_copy.global_load_to_shared(buffer, x_ptr + rows * 32 + columns)
    amd.cdna4.async_copy.buffer_load_to_shared(buffer, x_ptr, columns * 32 + rows, mask=columns < 16)
    amd.cdna4.async_copy.commit_group()
    amd.cdna4.async_copy.wait_group(0)
    x = amd.cdna4.async_copy.load_shared_relaxed(buffer, layout)
    gl.store(y_ptr + rows * 32 + columns, x)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_copies_to_shared_memory(arch):
    code = compile(shared_kernel, ["*fp32", "*fp32"], arch).asm
    assert "amdg.buffer_load_to_local" in code["ttgir"]
    assert (
        count(code["amdgcn"], "ds_write|ds_store")
        and count(code["amdgcn"], "ds_read|ds_load")
        and "s_barrier" in code["amdgcn"]
    )


def test_scales_have_a_layout():
    operand = gl.DotOperandLayout(0, MFMA(4, [32, 32, 64], True, [2, 2]), 16)
    layout = amd.cdna4.get_mfma_scale_layout(operand, [64, 4])
    assert layout.lane_bases[:5] == [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] and layout.lane_bases[5] == [0, 1]


@gluon.jit
def operands_of_others():
    layout: gl.constexpr = amd.AMDMFMALayout(3, [16, 16, 16], True, [2, 2])
    other: gl.constexpr = amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2])
    a = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(0, other, 4))
    b = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(1, other, 4))
    amd.cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, layout))


def test_operands_are_laid_out_for_the_accumulator():
    with pytest.raises(triton.CompilationError, match=r"at 6:4:[\s\S]*a must be in DotOperandLayout\(0, layout of acc"):
        compile(operands_of_others, [], "gfx942")


@gluon.jit
def place_of_another_rank(p, n):
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    matrix = amd.gfx1250.tdm.make_tensor_descriptor(p, [n, n], [n, 1], [32, 32], layout)
    buffer = gl.allocate_shared_memory(gl.float16, [32, 32], layout)
    amd.gfx1250.tdm.async_load(matrix, [0], buffer)


def test_places_have_the_rank_of_their_descriptor():
    with pytest.raises(triton.CompilationError, match="offsets needs 2 offsets, got 1"):
        compile(place_of_another_rank, ["*fp16", "i32"], "gfx1250")


@gluon.jit
def order_kernel(x_ptr, SEM: gl.constexpr):
    offsets = gl.arange(0, 256, gl.BlockedLayout([1], [64], [4], [0]))
    amd.cdna3.buffer_atomic_add(x_ptr, offsets, 1, sem=SEM)


def test_orders_of_atomics_are_those_of_the_language():
    assert "relaxed" in compile(order_kernel, ["*i32"], "gfx942", {"SEM": "relaxed"}).asm["ttgir"]
    message = 'memory semantic "weak" not supported; it may be "acquire", "release", "acq_rel" or "relaxed"'
    with pytest.raises(triton.CompilationError, match=re.escape(message)):
        compile(order_kernel, ["*i32"], "gfx942", {"SEM": "weak"})


@gluon.jit
def words_of_nvidia():
    nvidia.ampere.async_copy.commit_group()


def test_words_of_nvidia_elsewhere():
    with pytest.raises(triton.CompilationError, match="async_copy.commit_group is for NVIDIA GPUs, this is hip"):
        compile(words_of_nvidia, [], "gfx942")


def test_words_of_amd_elsewhere():
    source = gluon.GluonASTSource(wide_kernel, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, {})
    with pytest.raises(triton.CompilationError, match="buffer_load is for AMD GPUs, this is cuda:90"):
        triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
