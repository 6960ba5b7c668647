"""Ahead-of-time compiles: C and C++ programs that link generated code only, the linker, and the tools around them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import triton
from places import PACKAGES, ROOT, TRITONC
from triton.backends.cpu.driver import CPUDriver
from triton.tools import build_extern, disasm
from triton.tools.compile import CompileArgs, compile_kernel
from triton.tools.link import HeaderParser, LinkerError, link

# Where the Triton under test lies: a bundle is elsewhere.
KERNELS = ROOT / "test" / "aot" / "kernels.py"
ADD_GRID = "(n + BLOCK - 1) / BLOCK, 1, 1"
MATMUL_GRID = "(M + BM - 1) / BM, (N + BN - 1) / BN, 1"


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Four variants of add, five of matmul in several algorithms, and the dispatchers over them, for this processor."""
    folder = tmp_path_factory.mktemp("generated")
    headers, host = [], CPUDriver().get_current_target()
    target = f"cpu:{host.arch}:{host.warp_size}"

    def add(kernel, grid, signature, warps=1):
        _, paths = compile_kernel(CompileArgs(str(KERNELS), kernel, signature, grid, target, num_warps=warps, out_path=str(folder / kernel)))  # fmt: skip
        headers.append(paths[0])

    for hint in ("", ":16"):
        add("add", ADD_GRID, f"*fp32{hint}, *fp32{hint}, *fp32{hint}, i32, 256")
    add("add", ADD_GRID, "*fp32:16, *fp32:16, *fp32:16, i32:16, 256")
    add("matmul", MATMUL_GRID, "*fp32, *fp32, *fp32, i32, i32, i32, i32, i32, 16, 16, 16")
    add("matmul", MATMUL_GRID, "*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, i32, 16, 16, 16")
    add("matmul", MATMUL_GRID, "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, 32, 32, 16")
    add("matmul", MATMUL_GRID, "*fp32, *fp32, *fp32, i32, i32, i32, i32, i32, 32, 32, 16")
    add("matmul", MATMUL_GRID, "*fp32, *fp32, *fp32, i32, i32, i32, i32, i32:1, 16, 16, 16", warps=2)
    link(headers, folder / "kernels")
    return folder


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_program(language, generated, tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    compilers = ["-DCMAKE_C_COMPILER=" + (shutil.which("gcc") or "cc")]
    subprocess.run(
        ["cmake", "-S", ROOT / "test" / "aot" / language, "-B", tmp_path, f"-DGENERATED={generated}", *compilers],
        check=True,
        capture_output=True,
    )
    build = subprocess.run(["cmake", "--build", tmp_path], capture_output=True, text=True)
    assert build.returncode == 0, build.stdout + build.stderr
    program = tmp_path / f"aot_{language}"
    result = subprocess.run([program], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert result.stdout == {"c": "3 algorithms, 0 wrong\n", "cpp": "0 wrong\n"}[language]
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    assert "triton" not in libraries and "python" not in libraries


@pytest.mark.skipif(not TRITONC.exists(), reason="tritonc is not built")
def test_library_from_tritonc(generated, tmp_path):
    """The same files without Python: names, and what a program does with them."""
    signatures = ["*fp32, *fp32, *fp32, i32, 256", "*fp32:16, *fp32:16, *fp32:16, i32, 256", "*fp32:16, *fp32:16, *fp32:16, i32:16, 256"]  # fmt: skip
    command = [TRITONC, KERNELS, "--kernel", "add", "--emit", "library", "--num-warps", "1", "--grid", ADD_GRID, "-o", tmp_path / "add"]  # fmt: skip
    for signature in signatures:
        command += ["--signature", signature]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    names = {path.name for path in generated.glob("add.*_*")}
    assert {path.name for path in tmp_path.iterdir()} == names | {"add.h", "add.c"}
    for name in names:
        if name.endswith((".h", ".c")):
            mine, theirs = ((folder / name).read_text().split() for folder in (tmp_path, generated))
            assert mine == theirs, name
    (tmp_path / "main.c").write_text("""
#include "add.h"
#include <stdio.h>
int main(void) {
  enum { n = 1000 };
  static float x[n + 1], y[n + 1], out[n + 1];
  int wrong = 0;
  for (int i = 0; i <= n; ++i) x[i] = (float)i, y[i] = 2.0f * (float)i;
  for (int shift = 0; shift < 2; ++shift) {
    wrong += add(NULL, x + shift, y + shift, out + shift, n) != TT_SUCCESS;
    for (int i = 0; i < n; ++i) wrong += out[i + shift] != 3.0f * (float)(i + shift);
  }
  printf("%d wrong\\n", wrong);
  return wrong != 0;
}
""")
    compiler = shutil.which("gcc") or "cc"
    files = [path for path in tmp_path.iterdir() if path.suffix in (".c", ".o")]
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", *files, "-o", tmp_path / "program"], check=True)  # fmt: skip
    assert subprocess.run([tmp_path / "program"], capture_output=True, text=True).stdout == "0 wrong\n"


MEET_PROGRAM = """
#include "%s"
#include <stdio.h>
int main(void) {
  enum { n = 300 };
  static int32_t counter, out[n];
  int wrong = %s(NULL, &counter, out, n) != TT_SUCCESS;
  for (int i = 0; i < n; ++i) wrong += out[i] != n;
  wrong += %s(NULL, &counter, out, 0) != TT_SUCCESS;
  printf("%%d wrong\\n", wrong);
  return wrong != 0;
}
"""


def test_programs_that_wait_for_each_other(tmp_path):
    """More of them than there are processors, so that some must begin while the others wait."""
    host = CPUDriver().get_current_target()
    target = f"cpu:{host.arch}:{host.warp_size}"
    function, paths = compile_kernel(CompileArgs(str(KERNELS), "meet", "*i32, *i32, i32", "n, 1, 1", target, num_warps=1, out_path=str(tmp_path / "meet")))  # fmt: skip
    (tmp_path / "main.c").write_text(MEET_PROGRAM % (Path(paths[0]).name, function, function))
    files = [tmp_path / "main.c", *paths[1:]]
    compiler = shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *files, "-o", tmp_path / "program", "-pthread"], check=True)  # fmt: skip
    assert subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=60).stdout == "0 wrong\n"
    if TRITONC.exists():
        command = [TRITONC, KERNELS, "--kernel", "meet", "--num-warps", "1", "--signature", "*i32, *i32, i32"]
        subprocess.run([*command, "--emit", "library", "--grid", "n, 1, 1", "-o", tmp_path / "native"], check=True)
        native = next(tmp_path.glob("native.*_012.c")).read_text()
        assert native.replace("native.", "meet.").split() == Path(paths[1]).read_text().split()
        header = subprocess.run([*command, "--emit", "header"], capture_output=True, text=True, check=True).stdout
        assert "run each on a thread of its own" in header and "meet_launch" not in header


@pytest.mark.parametrize("kernel, signature, arguments", [("add", "*fp32, *fp32, *fp32, i32, 256", "x, x, x"), ("meet", "*i32, *i32, i32", "x, x")])  # fmt: skip
def test_grids_that_64_bits_cannot_count(kernel, signature, arguments, tmp_path):
    """2^66 programs are not none."""
    host = CPUDriver().get_current_target()
    target = f"cpu:{host.arch}:{host.warp_size}"
    function, paths = compile_kernel(CompileArgs(str(KERNELS), kernel, signature, "n, n, n", target, num_warps=1, out_path=str(tmp_path / kernel)))  # fmt: skip
    main = f'#include "{Path(paths[0]).name}"\n#include <stddef.h>\nint main(void) {{ static char x[16]; return {function}(NULL, (void *){arguments.replace(", ", ", (void *)")}, 1 << 22); }}\n'
    (tmp_path / "main.c").write_text(main)
    subprocess.run([shutil.which("gcc") or "cc", tmp_path / "main.c", *paths[1:], "-o", tmp_path / "program", "-pthread"], check=True)  # fmt: skip
    assert subprocess.run([tmp_path / "program"]).returncode == 1  # TT_ERROR_INVALID_VALUE


@pytest.mark.skipif(not TRITONC.exists() or not shutil.which("cmake"), reason="needs tritonc and cmake")
def test_example_of_a_model(tmp_path):
    """`examples/aot`: kernels compiled by CMake, a library that needs nothing of Triton."""
    compiler = "-DCMAKE_C_COMPILER=" + (shutil.which("gcc") or "cc")
    configure = ["cmake", "-S", ROOT / "examples" / "aot", "-B", tmp_path, f"-DTRITONC={TRITONC}", compiler]
    for command in (configure, ["cmake", "--build", tmp_path], [tmp_path / "example"]):
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith(": ok\n")
    libraries = subprocess.run(["ldd", tmp_path / "libmodel.so"], capture_output=True, text=True).stdout
    assert "triton" not in libraries and "python" not in libraries


@pytest.mark.skipif(not TRITONC.exists(), reason="tritonc is not built")
def test_mistakes_of_libraries(tmp_path):
    def attempt(*arguments):
        command = [TRITONC, KERNELS, "--kernel", "add", "--emit", "library", *arguments]
        return subprocess.run(command, capture_output=True, text=True).stderr

    good = ("--signature", "*fp32, *fp32, *fp32, i32, 256")
    assert "name what they begin with by -o" in attempt(*good)
    assert "needs at least one --signature" in attempt("-o", tmp_path / "x")
    assert "a grid has three extents, got 2" in attempt(*good, "-o", tmp_path / "x", "--grid", "1, 1")
    assert "'add' has 5 parameters" in attempt("--signature", "i32", "-o", tmp_path / "x")
    assert "only 1 and 16 are hints" in attempt("--signature", "*fp32:8, *fp32, *fp32, i32, 256", "-o", tmp_path / "x")
    other = ("--signature", "*fp32, *fp32, *fp32, i64, 256")
    assert "take different arguments in C" in attempt(*good, *other, "-o", tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_names(generated):
    headers = sorted(path.name for path in generated.glob("add.*.h"))
    assert [name.split("_", 1)[1] for name in headers if "0d1d2d3d4" in name] == ["0d1d2d3d4.h"]
    text = (generated / headers[0]).read_text()
    assert "// tt-linker: add_" in text and ":256_warps1xstages3" in text


def test_hints_and_errors(tmp_path):
    def attempt(signature, grid=ADD_GRID, kernel="add", **kwargs):
        return compile_kernel(
            CompileArgs(str(KERNELS), kernel, signature, grid, out_path=str(tmp_path / "x"), **kwargs)
        )

    with pytest.raises(ValueError, match="only 1 and 16 are hints"):
        attempt("*fp32:8, *fp32, *fp32, i32, 256")
    with pytest.raises(ValueError, match="'add' has 5 parameters"):
        attempt("*fp32, i32")
    with pytest.raises(ValueError, match="three extents, got 2"):
        attempt("*fp32, *fp32, *fp32, i32, 256", grid="1, 1")
    with pytest.raises(ValueError, match="has no jitted function 'nothing'"):
        attempt("*fp32", kernel="nothing")
    with pytest.raises(ValueError, match="'i7' is neither a type"):
        attempt("*fp32, *fp32, *fp32, i7, 256")
    function, paths = attempt("*fp32, *fp32, *fp32, i32:1, 256", out_name="mine", target="cpu:x86-64-v3:1")
    assert function.startswith("mine_") and function.endswith("_0123c4") and [Path(p).suffix for p in paths] == [".h", ".c", ".o"]  # fmt: skip
    header = Path(paths[0]).read_text()
    assert f"{function}(TT_StreamTy stream, void *x_ptr, void *y_ptr, void *out_ptr);" in header
    assert "void *out_ptr, int32_t n:256x1_warps1xstages3" in header


def test_commands(tmp_path):
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "triton.tools.compile", str(KERNELS), "-n", "add", "-s", "*fp32, *fp32, *fp32, i32, 256"]  # fmt: skip
    result = subprocess.run([*command, "-g", ADD_GRID, "-o", tmp_path / "add.c"], env=environment, capture_output=True, text=True)  # fmt: skip
    assert result.returncode == 0, result.stderr
    header = result.stdout.splitlines()[1]
    assert os.path.exists(header) and Path(header).name.startswith("add.")
    linked = subprocess.run([sys.executable, "-m", "triton.tools.link", header, "-o", tmp_path / "all"], env=environment, capture_output=True, text=True)  # fmt: skip
    assert linked.returncode == 0 and (tmp_path / "all.c").exists(), linked.stderr
    failed = subprocess.run([*command, "-g", "1"], env=environment, capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr.startswith("error: a grid has three extents")


def header(function, signature, algorithm):
    return f"// tt-linker: {function}:{signature}:{algorithm}\n"


def test_linker_parser(tmp_path):
    parser = HeaderParser()
    parser.extract_linker_meta(
        header("add_0123abcd_0d1d2c", "CUdeviceptr x, CUdeviceptr y, int32_t n", "warps1xstages3")
    )
    [meta] = parser.kernels["add_warps1xstages3"]
    assert meta.orig_kernel_name == "add" and list(meta.sizes) == [16, 16, 1] and meta.num_specs == 3
    with pytest.raises(LinkerError, match="mismatched signature for add"):
        parser.extract_linker_meta(
            header("add_0123abce_012", "CUdeviceptr x, CUdeviceptr y, int64_t n", "warps1xstages3")
        )
    with pytest.raises(LinkerError, match="not the suffix"):
        HeaderParser().extract_linker_meta(header("add_0123abcd_0x", "CUdeviceptr x", "w"))
    eleven = "0d1d2d3d4d5d6d7d8d9d10d"
    arguments = ", ".join(f"int32_t a{i}" for i in range(11))
    parser = HeaderParser()
    parser.extract_linker_meta(header(f"k_0123abcd_{eleven}", arguments, "w"))
    assert list(parser.kernels["k_w"][0].sizes) == [16] * 11
    path = tmp_path / "x.h"
    path.write_text(header("add_0123abcd_0d1c", "CUdeviceptr x, int32_t n", "warps1xstages3"))
    link([path], tmp_path / "out")
    text = (tmp_path / "out.c").read_text()
    assert "if (x % 16 == 0 && n == 1)\n    return add_0123abcd_0d1c(stream, x);" in text
    assert "CUDA_ERROR_INVALID_VALUE" in text and "#include <cuda.h>" in (tmp_path / "out.h").read_text()


LISTING = """
		Function : scale
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                          /* 0x00000a00ff017b82 */
                                                                                   /* 0x000ff00000000800 */
        /*0010*/                   @P0 BRA 0x30 ;                                  /* 0x0000000000080947 */
                                                                                   /* 0x000fea0003800000 */
        /*0020*/                   IADD3 R1, R1, 0x30, RZ ;                        /* 0x0000003001017810 */
                                                                                   /* 0x004fc80007ffe0ff */
        /*0030*/                   EXIT ;                                          /* 0x000000000000794d */
                                                                                   /* 0x000fea0003800000 */
"""


def test_disassembly():
    text = disasm.format_sass(LISTING)
    assert text.splitlines() == [
        "Function:scale",
        "--:-:-:-:8\tLDC R1, c[0x0][0x28];",
        "--:-:-:-:5\t@P0 BRA LBB0;",
        "04:-:-:Y:4\tIADD3 R1, R1, 0x30, RZ;",
        "LBB0:",
        "--:-:-:-:5\tEXIT;",
    ]
    assert disasm.format_sass("nothing here") is None and disasm.format_sass(LISTING, "other") is None


def test_sass_of_a_kernel(tmp_path, monkeypatch):
    """`asm["sass"]` is made when it is asked for, by the toolkit's disassembler: here a program that prints a listing."""
    from triton.compiler.compiler import AsmDict

    tool = tmp_path / "cuobjdump"
    listing = tmp_path / "listing.txt"
    listing.write_text(LISTING)
    tool.write_text(
        f"#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Cuda, release 13.0, V13.0.1'; else cat {listing}; fi\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", str(tool))
    disasm.get_sass.cache_clear()
    asm = AsmDict({"cubin": b"code"})
    assert asm["sass"].startswith("Function:scale\n") and "sass" in asm
    with pytest.raises(KeyError, match="Unknown key"):
        AsmDict({"obj": b""})["sass"]
    disasm.get_sass.cache_clear()


@pytest.mark.skipif(not os.path.exists("/usr/lib/llvm-22/bin/llvm-as"), reason="needs LLVM's tools")
def test_build_extern(tmp_path):
    source = tmp_path / "lib.ll"
    source.write_text(
        "define float @__nv_fabsf(float %x) { ret float %x }\ndefine double @__nv_fabs(double %x) { ret double %x }\n"
        "define i32 @__nv_umulhi(i32 %x, i32 %y) { ret i32 %x }\ndefine float @__nv_modff(float %x, ptr %p) { ret float %x }\n"
        "define i32 @other(i32 %x) { ret i32 %x }\n"
    )
    bitcode = tmp_path / "lib.bc"
    subprocess.run(["/usr/lib/llvm-22/bin/llvm-as", source, "-o", bitcode], check=True)
    path = build_extern.build("/usr/lib/llvm-22/bin/llvm-dis", str(bitcode), "libdevice", str(tmp_path))
    text = Path(path).read_text()
    compile(text, path, "exec")
    assert "def fabs(arg0, _semantic=None)" in text and "def fabsf" not in text
    assert "(core.dtype('fp32'),): ('__nv_fabsf', core.dtype('fp32'))" in text
    assert "(core.dtype('uint32'), core.dtype('uint32'),): ('__nv_umulhi'" in text
    assert "modff" not in text and "other" not in text
    with pytest.raises(ValueError, match="unknown library"):
        build_extern.build("x", "y", "z", "w")


CUDA_INCLUDE = next(
    (
        folder
        for folder in sorted(map(str, Path("/usr/local").glob("cuda*/include")))
        if os.path.exists(f"{folder}/cuda.h")
    ),
    None,
)


@pytest.fixture(scope="module")
def generated_cuda(tmp_path_factory):
    """The kernels around cubins for the H200."""
    folder = tmp_path_factory.mktemp("generated_cuda")
    headers = []
    for kernel, grid, signature in (
        ("add", ADD_GRID, "*fp32, *fp32, *fp32, i32, 256"),
        ("add", ADD_GRID, "*fp32:16, *fp32:16, *fp32:16, i32, 256"),
        ("matmul", MATMUL_GRID, "*fp32, *fp32, *fp32, i32, i32, i32, i32, i32, 16, 16, 16"),
        ("matmul", MATMUL_GRID, "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, 64, 64, 32"),
    ):
        arguments = CompileArgs(str(KERNELS), kernel, signature, grid, "cuda:90:32", 4, out_path=str(folder / kernel))
        headers.append(compile_kernel(arguments)[1][0])
    link(headers, folder / "kernels")
    return folder


def test_cuda_sources(generated_cuda, tmp_path):
    text = next(generated_cuda.glob("add.*.c")).read_text()
    assert "_cubin[" in text and "cuModuleGetFunction" in text and '"add"' in text
    if CUDA_INCLUDE is None:
        pytest.skip("no cuda.h")
    for source in [*generated_cuda.glob("*.c"), ROOT / "test" / "aot" / "cuda" / "main.c"]:
        command = ["gcc", "-Wall", "-Wextra", "-Werror", "-c", source, f"-I{generated_cuda}", f"-I{CUDA_INCLUDE}", "-o", tmp_path / "x.o"]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr


@pytest.mark.skipif(not TRITONC.exists() or CUDA_INCLUDE is None, reason="needs tritonc and cuda.h")
def test_cuda_library_from_tritonc(tmp_path):
    command = [TRITONC, KERNELS, "--kernel", "add", "--emit", "library", "--target", "cuda", "--arch", "sm_90a", "--grid", ADD_GRID]  # fmt: skip
    command += [
        "--signature",
        "*fp32:16, *fp32:16, *fp32:16, i32:1, 256",
        "--signature",
        "*fp32, *fp32, *fp32, i32, 256",
    ]
    result = subprocess.run([*command, "-o", tmp_path / "add"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    dispatcher = (tmp_path / "add.c").read_text()
    assert "if (x_ptr % 16 == 0 && y_ptr % 16 == 0 && out_ptr % 16 == 0 && n == 1)" in dispatcher
    for source in tmp_path.glob("*.c"):
        built = subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-c", source, f"-I{CUDA_INCLUDE}", "-o", tmp_path / "x.o"], capture_output=True, text=True)  # fmt: skip
        assert built.returncode == 0, built.stderr


def test_cuda_program(generated_cuda, tmp_path, device):
    if device != "cuda" or CUDA_INCLUDE is None or triton.knobs.runtime.simulate:
        pytest.skip("needs a GPU with its driver, and cuda.h")
    command = ["cmake", "-S", ROOT / "test" / "aot" / "cuda", "-B", tmp_path, f"-DGENERATED={generated_cuda}", f"-DCUDA_INCLUDE={CUDA_INCLUDE}"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path], check=True, capture_output=True)
    result = subprocess.run([tmp_path / "aot_cuda"], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout == "2 algorithms, 0 wrong\n", result.stdout
