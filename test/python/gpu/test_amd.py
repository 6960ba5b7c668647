"""Kernels compiled for AMD GPUs, which no test runs on one."""

import itertools
import re
import struct

import pytest
import triton
import triton.language as tl
from triton import knobs
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


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, offsets < columns, other=-float("inf"))
    powers = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, powers / tl.sum(powers, axis=0), offsets < columns)


@triton.jit
def scan_kernel(x_ptr, out_ptr, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.atomic_add(lock_ptr + offsets % 4, x)
    tl.store(out_ptr + offsets, tl.cumsum(tl.trans(tl.reshape(x, [BLOCK // 32, 32])), axis=1).reshape([BLOCK]))


KERNELS = [
    (add_kernel, ADD),
    (softmax_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "columns": "i32", "BLOCK": 1024}),
    (scan_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "lock_ptr": "*fp32", "BLOCK": 1024}),
    (dot_kernel, DOT),
]


@pytest.mark.parametrize("kernel, signature", KERNELS, ids=[kernel.__name__ for kernel, _ in KERNELS])
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_code_is_assembled(arch, kernel, signature):
    compiled = compile(kernel, signature, arch)
    assert ".amdhsa_next_free_vgpr" in compiled.asm["amdgcn"] and f"amdgcn-amd-amdhsa--{arch}" in compiled.asm["amdgcn"]
    assert compiled.asm["hsaco"][:4] == b"\x7fELF" and compiled.asm["hsaco"][16] == 3  # a shared object
    assert compiled.metadata.name == kernel.__name__


@pytest.mark.parametrize("types, sums, instruction", [
    (("fp16", "fp16"), "fp32", "v_mfma_f32_32x32x8_f16"),
    (("bf16", "bf16"), "fp32", "v_mfma_f32_32x32x8_bf16"),
    (("fp32", "fp32"), "fp32", "v_mfma_f32_32x32x2_f32"),
    (("fp64", "fp64"), "fp64", "v_mfma_f64_16x16x4_f64"),
    (("i8", "i8"), "i32", "v_mfma_i32_32x32x16_i8"),
    (("fp8e4b8", "fp8e5b16"), "fp32", "v_mfma_f32_32x32x16_bf8_fp8"),  # transposed: B comes first
    (("fp8e4nv", "fp8e4nv"), "fp32", "v_mfma_f32_32x32x8_f16"),  # which gfx942 does not know
])  # fmt: skip
def test_matrix_instructions_of_gfx942(types, sums, instruction):
    signature = {**DOT, "a_ptr": f"*{types[0]}", "b_ptr": f"*{types[1]}", "c_ptr": f"*{sums}"}
    assert instruction in compile(dot_kernel, signature).asm["amdgcn"]


@pytest.mark.parametrize("types, sums, depth, instruction", [
    (("fp16", "fp16"), "fp32", 64, "v_wmma_f32_16x16x32_f16"),
    (("fp16", "fp16"), "fp16", 64, "v_wmma_f32_16x16x32_f16"),  # rounded behind it
    (("bf16", "bf16"), "fp32", 16, "v_wmma_f32_16x16x32_bf16"),  # half of it zeros
    (("fp32", "fp32"), "fp32", 64, "v_wmma_f32_16x16x4_f32"),
    (("i8", "i8"), "i32", 64, "v_wmma_i32_16x16x64_iu8"),
    (("fp8e4nv", "fp8e5"), "fp32", 64, "v_wmma_f32_16x16x64_bf8_fp8"),  # transposed: B comes first
    (("fp8e5", "fp8e5"), "fp32", 128, "v_wmma_f32_16x16x128_bf8_bf8"),
    (("fp64", "fp64"), "fp64", 64, "v_fma_f64"),
])  # fmt: skip
def test_matrix_instructions_of_gfx1250(types, sums, depth, instruction):
    signature = {**DOT, "a_ptr": f"*{types[0]}", "b_ptr": f"*{types[1]}", "c_ptr": f"*{sums}", "K": depth}
    assert instruction in compile(dot_kernel, signature, "gfx1250").asm["amdgcn"]


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("element, sums, instruction, missing", [
    ("fp16", "fp32", r"v_(dual_)?dot2(c|acc)?_f32_f16", ["gfx1250"]),
    ("bf16", "fp32", r"v_(dual_)?dot2(c|acc)?_f32_bf16", ["gfx90a", "gfx942", "gfx1250"]),
    ("i8", "i32", r"v_dot4c?_i32_iu?8", []),
])  # fmt: skip
def test_packed_dots_where_rows_are_few(arch, element, sums, instruction, missing):
    signature = {**DOT, "a_ptr": f"*{element}", "b_ptr": f"*{element}", "c_ptr": f"*{sums}", "M": 4}
    code = compile(dot_kernel, signature, arch).asm["amdgcn"]
    assert "mfma" not in code and "wmma" not in code
    assert bool(re.search(instruction, code)) == (arch not in missing)


def test_bytes_take_the_faster_instruction_of_gfx950():
    signature = {**DOT, "a_ptr": "*fp8e4nv", "b_ptr": "*fp8e5"}
    code = compile(dot_kernel, signature, "gfx950").asm["amdgcn"]
    assert re.search(r"v_mfma_f32_32x32x64_f8f6f4 .* cbsz:1\b", code)  # B comes first
    assert "v_mfma_f32_32x32x16_bf8_fp8" in compile(dot_kernel, {**signature, "K": 32}, "gfx950").asm["amdgcn"]


@triton.jit
def scaled_kernel(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr, S: tl.constexpr, K: tl.constexpr):  # fmt: skip
    KA: tl.constexpr = K // 2 if A == "e2m1" else K
    KB: tl.constexpr = K // 2 if B == "e2m1" else K
    m, g = tl.arange(0, S), tl.arange(0, K // 32)
    a = tl.load(a_ptr + m[:, None] * KA + tl.arange(0, KA)[None, :])
    b = tl.load(b_ptr + tl.arange(0, KB)[:, None] + m[None, :] * KB)
    a_scale = tl.load(a_scale_ptr + m[:, None] * (K // 32) + g[None, :])
    b_scale = tl.load(b_scale_ptr + m[:, None] * (K // 32) + g[None, :])
    tl.store(c_ptr + m[:, None] * S + m[None, :], tl.dot_scaled(a, a_scale, A, b, b_scale, B))


@pytest.mark.parametrize("arch, kinds, size, depth, instruction", [
    ("gfx950", ("e4m3", "e4m3"), 64, 128, r"v_mfma_scale_f32_32x32x64_f8f6f4 .*\]"),
    ("gfx950", ("e5m2", "e2m1"), 64, 128, r"v_mfma_scale_f32_32x32x64_f8f6f4 .* cbsz:4 blgp:1"),
    ("gfx950", ("e2m1", "e2m1"), 16, 256, r"v_mfma_scale_f32_16x16x128_f8f6f4 .* cbsz:4 blgp:4"),
    ("gfx1250", ("e5m2", "e2m1"), 64, 128, "v_wmma_scale_f32_16x16x128_f8f6f4 .* matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_BF8"),
    ("gfx942", ("e4m3", "e4m3"), 64, 128, "v_mfma_f32_32x32x8_bf16"),
    ("gfx1250", ("e4m3", "e4m3"), 64, 64, "v_wmma_f32_16x16x32_bf16"),  # less of K than the scaled one takes
])  # fmt: skip
def test_scaled_products(arch, kinds, size, depth, instruction):
    types = ["*u8" if kind == "e2m1" else {"e4m3": "*fp8e4nv", "e5m2": "*fp8e5"}[kind] for kind in kinds]
    signature = {
        "a_ptr": types[0], "b_ptr": types[1], "a_scale_ptr": "*u8", "b_scale_ptr": "*u8", "c_ptr": "*fp32",
        "A": kinds[0], "B": kinds[1], "S": size, "K": depth,
    }  # fmt: skip
    constants = {name: value for name, value in signature.items() if not str(value).startswith("*")}
    types = {name: "constexpr" if name in constants else type for name, type in signature.items()}
    source = ASTSource(scaled_kernel, types, constexprs=constants)
    compiled = triton.compile(source, target=GPUTarget("hip", arch, ARCHITECTURES[arch]))
    assert re.search(instruction, compiled.asm["amdgcn"]) and compiled.asm["hsaco"][:4] == b"\x7fELF"


@triton.jit
def loop_kernel(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    a_ptrs, b_ptrs = a_ptr + m[:, None] * 1024 + k[None, :], b_ptr + k[:, None] * N + n[None, :]
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, K, BK):
        total = tl.dot(tl.load(a_ptrs, k[None, :] < K - i, 0.0), tl.load(b_ptrs), total)
        a_ptrs += BK
        b_ptrs += BK * N
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


def test_direct_copies_stay_under_way():
    """In the loop a wave waits for the oldest copies alone, and LLVM adds no wait for the others."""
    names = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "K": "i32"}
    sizes = {"M": 128, "N": 128, "BK": 64}
    attributes = {(i,): [["tt.divisibility", 16], ["tt.pointer_range", 32]] for i in range(3)} | {(3,): [["tt.divisibility", 16]]}  # fmt: skip
    source = ASTSource(loop_kernel, names | dict.fromkeys(sizes, "constexpr"), constexprs=sizes, attrs=attributes)
    compiled = triton.compile(source, target=GPUTarget("hip", "gfx950", 64), options={"num_stages": 3})
    text = compiled.asm["amdgcn"]
    body = max(re.findall(r"^\.LBB0_\d+:.*?s_cbranch_scc\d \.LBB0_\d+$", text, re.M | re.S), key=lambda part: part.count("v_mfma"))  # fmt: skip
    assert len(re.findall(r"buffer_load_dwordx4 .* lds", body)) == 8
    assert re.findall(r"vmcnt\((\d+)\)", body) == ["8"] and body.count("s_barrier") == 1
    assert compiled.metadata.shared > 3 * 2 * 128 * 64 * 2, "three buffers of each operand, with gaps"


def test_buffers_have_all_that_32_bit_offsets_reach():
    """A tensor of 2^31 - 1 bytes has its last one at 2^31 - 2, and masked elements are at 2^31."""

    @triton.jit
    def last(x_ptr, y_ptr, n):
        i = tl.arange(0, 64)
        tl.store(y_ptr + i, tl.load(x_ptr + (n - 1 - i), i < n, 0))

    attributes = {(0,): [["tt.pointer_range", 32]]}
    source = ASTSource(last, {"x_ptr": "*u8", "y_ptr": "*u8", "n": "i32"}, attrs=attributes)
    code = triton.compile(source, target=GPUTarget("hip", "gfx942", 64)).asm["llir"]
    assert re.search(r"make\.buffer\.rsrc[^(]*\(ptr addrspace\(1\)[^,]*, i16 0, i64 2147483647,", code)
    assert "i32 -2147483648" in code


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_messages_go_to_memory_that_the_launch_brings(arch):
    @triton.jit
    def prints(x_ptr, n):
        tl.device_print("x", tl.load(x_ptr))
        tl.device_assert(n < 5, "too many")

    compiled = compile(prints, {"x_ptr": "*fp32", "n": "i32"}, arch, debug=True)
    assert compiled.metadata.writes_messages and "global_atomic_add" in compiled.asm["amdgcn"]
    assert compiled.asm["llir"].count("atomicrmw add") == 3, "room for both, and the count of failures"
    assert "s_endpgm" in compiled.asm["amdgcn"].split("s_endpgm", 1)[1], "asserts end the wave"
    assert not compile(add_kernel, ADD, arch).metadata.writes_messages


def test_expert_scheduling_is_part_of_the_key():
    with knobs.amd.scope():
        compiled = []
        for wanted in (None, True, False, True):
            knobs.amd.use_expert_scheduling = wanted
            compiled.append(compile(add_kernel, ADD, "gfx1250"))
    codes = [kernel.asm["amdgcn"] for kernel in compiled]
    assert codes[0] == codes[2] != codes[1] == codes[3]


def test_code_objects_are_what_loaders_read():
    """A shared object whose dynamic symbols name the kernel and its descriptor, from which the code is found."""
    binary = compile(add_kernel, ADD).asm["hsaco"]
    (kind, machine, flags) = struct.unpack_from("<HH28xI", binary, 16)
    assert (kind, machine, binary[7], binary[8]) == (
        3,
        224,
        64,
        3,
    ) and flags & 0xFF == 0x4C  # AMDGPU, HSA, version 5, gfx942
    (table,), (count,) = struct.unpack_from("<Q", binary, 40), struct.unpack_from("<H", binary, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", binary, table + 64 * index) for index in range(count)]
    symbols = next(section for section in sections if section[1] == 11)  # SHT_DYNSYM
    strings = sections[symbols[6]]
    address_of = {}
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", binary, at)
        begin = strings[4] + name
        address_of[binary[begin : binary.index(b"\0", begin)].decode()] = value
    assert {"add_kernel", "add_kernel.kd"} <= address_of.keys()
    segments = [struct.unpack_from("<IIQQQQQQ", binary, 64 + 56 * index) for index in range(struct.unpack_from("<H", binary, 56)[0])]  # fmt: skip

    def place(address):
        loaded = (each for each in segments if each[0] == 1 and each[3] <= address < each[3] + each[5])
        segment = next(loaded)
        assert segment[2] % 4096 == segment[3] % 4096
        return segment[2] + address - segment[3]

    descriptor = address_of["add_kernel.kd"]
    (entry,) = struct.unpack_from("<q", binary, place(descriptor) + 16)
    assert descriptor % 64 == 0 and address_of["add_kernel"] % 256 == 0
    assert descriptor + entry == address_of["add_kernel"] and place(address_of["add_kernel"]) < len(binary)


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a, b = a_ptr + m[:, None] * K + k[None, :], b_ptr + k[:, None] * N + n[None, :]
    total = tl.zeros((M, N), tl.float32)
    for _ in range(depth):
        total = tl.dot(tl.load(a), tl.load(b), total)
        a += M * K
        b += N * K
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


PRODUCT = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "depth": "i32", "M": 64, "N": 64, "K": 32}


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1100"])
def test_loads_run_ahead_of_dots(arch):
    """In the loop: loads, a barrier that does not wait for them, products, and only then the wait, before they are stored for the next iteration."""
    kinds = {
        "load": "(global|buffer)_load",
        "barrier": r"s_barrier(_wait)?\b",
        "dot": "v_(wmma|mfma)",
        "wait": "(s_waitcnt.*vmcnt|s_wait_loadcnt)",
    }

    def steps_of(**options):
        lines = compile(product_kernel, PRODUCT, arch, **options).asm["amdgcn"].splitlines()
        labels = {line.split(":")[0]: place for place, line in enumerate(lines) if re.match(r"\.LBB\w+:", line)}
        jumps = [(place, re.search(r"s_cbranch\w* (\.LBB\w+)", line)) for place, line in enumerate(lines)]
        loops = ["\n".join(lines[labels[to[1]] : at]) for at, to in jumps if to and labels[to[1]] < at]
        (loop,) = (body for body in loops if re.search(kinds["load"], body))
        steps = re.finditer("|".join(f"(?P<{kind}>{text})" for kind, text in kinds.items()), loop)
        return [kind for kind, _ in itertools.groupby(step.lastgroup for step in steps)]

    assert steps_of(num_stages=2)[:5] == ["load", "barrier", "dot", "barrier", "wait"]
    steps = steps_of(num_stages=1)
    assert steps.index("wait") < steps.index("dot")
