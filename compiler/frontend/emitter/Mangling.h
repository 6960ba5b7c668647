// Names of functions that are specialised for their arguments: `module.f__i32_fp32S128S_c8`. Clients read them in the IR.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

/// Types and constants of the arguments in their order; before 3.7 the types of what is known at run time, then the constants with their places, where
/// what the call leaves out and is None is `cNone`.
std::string mangleArguments(Emitter &emitter, llvm::ArrayRef<Value> arguments, llvm::ArrayRef<bool> isDefault);

} // namespace triton::frontend
