// Accesses of global memory by buffer instructions: a base that a wave has once, in scalar registers, and a 32-bit offset for each lane. An offset out of range is the mask: its load gives
// zeros, its store does nothing, and no branch is needed.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/llvm/gpu/Machine.h"

namespace triton::amd {

/// A buffer that an access is of.
struct BufferPlace {
  llvm::Value *base = nullptr, *resource = nullptr; // null: the access is of none
  unsigned cache = 0;                               // the bits of an instruction that say how caches treat it
  /// Where a lane's access goes; where `mask` (null: always) is false, out of range.
  llvm::Value *offsetOf(simt::Emitter &emitter, llvm::Value *address, llvm::Value *mask) const;
};
/// Of a marked access, whose first operand are its pointers.
BufferPlace placeInBuffer(simt::Emitter &emitter, mlir::Operation *op, tensor::CacheModifier cache,
                          const gpu::AmdArchitecture &target);

/// How a marked `tt.load` or `tt.store` (compiler/gpu/passes/memory/LowerBufferAccesses.cpp) is done; null for others.
std::unique_ptr<simt::GlobalAccessor> accessBuffer(simt::Emitter &emitter, mlir::Operation *op,
                                                   tensor::CacheModifier cache, const gpu::AmdArchitecture &target);

} // namespace triton::amd
