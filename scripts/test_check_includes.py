"""The include check must see each kind of wrong arrow, and let the right ones pass."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import check_includes  # noqa: E402


@pytest.mark.parametrize(
    "source, header",
    [
        ("compiler/tensor/rules/Rules.cpp", "compiler/support/Source.h"),
        ("compiler/tensor/rules/Rules.cpp", "compiler/tensor/Tensor.h"),
        ("compiler/tensor/rules/Rules.cpp", "mlir/IR/Builders.h"),
        ("compiler/cpu/passes/Fuse.cpp", "compiler/tensor/Tensor.h"),
        ("compiler/llvm/host/Object.cpp", "compiler/cpu/Passes.h"),
        ("compiler/driver/Compile.cpp", "compiler/frontend/Emit.h"),
        ("runtime/host/Launch.cpp", "compiler/artifact/Artifact.h"),
        ("bindings/Module.cpp", "nanobind/nanobind.h"),
        ("bindings/Module.cpp", "triton/embed.h"),
        ("bindings/launch/Launcher.cpp", "bindings/Reference.h"),
        ("runtime/host/Launch.cpp", "runtime/profiler/Profiler.h"),
        ("runtime/profiler/Cupti.cpp", "runtime/cuda/Library.h"),
        ("api/Compile.cpp", "compiler/driver/Driver.h"),
        ("api/Compile.cpp", "dispatch/Arguments.h"),
        ("bindings/launch/Argument.h", "dispatch/Argument.h"),
        ("compiler/frontend/values/Type.h", "dispatch/ScalarType.h"),
        ("dispatch/CodeArguments.h", "compiler/artifact/Artifact.h"),
        ("embed/Cuda.cpp", "runtime/gpu/Launch.h"),
        ("dispatch/tune/Measure.cpp", "dispatch/launch/CudaKernel.h"),
        ("dispatch/launch/CudaKernel.cpp", "runtime/gpu/Driver.h"),
        ("bin/tritonc.cpp", "compiler/driver/Driver.h"),
        ("include/triton/triton.h", "triton/Kernel.h"),
    ],
)
def test_right_arrow(source, header):
    assert check_includes.objection(source, header) is None


@pytest.mark.parametrize(
    "source, header, reason",
    [
        ("compiler/support/Source.cpp", "compiler/syntax/Parser.h", "stands below"),
        ("compiler/tensor/rules/Rules.cpp", "compiler/frontend/Emit.h", "stands below"),
        ("compiler/cpu/Lower.cpp", "compiler/gpu/Gpu.h", "do not know each other"),
        ("compiler/gpu/Lower.cpp", "compiler/cpu/Cpu.h", "stands below"),
        ("compiler/interpreter/Run.cpp", "compiler/frontend/Emit.h", "only gluon/ and driver/"),
        ("compiler/syntax/Parser.cpp", "mlir/IR/Builders.h", "without MLIR"),
        ("compiler/tensor/rules/Rules.cpp", "runtime/host/Launch.h", "does not know runtime/"),
        ("compiler/frontend/Host.cpp", "Python.h", "only bindings/"),
        ("compiler/driver/Driver.cpp", "dispatch/launch/CudaKernel.h", "only what stands at the root"),
        ("dispatch/launch/CudaKernel.cpp", "dispatch/tune/Measure.h", "stands below dispatch/launch"),
        ("dispatch/tune/Measure.cpp", "compiler/driver/Driver.h", "only compiler/support"),
        ("dispatch/tune/Measure.cpp", "mlir/IR/Builders.h", "without MLIR"),
        ("dispatch/launch/HostKernel.cpp", "api/Kernel.h", "does not know api/"),
        ("compiler/common/Misc.cpp", "compiler/support/Source.h", "no place in the order"),
        ("runtime/host/Launch.cpp", "compiler/driver/Compile.h", "knows only compiler/artifact"),
        ("include/triton/triton.h", "compiler/driver/Compile.h", "nothing of the inside"),
        ("include/triton/triton.h", "api/Border.h", "nothing of the inside"),
        ("bindings/Module.cpp", "compiler/driver/Compile.h", "it may include include/triton"),
        ("bindings/Module.cpp", "runtime/gpu/Launch.h", "it may include include/triton"),
        ("api/Compile.cpp", "embed/Adapter.h", "api/ does not know embed/"),
        ("embed/Compile.cpp", "api/Border.h", "embed/ does not know api/"),
        ("embed/Compile.cpp", "bindings/Reference.h", "embed/ does not know bindings/"),
        ("bin/tritonc.cpp", "api/Border.h", "bin/ does not know api/"),
        ("bin/tritonc.cpp", "triton/triton.h", "bin/ does not know include/triton/"),
        ("compiler/driver/Driver.cpp", "api/Border.h", "does not know api/"),
        ("compiler/artifact/Artifact.cpp", "dispatch/ScalarType.h", "dispatch/ stands below"),
        ("dispatch/Argument.h", "mlir/IR/Types.h", "without MLIR"),
        ("dispatch/Argument.h", "compiler/frontend/values/Type.h", "knows only compiler/support"),
        ("dispatch/Argument.h", "api/Border.h", "dispatch/ does not know api/"),
        ("dispatch/Argument.h", "Python.h", "only bindings/"),
        ("runtime/gpu/Launch.cpp", "runtime/host/Launch.h", "stands below"),
        ("runtime/gpu/Launch.cpp", "runtime/profiler/Profiler.h", "stands below"),
        ("runtime/metal/Launch.cpp", "runtime/gpu/Launch.h", "no place in the order"),
        ("runtime/host/Launch.cpp", "triton/triton.h", "does not know include/triton"),
    ],
)
def test_wrong_arrow(source, header, reason):
    assert reason in check_includes.objection(source, header)


@pytest.mark.parametrize(
    "source, expected",
    [("compiler/llvm/nvidia/Ptxas.cpp", True), ("compiler/driver/Toolkit.cpp", False), ("runtime/driver/DriverApi.cpp", True), ("dispatch/launch/CudaLauncher.cpp", False), ("api/Kernel.cpp", False), ("compiler/frontend/FuzzTest.cpp", False)],
)  # fmt: skip
def test_reads_of_the_environment(source, expected):
    assert check_includes.reads_environment(source, '  if (const char *path = std::getenv("PATH"))') is expected
    assert not check_includes.reads_environment(source, "  int count = 0;")


def test_reads_files_and_names_the_line(tmp_path):
    (tmp_path / "compiler/support").mkdir(parents=True)
    (tmp_path / "compiler/support/Source.cpp").write_text('#include <string>\n#include "compiler/driver/Compile.h"\n')
    run = subprocess.run(
        [sys.executable, check_includes.__file__, "--root", tmp_path, "--junit", tmp_path / "out.xml"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "compiler/support/Source.cpp:2: includes compiler/driver/Compile.h" in run.stdout
    assert 'failures="1"' in (tmp_path / "out.xml").read_text()
