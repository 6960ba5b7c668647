// From GPU IR to AMDGPU assembly.
//   In:  a module as the emitter takes it, or the text of an LLVM module.
//   Out: optimised LLVM IR, assembly text. Errors of LLVM come back as `llvm::Error`, never on stderr and never as the end of the process.
#pragma once

#include "compiler/llvm/gpu/Codegen.h"

namespace triton::amd {

using simt::CodegenOptions;

class Code : public simt::Code {
public:
  static llvm::Expected<Code> emit(mlir::ModuleOp module, const CodegenOptions &options);
  /// Reads LLVM IR text, such as a `.llir` file.
  static llvm::Expected<Code> parse(llvm::StringRef text, const CodegenOptions &options);

  llvm::Error optimise();
  llvm::Expected<std::string> assembly();

private:
  explicit Code(const CodegenOptions &options) : simt::Code(options), options(options) {}
  llvm::Error prepare();

  CodegenOptions options;
};

} // namespace triton::amd
