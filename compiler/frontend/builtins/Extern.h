// Calls of functions in bitcode libraries, element by element.
#pragma once

#include "compiler/frontend/Emitter.h"

namespace triton::frontend {

/// One form of a library function: which symbol takes exactly these element types.
struct ExternForm {
  std::vector<Type> parameters;
  Type result;
  std::string symbol;
};

/// Calls the form whose parameters the arguments' element types are, without conversion; arguments broadcast. `name` is for messages.
mlir::FailureOr<Value> callExtern(Emitter &emitter, llvm::StringRef name, llvm::StringRef library, llvm::StringRef path,
                                  llvm::ArrayRef<Value> arguments, llvm::ArrayRef<ExternForm> forms, bool isPure);

} // namespace triton::frontend
