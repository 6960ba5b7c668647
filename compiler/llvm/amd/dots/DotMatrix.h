// Dots by AMD's matrix instructions: MFMA on CDNA, WMMA on RDNA and gfx1250.
#pragma once

#include "compiler/llvm/gpu/dots/Dot.h"

namespace triton::amd {

using namespace simt;

/// Of an accumulator in an `amd_mfma` or `amd_wmma` layout.
llvm::LogicalResult emitMatrixDot(Emitter &emitter, tensor::DotOp dot);
/// Of operands whose groups along K have scales; nullopt for other layouts.
Emitted emitScaledDot(Emitter &emitter, tensor::DotScaledOp dot);

} // namespace triton::amd
