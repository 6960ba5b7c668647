# The IR tests: every `*.mlir` file beside the code it tests.
#   /usr/lib/llvm-22/bin/lit -v compiler                  all of them, against build/
#   /usr/lib/llvm-22/bin/lit -v -Dbuild=DIR compiler      against another build folder
#   /usr/lib/llvm-22/bin/lit -v compiler/tensor/dialect/Ops.mlir  one
import os
import shutil

import lit.formats

config.name = "triton.cpp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".ttgir"]
config.excludes = ["build", "third_party"]

root = os.path.dirname(os.path.abspath(__file__))
build = os.path.join(root, lit_config.params.get("build", "build"))
config.test_source_root = root
config.test_exec_root = os.path.join(build, "lit")

llvm = os.environ.get("LLVM_TOOLS", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm, os.environ["PATH"]])
config.substitutions.append(("%python", shutil.which("python3") or "python3"))

# Tests of GPU code also assemble it where there is an assembler: `// REQUIRES: ptxas`, or `%if ptxas %{ … %}` for a part of a test.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")

if not os.path.exists(os.path.join(build, "bin", "triton-opt")):
    lit_config.fatal(
        f"{build}/bin/triton-opt does not exist: build it first, or name the build folder with -Dbuild=DIR"
    )
