"""Kernels compiled for AMD GPUs, which no test runs on one."""

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

pytestmark = pytest.mark.cpu_only

ARCHITECTURES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1200": 32, "gfx1250": 32}


def compile(kernel, signature, arch="gfx942", **options):
    """Pointers are known to be multiples of 16."""
    constants = {name: value for name, value in signature.items() if not isinstance(value, str)}
    types = {name: "constexpr" if name in constants else type for name, type in signature.items()}
    attributes = {(i,): [["tt.divisibility", 16]] for i, type in enumerate(types.values()) if type[0] == "*"}
    source = ASTSource(kernel, types, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=GPUTarget("hip", arch, ARCHITECTURES.get(arch, 64)), options=options)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask) + tl.load(y_ptr + offsets, mask), mask)


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


ADD = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": 1024}
DOT = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "M": 64, "N": 64, "K": 64}


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_the_module_names_its_target(arch):
    ttgir = compile(add_kernel, ADD, arch).asm["ttgir"]
    lanes = ARCHITECTURES[arch]
    assert f'ttg.target = "hip:{arch}"' in ttgir and f'"ttg.threads-per-warp" = {lanes} : i32' in ttgir
    assert f"threadsPerWarp = [{lanes}], warpsPerCTA = [4]" in ttgir


def test_dots_take_matrix_instructions():
    def layout(arch, **options):
        return compile(dot_kernel, DOT, arch, **options).asm["ttgir"]

    assert (
        "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>"
        in layout("gfx942")
    )
    assert "instrShape = [16, 16, 16]" in layout("gfx942", matrix_instr_nonkdim=16)
    assert "kWidth = 8" in layout("gfx942", kpack=2)
    assert "version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16]" in layout("gfx950")
    assert "#ttg.amd_wmma<{version = 1" in layout("gfx1100") and "#ttg.amd_wmma<{version = 2" in layout("gfx1200")


def test_what_kernels_see_of_the_target():
    @triton.jit
    def kernel(out_ptr):
        if tl.target_info.is_hip() and tl.target_info.is_hip_cdna3():
            tl.store(out_ptr, 3)
        elif tl.target_info.is_hip_cdna4():
            tl.store(out_ptr, 4)
        else:
            tl.store(out_ptr, 0)

    for arch, stored in (("gfx942", 3), ("gfx950", 4), ("gfx1100", 0)):
        assert f"arith.constant {stored} : i32" in compile(kernel, {"out_ptr": "*i32"}, arch).asm["ttir"]


def test_options_that_do_not_fit():
    with pytest.raises(Exception, match="unknown AMD architecture 'gfx9000': expected gfx90a"):
        compile(add_kernel, ADD, "gfx9000")
    with pytest.raises(Exception, match="num_ctas must be 1 for gfx942, got 2"):
        compile(add_kernel, ADD, num_ctas=2)
    with pytest.raises(Exception, match="kpack must be 1 or 2, got 3"):
        compile(add_kernel, ADD, kpack=3)
    with pytest.raises(Exception, match="waves_per_eu is an option of target hip, not of cuda"):
        libtriton = triton._C.libtriton
        libtriton.complete_options("cuda", {"waves_per_eu": 2})
    with pytest.raises(triton.OutOfResources, match="Required: 2048, Hardware limit: 1024"):
        compile(add_kernel, ADD, num_warps=32)
