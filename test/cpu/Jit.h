// Compiles and loads IR within a test, for a chosen processor.
//   In:  a module of loops, vectors and arithmetic.
//   Out: loaded code, or a test failure that says why not.
#pragma once

#include "compiler/cpu/Target.h"
#include "runtime/host/CodeLoader.h"
#include "runtime/host/Launch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace triton::test {

/// A context with every dialect of the CPU's lowering loaded.
mlir::MLIRContext &jitContext();

struct Compiled {
  std::shared_ptr<const runtime::LoadedCode> code; // null if the target's instructions are not those of this machine
  std::string assembly;
  double milliseconds = 0; // in LLVM

  template <typename Function> Function *function(llvm::StringRef name) const {
    return reinterpret_cast<Function *>(code->find(name));
  }
};

/// Lowers `module` to the LLVM dialect, then to code. Reports a failure of the current test when that does not work.
Compiled compile(mlir::ModuleOp module, const cpu::HostTarget &target, bool keepAssembly = false);

/// Takes tensor IR the whole way down. The kernel has the launch ABI; null if it cannot run here.
std::shared_ptr<const runtime::KernelCode> compileKernel(llvm::StringRef text, llvm::StringRef name,
                                                         const cpu::HostTarget &target);

/// Whether code for `target` runs on this machine.
bool runsHere(const cpu::HostTarget &target);

} // namespace triton::test
