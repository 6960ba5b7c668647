// AMD's GPUs as the emitter sees them: LLVM's amdgcn intrinsics for places, waves, LDS and matrix instructions.
//   A mask is a branch around the access: there are no predicated ones.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/llvm/gpu/Machine.h"

namespace triton::amd {

std::unique_ptr<simt::Machine> createMachine(const gpu::Target &target);

} // namespace triton::amd
