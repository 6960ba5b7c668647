// Multi-buffering of a pipelined loop: `depth` buffers instead of one, which copies (cp.async or TMA) fill in turn, iterations ahead of the dots that
// read them.
#include "compiler/gpu/DirectCopies.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/SharedAccesses.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/loops/LoopPipeliner.h"

using namespace mlir;

namespace triton::gpu {

void LoopPipeliner::allocateBuffers() {
  delayed.stage = 1;
  for (LoopBuffer &buffer : plan.buffers) {
    multiBuffers.push_back(
        LocalAllocOp::create(rewriter, buffer.load->getLoc(), multiBufferType(buffer.type, plan.depth)));
    ofStage(buffer.stage).hasTma |= buffer.isTma();
  }
  for (StageBuffers *buffers : {&regular, &delayed})
    if (buffers->hasTma)
      allocateBarriers(*buffers);
  if (plan.release == Release::SplitBarrier) {
    allWarps = LocalAllocOp::create(rewriter, loc, barrierType(loop.getContext(), std::nullopt));
    InitBarrierOp::create(rewriter, loc, allWarps, getNumWarps(loop));
  }
}

/// One thread announces the bytes of a slot; each warpgroup releases it, or each warp.
void LoopPipeliner::allocateBarriers(StageBuffers &buffers) {
  auto allocate = [&](unsigned arrivals) {
    Value barriers = LocalAllocOp::create(rewriter, loc, barrierType(loop.getContext(), plan.depth));
    for (unsigned index = 0; index < plan.depth; ++index)
      InitBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, barriers, constant(index)), arrivals);
    return barriers;
  };
  buffers.full = allocate(1);
  if (plan.release == Release::Mbarrier)
    buffers.empty = allocate(plan.isReadByThreads() ? getNumWarps(loop) : getNumWarps(loop) / 4);
}

Value LoopPipeliner::barrierAt(Value barriers, Cursor cursor) {
  return MemDescIndexOp::create(rewriter, loc, barriers, carried(cursor.slot));
}

/// The users of a filled buffer take `view` instead, whose type differs: views of it are made again.
void LoopPipeliner::replaceBuffer(Value old, Value view) {
  for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
    if (auto trans = dyn_cast<MemDescTransOp>(use.getOwner())) {
      rewriter.setInsertionPoint(trans);
      auto again = MemDescTransOp::create(rewriter, loc, view, trans.getOrder());
      replaceBuffer(trans.getResult(), again.getResult());
      rewriter.eraseOp(trans);
    } else if (auto slice = dyn_cast<MemDescSubsliceOp>(use.getOwner())) {
      rewriter.setInsertionPoint(slice);
      auto again = MemDescSubsliceOp::create(rewriter, loc, view, slice.getOffsets(), slice.getType().getShape());
      replaceBuffer(slice.getResult(), again.getResult());
      rewriter.eraseOp(slice);
    } else {
      use.set(view);
    }
  }
}

/// A slot of a multi-buffer instead of a buffer that was filled anew in every iteration.
void LoopPipeliner::takeView(LocalAllocOp filled, Value view) {
  replaceBuffer(filled.getResult(), view);
  if (auto fence = dyn_cast_or_null<FenceAsyncSharedOp>(filled->getNextNode()))
    rewriter.eraseOp(fence);
  rewriter.eraseOp(filled);
}

/// What threads copied or read is fenced off from what the tensor cores read and TMA writes next.
bool LoopPipeliner::needsFence() {
  auto isOperand = [](LoopBuffer &buffer) { return !buffer.isTma() && buffer.filled; };
  return !plan.specialized && (llvm::any_of(plan.buffers, isOperand) || plan.isReadByThreads());
}

/// Whether an iteration begins with a barrier of all threads. Not where all wait at mbarriers and the barrier behind a dot in flight, or the dot
/// itself, releases the slots; nor where a producer warp waits until they are free.
bool LoopPipeliner::needsBarrier() {
  if (plan.specialized)
    return false;
  return plan.hasAsyncCopies() || needsFence() || !plan.inFlight ||
         (plan.isRotated() && plan.release != Release::Mbarrier);
}

/// All warps have said that their copies for this iteration have arrived, and that the dots of the one before are done.
void LoopPipeliner::waitForAllWarps(Value phase) {
  auto wait = WaitBarrierOp::create(rewriter, loc, allWarps, phase, Value(), multiBuffers);
  wait->setAttr(meetsName, rewriter.getUnitAttr());
  place({wait}, {plan.distance, cluster::waits});
}

/// What an iteration begins with: its copies have arrived, for all threads and for the tensor cores too.
void LoopPipeliner::waitForBuffers() {
  rewriter.setInsertionPointToStart(loop.getBody());
  if (allWarps)
    return waitForAllWarps(carried(*allWarpsPhase));
  auto wait = [&](Operation *op) { place({op}, {plan.distance, cluster::waits}); };
  for (StageBuffers *buffers : {&regular, &delayed})
    if (buffers->full) {
      Value barrier = barrierAt(buffers->full, buffers->read);
      wait(barrier.getDefiningOp());
      wait(WaitBarrierOp::create(rewriter, loc, barrier, carried(*buffers->read.phase)));
    }
  if (plan.hasAsyncCopies())
    wait(AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                             rewriter.getI32IntegerAttr(plan.distance - 1)));
  if (needsFence())
    wait(FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false)));
  if (!needsBarrier())
    return;
  auto barrier = BarrierOp::create(rewriter, loc);
  if (llvm::any_of(plan.buffers, [](LoopBuffer &buffer) { return bool(buffer.copyLayout); }))
    barrier->setAttr(sharedOnlyName, rewriter.getUnitAttr()); // any other would wait for copies under way
  wait(barrier);
}

/// Where a dot is in flight when an iteration ends, the wait for the next one's copies, with the fence, which takes some 40 cycles, stands there and
/// not where that begins, where nothing is left to run under it. The order of all this is the same, seen around the loop.
void LoopPipeliner::waitUnderDots() {
  Block *body = loop.getBody();
  auto barrier = llvm::find_if(*body, llvm::IsaPred<BarrierOp>);
  SmallVector<Operation *> waits;
  for (Operation &op : llvm::make_range(body->begin(), barrier))
    if (isa<AsyncWaitOp, FenceAsyncSharedOp>(op))
      waits.push_back(&op);
  for (Operation *wait : waits) {
    rewriter.setInsertionPoint(loop);
    rewriter.clone(*wait);
    rewriter.moveOpBefore(wait, body->getTerminator());
  }
}

/// The blocks that TMA brings: one thread tells the slot's mbarrier how many bytes, then starts the copies.
void LoopPipeliner::startTmaCopies(StageBuffers &buffers) {
  if (!buffers.hasTma)
    return;
  auto isOfStage = [&](const LoopBuffer &buffer) { return buffer.isTma() && buffer.stage == buffers.stage; };
  int64_t bytes = 0;
  SmallVector<Value> memory;
  Operation *first = nullptr;
  for (auto [buffer, multi] : llvm::zip_equal(plan.buffers, multiBuffers))
    if (isOfStage(buffer)) {
      bytes += blockBytes(cast<tensor::DescriptorLoadOp>(buffer.load).getDesc().getType());
      memory.push_back(multi);
      if (!first)
        first = buffer.load; // of these the first in the loop
    }
  rewriter.setInsertionPoint(first);
  if (buffers.empty) {
    Value barrier = barrierAt(buffers.empty, buffers.fill);
    auto wait = WaitBarrierOp::create(rewriter, loc, barrier, carried(*buffers.fill.phase), Value(), memory);
    placeCopy({barrier.getDefiningOp(), wait}, buffers.stage);
    copyOps.push_back(wait);
  }
  Value isTrue = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  isTrue.getDefiningOp()->moveBefore(loop);
  Value barrier = barrierAt(buffers.full, buffers.fill);
  auto expect = BarrierExpectOp::create(rewriter, loc, barrier, bytes, isTrue);
  placeCopy({barrier.getDefiningOp(), expect}, buffers.stage);
  copyOps.push_back(expect);
  for (auto [buffer, multi] : llvm::zip_equal(plan.buffers, multiBuffers)) {
    if (!isOfStage(buffer))
      continue;
    auto load = cast<tensor::DescriptorLoadOp>(buffer.load);
    rewriter.setInsertionPoint(load);
    auto slot = MemDescIndexOp::create(rewriter, loc, multi, carried(buffers.fill.slot));
    auto copy = AsyncTmaCopyGlobalToLocalOp::create(rewriter, load.getLoc(), load.getDesc(), load.getIndices(), barrier,
                                                    slot, isTrue, load.getCache(), load.getEvict(), false);
    placeCopy({slot, copy}, buffers.stage);
    copyOps.push_back(copy);
    auto view = MemDescIndexOp::create(rewriter, loc, multi, carried(buffers.read.slot));
    if (buffer.filled)
      takeView(buffer.filled, view);
    else
      readUsesIntoRegisters(load, view);
    rewriter.eraseOp(load);
  }
}

/// The same values in the layout of a copy: computed so, as far as the loop computes them, so that what it gets from outside changes hands once.
Value LoopPipeliner::inLayout(Value value, Attribute layout, Place where) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getEncoding() == layout)
    return value;
  auto wanted = withLayout(type, layout);
  OpBuilder::InsertionGuard guard(rewriter);
  if (loop.isDefinedOutsideOfLoop(value)) {
    rewriter.setInsertionPoint(loop);
    return ConvertLayoutOp::create(rewriter, loc, wanted, value);
  }
  Operation *op = value.getDefiningOp();
  if (op)
    rewriter.setInsertionPointAfter(op);
  else
    rewriter.setInsertionPointToStart(loop.getBody());
  Operation *made = nullptr;
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op)) {
    made = tensor::SplatOp::create(rewriter, op->getLoc(), wanted, splat.getSrc());
  } else if (auto spread = dyn_cast_or_null<tensor::BroadcastOp>(op)) {
    made = tensor::BroadcastOp::create(rewriter, op->getLoc(), wanted, inLayout(spread.getSrc(), layout, where));
  } else if (op && op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
             (OpTrait::hasElementwiseMappableTraits(op) || isa<tensor::AddPtrOp>(op))) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(inLayout(operand, layout, where));
    made = rewriter.clone(*op);
    made->setOperands(operands);
    made->getResult(0).setType(wanted);
  } else {
    made = ConvertLayoutOp::create(rewriter, loc, wanted, value);
  }
  place({made}, where);
  return made->getResult(0);
}

void LoopPipeliner::startCopies() {
  startTmaCopies(regular);
  startTmaCopies(delayed);
  for (auto [buffer, multi] : llvm::zip_equal(plan.buffers, multiBuffers)) {
    if (buffer.isTma())
      continue;
    auto load = cast<tensor::LoadOp>(buffer.load);
    StageBuffers &buffers = ofStage(buffer.stage);
    rewriter.setInsertionPoint(load);
    auto slot = MemDescIndexOp::create(rewriter, loc, multi, carried(buffers.fill.slot));
    Value pointers = load.getPtr(), mask = load.getMask();
    if (buffer.copyLayout) {
      const Place where = {buffer.stage, cluster::copies};
      pointers = inLayout(pointers, buffer.copyLayout, where);
      mask = mask ? inLayout(mask, buffer.copyLayout, where) : mask;
    }
    auto filling =
        AsyncCopyGlobalToLocalOp::create(rewriter, load.getLoc(), AsyncTokenType::get(loop.getContext()), pointers,
                                         slot, mask, Value(), load.getCache(), load.getEvict(), false);
    if (buffer.copyLayout)
      filling->setAttr(directCopyName, rewriter.getI32IntegerAttr(buffer.pieceBytes));
    placeCopy({slot, filling}, buffer.stage);
    auto view = MemDescIndexOp::create(rewriter, loc, multi, carried(buffers.read.slot));
    if (buffer.filled)
      takeView(buffer.filled, view);
    else
      readIntoRegisters(buffer, view);
    rewriter.eraseOp(load);
  }
  if (!plan.hasAsyncCopies())
    return;
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  placeCopy({AsyncCommitGroupOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange())}, 0);
}

/// Each layout that the values are wanted in is read from the buffer as it is.
void LoopPipeliner::readIntoRegisters(const LoopBuffer &buffer, Value view) {
  if (!buffer.transposing)
    return readUsesIntoRegisters(buffer.load, view);
  auto filled = cast<LocalAllocOp>(*buffer.load->user_begin());
  rewriter.setInsertionPoint(filled);
  auto type = withLayout(buffer.tensorType(), buffer.transposing);
  Value read = LocalLoadOp::create(rewriter, buffer.load->getLoc(), type, view);
  if (parity)
    storeAlternately(filled, read);
  else
    filled.getSrcMutable().assign(read);
}

/// Two buffers instead of the one that `filled` is: the dot of the iteration before may still read the other.
void LoopPipeliner::storeAlternately(LocalAllocOp filled, Value value) {
  rewriter.setInsertionPoint(loop);
  transposed.push_back(
      LocalAllocOp::create(rewriter, filled.getLoc(), multiBufferType(filled.getType(), plan.transposedDepth)));
  rewriter.setInsertionPoint(filled);
  auto view = MemDescIndexOp::create(rewriter, loc, transposed.back(), carried(*parity));
  LocalStoreOp::create(rewriter, filled.getLoc(), value, view);
  replaceBuffer(filled.getResult(), view);
  rewriter.eraseOp(filled);
}

void LoopPipeliner::readUsesIntoRegisters(Operation *load, Value view) {
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    if (auto convert = dyn_cast<ConvertLayoutOp>(user)) {
      rewriter.setInsertionPoint(convert);
      rewriter.replaceOpWithNewOp<LocalLoadOp>(convert, convert.getType(), view);
    }
  if (load->use_empty())
    return;
  rewriter.setInsertionPoint(load);
  auto read = LocalLoadOp::create(rewriter, load->getLoc(), load->getResult(0).getType(), view);
  rewriter.replaceAllUsesWith(load->getResult(0), read.getResult());
}

/// Values that were loaded ahead are stored where the iteration before theirs ends; who wants them reads them where they were converted.
void LoopPipeliner::stageEarlyLoads() {
  for (EarlyLoad &each : plan.early) {
    if (!each.staged)
      continue;
    rewriter.setInsertionPoint(loop);
    auto buffer = LocalAllocOp::create(rewriter, each.staged.getLoc(), each.buffer);
    stagingBuffers.push_back(buffer);
    rewriter.setInsertionPoint(each.staged);
    auto store = LocalStoreOp::create(rewriter, each.staged.getLoc(), each.staged.getSrc(), buffer);
    place({store}, {plan.distance - 1, cluster::stores});
    const Place where = placed.at(each.staged);
    auto read = rewriter.replaceOpWithNewOp<LocalLoadOp>(each.staged, each.staged.getType(), buffer);
    place({read}, where);
  }
}

void LoopPipeliner::freeBuffers() {
  // Copies behind the end wrote zeros: done before the buffers are used for something else.
  if (plan.hasAsyncCopies())
    AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                        rewriter.getI32IntegerAttr(0));
  for (Value buffer : llvm::concat<Value>(multiBuffers, transposed, stagingBuffers))
    LocalDeallocOp::create(rewriter, loc, buffer);
  if (allWarps)
    InvalBarrierOp::create(rewriter, loc, allWarps);
  for (Value barriers : {regular.full, regular.empty, delayed.full, delayed.empty})
    if (barriers)
      for (unsigned index = 0; index < plan.depth; ++index)
        InvalBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, barriers, constant(index)));
}

} // namespace triton::gpu
