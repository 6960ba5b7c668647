// Tensor memory as code sees it: a buffer is one i32, the address of its first cell (row in the upper half, column in the lower).
#pragma once

#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

/// The address of element (row, column) of a buffer.
llvm::Value *tensorMemoryAddress(Emitter &emitter, mlir::Value buffer, int64_t row, int64_t column);

/// Where a kernel begins: one warp asks the hardware for the module's columns and tells all threads where they are. Gives their address.
llvm::Value *acquireTensorMemory(Emitter &emitter);
/// Where it ends: nobody uses them any more.
void releaseTensorMemory(Emitter &emitter);

/// Runs `body` in the one thread of the CTA that starts what tensor cores do, if `predicate` (may be null) holds. The same thread every time:
/// a commit waits for what its own thread has begun.
void emitByIssuer(Emitter &emitter, mlir::Value predicate, llvm::function_ref<void()> body);

} // namespace triton::nvidia
