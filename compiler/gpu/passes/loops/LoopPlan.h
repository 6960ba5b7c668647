// What pipelining does to a loop, decided before anything is changed.
//   In:  an `scf.for` with layouts, the kernel's number of stages.
//   Out: which loads become copies into a ring of buffers, which dots stay in flight, how far ahead copies run.
#pragma once

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace triton::gpu {

/// A load that is copied to shared memory iterations ahead, without registers.
struct RingCopy {
  tensor::LoadOp load;
  mlir::Attribute layout; // of the buffers
  /// The buffer that the load fills: it goes, its users take the ring's. Null if the values are wanted in registers.
  LocalAllocOp filled;
  /// In which layout to read values that go on into a buffer with another order of elements; null: in those that they are used in.
  mlir::Attribute transposing;
  /// What computes its addresses and mask, in the loop.
  llvm::SetVector<mlir::Operation *> ahead;
  /// Only the dot that is done an iteration later reads it: it is copied an iteration later too.
  bool isDelayed = false;
};

/// A dot that is still running when the next iteration begins.
struct DotInFlight {
  WarpGroupDotOp dot;
  unsigned carried; // which of the values that the loop carries is its result
  /// The dot of the next iteration whose wait is its wait too: what the loop carries is not touched before. Null if only the dot
  /// itself takes the carried value, and just adds to it.
  WarpGroupDotOp drain;
  /// With operand A in registers: the reduction of the drain's tile that the dot of the iteration before runs under. Null if there is none, or if
  /// it is not worth it; the dot is then issued in its own iteration.
  tensor::ReduceOp overlapped;
};

/// A block that TMA brings iterations ahead.
struct RingBlock {
  tensor::DescriptorLoadOp load;
  LocalAllocOp filled; // as above
  llvm::SetVector<mlir::Operation *> ahead;
  bool isDelayed = false;
};

struct LoopPlan {
  llvm::SmallVector<RingCopy> copies;
  llvm::SmallVector<RingBlock> blocks;
  std::optional<DotInFlight> inFlight;
  /// Buffers are freed through mbarriers, by each warpgroup when its dot has read them: warpgroups need not run in step.
  bool frees = false;
  /// The barrier of an iteration is one in memory, to which threads come when both dots are done, and where they wait when the next iteration
  /// begins: while one warpgroup works on its tile, another can have dots under way.
  bool splitsBarrier = false;
  /// A warp of its own brings the blocks, as far ahead as there are buffers: this loop, or the one around it, is split between that warp and those
  /// that multiply. Null: all warps do everything.
  mlir::scf::ForOp specialized;
  /// The one dot, of which operand A comes from a ring through registers: it is waited for in its own iteration, but copies begin before.
  WarpGroupDotOp covering;
  unsigned buffers = 0; // of each ring
  /// Of what is transposed through registers: 2 where shared memory has room, so that a dot can stay in flight while the next is stored.
  unsigned transposedBuffers = 1;
  unsigned distance = 0; // iterations that copies run ahead

  /// Whether a dot is done an iteration later, under a reduction.
  bool isRotated() const { return inFlight && inFlight->overlapped; }
  explicit operator bool() const { return !copies.empty() || !blocks.empty(); }
};

/// More stages have nothing left to hide, and the code in front of the loop would grow with their square.
inline constexpr int64_t mostStages = 32;

/// Empty if there is nothing to gain or something stands in the way. Fewer than two stages are none; above `mostStages` all are alike.
/// Taken are loads whose values reach a dot; in a loop that has a number of stages of its own, which counts then, all loads, as long as their
/// rings leave a quarter of shared memory. Where shared memory has no room for all that, rings have fewer buffers, and then there are fewer rings.
LoopPlan planLoop(mlir::scf::ForOp loop, int64_t numStages, AccessAnalysis &access);

/// Whether the loop, or one around it, asks for warps that only copy.
bool asksForWarpSpecialization(mlir::scf::ForOp loop);

/// Where the loop, or the one around it, asks for warps that only copy: sets `plan.specialized` if it can be split so.
void planWarpSpecialization(mlir::scf::ForOp loop, LoopPlan &plan);

/// The plan that `complete` makes of `rings`, or of fewer of them with fewer buffers where the kernel has no room for all: first copies begin later,
/// then rings go, as few as will do.
LoopPlan fitIntoShared(mlir::scf::ForOp loop, LoopPlan rings,
                       llvm::function_ref<LoopPlan(const LoopPlan &rings)> complete);

/// One buffer of a ring, and a ring of `buffers` of them.
MemDescType placeType(RingCopy &copy);
MemDescType placeType(RingBlock &block);
MemDescType ringType(MemDescType one, unsigned buffers);
/// Whether what is transposed through registers has buffers that are used in turns.
bool storesAlternately(const LoopPlan &plan, const RingCopy &copy);

} // namespace triton::gpu
