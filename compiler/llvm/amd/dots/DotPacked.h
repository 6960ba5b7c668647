// Dots by instructions that multiply several pairs of numbers in each lane, where no matrix instruction fits.
#pragma once

#include "compiler/llvm/gpu/dots/Dot.h"

namespace triton::amd {

using namespace simt;

/// Of operands of f16, bf16 or i8 in `#ttg.dot_op` of a blocked layout; nullopt if the GPU has no such instruction for them.
Emitted emitPackedDot(Emitter &emitter, tensor::DotOp dot);

} // namespace triton::amd
