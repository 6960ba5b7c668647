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

/// For the halves, of type `type`, of a split: after the pair, registers hold the highest bits of the last dimension. Networks of exchanges at
/// ever shorter distances (sorting) then go as many steps as there are register bits without moving anything.
mlir::Attribute exchangeLayout(mlir::RankedTensorType type, CtaThreads threads);

/// For operands of a scan, of type `type`, along `axis`: in each thread one run.
mlir::Attribute scanLayout(mlir::RankedTensorType type, unsigned axis, CtaThreads threads);

/// For an access to memory, through pointers or a descriptor; null for any other op.
/// A warp takes up to `rowBytes` of one row, then the next row: less than a
/// warp could take spares reductions along rows many exchanges between lanes, and 128 bytes are as good for memory.
BlockedAttr coalescedLayout(mlir::Operation *op, AccessAnalysis &access, CtaThreads threads, int64_t rowBytes = 512);

} // namespace triton::gpu
