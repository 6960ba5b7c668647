// What the code generators of GPUs have in common: their options, and the LLVM module of a kernel.
//   In:  GPU IR, what its machine has (Machine.h).
//   Out: LLVM IR that has been verified, and assembly text. Errors of LLVM come back as `llvm::Error`, never on stderr.
#pragma once

#include "compiler/llvm/LlvmModule.h"
#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

struct CodegenOptions {
  EmitOptions emit;
  LlvmControls controls;
  Interruption *interruption = nullptr; // ends LLVM's passes between two of them
  /// Bitcode libraries by path, linked where a function of theirs is called; the first that has it counts.
  std::vector<std::string> libraries;
};

/// One kernel's LLVM module.
class Code {
public:
  std::string llir() const { return llvmModule.text(); }
  llvm::Module &module() { return *llvmModule; }

protected:
  explicit Code(const CodegenOptions &options);
  /// Says what the module is for.
  void setTarget(const llvm::TargetMachine &machine);
  /// Writes GPU IR into the module, leaves debug information out where none is wanted, and verifies it.
  llvm::Error write(mlir::ModuleOp module, const EmitOptions &options, const Machine &machine);
  llvm::Expected<std::string> printAssembly(llvm::TargetMachine &machine);

  LlvmModule llvmModule;
};

} // namespace triton::simt
