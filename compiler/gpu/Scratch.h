// Shared memory that an op needs only while it runs, to exchange values between threads. Such an op waits inside itself, between its writes
// and its reads; that its bytes are free when it begins is for the pass that inserts barriers to see to.
#ifndef TRITON_COMPILER_GPU_SCRATCH_H
#define TRITON_COMPILER_GPU_SCRATCH_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// The parts of an op's scratch, in bytes: each begins at a multiple of 16 after the one before. A reduction or scan has one for each operand,
/// a scan in a layout that cannot be scanned two more for each, a reduction over CTAs one more; a gather from several CTAs has a second;
/// others have one.
llvm::SmallVector<unsigned> scratchParts(mlir::Operation *op);
/// Where each part begins.
llvm::SmallVector<unsigned> scratchOffsets(mlir::Operation *op);
/// All of it; 0 if the op needs none.
unsigned scratchBytes(mlir::Operation *op);

} // namespace triton::gpu

#endif
