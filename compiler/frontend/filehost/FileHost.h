// A host without Python: evaluates the top level of a `.py` file lazily. It understands imports of `triton*` modules, of `math`, and of files beside it;
// constants and constant expressions; jitted functions and constexpr functions; simple classes, NamedTuples and enums. Anything else becomes an error only when a
// kernel uses it, and the error says so.
#pragma once

#include "compiler/frontend/Host.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/support/Diagnostic.h"

namespace triton::frontend {

class FileHost : public Host {
public:
  /// Null after reporting syntax errors.
  static std::unique_ptr<FileHost> create(std::shared_ptr<const Source> source, Diagnostics &diagnostics);
  /// The jitted functions at the file's top level, in order.
  virtual std::vector<std::shared_ptr<const Function>> kernels() = 0;
  /// Null if there is no such jitted function.
  virtual std::shared_ptr<const Function> kernel(llvm::StringRef name) = 0;
  /// Changes with the text of the file and of every file that it imports, directly or through others: with all that its kernels can depend on.
  virtual std::string sourceKey() = 0;
};

} // namespace triton::frontend
