// The shared memory of a module: what each function holds there while it runs, and where.
//   In:  functions with layouts, their buffers and the ops that exchange values through shared memory.
//   Out: an offset for each, such that what is alive at the same time never overlaps; how many bytes that takes.
// A function that is called has its bytes behind those of all its callers.
#ifndef TRITON_COMPILER_GPU_SHAREDFRAMES_H
#define TRITON_COMPILER_GPU_SHAREDFRAMES_H

#include "compiler/gpu/BufferLives.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace triton::gpu {

class SharedFrames {
public:
  explicit SharedFrames(mlir::ModuleOp module);

  /// What one function holds: buffers in the order of the program, then ops that need scratch.
  llvm::SmallVector<PlacedBuffer> &of(mlir::Operation *function) { return frames[function]; }
  /// Sets the offsets. Gives the bytes up to the end of the highest buffer.
  int64_t place();

  auto begin() { return frames.begin(); }
  auto end() { return frames.end(); }

private:
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<PlacedBuffer>> frames;
};

/// A buffer of `type` that lives so long.
PlacedBuffer sharedBuffer(mlir::Operation *owner, MemDescType type, Life life, int64_t alignment = 1);

} // namespace triton::gpu

#endif
