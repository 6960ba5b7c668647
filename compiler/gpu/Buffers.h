// Buffers in shared and tensor memory: how much they take, and which values are views of which buffer.
#ifndef TRITON_COMPILER_GPU_BUFFERS_H
#define TRITON_COMPILER_GPU_BUFFERS_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

bool isShared(MemDescType type);
bool isTensorMemory(MemDescType type);
/// Of one buffer of a row of buffers, gaps and padding included.
int64_t getBufferBytes(MemDescType type);
/// Of all of them.
int64_t getAllocationBytes(MemDescType type);
/// Columns of 32-bit cells that one buffer of a row of buffers in tensor memory takes.
int64_t getBufferColumns(MemDescType type);
int64_t getAllocationColumns(MemDescType type);

/// Whether `op` makes a buffer, and of what type.
bool isAllocation(mlir::Operation *op);
MemDescType getAllocatedType(mlir::Operation *alloc);

/// Follows buffers through views, loops, branches and selections.
class BufferAliases {
public:
  /// Of all allocations under `root`.
  explicit BufferAliases(mlir::Operation *root);

  llvm::ArrayRef<mlir::Operation *> allocations() const { return allocs; }
  /// The allocations that a value may be a view of: `ttg.local_alloc` and `ttng.tmem_alloc`.
  llvm::ArrayRef<mlir::Operation *> of(mlir::Value view) const;
  /// All values that may be views of an allocation, its result first.
  llvm::ArrayRef<mlir::Value> views(mlir::Operation *alloc) const;

private:
  void follow(mlir::Operation *alloc);

  llvm::SmallVector<mlir::Operation *> allocs;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *, 1>> sources;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> viewsOf;
};

} // namespace triton::gpu

#endif
