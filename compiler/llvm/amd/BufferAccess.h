// Accesses of global memory by buffer instructions: a base that a wave has once, in scalar registers, and a 32-bit offset for each lane. An offset out of range is the mask: its load gives
// zeros, its store does nothing, and no branch is needed.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/llvm/gpu/Machine.h"

namespace triton::amd {

/// How a marked `tt.load` or `tt.store` (compiler/gpu/passes/memory/LowerBufferAccesses.cpp) is done; null for others.
std::unique_ptr<simt::GlobalAccessor> accessBuffer(simt::Emitter &emitter, mlir::Operation *op,
                                                   tensor::CacheModifier cache, const gpu::AmdArchitecture &target);

} // namespace triton::amd
