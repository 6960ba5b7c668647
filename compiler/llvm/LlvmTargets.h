// The code generators of LLVM that are linked in: for NVIDIA's and AMD's GPUs, and for the processors that TRITON_PROCESSORS lists when the library is built.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

namespace llvm {
class Target;
}

namespace triton {

/// Whoever asks first makes all of them known to LLVM, and sets what has no place in the options of a target machine.
llvm::Expected<const llvm::Target *> findLlvmTarget(const llvm::Triple &triple);

} // namespace triton
