// Software pipelining of a loop as data: a table that says of every op in which stage and cluster it runs, and of every buffer how deep it is, who
// fills it and how it is released. It is decided before anything is changed, printed by `--gpu-pipeline-loops=print-plan`, and LoopPipeliner
// rewrites the loop by it.
//   In:  an `scf.for` with layouts, the kernel's number of stages.
//   Out: the table; empty if there is nothing to gain or something stands in the way.
//
// Stage s of an op means: while the pipelined loop computes iteration i, the op runs for iteration i + distance - s. Loads have stage 0 and run
// `distance` iterations ahead; what computes has stage `distance`; a dot that is done an iteration later has stage `distance + 1`. Clusters are
// the order in one iteration of the pipelined loop; ops of one cluster keep the order they have in the original loop.
//
// The planner (LoopPlan.cpp) says which loads are buffered and what is done with dots. The table (LoopSchedule.cpp) is then made in steps, each a
// transformation of the one before: loads run ahead; a dot stays in flight or is rotated; a producer warp takes over the copies.
#pragma once

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace triton::gpu {

/// A load that is copied to shared memory iterations ahead, without registers, into one of `LoopPlan::depth` buffers.
struct LoopBuffer {
  enum class Producer { AsyncCopy, Tma }; // threads by cp.async, or TMA
  mlir::Operation *load;                  // tt.load, or tt.descriptor_load
  Producer producer;
  MemDescType type; // of one buffer
  /// The buffer that the load fills: it goes, its users take the multi-buffer's. Null if the values are wanted in registers.
  LocalAllocOp filled;
  /// In which layout to read values that go on into a buffer with another order of elements; null: in those that they are used in.
  mlir::Attribute transposing;
  /// On AMD GPUs: the layout of the pointers by which waves fill the buffer side by side, in pieces of `pieceBytes` (DirectCopies.h).
  mlir::Attribute copyLayout = {};
  unsigned pieceBytes = 0;
  /// What computes its addresses and mask, in the loop.
  llvm::SetVector<mlir::Operation *> ahead = {};
  /// 1: only the dot that is done an iteration later reads it, so it is copied an iteration later too.
  unsigned stage = 0;

  bool isTma() const { return producer == Producer::Tma; }
  mlir::RankedTensorType tensorType() const { return llvm::cast<mlir::RankedTensorType>(load->getResult(0).getType()); }
};

/// A load that no copy does: it is loaded an iteration ahead, into registers.
struct EarlyLoad {
  tensor::LoadOp load;
  /// What computes its operands, in the loop.
  llvm::SetVector<mlir::Operation *> ahead;
  /// The conversion that its values go through shared memory for. They are stored there where the iteration before ends, into a buffer of
  /// their own, so that no iteration hands registers to the next. Null: there is none, or no room.
  ConvertLayoutOp staged;
  MemDescType buffer = {}; // laid out as the conversion would have it
};

/// How buffers become free for the next copy.
enum class Release {
  /// All threads meet at a barrier of the CTA.
  Barrier,
  /// Each warp arrives at one mbarrier when both dots are done, and waits there when the next iteration begins: while one warpgroup works on its
  /// tile, another can have dots under way.
  SplitBarrier,
  /// Each warpgroup tells the buffer's mbarrier when its dot has read it (each warp where threads read it): warpgroups need not run in step.
  Mbarrier
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

/// The order in an iteration. Copies begin at once, or behind the dot that must have been issued before; what was loaded ahead is stored at the end.
namespace cluster {
inline constexpr unsigned waits = 0, beforeCopies = 1, copies = 2, afterCopies = 3, stores = 4;
}

/// Where an op runs.
struct Place {
  unsigned stage, cluster;
  bool isAhead() const { return cluster == cluster::copies; }
};

struct LoopPlan {
  llvm::SmallVector<LoopBuffer> buffers; // those of threads first
  llvm::SmallVector<EarlyLoad> early;
  unsigned depth = 0; // of each
  /// Of what is transposed through registers: 2 where shared memory has room, so that a dot can stay in flight while the next is stored.
  unsigned transposedDepth = 1;
  unsigned distance = 0; // iterations that copies run ahead
  Release release = Release::Barrier;
  std::optional<DotInFlight> inFlight;
  /// The one dot, of which operand A comes from a buffer through registers: it is waited for in its own iteration, but copies begin before.
  WarpGroupDotOp covering;
  /// A producer warp brings the blocks, as far ahead as there are buffers: this loop, or the one around it, is split between that warp and those
  /// that multiply. Null: all warps do everything.
  mlir::scf::ForOp specialized;
  /// Of each op of the body: its own place, then those of copies of it, which are made where ops of several stages use it.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Place, 1>> schedule;

  /// Whether a dot is done an iteration later, under a reduction.
  bool isRotated() const { return inFlight && inFlight->overlapped; }
  bool hasAsyncCopies() const {
    return llvm::any_of(buffers, [](const LoopBuffer &buffer) { return !buffer.isTma(); });
  }
  bool hasTma() const {
    return llvm::any_of(buffers, [](const LoopBuffer &buffer) { return buffer.isTma(); });
  }
  /// Whether values of some blocks go from shared memory into registers.
  bool isReadByThreads() const {
    return llvm::any_of(buffers, [](const LoopBuffer &buffer) { return buffer.isTma() && !buffer.filled; });
  }
  /// Whether the transposed values have buffers that are used in turns.
  bool storesAlternately(const LoopBuffer &buffer) const {
    return buffer.transposing && transposedDepth > 1 && inFlight;
  }
  explicit operator bool() const { return !buffers.empty() || !early.empty(); }
  /// The table: buffers, then ops.
  void print(llvm::raw_ostream &os) const;
};

/// More stages have nothing left to hide, and the code in front of the loop would grow with their square.
inline constexpr int64_t mostStages = 32;

/// AMD's GPUs that copy directly to LDS do so for all loads that dots need, or for none. Elsewhere loads run one iteration ahead, into registers, as many as leave some to compute
/// with, beside what the loop carries.
///
/// Empty if there is nothing to gain or something stands in the way. Fewer than two stages are none; above `mostStages` all are alike.
/// Taken are loads whose values reach a dot; in a loop that has a number of stages of its own, which counts then, all loads, as long as their
/// buffers leave a quarter of shared memory. Where shared memory has no room for all that, there are fewer buffers, and then fewer loads.
LoopPlan planLoop(mlir::scf::ForOp loop, int64_t numStages, AccessAnalysis &access);

/// Fills in `plan.schedule` by everything else in the plan.
void scheduleLoop(mlir::scf::ForOp loop, LoopPlan &plan);

/// Whether the loop, or one around it, asks for warps that only copy.
bool asksForWarpSpecialization(mlir::scf::ForOp loop);

/// Where the loop, or the one around it, asks for warps that only copy: sets `plan.specialized` if it can be split so.
void planWarpSpecialization(mlir::scf::ForOp loop, LoopPlan &plan);

/// The plan that `complete` makes of `loads`, or of fewer of them with fewer buffers where the kernel has no room for all: first copies begin later,
/// then loads stay where they are, as few as will do.
LoopPlan fitIntoShared(mlir::scf::ForOp loop, LoopPlan loads,
                       llvm::function_ref<LoopPlan(const LoopPlan &loads)> complete);

/// Whether the kernel has room for all that the plan puts into shared memory.
bool fitsIntoShared(mlir::scf::ForOp loop, LoopPlan &plan);

/// `depth` buffers instead of one.
MemDescType multiBufferType(MemDescType one, unsigned depth);

} // namespace triton::gpu
