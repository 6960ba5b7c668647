// From GPU IR to PTX.
//   In:  a module as the emitter takes it, or the text of an LLVM module.
//   Out: optimised LLVM IR, PTX text; the time each step took. Errors of LLVM come back as `llvm::Error`, never on stderr.
#pragma once

#include "compiler/llvm/gpu/Codegen.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// The first instruction of kernels whose launches may overlap: it waits until the grids before are complete and their writes visible.
constexpr const char *waitAtEntryText = "griddepcontrol.wait;";

/// Of `libraries`, libdevice comes first.
struct CodegenOptions : simt::CodegenOptions {
  std::optional<gpu::Target> device; // that PTX names as its target, where it is not `emit.target`
  unsigned ptxVersion = 0;           // 86 for 8.6; 0: the newest that LLVM writes
  bool flushDenormals = true;        // in libdevice
};

/// Milliseconds spent in each step.
struct CodegenTimes {
  double emit = 0, optimise = 0, print = 0;
};

class Code : public simt::Code {
public:
  static llvm::Expected<Code> emit(mlir::ModuleOp module, const CodegenOptions &options);
  /// Reads LLVM IR text, such as a `.llir` file.
  static llvm::Expected<Code> parse(llvm::StringRef text, const CodegenOptions &options);

  llvm::Error optimise();
  llvm::Expected<std::string> ptx();

  const CodegenTimes &times() const { return spent; }

private:
  explicit Code(const CodegenOptions &options);
  llvm::Error prepare();

  CodegenOptions options;
  CodegenTimes spent;
};

/// Whether the kernel in LLVM IR of the user's waits for the grids before it, before it touches memory. That of the emitter does where its options say so.
bool waitsAtEntry(const llvm::Module &module);
/// The same of PTX. Reads instructions up to the first that is not mere arithmetic: in doubt it does not wait, and is launched in full order.
bool waitsAtEntry(llvm::StringRef ptx);

/// PTX versions that LLVM can write: the newest at most `version` (0: no limit).
unsigned supportedPtxVersion(unsigned version);

} // namespace triton::nvidia
