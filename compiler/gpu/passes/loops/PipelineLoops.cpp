// Software pipelining: overlaps the loads of later iterations with the dots of this one, by multi-buffering in shared memory.
//
//   scf.for … iter_args(%acc, %p) {
//     %a = tt.load %p
//     %x = ttg.local_alloc %a
//     %d = ttng.warp_group_dot %x, …, %acc
//     yield %d, %p + step
//   }
// becomes, with three stages,
//   %buffers = ttg.local_alloc : memdesc<3x…, mutable>
//   copy iterations 0 and 1 into the buffers
//   ttg.async_wait {num = 1}; ttng.fence_async_shared  the copies of the first iteration are there
//   scf.for … iter_args(%acc, %p, …) {
//     ttg.barrier                                    for all threads
//     %d = ttng.warp_group_dot %buffers[i], …, %acc {isAsync}
//     %w = ttng.warp_group_dot_wait %d {pendings = 1}   the dot of the iteration before is done
//     ttg.barrier                                    in all threads: its buffers are free
//     ttg.async_copy_global_to_local → %buffers[i + 2], masked off behind the last iteration
//     ttg.async_wait {num = 1}; ttng.fence_async_shared  the copies of the next iteration are there, while the dot runs
//     yield %w
//   }
//   ttng.warp_group_dot_wait {pendings = 0}
//
// What is done when is a table, the loop's plan (LoopPlan.h); `print-plan` prints it. The plan is made first, then the loop is rewritten by it: buffers
// and copies in MultiBuffering.cpp, dots in LoopDots.cpp, the producer warp in LoopWarpSpecialization.cpp, and the order of ops by MLIR's expander.
//
// Where other ops take the carried accumulator, as attention does to rescale it, the dot stays in flight until the wait for the next iteration's
// first dot. With mma.sync, whose operands are read into registers, the second barrier is not needed: a thread comes to the first barrier only
// after it has read its operands of the iteration before. Every iteration commits one group of copies, also an empty one, so that counting groups
// counts iterations.
//
// Blocks that TMA brings are multi-buffered likewise: each slot has an mbarrier, for which all threads wait where the iteration begins; one thread
// tells it how many bytes to expect and starts the copies.
//
// Attention's loop, whose second dot is done an iteration later (LoopSchedule.cpp), has no barrier of all threads where it can be helped: warpgroups
// that run out of step multiply while others compute exponentials. Where TMA fills the buffers, each warpgroup tells the slot's mbarrier that it has
// read it; where threads do, all arrive at an mbarrier in the middle of an iteration and wait there at the start of the next.
//
// Where a loop asks for it (`tt.warp_specialize`) and TMA brings all blocks, a producer warp starts the copies.
//
// In a loop that has a number of stages of its own (tl.range's) loads that no dot needs run ahead likewise.
//
// Loads that dots need and that cannot be copied in pieces of 4 bytes or more, scales of columns for instance, are loaded an iteration ahead into
// registers, if they are few.
//
// On AMD GPUs that copy directly to shared memory, 16 bytes a lane, loops are pipelined as with cp.async: as many stages as asked for. On the others all loads that dots need run an iteration
// ahead into registers, as many as there are registers for. Threads store them to shared memory where an iteration ends:
//   scf.for … iter_args(%acc, %p) {
//     %next = tt.load %p                              on its way while the rest is done
//     %x = ttg.local_load %buffer                     the values of this iteration
//     %d = tt.dot %x, …, %acc
//     ttg.local_store %next, %buffer
//   }                                                 without the last iteration, which follows the loop: it loads nothing
//
// Runs after dots are lowered and before shared memory is allocated. Leaves alone other loads that no dot needs, and those whose address depends on
// a dot, or that may read what the loop writes or waits for.
#include "compiler/gpu/ScaledExtrema.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/loops/LoopPipeliner.h"
#include "compiler/tensor/NonNegative.h"
#include "compiler/tensor/TripCount.h"

#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "compiler/gpu/passes/Passes.h.inc"

Value LoopPipeliner::constant(int64_t value) {
  return arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(value));
}

/// Replaces the loop by one that carries more values. Gives the index of the first.
unsigned LoopPipeliner::addCarried(ArrayRef<Value> initial) {
  unsigned first = loop.getNumRegionIterArgs();
  auto yields = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  auto replaced = loop.replaceWithAdditionalYields(rewriter, initial, false, yields);
  bool isWhole = plan.specialized == loop;
  loop = cast<scf::ForOp>(replaced->getOperation());
  if (isWhole)
    plan.specialized = loop;
  return first;
}

/// Copies begin with the first buffer, which is free; so does the loop's reading, but the delayed dot begins with the last one, as if a round lay
/// behind it.
void LoopPipeliner::addCursors() {
  Value zero = constant(0), one = constant(1), last = constant(plan.depth - 1);
  unsigned next = loop.getNumRegionIterArgs();
  SmallVector<Value> initial;
  auto add = [&](Value value) {
    initial.push_back(value);
    return next++;
  };
  SmallVector<unsigned> stages = {0};
  if (plan.isRotated())
    stages.push_back(1);
  for (unsigned stage : stages) {
    StageBuffers &buffers = ofStage(stage);
    buffers.lags = stage || (plan.specialized && plan.inFlight && !plan.isRotated());
    buffers.fill.slot = add(zero);
    if (buffers.empty)
      buffers.fill.phase = add(one);
    buffers.read.slot = add(stage ? last : zero);
    if (buffers.full)
      buffers.read.phase = add(stage ? one : zero);
    // The delayed dot reads where the one before has been.
    buffers.freed = buffers.read;
    if (buffers.lags && !stage)
      buffers.freed = {add(last), std::nullopt};
  }
  if (llvm::any_of(plan.buffers, [&](LoopBuffer &buffer) { return plan.storesAlternately(buffer); }))
    parity = add(zero);
  if (allWarps)
    allWarpsPhase = add(zero);
  if (plan.isRotated()) {
    Type type = plan.inFlight->dot.getA().getType();
    delayedLeft = add(arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type)));
  }
  unsigned first = addCarried(initial);

  for (unsigned stage : stages) {
    StageBuffers &buffers = ofStage(stage);
    advance(buffers.fill, stage, buffers.lags);
    advance(buffers.read, std::nullopt, false);
    if (buffers.freed.slot != buffers.read.slot)
      loop.getTiedLoopYieldedValue(carried(buffers.freed.slot))->set(carried(buffers.read.slot));
  }
  for (std::optional<unsigned> toggled : {parity, allWarpsPhase})
    if (toggled) {
      rewriter.setInsertionPoint(loop.getBody()->getTerminator());
      BlockArgument value = carried(*toggled);
      auto flipped = arith::XOrIOp::create(rewriter, loc, value, one);
      place({flipped}, {plan.distance, cluster::afterCopies});
      loop.getTiedLoopYieldedValue(value)->set(flipped);
    }
  if (plan.specialized && plan.specialized != loop)
    carryAround(first, initial);
}

/// Counts 0, 1, …, depth - 1, 0, …; each round is a phase of the mbarriers. Where slots are released an iteration later, the last one is released
/// before it was filled: there a phase begins for the copies.
void LoopPipeliner::advance(Cursor cursor, std::optional<unsigned> copyStage, bool lags) {
  SmallVector<Operation *> ops;
  auto made = [&](auto op) {
    ops.push_back(op);
    return op->getResult(0);
  };
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Value zero = constant(0), one = constant(1), last = constant(plan.depth - 1), size = constant(plan.depth);
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  BlockArgument slot = carried(cursor.slot);
  Value next = made(arith::AddIOp::create(rewriter, loc, slot, one));
  Value isEnd = made(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, next, size));
  loop.getTiedLoopYieldedValue(slot)->set(made(arith::SelectOp::create(rewriter, loc, isEnd, zero, next)));
  if (cursor.phase) {
    BlockArgument phase = carried(*cursor.phase);
    Value flipped = made(arith::XOrIOp::create(rewriter, loc, phase, one));
    Value begins = isEnd;
    if (lags)
      begins = made(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, next, last));
    loop.getTiedLoopYieldedValue(phase)->set(made(arith::SelectOp::create(rewriter, loc, begins, flipped, phase)));
  }
  place(ops, copyStage ? Place{*copyStage, cluster::copies} : Place{plan.distance, cluster::afterCopies});
}

void LoopPipeliner::place(ArrayRef<Operation *> ops, Place where) {
  for (Operation *op : ops)
    placed[op] = where;
}

bool LoopPipeliner::isAhead(Operation *op) const {
  auto found = placed.find(op);
  return found != placed.end() && found->second.isAhead();
}

/// Makes the copies of ops that the table asks for, and gives each to the users of its stage.
void LoopPipeliner::copyForStages() {
  Operation *yield = loop.getBody()->getTerminator();
  auto hasCopyAhead = [&](Operation *op) {
    auto found = plan.schedule.find(op);
    return found != plan.schedule.end() &&
           llvm::any_of(found->second, [](const Place &place) { return place.isAhead(); });
  };
  auto feedsCopies = [&](OpOperand &use) {
    return use.getOwner() == yield && llvm::any_of(carried(use.getOperandNumber()).getUsers(), [&](Operation *user) {
             return isAhead(user) || hasCopyAhead(user);
           });
  };
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    if (hasCopyAhead(&op))
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    ArrayRef<Place> places = plan.schedule.find(op)->second;
    unsigned earliest = ~0u;
    for (const Place &place : places)
      if (place.isAhead())
        earliest = std::min(earliest, place.stage);
    for (const Place &place : places.drop_front()) {
      rewriter.setInsertionPoint(op);
      Operation *copy = rewriter.clone(*op);
      for (auto [result, copied] : llvm::zip_equal(op->getResults(), copy->getResults()))
        rewriter.replaceUsesWithIf(result, copied, [&](OpOperand &use) {
          return (isAhead(use.getOwner()) && placed[use.getOwner()].stage == place.stage) ||
                 (place.stage == earliest && feedsCopies(use));
        });
      placed[copy] = place;
    }
  }
}

/// All ops with their stage, in the order they run in: by clusters. An inserted op that has no place goes with the op before it.
void LoopPipeliner::schedule(std::vector<std::pair<Operation *, unsigned>> &ops) {
  std::vector<std::pair<Operation *, unsigned>> clusters[cluster::stores + 1];
  std::optional<unsigned> current;
  SmallVector<Operation *> before; // the first op of the original loop
  auto add = [&](Operation *op, Place place) { clusters[place.cluster].push_back({op, place.stage}); };
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto found = placed.find(&op);
    if (found == placed.end()) {
      current ? add(&op, {plan.distance, *current}) : before.push_back(&op);
      continue;
    }
    Place place = found->second;
    if (place.cluster == cluster::beforeCopies || place.cluster == cluster::afterCopies) {
      current = place.cluster;
      for (Operation *earlier : before)
        add(earlier, {plan.distance, *current});
      before.clear();
    }
    add(&op, place);
  }
  assert(before.empty() && "cursors are advanced at the end of every iteration");
  for (auto &each : clusters)
    ops.insert(ops.end(), each.begin(), each.end());
}

/// What runs ahead of the last iterations does nothing: only memory accesses need to be told.
Operation *LoopPipeliner::predicate(RewriterBase &rewriter, Operation *op, Value isInside) {
  auto masked = [&](Value mask, Type pointers) -> Value {
    auto type = dyn_cast<RankedTensorType>(pointers);
    if (!type)
      return mask ? arith::AndIOp::create(rewriter, op->getLoc(), mask, isInside).getResult() : isInside;
    Value all =
        tensor::SplatOp::create(rewriter, op->getLoc(), cast<RankedTensorType>(tensor::getMaskType(type)), isInside);
    return mask ? arith::AndIOp::create(rewriter, op->getLoc(), mask, all).getResult() : all;
  };
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op))
    copy.getMaskMutable().assign(masked(copy.getMask(), copy.getSrc().getType()));
  else if (auto load = dyn_cast<tensor::LoadOp>(op))
    load.getMaskMutable().assign(masked(load.getMask(), load.getPtr().getType()));
  else if (auto expect = dyn_cast<BarrierExpectOp>(op))
    expect.getPredMutable().assign(isInside);
  else if (auto copy = dyn_cast<AsyncTmaCopyGlobalToLocalOp>(op))
    copy.getPredMutable().assign(isInside);
  return op;
}

/// How far ahead of an iteration's place copies of the pipelined loop are; nothing if the step is not constant or that is too far.
static std::optional<llvm::APInt> farthestAhead(scf::ForOp loop, const LoopPlan &plan) {
  llvm::APInt step;
  bool overflows = false;
  if (loop.getUnsignedCmp() || !tensor::hasPositiveStep(loop) || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  llvm::APInt farthest = step.smul_ov(llvm::APInt(step.getBitWidth(), plan.distance), overflows);
  return overflows ? std::nullopt : std::optional(farthest);
}

/// Whether a constant `number` is known to leave room above it for `more`.
static bool leavesRoom(const llvm::APInt &number, const llvm::APInt &more) {
  bool overflows = false;
  (void)number.sadd_ov(more, overflows);
  return number.isNonNegative() && !overflows;
}

/// MLIR's expander asks whether `place + n * step < upper` before the loop, and `place < upper - n * step` in it: the answer is no where that
/// sum or that difference wraps. `n * step` does not.
void LoopPipeliner::keepFromWrapping(ArrayRef<Value> insides, const llvm::APInt &farthest) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  llvm::APInt start;
  if (matchPattern(lower, m_ConstantInt(&start)) && leavesRoom(start, farthest))
    return;
  const bool mayBeLow = !tensor::isCount(lower); // else what is below the upper bound is not so far down
  const llvm::APInt least = llvm::APInt::getSignedMinValue(farthest.getBitWidth());
  OpBuilder::InsertionGuard guard(rewriter);
  for (Value inside : insides) {
    auto compare = inside.getDefiningOp<arith::CmpIOp>();
    assert(compare && "the expander compares");
    auto isLess = [&](Value a, Value b) -> Value {
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, a, b);
    };
    if (compare.getLhs() != loop.getInductionVar()) {
      rewriter.setInsertionPointAfter(compare);
      Value wrapped = isLess(compare.getLhs(), lower);
      Value never = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(false));
      auto choice = arith::SelectOp::create(rewriter, loc, wrapped, never, inside);
      rewriter.replaceAllUsesExcept(inside, choice, choice);
    } else if (mayBeLow) {
      rewriter.setInsertionPoint(compare);
      Value limit = compare.getRhs(), wrapped = isLess(upper, limit);
      Value none = arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(limit.getType(), least));
      compare.getRhsMutable().assign(arith::SelectOp::create(rewriter, loc, wrapped, none, limit));
    }
  }
}

/// The last iteration is done behind the loop: it loads nothing ahead, and what the others load needs no mask for its sake, which on AMD GPUs would be
/// a branch around each load.
void LoopPipeliner::peelLast(ArrayRef<Value> insides) {
  rewriter.setInsertionPoint(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  auto isLess = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, a, b);
  };
  auto number = [&](const llvm::APInt &value) -> Value {
    return arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(upper.getType(), value));
  };
  const unsigned bits = upper.getType().getIntOrFloatBitWidth();
  Value runs = isLess(lower, upper);
  // Of those that have one behind them, which are below `upper - step`: there are none where that wraps.
  Value end = arith::SubIOp::create(rewriter, loc, upper, step);
  Value wraps = isLess(upper, end);
  end = arith::SelectOp::create(rewriter, loc, wraps, number(llvm::APInt::getSignedMinValue(bits)), end);
  Value distance = arith::SubIOp::create(rewriter, loc, upper, lower);
  Value before = arith::DivUIOp::create(
      rewriter, loc, arith::SubIOp::create(rewriter, loc, distance, number(llvm::APInt(bits, 1))), step);
  Value last = arith::AddIOp::create(rewriter, loc, lower, arith::MulIOp::create(rewriter, loc, before, step));
  loop.getUpperBoundMutable().assign(end);

  rewriter.setInsertionPointAfter(loop);
  auto isInLoop = [&](Value inside) { return loop->isProperAncestor(inside.getDefiningOp()); };
  Value never = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(false));
  auto branch = scf::IfOp::create(rewriter, loc, loop.getResultTypes(), runs, /*withElseRegion=*/true);
  rewriter.replaceUsesWithIf(loop.getResults(), branch.getResults(),
                             [&](OpOperand &use) { return !branch->isProperAncestor(use.getOwner()); });
  IRMapping map;
  map.map(loop.getInductionVar(), last);
  map.map(loop.getRegionIterArgs(), loop.getResults());
  for (Value inside : insides)
    if (isInLoop(inside))
      map.map(inside, never);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : *loop.getBody()) {
    auto store = dyn_cast<LocalStoreOp>(op);
    bool isKnown = llvm::any_of(op.getResults(), [&](Value result) { return map.contains(result); });
    if (!isKnown && !(store && llvm::is_contained(stagingBuffers, store.getDst())))
      rewriter.clone(op, map);
  }
  rewriter.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, loop.getResults());

  rewriter.setInsertionPoint(loop);
  Value always = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  for (Value inside : insides)
    if (isInLoop(inside))
      rewriter.replaceAllUsesWith(inside, always);
  rewriter.setInsertionPointAfter(branch);
}

LogicalResult LoopPipeliner::run() {
  for (auto &[op, places] : plan.schedule)
    placed[op] = places.front();
  rewriter.setInsertionPoint(plan.specialized ? plan.specialized : loop);
  if (!plan.buffers.empty()) {
    allocateBuffers();
    addCursors();
    waitForBuffers();
    startCopies();
  }
  stageEarlyLoads();
  if (!plan.specialized)
    copyForStages();
  plan.schedule.clear(); // carried out
  if (plan.isRotated())
    rotate();
  else if (plan.inFlight)
    leaveInFlight();
  else if (plan.specialized)
    freeBehindReads();
  else if (plan.covering)
    coverCopies();
  if (plan.specialized) {
    specialize();
    freeBuffers();
    return success();
  }

  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &ops) { schedule(ops); };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  llvm::SmallSetVector<Value, 8> insides;
  options.predicateFn = [&](RewriterBase &rewriter, Operation *op, Value isInside) {
    insides.insert(isInside);
    return predicate(rewriter, op, isInside);
  };
  rewriter.setInsertionPoint(loop);
  const llvm::APInt farthest = *farthestAhead(loop, plan);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
  if (failed(pipelined))
    return loop.emitError() << "could not be pipelined";
  loop = *pipelined;
  keepFromWrapping(insides.getArrayRef(), farthest);
  if (plan.inFlight && !plan.isRotated() && !plan.hasTma() && needsFence())
    waitUnderDots();
  loop->removeAttr(tensor::numStagesName);
  if (plan.buffers.empty()) {
    peelLast(insides.getArrayRef());
    freeBuffers();
    return success();
  }
  rewriter.setInsertionPoint(loop);
  arrive();
  finishDots();
  freeBuffers();
  return success();
}

/// A carried value that is the same from the second iteration on is chosen in the loop in place of carried: MLIR's expander takes only values
/// that an iteration computes. Gives whether there was one.
static bool chooseSettledValues(scf::ForOp loop) {
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  Value isFirst;
  for (auto [initial, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (argument.use_empty() || !loop.isDefinedOutsideOfLoop(yielded))
      continue;
    if (!isFirst)
      isFirst = arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::eq, loop.getInductionVar(),
                                      loop.getLowerBound());
    argument.replaceAllUsesWith(arith::SelectOp::create(builder, loop.getLoc(), isFirst, initial, yielded));
  }
  return bool(isFirst);
}

namespace {

struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  using PipelineLoopsBase::PipelineLoopsBase;

  void run() override {
    ModuleOp module = getOperation();
    if (failed(checkDescriptors(module)))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    module.walk([](tensor::ReduceOp reduce) {
      if (reduce->getParentOfType<scf::ForOp>())
        factorOutOfMask(reduce); // a rotated loop multiplies behind its second wait
    });
    llvm::DenseSet<Operation *> split;
    std::optional<AccessAnalysis> access; // of the module as it is
    for (scf::ForOp loop : loops) {
      if (split.contains(loop))
        continue;
      if (!access)
        access.emplace(module);
      LoopPlan plan = planLoop(loop, numStages, *access);
      if (!plan)
        continue;
      access.reset();
      bool hasChanged = chooseSettledValues(loop);
      if (!plan.specialized && !farthestAhead(loop, plan)) {
        IRRewriter rewriter(loop.getContext());
        tensor::countIterations(rewriter, loop); // places ahead are then computed without wrapping
        hasChanged = true;
      }
      if (hasChanged) {
        AccessAnalysis changed(module);
        plan = planLoop(loop, numStages, changed);
      }
      if (printPlan && plan)
        plan.print(llvm::outs());
      if (plan.specialized)
        split.insert(plan.specialized);
      if (plan && failed(LoopPipeliner(loop, std::move(plan)).run()))
        return signalPassFailure();
    }
  }
};

} // namespace

} // namespace triton::gpu
