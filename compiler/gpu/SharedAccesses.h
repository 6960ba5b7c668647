// What an op does to shared memory, in bytes, and to tensor memory, in columns that are counted as bytes far behind those: what the insertion of
// barriers decides by, and what checks it.
#ifndef TRITON_COMPILER_GPU_SHAREDACCESSES_H
#define TRITON_COMPILER_GPU_SHAREDACCESSES_H

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
  /// Ordered by an mbarrier once it has begun: only what came before it matters.
  bool isTracked = false;
  mlir::Operation *op = nullptr; // whose it is; null: a call's
  /// Of tensor memory, by threads: accesses to the same bytes that agree here are made by the same warps, row by row. Null: by any thread.
  const void *warps = nullptr;
  bool byFirstThread = false; // of the CTA, or of the partition of warps
  /// Whether two threads doing these at the same time would go wrong. An op that stores again writes each byte from the same thread.
  bool conflictsWith(const SharedAccess &other) const {
    if ((warps && warps == other.warps) || (byFirstThread && other.byFirstThread))
      return false;
    return bytes.overlaps(other.bytes) && (writes || other.writes) && !(writes && other.writes && op && op == other.op);
  }
  auto operator<=>(const SharedAccess &) const = default;
};

/// In the order they happen: accesses, then if `waits` a barrier of the CTA inside the op, then `after`. What it `begins` is still under way
/// when the op is done.
struct SharedEffects {
  llvm::SmallVector<SharedAccess, 2> accesses, after;
  bool waits = false;
  bool isBarrier = false; // nothing but a barrier of all threads of the CTA
  bool isFence = false;   // a proxy fence
  /// What goes on until a wait of the same kind: copies into these bytes (cp.async), dots (wgmma) or TMA stores from them. What ends at
  /// an mbarrier is not here: whoever waits there knows that it is over.
  llvm::SmallVector<SharedAccess, 2> begins;
  enum class Async { None, Copies, Dots, Stores };
  Async begun = Async::None, wait = Async::None;
  bool waitsForAll = false; // nothing of that kind is under way behind it
  /// No thread accesses these buffers any more: all have told an mbarrier so. What else lies at their bytes is not meant.
  llvm::SmallVector<std::pair<LocalAllocOp, ByteRange>, 2> freed;
  bool meets = false; // all threads have, behind a proxy fence
  /// One thread tells an mbarrier that all threads have done what they did before.
  bool arrives = false;
};

/// Buffers and scratch have offsets.
SharedEffects getSharedEffects(mlir::Operation *op, const BufferAliases &aliases);

} // namespace triton::gpu

#endif
