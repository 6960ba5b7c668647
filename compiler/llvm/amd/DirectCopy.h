// Copies from global memory to LDS without registers (compiler/gpu/DirectCopies.h), and waits for them.
//   A wave waits until at most so many of its copies are under way. How many a group has is counted here, before LLVM sees them: every wave makes every copy, as masks are offsets.
//   What LLVM itself would wait for is kept from it by alias scopes: reads of LDS do not touch what is being copied, as a wait and a barrier stand before those that do.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/llvm/gpu/Machine.h"

namespace triton::amd {

/// A marked `async_copy_global_to_local`, and `async_commit_group` and `async_wait`; nullopt for other ops.
simt::Emitted emitDirectCopies(simt::Emitter &emitter, mlir::Operation *op, const gpu::AmdArchitecture &target);

bool hasDirectCopies(mlir::ModuleOp module);
/// A barrier behind which threads see what others stored to LDS; copies stay under way.
void meetBesideCopies(simt::Emitter &emitter);

/// Says of all reads of LDS that they do not touch what copies write.
void separateCopies(llvm::Module &module);

} // namespace triton::amd
