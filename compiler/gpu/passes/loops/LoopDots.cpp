// Dots of a pipelined loop that are in flight while the loop does something else: asynchronous wgmma, waited for where its result is needed.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/ScaledExtrema.h"
#include "compiler/gpu/SharedAccesses.h"
#include "compiler/gpu/passes/loops/LoopPipeliner.h"

using namespace mlir;

namespace triton::gpu {

/// Behind the wait for it, and a barrier, the buffers that the dot in flight has read are free.
void LoopPipeliner::leaveInFlight() {
  auto [dot, index, drain, overlapped] = *plan.inFlight;
  dot.setIsAsync(true);
  WarpGroupDotOp issued = drain ? drain : dot;
  issued.setIsAsync(true);
  SmallVector<Value> products = {issued.getD()};
  if (drain)
    products.push_back(carried(index));
  rewriter.setInsertionPointAfter(issued);
  auto wait = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange(ValueRange(products)), products,
                                         rewriter.getI32IntegerAttr(drain ? 0 : 1));
  for (auto [product, result] : llvm::zip_equal(products, wait.getResults()))
    rewriter.replaceAllUsesExcept(product, result, wait);
  if (plan.specialized)
    release(regular);
  else
    BarrierOp::create(rewriter, loc);
}

/// Copies go to the slots that the dot of the iteration before has read. All threads have waited for that dot before the barrier of this iteration.
void LoopPipeliner::coverCopies() {
  WarpGroupDotOp dot = plan.covering;
  dot.setIsAsync(true);
  rewriter.setInsertionPointAfter(dot);
  auto wait = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange{dot.getD().getType()}, ValueRange{dot.getD()},
                                         rewriter.getI32IntegerAttr(0));
  place({wait}, {plan.distance, cluster::afterCopies});
  rewriter.replaceAllUsesExcept(dot.getD(), wait.getResult(0), wait);
}

/// The first iteration has no dot of the one before: its operands are 0.
static void clearBuffer(OpBuilder &builder, Location loc, Value buffer, scf::ForOp loop) {
  auto type = cast<MemDescType>(buffer.getType());
  // 16 bytes of a thread lie together in the buffer, so that one instruction stores them.
  SmallVector<unsigned> order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, type.getRank())));
  if (auto layout = dyn_cast<NvmmaSharedAttr>(type.getEncoding()); layout && layout.getTransposed())
    std::swap(order[0], order[1]);
  const int64_t together = std::max<int64_t>(1, 128 / type.getElementType().getIntOrFloatBitWidth());
  BlockedAttr one = getBlockedLayout(loop.getContext(), type.getShape(), together, order, getThreads(loop));
  // Every CTA of a cluster clears its own.
  SmallVector<int64_t> copies(llvm::Log2_32(getNumCtas(loop->getParentOfType<ModuleOp>())) * type.getShape().size(), 0);
  auto wide = BlockedAttr::get(loop.getContext(), one.getSizePerThread(), one.getThreadsPerWarp(), one.getWarpsPerCTA(),
                               one.getOrder(), copies);
  auto zeros = RankedTensorType::get(type.getShape(), type.getElementType(), wide);
  LocalStoreOp::create(builder, loc, arith::ConstantOp::create(builder, loc, builder.getZeroAttr(zeros)), buffer);
  FenceAsyncSharedOp::create(builder, loc, builder.getBoolAttr(false));
}

Value LoopPipeliner::issueDelayed(Value left, Value view, Value accumulator, bool isAsync) {
  return WarpGroupDotOp::create(rewriter, loc, accumulator.getType(), left, view, accumulator, Value(),
                                delayedPrecision, delayedLimit, isAsync);
}

/// Buffers may be filled again: by one thread for each warpgroup, whose dot has read them, or for each warp, whose lanes have.
void LoopPipeliner::release(StageBuffers &buffers) {
  if (!buffers.empty)
    return;
  bool perWarp = plan.isReadByThreads();
  if (perWarp)
    FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false));
  Value barrier = barrierAt(buffers.empty, buffers.freed);
  auto arrival = ArriveBarrierOp::create(rewriter, loc, barrier, 1, Value(), /*perWarpGroup=*/!perWarp);
  if (perWarp)
    arrival->setAttr(perWarpName, rewriter.getUnitAttr());
}

/// This thread's copies for the next iteration have arrived, also for the tensor cores.
void LoopPipeliner::arrive() {
  if (!allWarps)
    return;
  AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                      rewriter.getI32IntegerAttr(plan.distance - 1));
  FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false));
  auto arrival = ArriveBarrierOp::create(rewriter, loc, allWarps, 1);
  arrival->setAttr(perWarpName, rewriter.getUnitAttr());
}

/// Carries out what the table says of a rotated loop (the example in LoopSchedule.cpp): the last dot is done an iteration later, behind the first one
/// of that iteration, and runs while the first one's result is reduced.
///   s = q k(i)          in flight
///   o += p v(i - 1)     in flight; p is carried, and 0 at first, as is v(-1)
///   copies of k(i + distance) and v(i + distance - 1) begin: the wait for o has come before, in every thread, and so has the barrier
///   wait for s; m = max(s)
///   wait for o; p = exp(s - m), rounded; o *= alpha    behind the wait threads may come to the barrier of the next iteration
/// What comes after the second wait takes the tile from it, so that p is not made while the dot still reads it.
void LoopPipeliner::rotate() {
  auto [dot, index, drain, overlapped] = *plan.inFlight;
  auto view = dot.getB().getDefiningOp<MemDescIndexOp>();
  delayedRight = view.getSrc();
  delayedPrecision = dot.getInputPrecision();
  delayedLimit = dot.getMaxNumImpreciseAcc();
  rewriter.setInsertionPoint(loop); // before any copy fills it
  clearBuffer(rewriter, loc, MemDescIndexOp::create(rewriter, loc, delayedRight, constant(plan.depth - 1)), loop);
  BlockArgument left = carried(delayedLeft), accumulator = carried(index);

  drain.setIsAsync(true);
  view->moveBefore(drain);
  rewriter.setInsertionPointAfter(drain);
  Value product = issueDelayed(left, view, accumulator, true);
  auto first = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange{drain.getD().getType()}, ValueRange{drain.getD()},
                                          rewriter.getI32IntegerAttr(1));
  place({first}, {plan.distance, cluster::afterCopies});
  rewriter.replaceAllUsesExcept(drain.getD(), first.getResult(0), first);
  release(regular);
  rewriter.setInsertionPointAfter(overlapped);
  Value tile = overlapped->getOperand(0), scaled;
  if (Value unscaled = findUnscaled(overlapped)) {
    // The multiplication is left to the maximum before the wait; behind it, what is subtracted becomes one instruction with it.
    scaled = tile;
    tile = unscaled;
  }
  SmallVector<Value> tied = {product, tile, overlapped->getResult(0)}; // the reduction needs all of the tile
  auto second =
      WarpGroupDotWaitOp::create(rewriter, loc, TypeRange(ValueRange(tied)), tied, rewriter.getI32IntegerAttr(0));
  second->setAttr(pinnedName, rewriter.getUnitAttr());
  release(delayed);
  arrive();
  rewriter.replaceUsesWithIf(accumulator, second.getResult(0),
                             [&](OpOperand &use) { return use.getOwner() != product.getDefiningOp(); });
  auto isBehind = [&](OpOperand &use) {
    Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
    return user && second->isBeforeInBlock(user);
  };
  rewriter.replaceUsesWithIf(tile, second.getResult(1), isBehind);
  if (scaled) {
    rewriter.setInsertionPointAfter(second);
    Operation *again = rewriter.clone(*scaled.getDefiningOp());
    again->replaceUsesOfWith(tile, second.getResult(1));
    rewriter.replaceUsesWithIf(scaled, again->getResult(0), isBehind);
  }
  loop.getTiedLoopYieldedValue(left)->set(dot.getA());
  rewriter.replaceOp(dot, dot.getC());
}

/// What is still to be done behind the loop.
void LoopPipeliner::finishDots() {
  rewriter.setInsertionPointAfter(loop);
  if (plan.isRotated()) {
    Value slot = loop.getResult(delayed.read.slot);
    if (delayed.full) {
      WaitBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, delayed.full, slot),
                            loop.getResult(*delayed.read.phase));
    } else if (allWarps) {
      waitForAllWarps(loop.getResult(*allWarpsPhase));
    } else {
      AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                          rewriter.getI32IntegerAttr(0));
      FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false));
      BarrierOp::create(rewriter, loc);
    }
    Value accumulator = loop.getResult(plan.inFlight->carried);
    Value product = issueDelayed(loop.getResult(delayedLeft), MemDescIndexOp::create(rewriter, loc, delayedRight, slot),
                                 accumulator, false);
    rewriter.replaceAllUsesExcept(accumulator, product, product.getDefiningOp());
  } else if (plan.inFlight) {
    Value product = loop.getResult(plan.inFlight->carried);
    auto wait = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange{product.getType()}, ValueRange{product},
                                           rewriter.getI32IntegerAttr(0));
    rewriter.replaceAllUsesExcept(product, wait.getResult(0), wait);
  }
}

} // namespace triton::gpu
