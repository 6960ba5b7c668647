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


def test_times(fresh_triton_cache, monkeypatch, capfd):
    monkeypatch.setenv("MLIR_ENABLE_TIMING", "1")
    compile_kernel()
    assert "Execution time report" in capfd.readouterr().err


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
