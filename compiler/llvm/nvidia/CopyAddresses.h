// Addresses that copies read from, in loops whose dots run meanwhile.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::nvidia {

/// Puts addresses of cp.async that wgmma runs beside together from halves, without a multiplication of 64 bits. See the .cpp.
void splitCopyAddresses(llvm::Module &module);

} // namespace triton::nvidia
