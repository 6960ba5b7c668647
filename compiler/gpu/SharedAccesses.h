// What an op does to shared memory, in bytes: what the insertion of barriers decides by, and what checks it.
#ifndef TRITON_COMPILER_GPU_SHARED_ACCESSES_H
#define TRITON_COMPILER_GPU_SHARED_ACCESSES_H

#include "compiler/gpu/Buffers.h"

namespace triton::gpu {

/// Bytes [begin, end).
struct ByteRange {
  int64_t begin, end;
  bool overlaps(const ByteRange &other) const { return begin < other.end && other.begin < end; }
  auto operator<=>(const ByteRange &) const = default;
};

struct SharedAccess {
  ByteRange bytes;
  bool writes;
  /// By the hardware that copies and multiplies on its own (TMA, tensor cores): it sees what threads wrote only behind a proxy fence.
  bool asyncProxy = false;
  mlir::Operation *op = nullptr; // whose it is; null: a call's
  /// Whether two threads doing these at the same time would go wrong. An op that stores again writes each byte from the same thread.
  bool conflictsWith(const SharedAccess &other) const {
    return bytes.overlaps(other.bytes) && (writes || other.writes) && !(writes && other.writes && op && op == other.op);
  }
  auto operator<=>(const SharedAccess &) const = default;
};

/// In the order they happen: accesses, then if `waits` a barrier of the CTA inside the op, then `after`. Whatever `begins` is still under way
/// when the op is done: `ends` says which waits see to that.
struct SharedEffects {
  llvm::SmallVector<SharedAccess, 2> accesses, after;
  bool waits = false;
  bool isBarrier = false; // nothing but a barrier
  bool isFence = false;   // a proxy fence
  /// Copies into (writes) or products from (reads) these bytes go on until a wait.
  llvm::SmallVector<SharedAccess, 2> begins;
  enum class Wait { None, Copies, Products } wait = Wait::None;
  bool waitsForAll = false; // nothing of that kind is under way behind it
};

/// Buffers and scratch have offsets.
SharedEffects getSharedEffects(mlir::Operation *op, const BufferAliases &aliases);

} // namespace triton::gpu

#endif
