// From the LLVM dialect to machine code for a `HostTarget`.
//   In:  a module of the LLVM dialect, or the text of an LLVM module.
//   Out: optimised LLVM IR, assembly text, object bytes; the time each step took.
// Functions leave here position independent, in the small code model and marked "no-builtins": LLVM does not turn a
// fused copy-and-reduce loop into memcpy and a second pass. Errors of LLVM come back as `llvm::Error`, never on stderr.
#pragma once

#include "compiler/cpu/Target.h"
#include "compiler/llvm/LlvmModule.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace triton::host {

using cpu::HostTarget;

struct CodegenOptions {
  bool fuseMultiplyAdd = true; // a * b + c may become one fma
  LlvmControls controls;
  Interruption *interruption = nullptr; // ends LLVM's passes between two of them
  bool operator==(const CodegenOptions &) const = default;
};

/// Milliseconds spent in each step.
struct CodegenTimes {
  double translate = 0, optimise = 0, emit = 0;
};

/// Adds what `Code::translate` needs to a context's registry: the translations of the LLVM and builtin dialects.
void registerTranslations(mlir::DialectRegistry &registry);

/// One kernel's LLVM module.
class Code {
public:
  /// Translates a module that holds nothing but the LLVM dialect.
  static llvm::Expected<Code> translate(mlir::ModuleOp module, const HostTarget &target, CodegenOptions options = {});
  /// Reads LLVM IR text, such as a `.llir` file.
  static llvm::Expected<Code> parse(llvm::StringRef text, const HostTarget &target, CodegenOptions options = {});

  /// Runs the pipeline of LLVM passes that vector loops need; far shorter than -O3 and as good on them.
  llvm::Error optimise();

  std::string llir() const { return llvmModule.text(); }
  llvm::Expected<std::string> assembly();
  llvm::Expected<llvm::SmallVector<char, 0>> object();

  const CodegenTimes &times() const { return spent; }
  llvm::Module &module() { return *llvmModule; }

private:
  Code(const HostTarget &target, CodegenOptions options);
  llvm::Error prepare();
  llvm::Error emit(llvm::SmallVectorImpl<char> &bytes, bool asText);

  HostTarget target;
  CodegenOptions options;
  CodegenTimes spent;
  LlvmModule llvmModule;
};

} // namespace triton::host
