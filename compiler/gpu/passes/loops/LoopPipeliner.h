// A loop that is rewritten by its plan. The steps are here; what is done when is told where the pass is.
//   In:  the loop, its plan.
//   Out: the loop with multi-buffers, copies that run ahead and dots in flight; prologue and what is left to do behind it.
#pragma once

#include "compiler/gpu/passes/loops/LoopPlan.h"

namespace triton::gpu {

class LoopPipeliner {
public:
  LoopPipeliner(mlir::scf::ForOp loop, LoopPlan plan)
      : loop(loop), plan(std::move(plan)), listener(*this), rewriter(loop.getContext(), &listener), loc(loop.getLoc()) {
  }
  mlir::LogicalResult run();
  /// The loop is split between warps: not a loop any more, nor is the one around it, if that is.
  bool isSpecialized() const { return bool(plan.specialized); }

private:
  /// Goes round a multi-buffer, among the values that the loop carries: the buffer, and the parity of the round where mbarriers are waited for.
  struct Cursor {
    unsigned slot = 0;
    std::optional<unsigned> phase;
  };
  /// The buffers that are filled in one stage: where copies go and where this iteration reads, with an mbarrier for each slot: `full` where TMA
  /// fills some, `empty` where dots release them.
  struct StageBuffers {
    Cursor fill, read, freed; // `freed` is where dots are done: `read`, or where that was in the iteration before
    mlir::Value full, empty;
    unsigned stage = 0; // of the copies: so many iterations less ahead
    bool hasTma = false;
    bool lags = false; // slots are released an iteration later
  };
  /// Ops that are erased have no place any more: another op may come to lie at their address.
  struct Listener : mlir::RewriterBase::Listener {
    explicit Listener(LoopPipeliner &pipeliner) : pipeliner(pipeliner) {}
    void notifyOperationErased(mlir::Operation *op) override {
      pipeliner.placed.erase(op);
      pipeliner.plan.schedule.erase(op);
    }
    LoopPipeliner &pipeliner;
  };

  // The loop and what it carries.
  mlir::Value constant(int64_t value);
  unsigned addCarried(llvm::ArrayRef<mlir::Value> initial);
  mlir::BlockArgument carried(unsigned index) { return loop.getRegionIterArg(index); }
  void addCursors();
  void advance(Cursor cursor, std::optional<unsigned> aheadStage, bool lags);

  // Multi-buffers.
  void allocateBuffers();
  void allocateBarriers(StageBuffers &buffers);
  mlir::Value barrierAt(mlir::Value barriers, Cursor cursor);
  void replaceBuffer(mlir::Value old, mlir::Value view);
  void takeView(LocalAllocOp filled, mlir::Value view);
  void waitForBuffers();
  void waitForAllWarps(mlir::Value phase);
  void waitUnderDots();
  void startTmaCopies(StageBuffers &buffers);
  void startCopies();
  mlir::Value inLayout(mlir::Value value, mlir::Attribute layout, Place where);
  void readIntoRegisters(const LoopBuffer &buffer, mlir::Value view);
  void storeAlternately(LocalAllocOp filled, mlir::Value value);
  void readUsesIntoRegisters(mlir::Operation *load, mlir::Value view);
  void stageEarlyLoads();
  void freeBuffers();
  StageBuffers &ofStage(unsigned stage) { return stage ? delayed : regular; }
  bool needsFence();
  bool needsBarrier();

  // A producer warp.
  void carryAround(unsigned first, llvm::ArrayRef<mlir::Value> initial);
  void freeBehindReads();
  void specialize();

  // Dots in flight.
  void leaveInFlight();
  void coverCopies();
  void rotate();
  mlir::Value issueDelayed(mlir::Value left, mlir::Value view, mlir::Value accumulator, bool isAsync);
  void release(StageBuffers &buffers);
  void arrive();
  void finishDots();

  // The schedule.
  void place(llvm::ArrayRef<mlir::Operation *> ops, Place where);
  void placeCopy(llvm::ArrayRef<mlir::Operation *> ops, unsigned stage) { place(ops, {stage, cluster::copies}); }
  bool isAhead(mlir::Operation *op) const;
  void copyForStages();
  void schedule(std::vector<std::pair<mlir::Operation *, unsigned>> &ops);
  static mlir::Operation *predicate(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value isInside);
  void keepFromWrapping(llvm::ArrayRef<mlir::Value> insides, const llvm::APInt &farthest);
  void peelLast(llvm::ArrayRef<mlir::Value> insides);

  mlir::scf::ForOp loop;
  LoopPlan plan;
  Listener listener;
  mlir::IRRewriter rewriter;
  mlir::Location loc;
  llvm::DenseMap<mlir::Operation *, Place> placed; // ops of the original loop as the table says, and inserted ones
  llvm::SmallVector<mlir::Value> multiBuffers;     // as many as the plan has buffers
  llvm::SmallVector<mlir::Value> stagingBuffers;   // of loads that run ahead
  StageBuffers regular, delayed;
  llvm::SmallVector<mlir::Operation *> copyOps; // what a producer warp does
  mlir::Value
      allWarps; // the mbarrier where all warps arrive, once in an iteration; null: they meet at a barrier of the CTA
  std::optional<unsigned> allWarpsPhase;     // among the carried values
  llvm::SmallVector<mlir::Value> transposed; // pairs of buffers, used in turns
  std::optional<unsigned> parity;            // among the carried values: whose turn it is
  unsigned delayedLeft = 0; // among the carried values: operand A of the dot that is done an iteration later
  mlir::Value delayedRight; // the multi-buffer of its operand B
  tensor::InputPrecision delayedPrecision = tensor::InputPrecision::IEEE;
  uint32_t delayedLimit = 0;
};

} // namespace triton::gpu
