// Dots by AMD's matrix instructions: MFMA on CDNA, WMMA on RDNA.
#pragma once

#include "compiler/llvm/gpu/dots/Dot.h"

namespace triton::amd {

using namespace simt;

/// Of an accumulator in an `amd_mfma` or `amd_wmma` layout.
llvm::LogicalResult emitMatrixDot(Emitter &emitter, tensor::DotOp dot);

} // namespace triton::amd
