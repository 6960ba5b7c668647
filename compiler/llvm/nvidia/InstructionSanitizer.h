// The sanitizer of illegal instructions (instrumentation_mode "iisan"): kernels check, in front of each copy by TMA, what the engine would stop the launch for.
//   In:  a module that asks for it (gpu::instructionChecksName); else nothing here emits anything.
//   Out: assertions at the line of the copy: innermost coordinates are multiples of 16 bytes, what is written begins at no negative coordinate, and maps are made of
//        addresses and strides that are multiples of 16 bytes.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

void checkInstruction(Emitter &emitter, mlir::Operation *op);

} // namespace triton::nvidia
