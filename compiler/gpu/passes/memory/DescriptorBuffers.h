// The buffers that the copy engine fills and empties, and the barriers that tell of it.
#ifndef TRITON_COMPILER_GPU_PASSES_MEMORY_DESCRIPTORBUFFERS_H
#define TRITON_COMPILER_GPU_PASSES_MEMORY_DESCRIPTORBUFFERS_H

#include "compiler/gpu/CopyEngine.h"

namespace triton::gpu {

/// One barrier, or a row of them.
MemDescType barrierType(mlir::MLIRContext *context, std::optional<int64_t> count);
/// Of one block.
MemDescType blockBufferType(tensor::TensorDescType descriptor);
int64_t blockBytes(tensor::TensorDescType descriptor);

} // namespace triton::gpu

#endif
