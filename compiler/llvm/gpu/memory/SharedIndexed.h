// Updates of elements of shared memory that indices choose. What is done to one element is the machine's own.
#pragma once

#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

/// Each element is updated by one of the threads that hold it: `update` takes its address, a value, and where to do it (null: everywhere), and gives
/// what was there.
llvm::LogicalResult
updateIndexed(Emitter &emitter, gpu::LocalAtomicScatterRMWOp op,
              llvm::function_ref<llvm::Value *(llvm::Value *address, llvm::Value *value, llvm::Value *guard)> update);

} // namespace triton::simt
