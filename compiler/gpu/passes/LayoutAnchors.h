// The layouts that memory accesses would choose: widest vectors, neighbouring lanes at neighbouring addresses, no element twice.
#pragma once

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// The pointers of a load, store or atomic on tensors; null for any other op.
mlir::Value accessedPointers(mlir::Operation *op);

/// Its mask; null if it has none.
mlir::Value accessMask(mlir::Operation *op);

/// How many bytes one thread moves at once, at most.
int64_t widestAccess(mlir::Operation *op);

/// For a memory access; null for any other op.
BlockedAttr coalescedLayout(mlir::Operation *op, AccessAnalysis &access, int numWarps);

} // namespace triton::gpu
