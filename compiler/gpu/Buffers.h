// Buffers in shared memory: how many bytes they take, and which values are views of which buffer.
#ifndef TRITON_COMPILER_GPU_BUFFERS_H
#define TRITON_COMPILER_GPU_BUFFERS_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

bool isShared(MemDescType type);
/// Of one buffer of a row of buffers, gaps and padding included.
int64_t getBufferBytes(MemDescType type);
/// Of all of them.
int64_t getAllocationBytes(MemDescType type);

/// Follows buffers through views, loops, branches and selections.
class BufferAliases {
public:
  /// Of all allocations under `root`.
  explicit BufferAliases(mlir::Operation *root);

  llvm::ArrayRef<LocalAllocOp> allocations() const { return allocs; }
  /// The allocations that a value may be a view of.
  llvm::ArrayRef<LocalAllocOp> of(mlir::Value view) const;
  /// All values that may be views of an allocation, its result first.
  llvm::ArrayRef<mlir::Value> views(LocalAllocOp alloc) const;

private:
  void follow(LocalAllocOp alloc);

  llvm::SmallVector<LocalAllocOp> allocs;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<LocalAllocOp, 1>> sources;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> viewsOf;
};

} // namespace triton::gpu

#endif
