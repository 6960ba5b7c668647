// What ops on buffers and barriers check alike.
#ifndef TRITON_COMPILER_GPU_DIALECT_OPERANDCHECKS_H
#define TRITON_COMPILER_GPU_DIALECT_OPERANDCHECKS_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

llvm::LogicalResult checkIsShared(mlir::Operation *op, MemDescType buffer);
llvm::LogicalResult checkIsTensorMemory(mlir::Operation *op, MemDescType buffer);
llvm::LogicalResult checkIsMutable(mlir::Operation *op, MemDescType buffer);
/// One mutable i64 in shared memory.
llvm::LogicalResult checkIsBarrier(mlir::Operation *op, mlir::Value barrier);
/// What moves between registers and a buffer: the same shape and elements on both sides.
llvm::LogicalResult checkMove(mlir::Operation *op, mlir::RankedTensorType tensor, MemDescType buffer);

} // namespace triton::gpu

#endif
