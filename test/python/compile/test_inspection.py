"""What environment variables let one see of a compile."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from places import BUILD


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
    assert "mlir_reproducer" in text and 'pipeline: "any(' in text and "cse" in text
    assert (tmp_path / "case.make_llir.repro.mlir").exists()
    tool = str(BUILD / "bin" / "triton-opt")
    if os.path.exists(tool):
        result = subprocess.run([tool, "--run-reproducer", tmp_path / "case.make_ttir.repro.mlir"], capture_output=True, text=True)  # fmt: skip
        assert result.returncode == 0 and "tt.store" in result.stdout, result.stderr


def compile_for_cuda(kernel):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(kernel, {"out_ptr": "*i32", "N": "constexpr"}, {"N": 256})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))


FILE_OF_IR = """
module {
  tt.func public @copied(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
    %0 = tt.load %from : !tt.ptr<f32> loc("/elsewhere/kernel.py":8:16)
    tt.store %to, %0 : !tt.ptr<f32> loc("/elsewhere/kernel.py":9:20)
    tt.return loc("/elsewhere/kernel.py":9:4)
  } loc("/elsewhere/kernel.py":7:0)
} loc("/elsewhere/kernel.py":7:0)
"""


@pytest.mark.parametrize("stage", ["ttir", "", "ttgir"])
def test_lines_of_a_file_of_ir(stage, fresh_triton_cache, fresh_knobs, tmp_path):
    from triton.backends.compiler import GPUTarget

    path = tmp_path / "copied.ttir"
    path.write_text(FILE_OF_IR)
    fresh_knobs.compilation.use_ir_loc = stage
    ptx = triton.compile(str(path), target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    assert (f'"{path}"' in ptx) == (stage == "ttir") and ("/elsewhere/kernel.py" in ptx) == (stage == "")


def test_arguments_of_a_file_that_are_tensor_maps(tmp_path):
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import IRSource, make_backend

    path = tmp_path / "mapped.ttir"
    path.write_text(
        "module { tt.func public @mapped(%x: !tt.ptr<f32>, %map: !tt.ptr<i8, 0> {tt.nv_tma_desc = 1 : i32}, %n: i32) { tt.return } }"
    )
    source = IRSource(str(path), ir.context(), make_backend(GPUTarget("cuda", 90, 32)))
    assert source.signature == {0: "*f32", 1: "nvTmaDesc", 2: "i32"}


def test_barriers_of_mlir_in_a_file(tmp_path):
    from triton.backends.compiler import GPUTarget

    path = tmp_path / "parts.ttir"
    path.write_text("""
      tt.func @parts(%out: !tt.ptr<i32>) {
        %c42 = arith.constant 42 : i32
        gpu.barrier
        ttg.warp_specialize(%out)
        default {
          tt.store %out, %c42 : !tt.ptr<i32>
          gpu.barrier
          ttg.warp_yield
        }
        partition0(%to: !tt.ptr<i32>) num_warps(1) {
          %c5 = arith.constant 5 : i32
          gpu.barrier
          %next = tt.addptr %to, %c5 : !tt.ptr<i32>, i32
          tt.store %next, %c5 : !tt.ptr<i32>
          ttg.warp_return
        } : (!tt.ptr<i32>) -> ()
        tt.return
      }
    """)
    kernel = triton.compile(str(path), target=GPUTarget("cuda", 90, 32))
    assert "ttg.warp_specialize" in kernel.asm["ttgir"] and "bar" in kernel.asm["ptx"]


@triton.jit
def slow_kernel(a_ptr, b_ptr, out_ptr, M: tl.constexpr, STEP: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, 64)[None, :]
    a, b = tl.load(a_ptr + (rows * 64 + columns) * STEP), tl.load(b_ptr + (rows * 64 + columns))
    tl.store(out_ptr + rows * M + tl.arange(0, M)[None, :], tl.dot(a, b.T))


@pytest.mark.parametrize(
    "rows, step, expected", [(64, 1, []), (32, 1, ["MMA version 3"]), (64, 3, ["vectorization fails"])]
)
def test_remarks(rows, step, expected, fresh_triton_cache, monkeypatch, capfd):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    pointers = {name: "*fp16" for name in ("a_ptr", "b_ptr")} | {"out_ptr": "*fp32"}
    aligned = {(index,): [["tt.divisibility", 16]] for index in range(3)}
    source = ASTSource(
        slow_kernel, {**pointers, "M": "constexpr", "STEP": "constexpr"}, {"M": rows, "STEP": step}, aligned
    )

    def said(kinds):
        monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", kinds)
        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
        triton.compile(source, target=GPUTarget("cuda", 90, 32))
        return capfd.readouterr().err

    shown = said("remarks")
    phrases = ("MMA version 3", "vectorization fails")
    assert [phrase for phrase in phrases if f"remark: Warning: {phrase}" in shown] == expected
    assert "see current operation" not in shown
    if expected:
        assert re.search(r"test_inspection\.py:\d+:\d+: remark", shown)
        assert "note: see current operation" in said("remarks,operations")
    assert said("") == ""


@pytest.mark.parametrize("hides_lines", [False, True])
def test_variables_come_with_lines_alone(hides_lines, fresh_triton_cache, fresh_knobs):
    fresh_knobs.compilation.dump_ir_extract_di_local_variables = True
    fresh_knobs.compilation.disable_line_info = hides_lines

    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        doubled = tl.arange(0, N) * 2
        tl.store(out_ptr + tl.arange(0, N), doubled)

    llir = compile_for_cuda(kernel).asm["llir"]
    assert ('DILocalVariable(name: "doubled"' in llir) == ("dbg_value" in llir) == (not hides_lines)


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


@pytest.mark.assembles
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


def test_unwritable_places_do_not_matter(fresh_triton_cache, monkeypatch, stages):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "1")
    monkeypatch.setenv("MLIR_DUMP_PATH", "/proc/nothing/here")
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", "/proc/nothing/here")
    assert compile_kernel().asm[stages[-1]]


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


def test_llvm_passes_are_shown(fresh_triton_cache, monkeypatch, capfd, tmp_path):
    monkeypatch.setenv("LLVM_IR_ENABLE_DUMP", "1")
    compile_kernel()
    text = capfd.readouterr().err
    assert text.count("IR Dump After") > 5 and re.search("define (ptx_kernel )?void @shown", text)
    monkeypatch.setenv("LLVM_IR_ENABLE_DUMP", "0")
    monkeypatch.setenv("LLVM_ENABLE_TIMING", "1")
    compile_kernel()
    text = capfd.readouterr().err
    assert "Pass execution timing report" in text and "IR Dump" not in text
    monkeypatch.delenv("LLVM_ENABLE_TIMING")
    monkeypatch.setenv("TRITON_DUMP_MIR", str(tmp_path / "machine"))
    compile_kernel()
    assert "name:            shown" in (tmp_path / "machine" / "shown.mir").read_text()
    assert capfd.readouterr().err == ""


def test_machine_code_before_registers_of_a_gpu(fresh_triton_cache, monkeypatch, tmp_path):
    plain = compile_for_cuda(define())
    monkeypatch.setenv("TRITON_DUMP_MIR", str(tmp_path / "machine"))
    for _ in range(2):
        assert compile_for_cuda(define()).asm["ptx"] == plain.asm["ptx"]
        text = (tmp_path / "machine" / "shown.mir").read_text()
        assert "name:            shown" in text and "(store (s32)" in text
        (tmp_path / "machine" / "shown.mir").unlink()
        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")


@pytest.mark.cpu_only  # PTX has no such names
def test_machine_code_of_a_kernel_with_any_name(fresh_triton_cache, monkeypatch, tmp_path):
    path = tmp_path / "kernel.ttir"
    path.write_text(compile_kernel().asm["ttir"].replace("@shown", '@"a/../b"'))
    monkeypatch.setenv("TRITON_DUMP_MIR", str(tmp_path / "machine"))
    triton.compile(str(path))
    assert [file.name for file in (tmp_path / "machine").iterdir()] == ["a_.._b.mir"]


def test_llvm_passes_are_left_out(fresh_triton_cache, monkeypatch):
    optimised = compile_kernel()
    monkeypatch.setenv("DISABLE_LLVM_OPT", "1")
    plain = compile_kernel()
    assert plain.hash != optimised.hash and plain.metadata.DISABLE_LLVM_OPT == "true"
    assert plain.asm["llir"].count("\n") > optimised.asm["llir"].count("\n")
    out = np.zeros(16, np.int32)
    plain[(1, 1, 1)](out, 16)
    np.testing.assert_array_equal(out, np.arange(16) * 2)
    monkeypatch.setenv("DISABLE_LLVM_OPT", "disable-lsr, disable-licm-promotion")
    assert compile_kernel().asm["llir"]
    monkeypatch.setenv("DISABLE_LLVM_OPT", "disable-nothing-at-all")
    with pytest.raises(RuntimeError, match="LLVM has no option 'disable-nothing-at-all'"):
        compile_kernel()
    monkeypatch.delenv("DISABLE_LLVM_OPT")
    monkeypatch.setenv("LLVM_PASS_PLUGIN_PATH", "/nowhere/passes.so")
    with pytest.raises(RuntimeError, match="/nowhere/passes.so"):
        compile_kernel()


@pytest.mark.assembles
def test_what_the_assembler_says(fresh_triton_cache, fresh_knobs, monkeypatch, capsys):
    compile_for_cuda(define())
    assert "ptxas info" not in capsys.readouterr().out
    fresh_knobs.nvidia.dump_ptxas_log = True
    fresh_knobs.compilation.always_compile = True
    compile_for_cuda(define())
    assert "registers" in capsys.readouterr().out
    fresh_knobs.nvidia.disable_ptxas_opt = True
    assert compile_for_cuda(define()).asm["cubin"]


def test_versions_of_the_target(fresh_triton_cache, fresh_knobs):
    fresh_knobs.nvidia.override_ptx_version = "8.4"
    assert ".version 8.4" in compile_for_cuda(define()).asm["ptx"]
    fresh_knobs.nvidia.override_ptx_version = "86"
    assert ".version 8.6" in compile_for_cuda(define()).asm["ptx"]
    fresh_knobs.nvidia.override_ptx_version = "new"
    with pytest.raises(ValueError, match="TRITON_OVERRIDE_PTX_VERSION"):
        compile_for_cuda(define())
    fresh_knobs.nvidia.override_ptx_version = None
    fresh_knobs.runtime.override_arch = "sm80"
    kernel = compile_for_cuda(define())
    assert "cuda:80" in kernel.asm["ttgir"] and ".target sm_90a" in kernel.asm["ptx"] and kernel.metadata.arch == "sm80"


@triton.jit
def product(x_ptr, out_ptr):
    row, column = tl.arange(0, 128)[:, None], tl.arange(0, 128)[None, :]
    x = tl.load(x_ptr + row * 128 + column)
    tl.store(out_ptr + row * 128 + column, tl.dot(x, x))


@pytest.mark.parametrize(
    "capability, instruction, variable",
    [(90, "wgmma.mma_async", "DISABLE_MMA_V3"), (100, "tcgen05.mma", "DISABLE_MMA_V5")],
)
def test_products_without_the_newest_instructions(capability, instruction, variable, fresh_triton_cache, monkeypatch):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source, target = ASTSource(product, {"x_ptr": "*fp16", "out_ptr": "*fp32"}), GPUTarget("cuda", capability, 32)
    assert instruction in triton.compile(source, target=target).asm["ptx"]
    monkeypatch.setenv(variable, "1")
    text = triton.compile(source, target=target).asm["ptx"]
    assert instruction not in text and "mma.sync" in text


def test_source_stage_and_locations(fresh_triton_cache, fresh_knobs):
    kernel = compile_kernel()
    assert "tt.func public @shown" in kernel.asm["source"] and "shown.source" in kernel.metadata_group
    assert "test_inspection.py" in kernel.asm["source"] and "loc(" in kernel.asm["ttir"]
    fresh_knobs.compilation.disable_line_info = True
    assert "loc(" not in compile_kernel().asm["ttir"]


def test_hook_on_the_stages(fresh_triton_cache, fresh_knobs, stages):
    seen = []

    def hook(backend, stages, options, language, capability):
        seen.append((list(stages), capability))
        lower = stages["ttir"]

        def double_again(source, metadata):
            module = lower(source, metadata)
            return str(module).replace("dense<2>", "dense<4>")

        stages["ttir"] = double_again

    plain = compile_kernel()
    fresh_knobs.runtime.add_stages_inspection_hook = hook
    changed = compile_kernel()
    assert seen[0][0] == stages and changed.hash != plain.hash
    out = np.zeros(16, np.int32)
    changed[(1, 1, 1)](out, 16)
    np.testing.assert_array_equal(out, np.arange(16) * 4)
    assert compile_for_cuda(define()).asm["cubin"] and seen[1] == (["ttir", "ttgir", "llir", "ptx", "cubin"], 90)
    fresh_knobs.runtime.add_stages_inspection_hook = None
    assert compile_kernel().hash == plain.hash


def test_replaced_stages_are_not_stored_as_the_kernels_own(fresh_triton_cache, fresh_knobs, tmp_path, capsys, stages):
    fresh_knobs.cache.dump_dir, fresh_knobs.cache.override_dir = str(tmp_path / "dump"), str(tmp_path / "override")
    fresh_knobs.compilation.dump_ir = True
    plain = compile_kernel()
    (folder,) = (tmp_path / "dump").iterdir()
    assert {f"shown.{stage}" for stage in ("source", *stages)} <= {file.name for file in folder.iterdir()}
    fresh_knobs.compilation.dump_ir = False
    place = tmp_path / "override" / folder.name
    place.mkdir(parents=True)
    (place / "shown.ttir").write_text((folder / "shown.ttir").read_text().replace("dense<2>", "dense<3>"))
    fresh_knobs.compilation.override = True
    changed = compile_kernel()
    assert "Overriding kernel with file" in capsys.readouterr().out and changed.hash != plain.hash
    out = np.zeros(16, np.int32)
    changed[(1, 1, 1)](out, 16)
    np.testing.assert_array_equal(out, np.arange(16) * 3)
    fresh_knobs.compilation.override = False
    assert compile_kernel().asm["ttir"] == plain.asm["ttir"]


def test_llvm_debug_output(fresh_triton_cache, fresh_knobs, monkeypatch):
    """A release of LLVM has no debug output, and asking for it says so; one with assertions prints."""
    from triton._C.libtriton import llvm
    from triton.compiler import inspection

    fresh_knobs.compilation.always_compile = True
    monkeypatch.setenv("TRITON_LLVM_DEBUG_ONLY", "no-such-part")
    inspection._show_debug_output.cache_clear()
    if llvm.show_debug_output(["no-such-part"]):
        pytest.skip("this LLVM has debug output")
    with pytest.warns(UserWarning, match="built without debug output"):
        compile_kernel()
