// How a kernel ends where something does not hold.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

/// Ends the kernel with a message, at the line of `op`: that of what was inlined, not of where to.
void failAssertAt(Emitter &emitter, mlir::Operation *op, llvm::StringRef message);

} // namespace triton::simt
