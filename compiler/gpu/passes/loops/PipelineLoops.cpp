// Overlaps loads of later iterations with the dots of this one.
//
//   scf.for … iter_args(%acc, %p) {
//     %a = tt.load %p
//     %x = ttg.local_alloc %a
//     %d = ttng.warp_group_dot %x, …, %acc
//     yield %d, %p + step
//   }
// becomes, with three stages,
//   %ring = ttg.local_alloc : memdesc<3x…, mutable>
//   copy iterations 0 and 1 into the ring
//   scf.for … iter_args(%acc, %p, …) {
//     ttg.async_wait {num = 1}                       the copies of this iteration are there
//     ttng.fence_async_shared; ttg.barrier           for all threads
//     %d = ttng.warp_group_dot %ring[i], …, %acc {isAsync}
//     %w = ttng.warp_group_dot_wait %d {pendings = 1}   the dot of the iteration before is done
//     ttg.barrier                                    in all threads: its buffers are free
//     ttg.async_copy_global_to_local → %ring[i + 2], masked off behind the last iteration
//     yield %w
//   }
//   ttng.warp_group_dot_wait {pendings = 0}
//
// Where other ops take the carried sum, as attention does to rescale it, the dot stays in flight until the wait for the next iteration's first
// dot.
// With mma.sync, whose operands are read into registers, the second barrier is not needed: whoever has come to the first one has read its
// operands. Every iteration commits one group of copies, also an empty one, so that counting groups counts iterations.
//
// Blocks that TMA brings go into rings likewise: each place of the rings has an mbarrier, for which all threads wait
// where the iteration begins; one thread tells it how many bytes to expect and starts the copies.
//
// Attention's loop, whose second dot is done an iteration later (see where dots are), has no barrier of all threads where it can be helped:
// warpgroups that run out of step multiply while others compute exponentials. Where TMA fills the rings, each warpgroup tells an
// mbarrier what it has read; where threads do, all arrive at an mbarrier in the middle of an iteration and wait there at the start of the
// next.
//
// Where a loop asks for it (`tt.warp_specialize`) and TMA brings all blocks, a warp of its own starts the copies, and waits, before it
// fills a buffer, until the dots have told an mbarrier that they have read it: see where loops are split.
//
// In a loop that has a number of stages of its own (tl.range's) loads that no dot needs run ahead likewise.
//
// Runs after dots are lowered and before shared memory is allocated. Leaves alone other loads that no dot needs, and those that cannot be
// copied in pieces of 4 bytes or more, whose address depends on a dot, or that may read what the loop writes or waits for.
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/loops/LoopPipeliner.h"
#include "compiler/tensor/NonNegative.h"
#include "compiler/tensor/TripCount.h"

#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

#include <set>

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

/// Where copies go begins with the first buffer, which is free; where the loop reads likewise, but the delayed dot begins with the last one,
/// as if a round lay behind it.
void LoopPipeliner::addCursors() {
  Value zero = constant(0), one = constant(1), last = constant(plan.buffers - 1);
  unsigned next = loop.getNumRegionIterArgs();
  SmallVector<Value> initial;
  auto add = [&](Value value) {
    initial.push_back(value);
    return next++;
  };
  for (bool isDelayed : {false, true}) {
    Rings &rings = ringsOf(isDelayed);
    rings.stage = isDelayed;
    rings.lags = isDelayed || (plan.specialized && plan.inFlight && !plan.isRotated());
    if (isDelayed && !plan.isRotated())
      continue;
    rings.fill.slot = add(zero);
    if (rings.empty)
      rings.fill.phase = add(one);
    rings.read.slot = add(isDelayed ? last : zero);
    if (rings.full)
      rings.read.phase = add(isDelayed ? one : zero);
    // The delayed dot reads where the one before has been.
    rings.freed = rings.read;
    if (rings.lags && !isDelayed)
      rings.freed = {add(last), std::nullopt};
  }
  if (llvm::any_of(plan.copies, [&](RingCopy &copy) { return storesAlternately(plan, copy); }))
    parity = add(zero);
  if (meeting)
    meetingPhase = add(zero);
  if (plan.isRotated()) {
    Type type = plan.inFlight->dot.getA().getType();
    delayedLeft = add(arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type)));
  }
  unsigned first = addCarried(initial);

  for (bool isDelayed : {false, true}) {
    Rings &rings = ringsOf(isDelayed);
    if (isDelayed && !plan.isRotated())
      continue;
    advance(rings.fill, rings.stage, rings.lags);
    advance(rings.read, std::nullopt, false);
    if (rings.freed.slot != rings.read.slot)
      loop.getTiedLoopYieldedValue(carried(rings.freed.slot))->set(carried(rings.read.slot));
  }
  for (std::optional<unsigned> toggled : {parity, meetingPhase})
    if (toggled) {
      rewriter.setInsertionPoint(loop.getBody()->getTerminator());
      BlockArgument value = carried(*toggled);
      loop.getTiedLoopYieldedValue(value)->set(arith::XOrIOp::create(rewriter, loc, value, one));
    }
  if (plan.specialized && plan.specialized != loop)
    carryAround(first, initial);
}

/// Counts 0, 1, …, buffers - 1, 0, …; each round is a phase of the barriers. Where buffers are freed an iteration later, the last one is freed
/// before it was filled: there a phase begins for those who fill.
void LoopPipeliner::advance(Cursor cursor, std::optional<unsigned> aheadStage, bool lags) {
  SmallVector<Operation *> ops;
  auto made = [&](auto op) {
    ops.push_back(op);
    return op->getResult(0);
  };
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Value zero = constant(0), one = constant(1), last = constant(plan.buffers - 1), size = constant(plan.buffers);
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
  if (aheadStage)
    markAhead(ops, *aheadStage);
}

void LoopPipeliner::markAhead(ArrayRef<Operation *> ops, unsigned stage) {
  for (Operation *op : ops)
    ahead[op] = stage;
}

/// Ops that copies of different stages, or a copy and the rest of the iteration, use are computed for each: carrying them through the loop would
/// cost registers.
void LoopPipeliner::separateAhead() {
  llvm::DenseMap<Operation *, unsigned> needed; // by copies: the earliest stage
  auto need = [&](const llvm::SetVector<Operation *> &ops, bool isDelayed) {
    for (Operation *op : ops) {
      auto [found, isNew] = needed.try_emplace(op, ringsOf(isDelayed).stage);
      found->second = std::min(found->second, ringsOf(isDelayed).stage);
    }
  };
  for (RingCopy &copy : plan.copies)
    need(copy.ahead, copy.isDelayed);
  for (RingBlock &block : plan.blocks)
    need(block.ahead, block.isDelayed);
  SmallVector<Operation *> inOrder;
  for (Operation &op : loop.getBody()->without_terminator())
    if (needed.contains(&op))
      inOrder.push_back(&op);

  Operation *yield = loop.getBody()->getTerminator();
  auto feedsCopies = [&](OpOperand &use) {
    return use.getOwner() == yield && llvm::any_of(carried(use.getOperandNumber()).getUsers(), [&](Operation *user) {
             return ahead.contains(user) || needed.contains(user);
           });
  };
  for (Operation *op : llvm::reverse(inOrder)) {
    bool usedByRest = false;
    std::set<unsigned> stages;
    for (OpOperand &use : op->getUses()) {
      if (auto found = ahead.find(use.getOwner()); found != ahead.end())
        stages.insert(found->second);
      else if (feedsCopies(use))
        stages.insert(needed[op]);
      else
        usedByRest |= use.getOwner() != yield;
    }
    unsigned earliest = stages.empty() ? needed[op] : *stages.begin();
    if (!usedByRest || isa<tensor::LoadOp>(op)) {
      ahead[op] = earliest;
      stages.erase(earliest);
    }
    if (isa<tensor::LoadOp>(op))
      continue;
    for (unsigned stage : stages) {
      rewriter.setInsertionPoint(op);
      Operation *copy = rewriter.clone(*op);
      for (auto [result, copied] : llvm::zip_equal(op->getResults(), copy->getResults()))
        rewriter.replaceUsesWithIf(result, copied, [&](OpOperand &use) {
          auto found = ahead.find(use.getOwner());
          return (found != ahead.end() && found->second == stage) || (stage == earliest && feedsCopies(use));
        });
      ahead[copy] = stage;
    }
  }
}

/// All ops with their stage, in the order they run in: the head, dots in flight, copies, the rest; or copies right behind the head.
void LoopPipeliner::schedule(std::vector<std::pair<Operation *, unsigned>> &ops) {
  llvm::DenseSet<Operation *> placed;
  auto place = [&](Operation *op) {
    if (placed.insert(op).second) {
      auto found = ahead.find(op);
      ops.push_back({op, found == ahead.end() ? plan.distance : found->second});
    }
  };
  auto placeAhead = [&] {
    for (Operation &op : loop.getBody()->without_terminator())
      if (ahead.contains(&op))
        place(&op);
  };
  for (Operation *op : head)
    place(op);
  if (!copiesAfter)
    placeAhead();
  for (Operation &op : loop.getBody()->without_terminator())
    if (!ahead.contains(&op)) {
      place(&op);
      if (&op == copiesAfter)
        placeAhead();
    }
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

LogicalResult LoopPipeliner::run() {
  rewriter.setInsertionPoint(plan.specialized ? plan.specialized : loop);
  allocateRings();
  addCursors();
  waitForRings();
  fillRings();
  if (!plan.specialized)
    separateAhead();
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
    freeRings();
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
  loop->removeAttr(tensor::numStagesName);
  rewriter.setInsertionPoint(loop);
  arrive();
  finishDots();
  freeRings();
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
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
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
      if (plan.specialized)
        split.insert(plan.specialized);
      if (plan && failed(LoopPipeliner(loop, std::move(plan)).run()))
        return signalPassFailure();
    }
  }
};

} // namespace

} // namespace triton::gpu
