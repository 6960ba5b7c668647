// How far loads may reach.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::nvidia {

/// Keeps the code generator from reading bytes that no load of the program reads. See the .cpp.
void limitLoadExtents(llvm::Module &module);

} // namespace triton::nvidia
