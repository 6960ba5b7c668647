"""`tl.extra.hip.libdevice`: every function that clients know compiles for AMD GPUs to arithmetic, with no call of a library."""

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.language.extra import hip, libdevice

pytestmark = pytest.mark.cpu_only  # for another target, whichever device there is

UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "cyl_bessel_i0", "cyl_bessel_i1", "erf", "erfc", "erfcx", "erfinv",
    "exp", "exp2", "expm1", "floor", "isinf", "isnan", "j0", "j1", "lgamma", "llrint", "log", "log10", "log1p", "log2", "nearbyint", "round", "rsqrt",
    "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "y0", "y1", "ilogb",
]  # fmt: skip
BINARY = ["atan2", "copysign", "fmod", "hypot", "nextafter", "pow"]
FAST = ["fast_expf", "fast_tanhf"]


@triton.jit
def apply(x_ptr, y_ptr, out_ptr, NAME: tl.constexpr, COUNT: tl.constexpr):
    offsets = tl.arange(0, 64)
    x = tl.load(x_ptr + offsets)
    function: tl.constexpr = getattr(hip.libdevice, NAME)
    if COUNT == 1:
        result = function(x)
    else:
        result = function(x, tl.load(y_ptr + offsets))
    tl.store(out_ptr + offsets, result.to(x.dtype))


def compile_for(name, count, ty, arch="gfx942"):
    signature = {"x_ptr": f"*{ty}", "y_ptr": f"*{ty}", "out_ptr": f"*{ty}", "NAME": "constexpr", "COUNT": "constexpr"}
    source = triton.compiler.ASTSource(apply, signature, {(3,): name, (4,): count})
    target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    return triton.compile(source, target=target, options={"num_warps": 1})


@pytest.mark.parametrize("ty", ["fp32", "fp64"])
@pytest.mark.parametrize("name", UNARY + BINARY)
def test_functions_become_arithmetic(name, ty):
    kernel = compile_for(name, 2 if name in BINARY else 1, ty)
    assert "s_swappc" not in kernel.asm["amdgcn"] and "@__" not in kernel.asm["llir"]


@pytest.mark.parametrize("name", FAST)
def test_fast_functions(name):
    assert "s_swappc" not in compile_for(name, 1, "fp32").asm["amdgcn"]


@pytest.mark.parametrize("arch", ["gfx90a", "gfx950", "gfx1100", "gfx1200"])
def test_other_architectures(arch):
    for ty in ("fp32", "fp64"):
        assert "s_swappc" not in compile_for("tan", 1, ty, arch).asm["amdgcn"]


@triton.jit
def clock(out_ptr):
    tl.store(out_ptr, tl.extra.hip.memrealtime())


@pytest.mark.parametrize("arch, instruction", [("gfx942", "s_memrealtime"), ("gfx1100", "s_sendmsg_rtn_b64")])
def test_the_clock(arch, instruction):
    source = triton.compiler.ASTSource(clock, {"out_ptr": "*i64"}, {})
    kernel = triton.compile(source, target=GPUTarget("hip", arch, 64 if arch == "gfx942" else 32))
    assert instruction in kernel.asm["amdgcn"]
    with pytest.raises(triton.CompilationError, match="exists on AMD GPUs only"):
        triton.compile(source, target=GPUTarget("cpu", "x86-64-v3", 1))


def test_all_names_are_those_of_libdevice():
    names = {name for name in vars(libdevice) if not name.startswith("_")}
    assert {name for name in vars(hip.libdevice) if not name.startswith("_")} == names
    assert {*UNARY, *BINARY, *FAST, "fma", "ldexp", "fast_dividef"} <= names
