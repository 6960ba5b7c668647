// Loads and stores of global memory as single predicated instructions, so that several stay in flight with no branch between them.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

std::unique_ptr<GlobalAccessor> makeGlobalAccessor(Emitter &emitter, mlir::Operation *op, tensor::CacheModifier cache,
                                                   tensor::EvictionPolicy evict, bool isVolatile);

} // namespace triton::nvidia
