"""What people look for in the texts of compiled kernels: IR that keeps names, accesses as wide as known, instructions as asked for.

Kernels are compiled for GPUs that need not be there."""

import re

import pytest
import triton
import triton.language as tl
from triton.backends import backends
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.language.extra import cuda

pytestmark = pytest.mark.skipif("nvidia" not in backends, reason="no CUDA backend in this build")


def build(kernel, signature, capability=90, attrs=None, options=None, **constants):
    names = dict(signature)
    names.update({name: "constexpr" for name in constants})
    source = ASTSource(kernel, names, constants, attrs)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options).asm


def divisible(*places):
    return {(place,): [["tt.divisibility", 16]] for place in places}


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


COPY = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}


def test_wide_accesses_need_alignment():
    """Predicated ones too, where the bound is a multiple as well."""
    wide = build(copy_kernel, COPY, attrs=divisible(0, 1, 2), N=1024)["ptx"]
    assert re.search(r"ld\.global\S*\.v4", wide) and re.search(r"st\.global\S*\.v4", wide)
    for places in [(), (2,), (0, 1)]:
        narrow = build(copy_kernel, COPY, attrs=divisible(*places), N=1024)["ptx"]
        assert not re.search(r"(ld|st)\.global\S*\.v\d", narrow), places


@triton.jit
def hinted_kernel(x_ptr, out_ptr, n, HINT: tl.constexpr, N: tl.constexpr):
    i = n + tl.arange(0, N)
    if HINT:
        i = tl.max_contiguous(tl.multiple_of(i, N), N)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@pytest.mark.parametrize("hint", [False, True])
def test_hints_widen(hint):
    ptx = build(hinted_kernel, COPY, attrs=divisible(0, 1), HINT=hint, N=1024)["ptx"]
    assert bool(re.search(r"ld\.global\S*\.v4", ptx)) == hint and bool(re.search(r"st\.global\S*\.v4", ptx)) == hint


@triton.jit
def modifiers_kernel(x_ptr, out_ptr, n, LOAD: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, cache_modifier=LOAD, eviction_policy=EVICT)
    tl.store(out_ptr + i, x, cache_modifier=STORE, eviction_policy=EVICT)


@pytest.mark.parametrize("load", ["", ".ca", ".cg", ".cs", ".cv"])
@pytest.mark.parametrize("store", ["", ".wb", ".cg", ".cs", ".wt"])
def test_cache_modifiers(load, store):
    ptx = build(modifiers_kernel, COPY, attrs=divisible(0, 1), LOAD=load, STORE=store, EVICT="", N=128)["ptx"]
    loads, stores = re.findall(r"ld\.global\S*", ptx), re.findall(r"st\.global\S*", ptx)
    assert loads and stores
    for known, wanted, found in [
        ((".ca", ".cg", ".cs", ".cv"), load, loads),
        ((".wb", ".cg", ".cs", ".wt"), store, stores),
    ]:
        for text in found:
            assert [m for m in known if m + "." in text] == ([wanted] if wanted else []), text


@pytest.mark.parametrize("policy", ["", "evict_normal", "evict_first", "evict_last"])
def test_eviction_policies(policy):
    ptx = build(modifiers_kernel, COPY, attrs=divisible(0, 1), LOAD="", STORE="", EVICT=policy, N=128)["ptx"]
    for known in ("evict_first", "evict_last"):
        assert (known in ptx) == (known == policy)


@triton.jit
def volatile_kernel(x_ptr, out_ptr, n):
    tl.store(out_ptr, tl.load(x_ptr, volatile=True) + tl.load(x_ptr, volatile=True))


def test_volatile_loads_stay_apart():
    ptx = build(volatile_kernel, COPY)["ptx"]
    assert len(re.findall(r"ld\.volatile\.global", ptx)) == 2


@triton.jit
def atomics_kernel(x_ptr, n, SEM: tl.constexpr, SCOPE: tl.constexpr):
    i = tl.arange(0, 128)
    tl.atomic_add(x_ptr + i, n, sem=SEM, scope=SCOPE)
    tl.atomic_cas(x_ptr + 200, n, 5, sem=SEM, scope=SCOPE)


@pytest.mark.parametrize("sem", [None, "acq_rel", "acquire", "release", "relaxed"])
@pytest.mark.parametrize("scope", [None, "gpu", "cta", "sys"])
def test_atomics_say_order_and_scope(sem, scope):
    ptx = build(atomics_kernel, {"x_ptr": "*i32", "n": "i32"}, SEM=sem, SCOPE=scope)["ptx"]
    found = re.findall(r"(?:atom|red)\.\S+", ptx)
    add, cas = [t for t in found if ".add" in t], [t for t in found if ".cas" in t]
    assert add and cas
    for text in add + cas:
        assert f".{sem or 'acq_rel'}." in text and f".{scope or 'gpu'}." in text and ".global." in text, text


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr, OUT: tl.constexpr):  # fmt: skip
    a = tl.load(a_ptr + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    c = tl.dot(a, b, input_precision=P, out_dtype=OUT)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


INSTRUCTIONS = [
    ("fp16", None, tl.float32, r"f32\.f16\.f16"),
    ("fp16", None, tl.float16, r"f16\.f16\.f16"),
    ("bf16", None, tl.float32, r"f32\.bf16\.bf16"),
    ("fp32", "tf32", tl.float32, r"f32\.tf32\.tf32"),
    ("fp32", "tf32x3", tl.float32, r"f32\.tf32\.tf32"),
    ("fp32", "bf16x3", tl.float32, r"f32\.bf16\.bf16"),
    ("fp32", "bf16x6", tl.float32, r"f32\.bf16\.bf16"),
    ("i8", None, tl.int32, r"s32\.s8\.s8"),
    ("fp8e5", None, tl.float32, r"f32\.e5m2\.e5m2"),
    ("fp8e4nv", None, tl.float32, r"f32\.e4m3\.e4m3"),
]


@pytest.mark.parametrize("kind, precision, out, pattern", INSTRUCTIONS)
@pytest.mark.parametrize("capability", [80, 90])
def test_products_use_tensor_cores(capability, kind, precision, out, pattern):
    if capability == 80 and kind.startswith("fp8"):
        pytest.skip("has no tensor cores for 8-bit floats")
    result = {tl.float16: "*fp16", tl.float32: "*fp32", tl.int32: "*i32"}[out]
    signature = {"a_ptr": "*" + kind, "b_ptr": "*" + kind, "c_ptr": result}
    ptx = build(product_kernel, signature, capability, divisible(0, 1, 2), M=64, N=64, K=64, P=precision, OUT=out)[
        "ptx"
    ]
    family = "wgmma.mma_async" if capability == 90 else "mma.sync"
    found = re.findall(r"(?:wgmma\.mma_async|mma)\.sync\S+", ptx)
    assert any(re.search(pattern, line) for line in found) and all(family in line for line in found), found


def test_exact_products_do_not():
    signature = {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32"}
    ptx = build(product_kernel, signature, M=16, N=16, K=16, P="ieee", OUT=tl.float32)["ptx"]
    assert "mma" not in ptx and "fma.rn.f32" in ptx


@triton.jit
def fused_kernel(x_ptr, y_ptr, out_ptr):
    i = tl.arange(0, 128)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, x * y + x)


THREE = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32"}


@pytest.mark.parametrize("fusion", [False, True])
def test_fusion(fusion):
    assert ("fma.rn" in build(fused_kernel, THREE, options={"enable_fp_fusion": fusion})["ptx"]) == fusion


@triton.jit
def power_kernel(x_ptr, out_ptr, n):
    i = tl.arange(0, 128)
    tl.store(out_ptr + i, tl.exp2(tl.load(x_ptr + i)))


@pytest.mark.parametrize("flush", [False, True])
def test_flushing(flush):
    ptx = build(power_kernel, COPY, options={"enable_reflect_ftz": flush})["ptx"]
    assert ("ex2.approx.ftz.f32" in ptx) == flush and "ex2.approx" in ptx


def test_registers():
    ptx = build(copy_kernel, COPY, options={"maxnreg": 42}, N=128)["ptx"]
    assert ptx.count(".maxnreg 42") == 1 and ".maxnreg" not in build(copy_kernel, COPY, N=128)["ptx"]


def test_too_many_warps():
    with pytest.raises(triton.OutOfResources, match="threads, Required: 4096, Hardware limit: 1024"):
        build(copy_kernel, COPY, options={"num_warps": 128}, N=128)


@triton.jit
def special_kernel(out_ptr, time_ptr):
    a, b = cuda.smid(), cuda.smid()
    tl.store(out_ptr, a + b)
    start = cuda.globaltimer()
    stop = cuda.globaltimer()
    tl.store(time_ptr, stop - start)
    tl.static_assert(cuda.num_threads() == 256)
    tl.static_assert(cuda.num_warps() == 8)


def test_special_registers():
    ptx = build(special_kernel, {"out_ptr": "*i32", "time_ptr": "*i64"}, options={"num_warps": 8})["ptx"]
    assert ptx.count("%smid") == 1 and ptx.count("%globaltimer") == 2


@triton.jit
def dependent_kernel(x_ptr, out_ptr, n):
    cuda.gdc_wait()
    x = tl.load(x_ptr + tl.arange(0, 128))
    cuda.gdc_launch_dependents()
    tl.store(out_ptr + tl.arange(0, 128), x)


def test_dependent_launches():
    ptx = build(dependent_kernel, COPY)["ptx"]
    wait, launch = ptx.index("griddepcontrol.wait"), ptx.index("griddepcontrol.launch_dependents")
    assert wait < ptx.index("ld.global") and wait < launch
    with pytest.raises(triton.CompilationError, match=r"gdc_wait needs compute capability 9\.0 or newer; .* for 8\.0"):
        build(dependent_kernel, COPY, capability=80)


@triton.jit
def loops_kernel(x_ptr, out_ptr, n, UNROLL: tl.constexpr, FLATTEN: tl.constexpr, LICM: tl.constexpr):
    total = 0.0
    for i in tl.range(0, n, loop_unroll_factor=UNROLL, flatten=FLATTEN, disable_licm=LICM):
        for j in range(0, n):
            total += tl.load(x_ptr + i * n + j)
    tl.store(out_ptr, total)


def test_loops():
    asm = build(loops_kernel, COPY, UNROLL=None, FLATTEN=True, LICM=False)
    assert "tt.flatten" in asm["ttir"] and asm["ttir"].count("scf.for") == 2
    assert asm["ttgir"].count("scf.for") == 1
    assert "llvm.licm.disable" not in asm["llir"]
    asm = build(loops_kernel, COPY, UNROLL=None, FLATTEN=False, LICM=True)
    assert "llvm.licm.disable" in asm["llir"] and "tt.flatten" not in asm["ttir"]
    asm = build(loops_kernel, COPY, UNROLL=4, FLATTEN=False, LICM=False)
    assert asm["ttir"].count("tt.load") >= 4


@triton.jit
def assumed_kernel(x_ptr, out_ptr, n):
    tl.assume(n > 3)
    tl.store(out_ptr, n)


def test_assumptions_survive():
    asm = build(assumed_kernel, COPY)
    assert "assume" in asm["ttgir"] and "llvm.assume" in asm["llir"]


@triton.jit
def sum_of_products_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(out_ptr + i, tl.sum(x[:, :, None] * y[None, :, :], axis=1))


def test_sums_of_products_are_dots():
    asm = build(sum_of_products_kernel, THREE, N=16)
    assert "tt.dot" in asm["ttir"]


@triton.jit
def reduce_in_loop_kernel(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    total = tl.zeros((M,), tl.float32)
    for k in range(0, n):
        total += tl.sum(tl.load(x_ptr + rows[:, None] * (n * N) + k * N + tl.arange(0, N)[None, :]), 1)
    tl.store(out_ptr + rows, total)


def test_reductions_leave_loops():
    """What threads hold is added in the loop, over threads once behind it."""
    text = build(reduce_in_loop_kernel, COPY, attrs=divisible(0), M=32, N=128)["ttgir"]
    inside, behind = text.split("scf.yield", 1)
    axes = re.findall(r'"tt.reduce"\(.*?\) <\{axis = (\d)', inside)
    assert behind.count('"tt.reduce"') == 1 and set(axes) <= {"2"}, text  # of what a thread holds


@triton.jit
def named_kernel(source, v: tl.int8, N):
    offsets = tl.arange(0, 64)
    total = tl.zeros((64,), tl.float32)
    for step in range(N):
        total += tl.load(source + offsets + step)
    tl.store(source + offsets, total + v)


def test_names_in_ir():
    text = build(named_kernel, {"source": "*fp32", "v": "i8", "N": "i32"})["ttir"]
    assert re.search(r"tt\.func public @named_kernel\(%source: [^,]*, %v: i8[^,]*, %N: i32", text), text
    for name in ("%offsets", "%total", "%step"):
        assert name in text


@triton.jit
def converting_kernel(half, wide, u_ptr, x_ptr):
    i = tl.arange(0, 64)
    tl.store(half + i, tl.load(x_ptr + i))
    tl.store(wide + i, tl.load(x_ptr + i))
    tl.store(x_ptr + i, tl.load(u_ptr + i))
    tl.store(x_ptr + tl.load(u_ptr + i), 1.5)


def test_implicit_casts():
    text = build(converting_kernel, {"half": "*fp16", "wide": "*fp64", "u_ptr": "*u8", "x_ptr": "*fp32"})["ttir"]
    for op in ("arith.truncf", "arith.extf", "arith.uitofp", "arith.extui"):
        assert op in text, op


@triton.jit
def callee(x):
    return x * 2 + 1


@triton.jit
def calling_kernel(x_ptr, out_ptr, n):
    i = tl.arange(0, 128)
    tl.store(out_ptr + i, callee(tl.load(x_ptr + i)))


def test_lines(fresh_triton_cache, fresh_knobs):
    fresh_knobs.cache.dir = fresh_triton_cache
    lines = open(__file__).read().splitlines()
    wanted = [number for number, line in enumerate(lines, 1) if "tl.store(out_ptr + i, callee(" in line]
    inside = [number for number, line in enumerate(lines, 1) if line == "    return x * 2 + 1"]
    found = {int(line) for line in re.findall(r"\.loc\s+\d+\s+(\d+)", build(calling_kernel, COPY)["ptx"])}
    assert wanted[0] in found and inside[0] in found
    fresh_knobs.compilation.disable_line_info = True
    assert ".loc" not in build(calling_kernel, COPY)["ptx"]
