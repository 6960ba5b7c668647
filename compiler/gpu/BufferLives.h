// From when to when buffers are in use, and places for them such that those in use at the same time never overlap.
//   In:  a function, its buffers in shared or tensor memory.
//   Out: the life of each, in points of the program; an offset for each.
// A buffer lives from its allocation to the last use of a view of it: through all of a loop that uses it and does not contain it, and, where
// something asynchronous works on it, to the wait that leaves nothing in flight. Partitions of warps run side by side, so to the others what one
// of them uses lives as long as all of them.
#ifndef TRITON_COMPILER_GPU_BUFFERLIVES_H
#define TRITON_COMPILER_GPU_BUFFERLIVES_H

#include "compiler/gpu/Buffers.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace triton::gpu {

/// Points of the program from first to last, both included.
struct Points {
  int64_t first, last;
  void include(Points other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  bool meets(Points other) const { return first <= other.last && other.first <= last; }
};

struct Life {
  Points own, toOthers;
  mlir::Region *partition = nullptr; // of warps: those in it know its own points; null: everybody does
  bool meets(const Life &other) const {
    return partition && partition == other.partition ? own.meets(other.own) : toOthers.meets(other.toOthers);
  }
};

/// Something that takes `size` units of some memory for a while, at a multiple of `alignment`.
struct PlacedBuffer {
  mlir::Operation *owner;
  int64_t size, alignment;
  Life life;
  int64_t offset = 0;
};

/// The lives of the buffers of one function.
class BufferLives {
public:
  explicit BufferLives(mlir::FunctionOpInterface function);

  llvm::ArrayRef<mlir::Operation *> allocations() const { return aliases.allocations(); }
  Life of(mlir::Operation *alloc);
  /// Of what an op uses only while it runs.
  Life ofUse(mlir::Operation *user) { return inPartition(user, pointsOfUse(user, user)); }

private:
  void number(mlir::Operation *op);
  Points pointsOfUse(mlir::Operation *user, mlir::Operation *alloc);
  Life inPartition(mlir::Operation *alloc, Points points);
  int64_t endOfAsync(mlir::Operation *op);

  mlir::FunctionOpInterface function;
  BufferAliases aliases;
  llvm::DenseMap<mlir::Operation *, Points> points; // of an op, the ops in it included
  llvm::SmallVector<mlir::Operation *> order;
};

/// Sets the offsets; gives the end of the highest buffer. Biggest first, each at the lowest place that is free for its whole life; once placed it
/// is not moved.
int64_t placeBuffers(llvm::MutableArrayRef<PlacedBuffer> buffers);

} // namespace triton::gpu

#endif
