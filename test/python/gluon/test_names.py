"""Every name of the reference is there, with its parameters and defaults."""

import importlib
import inspect

import pytest
import torch
from gluon_code import compile
from triton.compiler.errors import CompilationError
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.amd.gfx1250 import TensorDescriptor as AmdDescriptor
from triton.experimental.gluon.language import amd
from triton.experimental.gluon.language.nvidia import blackwell, hopper
from triton.experimental.gluon.language.nvidia.hopper import tma

LANGUAGE = "triton.experimental.gluon.language"
NAMES = {
    "": "base_value base_type block_type constexpr dtype void int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float8e5 "
    "float8e5b16 float8e4nv float8e4b8 float8e4b15 float16 bfloat16 float32 float64 pointer_type tensor tuple tuple_type "
    "distributed_type shared_memory_descriptor shared_memory_descriptor_type AutoLayout BlockedLayout SliceLayout "
    "DistributedLinearLayout DotOperandLayout NVMMADistributedLayout NVMMASharedLayout SwizzledSharedLayout PaddedSharedLayout "
    "SharedLinearLayout CoalescedLayout nvidia amd extra arange full zeros full_like zeros_like convert_layout set_auto_layout "
    "to_linear_layout bank_conflicts load store atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg "
    "atomic_xor add sub mul maximum minimum where expand_dims broadcast reshape permute join split reduce associative_scan "
    "map_elementwise sum max min xor_sum reduce_or ravel cdiv gather histogram fp4_to_fp dot_fma inline_asm_elementwise cast "
    "to_tensor assume multiple_of max_contiguous max_constancy program_id num_programs static_range static_assert static_print "
    "device_assert device_print num_warps num_ctas thread_barrier umulhi exp exp2 fma log log2 cos rsqrt sin sqrt sqrt_rn abs "
    "fdiv div_rn erf floor ceil allocate_shared_memory warp_specialize barrier inline_asm CachePolicy",
    "nvidia.ampere": "async_copy mbarrier mma_v2 CachePolicy FractionalEvictionPolicy",
    "nvidia.ampere.async_copy": "async_copy_global_to_shared commit_group wait_group mbarrier_arrive",
    "nvidia.ampere.mbarrier": "arrive init invalidate wait MBarrierLayout",
    "nvidia.hopper": "async_copy fence_async_shared mbarrier mma_v2 tma warpgroup_mma warpgroup_mma_wait warpgroup_mma_init "
    "warpgroup_mma_accumulator warpgroup_mma_accumulator_type",
    "nvidia.hopper.mbarrier": "arrive init invalidate wait expect MBarrierLayout allocate_mbarrier",
    "nvidia.hopper.tma": "async_load async_store async_atomic_add async_atomic_and async_atomic_max async_atomic_min "
    "async_atomic_or async_atomic_xor async_copy_global_to_shared async_copy_shared_to_global store_wait make_tensor_descriptor "
    "tensor_descriptor tensor_descriptor_type",
    "nvidia.blackwell": "allocate_tensor_memory async_copy fence_async_shared get_tmem_reg_layout mbarrier mma_v2 "
    "tensor_memory_descriptor tensor_memory_descriptor_type TensorMemoryLayout tma TensorMemoryScalesLayout tcgen05_copy "
    "tcgen05_mma tcgen05_mma_scaled tcgen05_commit float2",
    "nvidia.blackwell.tma": "async_copy_global_to_shared async_copy_shared_to_global store_wait make_tensor_descriptor "
    "tensor_descriptor tensor_descriptor_type async_gather async_scatter",
    "nvidia.blackwell.clc": "try_cancel load_result clc_result",
    "nvidia.blackwell.float2": "pack unpack pack2 unpack2 fma full_like Float2Tensor",
    "amd": "AMDMFMALayout AMDWMMALayout cdna3 cdna4 rdna3 rdna4 gfx1250",
    "amd.cdna3": "buffer_load buffer_store mfma buffer_atomic_add buffer_atomic_and buffer_atomic_or buffer_atomic_xor "
    "buffer_atomic_max buffer_atomic_min buffer_atomic_xchg",
    "amd.cdna4": "buffer_load buffer_store mfma mfma_scaled get_mfma_scale_layout scaled_upcast async_copy buffer_atomic_xchg",
    "amd.cdna4.async_copy": "global_load_to_shared buffer_load_to_shared commit_group wait_group load_shared_relaxed",
    "amd.rdna3": "wmma",
    "amd.rdna4": "wmma",
    "amd.gfx1250": "wmma wmma_scaled get_wmma_scale_layout scaled_upcast buffer_load buffer_store async_copy tdm mbarrier cluster",
    "amd.gfx1250.cluster": "arrive wait",
    "amd.gfx1250.async_copy": "global_to_shared commit_group wait_group mbarrier_arrive",
    "amd.gfx1250.tdm": "make_tensor_descriptor async_load async_store async_wait tensor_descriptor tensor_descriptor_type",
    "amd.gfx1250.mbarrier": "MBarrierLayout init wait arrive",
}


@pytest.mark.parametrize("module", NAMES)
def test_names(module):
    found = importlib.import_module(".".join(filter(None, [LANGUAGE, module])))
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


def test_names_of_the_host():
    names = (
        "aggregate aggregate_replace amd constexpr_function GluonASTSource GluonJITFunction jit must_use_result nvidia"
    )
    assert set(gluon.__all__) == set(names.split())
    assert gluon.nvidia.blackwell.TensorDescriptor is gluon.nvidia.hopper.TensorDescriptor
    assert gl.extra.libdevice is importlib.import_module("triton.language.extra.libdevice")


def test_names_that_are_not_there():
    for name in ("dot", "dot_scaled", "range", "sort", "topk", "rand", "make_block_ptr"):
        assert not hasattr(gl, name), name


SIGNATURES = {
    gl.arange: "(start, end, layout=None)",
    gl.full: "(shape, value, dtype, layout=None)",
    gl.zeros: "(shape, dtype, layout=None)",
    gl.full_like: "(input, value, shape=None, dtype=None, layout=None)",
    gl.zeros_like: "(input, shape=None, dtype=None, layout=None)",
    gl.convert_layout: "(value, layout, assert_trivial=False)",
    gl.histogram: "(input, num_bins, mask=None, layout=None)",
    gl.allocate_shared_memory: "(element_ty, shape, layout, value=None)",
    gl.warp_specialize: "(functions_and_args, worker_num_warps, worker_num_regs=None)",
    hopper.mbarrier.arrive: "(mbarrier, *, count=1, pred=True)",
    hopper.mbarrier.wait: "(mbarrier, phase, pred=True, deps=())",
    hopper.warpgroup_mma: "(a, b, acc, *, use_acc=True, precision=None, max_num_imprecise_acc=None, is_async=False)",
    tma.make_tensor_descriptor: "(base, shape, strides, block_shape, layout, padding_option='zero')",
    blackwell.tcgen05_mma: "(a, b, acc, *, use_acc=True, pred=True, multicast=False, mbarriers=None, mbarrier_preds=None)",
    blackwell.get_tmem_reg_layout: "(element_ty, shape, layout, num_warps, instr_variant='32x32b', cga_layout=())",
    amd.cdna3.buffer_load: "(ptr, offsets, mask=None, other=None, cache=None)",
}


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__name__)
def test_parameters(function):
    signature = inspect.signature(function)
    shown = [parameter for name, parameter in signature.parameters.items() if name not in ("_semantic", "_generator")]
    assert str(signature.replace(parameters=shown)) == SIGNATURES[function]


def test_layouts_of_amd():
    layout = amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])
    assert layout.element_bitwidth == 32 and layout.tiles_per_warp == [1, 1] and layout.rank == 2
    assert amd.AMDWMMALayout(1, True, [4, 1]).instr_shape == [16, 16, 16]
    for make in (
        lambda: amd.AMDMFMALayout(5, [32, 32, 8], True, [4, 1]),
        lambda: amd.AMDMFMALayout(3, [32, 16, 8], True, [4, 1]),
        lambda: amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1], element_bitwidth=16),
        lambda: amd.AMDWMMALayout(4, True, [4, 1]),
    ):
        with pytest.raises(AssertionError):
            make()


def test_descriptors_of_amd():
    x = torch.zeros(64, 64)
    plain = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    assert AmdDescriptor.from_tensor(x, [16, 16], plain).strides == [64, 1]
    for make in (
        lambda: AmdDescriptor.from_tensor(x, [16, 16], gl.NVMMASharedLayout(128, 32)),
        lambda: AmdDescriptor.from_tensor(x, [16, 16], gl.SwizzledSharedLayout(4, 1, 8, [1, 0])),
        lambda: AmdDescriptor.from_tensor(x, [16, 16], plain, padding="nan"),
        lambda: AmdDescriptor.from_tensor(x[None], [1, 16, 16], plain),
    ):
        with pytest.raises(AssertionError):
            make()


@gluon.jit
def of_another_maker():
    amd.cdna3.mfma(1, 2, 3)


@gluon.jit
def laid_out_by_another_maker(L: gl.constexpr):
    gl.zeros([64, 64], gl.float32, L)


def test_kernels_for_amd_are_refused_by_others():
    with pytest.raises(CompilationError, match="mfma is for AMD GPUs, this is cuda:90"):
        compile(of_another_maker, {})
    layout = amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])
    with pytest.raises(CompilationError, match=r"AMDMFMALayout\(.*\) is for AMD GPUs"):
        compile(laid_out_by_another_maker, {"L": layout})


def test_types_of_what_kernels_hold():
    layout = gl.NVMMASharedLayout(128, 16)
    block, sizes = gl.block_type(gl.float16, [64, 64]), gl.tuple_type([gl.int32, gl.int32])
    described = tma.tensor_descriptor_type(block, sizes, sizes, layout)
    assert described.mangle() == f"TDfp16S64_64S_{layout.mangle()}TD"
    assert described != tma.tensor_descriptor_type(block, sizes, sizes, gl.NVMMASharedLayout(64, 16))
    registers = gl.distributed_type(gl.float32, [64, 64], gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
    assert hopper.warpgroup_mma_accumulator_type(registers).mangle() == f"FT{registers.mangle()}FT"
    memory = blackwell.TensorMemoryLayout((128, 64), 1, cta_split_num=(2, 1), two_ctas=True)
    buffer = blackwell.tensor_memory_descriptor_type(gl.float32, [128, 64], memory, [128, 64])
    assert buffer.mangle() == "MDfp32S128_64SLTL128x64C1CS2x12CTTLLAS[128, 64]ASMD"


@gluon.jit
def kinds(x, S: gl.constexpr, A: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float16, [64, 64], S)
    total = hopper.warpgroup_mma_init(gl.zeros([64, 64], gl.float32, A))
    descriptor = tma.make_tensor_descriptor(x, [64, 64], [64, 1], [64, 64], S)
    gl.static_assert(isinstance(buffer, gl.shared_memory_descriptor))
    gl.static_assert(isinstance(total, hopper.warpgroup_mma_accumulator))
    gl.static_assert(isinstance(descriptor, tma.tensor_descriptor))
    gl.static_assert(not isinstance(buffer, gl.tensor))
    gl.static_assert(total.type == hopper.warpgroup_mma_accumulator_type(gl.distributed_type(gl.float32, [64, 64], A)))
    gl.static_assert(buffer.type == gl.shared_memory_descriptor_type(gl.float16, [64, 64], S, [64, 64]))


def test_kinds_of_what_kernels_hold():
    layout = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    compile(kinds, {"x": "*fp16", "S": gl.NVMMASharedLayout(128, 16), "A": layout})
