// A loop that is rewritten by its plan. The steps are here; what is done when is told where the pass is.
//   In:  the loop, its plan.
//   Out: the loop with rings of buffers, copies that run ahead and dots in flight; prologue and what is left to do behind it.
#pragma once

#include "compiler/gpu/passes/loops/LoopPlan.h"

namespace triton::gpu {

class LoopPipeliner {
public:
  LoopPipeliner(mlir::scf::ForOp loop, LoopPlan plan)
      : loop(loop), plan(std::move(plan)), rewriter(loop.getContext()), loc(loop.getLoc()) {}
  mlir::LogicalResult run();
  /// The loop is split between warps: not a loop any more, nor is the one around it, if that is.
  bool isSpecialized() const { return bool(plan.specialized); }

private:
  /// A place that goes round the rings, among the values that the loop carries: the buffer, and the parity of the round where mbarriers
  /// are waited for.
  struct Cursor {
    unsigned slot = 0;
    std::optional<unsigned> phase;
  };
  /// Where copies go and where this iteration reads, with the barriers of these rings: `full` where TMA fills some, `empty` where
  /// dots free them.
  struct Rings {
    Cursor fill, read, freed; // `freed` is where dots are done: `read`, or where that was in the iteration before
    mlir::Value full, empty;
    unsigned stage = 0; // of the copies: so many iterations less ahead
    bool hasBlocks = false;
    bool lags = false; // buffers are freed an iteration later
  };

  // The loop and what it carries.
  mlir::Value constant(int64_t value);
  unsigned addCarried(llvm::ArrayRef<mlir::Value> initial);
  mlir::BlockArgument carried(unsigned index) { return loop.getRegionIterArg(index); }
  void addCursors();
  void advance(Cursor cursor, std::optional<unsigned> aheadStage, bool lags);

  // Rings.
  void allocateRings();
  void allocateBarriers(Rings &rings);
  mlir::Value barrierAt(mlir::Value barriers, Cursor cursor);
  void replaceBuffer(mlir::Value old, mlir::Value view);
  void takeView(LocalAllocOp filled, mlir::Value view);
  void waitForRings();
  void waitForMeeting(mlir::Value phase);
  void fillBlocks(Rings &rings, bool isDelayed);
  void fillRings();
  void readIntoRegisters(RingCopy copy, mlir::Value view);
  void storeAlternately(LocalAllocOp filled, mlir::Value value);
  template <typename LoadT> void readUsesIntoRegisters(LoadT load, mlir::Value view);
  void freeRings();
  Rings &ringsOf(bool isDelayed) { return isDelayed ? delayed : regular; }
  bool needsFence();
  bool needsBarrier();

  // Warps of their own for copies.
  bool isReadByThreads();
  void carryAround(unsigned first, llvm::ArrayRef<mlir::Value> initial);
  void freeBehindReads();
  void specialize();

  // Dots in flight.
  void leaveInFlight();
  void coverCopies();
  void rotate();
  mlir::Value issueDelayed(mlir::Value left, mlir::Value view, mlir::Value sum, bool isAsync);
  void free(Rings &rings);
  void arrive();
  void finishDots();

  // The schedule.
  void markAhead(llvm::ArrayRef<mlir::Operation *> ops, unsigned stage);
  void separateAhead();
  void schedule(std::vector<std::pair<mlir::Operation *, unsigned>> &ops);
  static mlir::Operation *predicate(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value isInside);
  void keepFromWrapping(llvm::ArrayRef<mlir::Value> insides, const llvm::APInt &farthest);

  mlir::scf::ForOp loop;
  LoopPlan plan;
  mlir::IRRewriter rewriter;
  mlir::Location loc;
  llvm::DenseMap<mlir::Operation *, unsigned> ahead;    // copies and what they need: their stages
  llvm::SmallVector<mlir::Operation *> head;            // what begins an iteration
  mlir::Operation *copiesAfter = nullptr;               // behind this copies begin; null: behind the head
  llvm::SmallVector<mlir::Value> copyRings, blockRings; // as many as the plan has copies and blocks
  Rings regular, delayed;
  llvm::SmallVector<mlir::Operation *> copyOps; // what a warp of its own does
  mlir::Value meeting; // where all threads meet, once in an iteration; null: they do at a barrier of the CTA
  std::optional<unsigned> meetingPhase;      // among the carried values
  llvm::SmallVector<mlir::Value> transposed; // pairs of buffers, used in turns
  std::optional<unsigned> parity;            // among the carried values: whose turn it is
  unsigned delayedLeft = 0; // among the carried values: operand A of the dot that is done an iteration later
  mlir::Value delayedRing;  // its operand B
  tensor::InputPrecision delayedPrecision = tensor::InputPrecision::IEEE;
  uint32_t delayedLimit = 0;
};

} // namespace triton::gpu
