"""Kernels that Python stores are found by programs in C and C++, and the other way round: one key, one description, one proof (docs/decisions/0026)."""

import json
import os
import subprocess
import sys

import pytest
import triton
from triton._C import libtriton

# A program that knows nothing of Python's package: the C interface, called by the names and structures of <triton/c.h>.
PROGRAM = """
import ctypes, sys
library, source, cache, kernel, signature, target, architecture, bundles, record = sys.argv[1:]
class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("target", ctypes.c_char_p), ("architecture", ctypes.c_char_p)] + [
        (name, ctypes.c_int32) for name in ("num_warps", "num_stages", "num_ctas", "debug", "fusion", "keep_assembly")] + [
        ("threads", ctypes.c_uint32), ("cache_directory", ctypes.c_char_p), ("device", ctypes.c_int32), ("max_registers", ctypes.c_int32),
        ("stream", ctypes.c_void_p), ("cooperative", ctypes.c_int32), ("programmatic", ctypes.c_int32), ("overlap", ctypes.c_int32),
        ("graphs", ctypes.c_int32), ("check_accesses", ctypes.c_int32), ("secret", ctypes.c_char_p), ("named", ctypes.c_void_p), ("named_count", ctypes.c_size_t),
        ("bundles", ctypes.c_char_p), ("record_directory", ctypes.c_char_p)]
c = ctypes.CDLL(library)
for name in ("triton_module_load", "triton_module_kernel", "triton_kernel_compile_signature"):
    getattr(c, name).restype = ctypes.c_void_p
c.triton_error_message.restype = ctypes.c_char_p
error = ctypes.c_void_p()
def check(value):
    if not value:
        sys.exit(c.triton_error_message(error).decode())
    return ctypes.c_void_p(value)
module = check(c.triton_module_load(source.encode(), ctypes.byref(error)))
found = check(c.triton_module_kernel(module, kernel.encode(), ctypes.byref(error)))
options = Options(ctypes.sizeof(Options), target.encode(), architecture.encode(), 4, 3, 1, 0, 1, 0, 0, cache.encode(), 0, 0, None, 0, 0, 1, 1, 0, None, None, 0, bundles.encode(), record.encode())
check(c.triton_kernel_compile_signature(found, signature.encode(), ctypes.byref(options), ctypes.byref(error)))
"""

KERNELS = """
import triton
import triton.language as tl

SCALE = tl.constexpr(3)


@triton.jit
def scaled(x):
    return x * SCALE


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    for i in range(2):
        tl.store(out + offsets, scaled(tl.load(x + offsets, offsets < n)) + i, offsets < n)
"""

# What Python compiles for, whichever device is active on this machine.
TARGETS = {
    "cpu": lambda: triton.backends.backends["cpu"].driver().get_current_target(),
    "cuda": lambda: triton.backends.compiler.GPUTarget("cuda", 90, 32),
    "hip": lambda: triton.backends.compiler.GPUTarget("hip", "gfx942", 64),
}

SIGNATURE = {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}


@pytest.fixture
def program(tmp_path, monkeypatch, fresh_triton_cache):
    """(compile in C, compile in Python, entries of the cache): of one file and one directory."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    source = tmp_path / "kernels_of_both.py"
    source.write_text(KERNELS)
    (library,) = [path for path in libtriton.native_libraries() if "libtriton.so" in os.path.basename(path)]

    def in_c(target="cpu", architecture="native", bundles="", record=""):
        from triton.backends.nvidia.compiler import get_ptxas

        tools = {"TRITON_PTXAS_PATH": get_ptxas(90).path} if target == "cuda" else {}
        arguments = [
            library,
            str(source),
            fresh_triton_cache,
            "kernel",
            "*fp32, *fp32, i32, 64",
            target,
            architecture,
            str(bundles),
            str(record),
        ]
        subprocess.run([sys.executable, "-c", PROGRAM, *arguments], check=True, env={**os.environ, **tools})

    def in_python(target=None, **options):
        sys.modules.pop("kernels_of_both", None)
        monkeypatch.syspath_prepend(str(tmp_path))
        import kernels_of_both

        src = triton.compiler.ASTSource(kernels_of_both.kernel, SIGNATURE, {"BLOCK": 64})
        return triton.compile(src, target=target, options=options)

    def entries():
        return {entry.name for entry in libtriton.cache.Store(fresh_triton_cache).list()}

    return source, in_c, in_python, entries


@pytest.mark.cpu_only
def test_c_finds_what_python_stored(program):
    _, in_c, in_python, entries = program
    in_python()
    before = entries()
    in_c()
    assert entries() == before and len(before) == 1


@pytest.mark.cpu_only
def test_variables_that_are_options_do_not_part_them(program, monkeypatch):
    """A variable that says what the option says anyway is no other kernel; one that says something else is."""
    _, in_c, in_python, entries = program
    in_c()
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    in_python()
    assert len(entries()) == 1
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    in_python()
    assert len(entries()) == 2


@pytest.mark.cpu_only
def test_python_finds_what_c_stored(program):
    _, in_c, in_python, entries = program
    in_c()
    before = entries()
    kernel = in_python()
    assert entries() == before and len(before) == 1
    assert kernel.metadata.num_warps == 4 and kernel.metadata.target.backend == "cpu" and kernel.asm["obj"]
    assert "tt.func" in kernel.asm["source"]
    with open(kernel.metadata_group["kernel.json"]) as file:
        assert json.load(file)["reads"]


@pytest.mark.cpu_only
def test_what_a_kernel_reads_proves_it(program):
    """A constant or a function that changes is another kernel, for whoever looks."""
    source, in_c, in_python, entries = program
    in_python()
    source.write_text(KERNELS.replace("constexpr(3)", "constexpr(4)"))
    in_c()
    assert len(entries()) == 2
    source.write_text(KERNELS.replace("x * SCALE", "x + SCALE"))
    in_c()
    assert len(entries()) == 3
    in_python()
    assert len(entries()) == 3
    source.write_text(KERNELS)
    in_c()
    assert len(entries()) == 3


@pytest.mark.cpu_only
def test_constants_and_functions_of_other_files(program, tmp_path):
    """`module.CONST` and `module.function` are read in every language, through modules of modules too."""
    source, in_c, in_python, entries = program
    imports = "import triton\nimport numbers_of_both as numbers\nimport inner_of_both as inner\n"
    text = KERNELS.replace("import triton\n", imports, 1)
    source.write_text(text.replace("+ i,", "+ i + numbers.OFFSET + inner.scaled(inner.numbers.STEP),"))
    inner = """
import triton
import triton.language as tl
import numbers_of_both as numbers
FACTOR = tl.constexpr({})


@triton.jit
def scaled(x):
    return FACTOR * x
"""

    def write(offset, step, factor):
        (tmp_path / "numbers_of_both.py").write_text(f"OFFSET = {offset}\nSTEP = {step}\n")
        (tmp_path / "inner_of_both.py").write_text(inner.format(factor))
        for name in ("numbers_of_both", "inner_of_both"):
            sys.modules.pop(name, None)

    for number, numbers in enumerate([(5, 7, 2), (6, 7, 2), (5, 8, 2), (5, 7, 3)], 1):
        write(*numbers)
        first, second = (in_python, in_c) if number % 2 else (in_c, in_python)
        first()
        assert len(entries()) == number
        second()
        assert len(entries()) == number


@pytest.mark.parametrize("c_is_first", [False, True])
@pytest.mark.parametrize("target, architecture, stage", [("cuda", "sm_90a", "cubin"), ("hip", "gfx942", "hsaco")])
def test_code_for_gpus(program, target, architecture, stage, c_is_first):
    """Each finds the entry of the other, and its code in it."""
    _, in_c, in_python, entries = program
    if c_is_first:
        in_c(target, architecture)
    kernel = in_python(
        TARGETS[target](), num_stages=3
    )  # what a structure of options begins with in C, for every target
    assert kernel.metadata.binary_ext == stage and kernel.kernel == kernel.asm[stage]
    before = entries()
    in_c(target, architecture)
    assert entries() == before and len(before) == 1


def entries_in(folder):
    return {entry.name for entry in libtriton.cache.Store(str(folder)).list()}


@pytest.mark.cpu_only  # its programs choose their targets themselves
@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", id="gpu code")])
def test_c_takes_a_bundle_of_pythons(program, tmp_path, fresh_knobs, target):
    source, in_c, in_python, entries = program
    fresh_knobs.cache.dir, fresh_knobs.cache.record = str(tmp_path / "python"), str(tmp_path / "bundle")
    in_python(TARGETS[target]())
    assert len(entries_in(tmp_path / "bundle")) == 1
    place = (target, "sm_90a" if target == "cuda" else "native")
    in_c(*place, bundles=f"{tmp_path / 'missing'}:{tmp_path / 'bundle'}")
    assert not entries()  # nothing was compiled
    source.write_text(KERNELS.replace("constexpr(3)", "constexpr(4)"))
    in_c(*place, bundles=tmp_path / "bundle", record=tmp_path / "bundle")
    assert len(entries()) == 1 and len(entries_in(tmp_path / "bundle")) == 2


@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", id="gpu code")])
def test_python_takes_a_bundle_of_cs(program, tmp_path, fresh_knobs, target):
    source, in_c, in_python, entries = program
    in_c(target, "sm_90a" if target == "cuda" else "native", record=tmp_path / "bundle")
    assert len(entries()) == 1 and len(entries_in(tmp_path / "bundle")) == 1
    fresh_knobs.cache.dir, fresh_knobs.cache.bundle = str(tmp_path / "python"), str(tmp_path / "bundle")
    fresh_knobs.cache.strict = True
    assert in_python(TARGETS[target]()).asm["cubin" if target == "cuda" else "obj"]
    source.write_text(KERNELS.replace("x * SCALE", "x + SCALE"))
    with pytest.raises(triton.runtime.errors.CacheMissError):
        in_python(TARGETS[target]())
