// Divisions of many numbers by one.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::nvidia {

/// Takes the reciprocal of a divisor once for all approximate divisions by it that stand in one block. See the .cpp.
void shareDivisors(llvm::Module &module);

} // namespace triton::nvidia
