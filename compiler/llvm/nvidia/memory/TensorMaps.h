// Scratch memory in global memory, of which each CTA has a slice.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

/// This CTA's number among all of the grid, 64 bits wide.
llvm::Value *linearCta(Emitter &emitter);

} // namespace triton::nvidia
