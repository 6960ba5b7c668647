"""What C and C++ programs get: the installed CMake package, the example, and object files with headers from tritonc."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TRITON_BUILD_DIR", ROOT / "build"))
KERNELS = ROOT / "examples" / "cpp" / "kernels.py"
COMPILER = shutil.which("clang++-22") or shutil.which("c++")
C_COMPILER = shutil.which("clang-22") or shutil.which("cc")


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}"
    return result.stdout


def tritonc(*arguments):
    return subprocess.run([str(BUILD / "bin" / "tritonc"), *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "core")
    return prefix


@pytest.fixture(scope="module")
def example(prefix, tmp_path_factory):
    build = tmp_path_factory.mktemp("example")
    run(
        "cmake",
        "-S",
        ROOT / "examples" / "cpp",
        "-B",
        build,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={COMPILER}",
    )
    run("cmake", "--build", build)
    return build / "example"


def test_example_runs_where_there_is_no_python(example, tmp_path):
    # An empty environment, and a PATH that leads nowhere: nothing can start Python.
    output = run(example, env={"PATH": str(tmp_path)}, cwd=tmp_path)
    for kernel in ("add", "softmax", "matmul"):
        assert any(line.startswith(kernel) and line.endswith("ok") for line in output.splitlines()), output
    assert "'blok' is not defined" in output


@pytest.mark.skipif(not shutil.which("g++"), reason="needs a second compiler")
def test_programs_with_sanitizers_and_allocators_of_their_own(prefix, tmp_path):
    """`test/border`: no memory changes hands at the library's border, whoever built the program."""
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DFAKE_CUDA={BUILD / 'fake-cuda'}"]
    compilers = ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++"]
    run("cmake", "-G", "Ninja", "-S", ROOT / "test" / "border", "-B", tmp_path, *options, *compilers)
    run("cmake", "--build", tmp_path)
    run("ctest", "--test-dir", tmp_path, "--output-on-failure")


def test_no_allocator_crosses_the_border(prefix):
    """Programs cannot replace what the library allocates with, nor does it allocate for them: see docs/decisions/0021."""
    extension = next((BUILD / "python" / "triton" / "_C").glob("libtriton*.so"), None)
    for library in (prefix / "lib" / "libtriton.so", *([extension] if extension else [])):
        symbols = run("nm", "-D", "-C", library).splitlines()
        assert not [line for line in symbols if "operator new" in line or "operator delete" in line], library


def test_library_needs_only_the_c_library(prefix):
    libraries = run("ldd", prefix / "lib" / "libtriton.so")
    names = {line.split()[0].split("/")[-1] for line in libraries.splitlines()}
    assert names <= {"linux-vdso.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}, libraries


def test_library_shows_only_its_own_symbols(prefix):
    symbols = run("nm", "-D", "--defined-only", "-C", prefix / "lib" / "libtriton.so").splitlines()
    foreign = [line for line in symbols if "triton" not in line]
    assert not foreign, foreign[:5]
    assert not any("Py_" in line or "_Py" in line for line in symbols)


def test_object_and_header_from_tritonc(tmp_path):
    signature = "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
    for emit, name in (("obj", "add.o"), ("header", "add.h")):
        result = tritonc(
            KERNELS, "--kernel", "add_kernel", "--signature", signature, "--emit", emit, "-o", tmp_path / name
        )
        assert result.returncode == 0, result.stderr
    (tmp_path / "main.c").write_text("""
#include "add.h"
#include <stdio.h>
static _Alignas(64) float x[3000], y[3000], out[3000];
int main(void) {
  for (int i = 0; i < 3000; ++i) { x[i] = i; y[i] = 2 * i; out[i] = -1; }
  if (add_kernel_launch(3, 1, 1, x, y, out, 2500)) return 1;
  for (int i = 0; i < 3000; ++i) if (out[i] != (i < 2500 ? 3 * i : -1)) { printf("wrong at %d: %f\\n", i, out[i]); return 1; }
  puts("ok");
  return 0;
}
""")
    run(
        C_COMPILER,
        "-std=c11",
        "-Wall",
        "-Werror",
        tmp_path / "main.c",
        tmp_path / "add.o",
        "-lm",
        "-o",
        tmp_path / "main",
    )
    assert run(tmp_path / "main") == "ok\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["/no/such.py"], "cannot read '/no/such.py'"),
        ([KERNELS], "which kernel? pass --kernel with one of: add_kernel, softmax_kernel, relu, matmul_kernel"),
        ([KERNELS, "--kernel", "nothing"], "has no jitted function 'nothing'; it has: add_kernel"),
        ([KERNELS, "--kernel", "relu"], "no entry for parameter 'x' of 'relu'"),
        ([KERNELS, "--kernel", "relu", "--signature", "fp99"], "'fp99' is neither a type"),
        (
            [KERNELS, "--kernel", "relu", "--signature", "fp32", "--emit", "hsaco"],
            "--emit=hsaco: of target cpu there are source, ttir, llir, asm, obj, header and library",
        ),
        (
            [KERNELS, "--kernel", "relu", "--target", "cuda", "--arch", "sm_90a", "--emit", "header"],
            "of target cuda there are source, ttir, ttgir, llir, ptx, cubin and library",
        ),
        (  # the C code that would launch it is CUDA's
            [KERNELS, "--kernel", "relu", "--target", "hip", "--arch", "gfx942", "--emit", "library"],
            "of target hip there are source, ttir, ttgir, llir, amdgcn and hsaco",
        ),
        (
            [KERNELS, "--kernel", "relu", "--signature", "fp32", "--target", "cuda"],
            "which GPU is the code for? name its",
        ),
        (
            [KERNELS, "--kernel", "relu", "--signature", "fp32", "--arch", "sm_90a", "--emit", "llir"],
            "name the target cuda too",
        ),
        (
            [KERNELS, "--kernel", "relu", "--signature", "fp32", "--arch", "znver44", "--emit", "llir"],
            "did you mean 'znver4'?",
        ),
        (
            [KERNELS, "--kernel", "relu", "--signature", "fp32", "--target", "tpu"],
            "there is no target 'tpu'; this build has: cpu",
        ),
        (
            [
                KERNELS,
                "--kernel",
                "add_kernel",
                "--signature",
                "*fp32, *fp32, *fp32, i32, 1024",
                "--arch",
                "pdp11",
                "--emit",
                "llir",
            ],
            "pdp11",
        ),
        ([KERNELS, "--kernel", "add_kernel", "--signature", "*fp32, *fp32, *fp32, i32, 1000"], "must be a power of 2"),
        (
            [
                KERNELS,
                "--kernel",
                "add_kernel",
                "--signature",
                "*fp32, *fp32, *fp32, i32, 1024",
                "-o",
                "/no/folder/out",
            ],
            "cannot write '/no/folder/out'",
        ),
    ],
)
def test_mistakes_on_the_command_line(arguments, message):
    result = tritonc(*arguments)
    assert result.returncode == 1 and message in result.stderr, result.stderr


def test_every_stage(tmp_path):
    expected = {"source": "tt.func", "ttir": "tt.load", "llir": "define", "asm": ".globl", "header": "#ifndef"}
    for stage, text in expected.items():
        result = tritonc(
            KERNELS, "--kernel", "add_kernel", "--signature", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", "--emit", stage
        )
        assert result.returncode == 0 and text in result.stdout, result.stderr


def test_every_stage_of_amd():
    for stage, text in {"ttgir": "ttg.num-warps", "llir": "define amdgpu_kernel", "amdgcn": ".amdgcn_target"}.items():
        result = tritonc(
            KERNELS, "--kernel", "add_kernel", "--signature", "*fp32:16, *fp32:16, *fp32:16, i32, 1024",
            "--target", "hip", "--arch", "gfx942", "--emit", stage,
        )  # fmt: skip
        assert result.returncode == 0 and text in result.stdout, result.stderr


def test_version_and_help():
    assert tritonc("--version").stdout.startswith("tritonc of triton.cpp 3.")
    text = tritonc("--help").stdout
    order = [text.index(word) for word in ("Basics:", "--kernel", "Inspection:", "--verify-each", "EXAMPLES:")]
    assert order == sorted(order)


def test_ir_file_as_source(tmp_path):
    result = tritonc(
        KERNELS, "--kernel", "add_kernel", "--signature", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", "--emit", "ttir"
    )
    (tmp_path / "add.ttir").write_text(result.stdout)
    again = tritonc(tmp_path / "add.ttir", "--emit", "asm")
    assert again.returncode == 0 and "add_kernel:" in again.stdout, again.stderr
    (tmp_path / "bad.ttir").write_text("module { tt.func @k(%x: i32) { tt.store %x, %x : i32 tt.return } }")
    bad = tritonc(tmp_path / "bad.ttir", "--emit", "asm")
    assert bad.returncode == 1 and "bad.ttir:1:" in bad.stderr
