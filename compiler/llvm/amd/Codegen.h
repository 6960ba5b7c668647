// From GPU IR to AMDGPU assembly.
//   In:  a module as the emitter takes it, or the text of an LLVM module.
//   Out: optimised LLVM IR, assembly text. Errors of LLVM come back as `llvm::Error`, never on stderr and never as the end of the process.
#pragma once

#include "compiler/llvm/LlvmModule.h"
#include "compiler/llvm/gpu/Emitter.h"

namespace triton::amd {

struct CodegenOptions {
  simt::EmitOptions emit;
  LlvmControls controls;
  Interruption *interruption = nullptr; // ends LLVM's passes between two of them
  /// Bitcode libraries by path, linked where a function of theirs is called.
  std::vector<std::string> libraries;
};

/// One kernel's LLVM module.
class Code {
public:
  static llvm::Expected<Code> emit(mlir::ModuleOp module, const CodegenOptions &options);
  /// Reads LLVM IR text, such as a `.llir` file.
  static llvm::Expected<Code> parse(llvm::StringRef text, const CodegenOptions &options);

  llvm::Error optimise();
  std::string llir() const { return llvmModule.text(); }
  llvm::Expected<std::string> assembly();
  llvm::Module &module() { return *llvmModule; }

private:
  explicit Code(const CodegenOptions &options);
  llvm::Error prepare();

  CodegenOptions options;
  LlvmModule llvmModule;
};

} // namespace triton::amd
