// Calls of functions in bitcode libraries, element by element.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

/// One form of a library function: which symbol takes exactly these element types.
struct ExternForm {
  std::vector<Type> parameters;
  Type result;
  std::string symbol;
};

/// The form whose parameters are exactly the element types of `operands`; an error that lists the forms if there is none.
mlir::FailureOr<ExternForm> selectForm(Emitter &emitter, llvm::StringRef name, llvm::ArrayRef<Value> operands,
                                       llvm::ArrayRef<ExternForm> forms);

/// Calls the form whose parameters the arguments' element types are, without conversion; arguments broadcast. `name` is for messages.
mlir::FailureOr<Value> callExtern(Emitter &emitter, llvm::StringRef name, llvm::StringRef library, llvm::StringRef path,
                                  llvm::ArrayRef<Value> arguments, llvm::ArrayRef<ExternForm> forms, bool isPure);

} // namespace triton::frontend
