// Names of functions that are specialised for their arguments: `module.f__i32_fp32S128S__(2,)cconstexpr_8_`. Clients read them in the IR.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

/// The types of what is known at run time, then the constants with their places. What the call leaves out and is None is `cNone`.
std::string mangleArguments(Emitter &emitter, llvm::ArrayRef<Value> arguments, llvm::ArrayRef<bool> isDefault);

} // namespace triton::frontend
