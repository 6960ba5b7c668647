"""What environment variables let one see of a compile."""

import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl


def define():
    @triton.jit
    def shown(out_ptr, N: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, N), tl.arange(0, N) * 2)

    return shown


def compile_kernel():
    return define().warmup(np.zeros(16, np.int32), 16, grid=(1,))


def test_ir_before_every_pass(fresh_triton_cache, monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "1")
    compile_kernel()
    text = capfd.readouterr().err
    assert text.count("IR Dump Before") > 5 and "tt.func public @shown" in text
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "other_kernel")
    compile_kernel()
    assert "IR Dump" not in capfd.readouterr().err
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "shown")
    monkeypatch.setenv("MLIR_DUMP_PATH", str(tmp_path / "dump.txt"))
    compile_kernel()
    assert "IR Dump Before" in (tmp_path / "dump.txt").read_text() and "IR Dump" not in capfd.readouterr().err


def test_reproducer(fresh_triton_cache, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "case"))
    compile_kernel()
    text = (tmp_path / "case.make_ttir.repro.mlir").read_text()
    assert "mlir_reproducer" in text and 'pipeline: "any(' in text and "canonicalize" in text
    assert (tmp_path / "case.make_llir.repro.mlir").exists()
    tool = os.path.join(os.environ.get("TRITON_BUILD", "build"), "bin", "triton-opt")
    if os.path.exists(tool):
        result = subprocess.run([tool, "--run-reproducer", tmp_path / "case.make_ttir.repro.mlir"], capture_output=True, text=True)  # fmt: skip
        assert result.returncode == 0 and "tt.store" in result.stdout, result.stderr


def compile_for_cuda(kernel):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(kernel, {"out_ptr": "*i32", "N": "constexpr"}, {"N": 256})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))


@pytest.mark.parametrize("stage", ["ttir", "ttgir"])
def test_lines_of_ir_in_debug_information(stage, fresh_triton_cache, fresh_knobs):
    fresh_knobs.cache.dir = fresh_triton_cache
    fresh_knobs.compilation.use_ir_loc = stage
    compiled = compile_for_cuda(define())
    path = compiled.metadata_group[f"shown.{stage}"]
    ptx = compiled.asm["ptx"]
    number = next(line.split()[1] for line in ptx.splitlines() if ".file" in line and f"shown.{stage}" in line)
    lines = open(path).read().splitlines()
    found = {int(line.split()[2]) for line in ptx.splitlines() if line.strip().startswith(f".loc\t{number} ") or line.split()[:2] == [".loc", number]}  # fmt: skip
    assert any("tt.store" in lines[line - 1] for line in found if 0 < line <= len(lines)), (found, ptx)


def test_variables_in_debug_information(fresh_triton_cache, fresh_knobs):
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        offsets = tl.arange(0, N)
        total = tl.full((N,), 0, tl.int32)
        for step in range(tl.num_programs(0)):
            total += step
        tl.store(out_ptr + offsets, total)

    plain = compile_for_cuda(kernel)
    assert "dbg_value" not in plain.asm["llir"] and ".target sm_90a\n" in plain.asm["ptx"]
    fresh_knobs.compilation.dump_ir_extract_di_local_variables = True
    described = compile_for_cuda(kernel)
    text = described.asm["llir"]
    for name in ("out_ptr", "offsets", "total", "step"):
        assert f'!DILocalVariable(name: "{name}"' in text
    # 256 elements on 128 threads: two in each, the variable is an array of both.
    assert "DW_OP_LLVM_fragment, 0, 32" in text and "DW_OP_LLVM_fragment, 32, 32" in text
    assert ".target sm_90a, debug\n" in described.asm["ptx"] and ".debug_info" in described.asm["ptx"]
    assert described.asm["cubin"][:4] == b"\x7fELF" and described.hash != plain.hash


def test_ptx_is_printed(fresh_triton_cache, fresh_knobs, capfd):
    fresh_knobs.cache.dir = fresh_triton_cache
    fresh_knobs.nvidia.dump_nvptx = True
    compile_for_cuda(define())
    assert ".visible .entry shown(" in capfd.readouterr().out


def test_address_sanitizer_is_for_others(fresh_triton_cache, fresh_knobs):
    fresh_knobs.cache.dir = fresh_triton_cache
    fresh_knobs.compilation.enable_asan = True
    with pytest.raises(RuntimeError, match="TRITON_ENABLE_ASAN"):
        compile_kernel()


def test_location_snapshot(tmp_path):
    from triton._C.libtriton import ir

    module = ir.parse_mlir_text(compile_kernel().asm["ttir"])
    module.create_location_snapshot(str(tmp_path / "snapshot.mlir"))
    assert "tt.store" in (tmp_path / "snapshot.mlir").read_text() and "snapshot.mlir" in module.str()
    with pytest.raises(RuntimeError, match="cannot write"):
        module.create_location_snapshot("/proc/nothing/here")


def test_times(fresh_triton_cache, monkeypatch, capfd):
    monkeypatch.setenv("MLIR_ENABLE_TIMING", "1")
    compile_kernel()
    assert "Execution time report" in capfd.readouterr().err


@pytest.mark.cpu_only
def test_unwritable_places_do_not_matter(fresh_triton_cache, monkeypatch):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "1")
    monkeypatch.setenv("MLIR_DUMP_PATH", "/proc/nothing/here")
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", "/proc/nothing/here")
    assert compile_kernel().asm["obj"]


def test_these_do_not_change_the_key(fresh_triton_cache, monkeypatch, tmp_path):
    plain = compile_kernel().hash
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "case"))
    assert compile_kernel().hash == plain
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "0")
    assert compile_kernel().hash != plain


@pytest.mark.parametrize("value, is_shown", [("1", True), ("0", False)])
def test_python_stack_of_a_crash(value, is_shown):
    code = "import triton, ctypes\ndef culprit():\n    ctypes.string_at(0)\nculprit()"
    environment = {**os.environ, "TRITON_ENABLE_PYTHON_STACKTRACE": value}
    environment.pop("PYTHONFAULTHANDLER", None)
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert result.returncode < 0 and ("in culprit" in result.stderr) == is_shown
