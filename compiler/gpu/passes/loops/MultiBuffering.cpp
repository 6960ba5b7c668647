// The rings of a pipelined loop: rows of buffers that copies fill in turn, iterations ahead of the dots that read them.
#include "compiler/gpu/SharedAccesses.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/loops/LoopPipeliner.h"

using namespace mlir;

namespace triton::gpu {

void LoopPipeliner::allocateRings() {
  for (RingCopy &copy : plan.copies)
    copyRings.push_back(LocalAllocOp::create(rewriter, copy.load.getLoc(), ringType(placeType(copy), plan.buffers)));
  for (RingBlock &block : plan.blocks) {
    blockRings.push_back(LocalAllocOp::create(rewriter, block.load.getLoc(), ringType(placeType(block), plan.buffers)));
    ringsOf(block.isDelayed).hasBlocks = true;
  }
  for (Rings *rings : {&regular, &delayed})
    if (rings->hasBlocks)
      allocateBarriers(*rings);
  if (plan.splitsBarrier) {
    meeting = LocalAllocOp::create(rewriter, loc, barrierType(loop.getContext(), std::nullopt));
    InitBarrierOp::create(rewriter, loc, meeting, getNumWarps(loop));
  }
}

/// One thread announces the bytes of a place in the rings; each warpgroup frees it, or each warp.
void LoopPipeliner::allocateBarriers(Rings &rings) {
  auto allocate = [&](unsigned arrivals) {
    Value barriers = LocalAllocOp::create(rewriter, loc, barrierType(loop.getContext(), plan.buffers));
    for (unsigned index = 0; index < plan.buffers; ++index)
      InitBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, barriers, constant(index)), arrivals);
    return barriers;
  };
  rings.full = allocate(1);
  if (plan.frees)
    rings.empty = allocate(isReadByThreads() ? getNumWarps(loop) : getNumWarps(loop) / 4);
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

/// A place of a ring instead of a buffer that was filled anew in every iteration.
void LoopPipeliner::takeView(LocalAllocOp filled, Value view) {
  replaceBuffer(filled.getResult(), view);
  if (auto fence = dyn_cast_or_null<FenceAsyncSharedOp>(filled->getNextNode()))
    rewriter.eraseOp(fence);
  rewriter.eraseOp(filled);
}

/// What threads copied or read is fenced off from what the tensor cores read and TMA writes next.
bool LoopPipeliner::needsFence() {
  return !plan.specialized &&
         (llvm::any_of(plan.copies, [](RingCopy &copy) { return bool(copy.filled); }) || isReadByThreads());
}

/// Whether some values go from a ring into registers.
bool LoopPipeliner::isReadByThreads() {
  return llvm::any_of(plan.blocks, [](RingBlock &block) { return !block.filled; });
}

/// Everybody waits at mbarriers; the barrier behind a dot in flight, or the dot itself, frees the places of rings.
bool LoopPipeliner::needsBarrier() {
  if (plan.specialized)
    return false; // whoever fills a place waits until it is free
  return !plan.copies.empty() || needsFence() || !plan.inFlight || (plan.isRotated() && !plan.frees);
}

/// All threads have told that their copies for this iteration have arrived, and that the dots of the one before are done.
void LoopPipeliner::waitForMeeting(Value phase) {
  auto wait = WaitBarrierOp::create(rewriter, loc, meeting, phase, Value(), copyRings);
  wait->setAttr(meetsName, rewriter.getUnitAttr());
  head.push_back(wait);
}

/// What an iteration begins with: its copies have arrived, for all threads and for the tensor cores too.
void LoopPipeliner::waitForRings() {
  rewriter.setInsertionPointToStart(loop.getBody());
  if (meeting)
    return waitForMeeting(carried(*meetingPhase));
  for (Rings *rings : {&regular, &delayed})
    if (rings->full) {
      Value barrier = barrierAt(rings->full, rings->read);
      head.append(
          {barrier.getDefiningOp(), WaitBarrierOp::create(rewriter, loc, barrier, carried(*rings->read.phase))});
    }
  if (!plan.copies.empty())
    head.push_back(AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                                       rewriter.getI32IntegerAttr(plan.distance - 1)));
  if (needsFence())
    head.push_back(FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false)));
  if (needsBarrier())
    head.push_back(BarrierOp::create(rewriter, loc));
}

/// The blocks that TMA brings: one thread tells the place's barrier how many bytes, then starts the copies.
void LoopPipeliner::fillBlocks(Rings &rings, bool isDelayed) {
  if (!rings.hasBlocks)
    return;
  int64_t bytes = 0;
  SmallVector<Value> memory;
  tensor::DescriptorLoadOp first;
  for (auto [block, ring] : llvm::zip_equal(plan.blocks, blockRings))
    if (block.isDelayed == isDelayed) {
      bytes += blockBytes(block.load.getDesc().getType());
      memory.push_back(ring);
      if (!first)
        first = block.load; // of these the first in the loop
    }
  rewriter.setInsertionPoint(first);
  if (rings.empty) {
    Value barrier = barrierAt(rings.empty, rings.fill);
    auto wait = WaitBarrierOp::create(rewriter, loc, barrier, carried(*rings.fill.phase), Value(), memory);
    markAhead({barrier.getDefiningOp(), wait}, rings.stage);
    copyOps.push_back(wait);
  }
  Value isTrue = arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  isTrue.getDefiningOp()->moveBefore(loop);
  Value barrier = barrierAt(rings.full, rings.fill);
  auto expect = BarrierExpectOp::create(rewriter, loc, barrier, bytes, isTrue);
  markAhead({barrier.getDefiningOp(), expect}, rings.stage);
  copyOps.push_back(expect);
  for (auto [block, ring] : llvm::zip_equal(plan.blocks, blockRings)) {
    if (block.isDelayed != isDelayed)
      continue;
    tensor::DescriptorLoadOp load = block.load;
    rewriter.setInsertionPoint(load);
    auto slot = MemDescIndexOp::create(rewriter, loc, ring, carried(rings.fill.slot));
    auto copy = AsyncTmaCopyGlobalToLocalOp::create(rewriter, load.getLoc(), load.getDesc(), load.getIndices(), barrier,
                                                    slot, isTrue, load.getCache(), load.getEvict(), false);
    markAhead({slot, copy}, rings.stage);
    copyOps.push_back(copy);
    auto view = MemDescIndexOp::create(rewriter, loc, ring, carried(rings.read.slot));
    if (block.filled)
      takeView(block.filled, view);
    else
      readUsesIntoRegisters(load, view);
    rewriter.eraseOp(load);
  }
}

void LoopPipeliner::fillRings() {
  fillBlocks(regular, false);
  fillBlocks(delayed, true);
  for (auto [copy, ring] : llvm::zip_equal(plan.copies, copyRings)) {
    Rings &rings = ringsOf(copy.isDelayed);
    tensor::LoadOp load = copy.load;
    rewriter.setInsertionPoint(load);
    auto slot = MemDescIndexOp::create(rewriter, loc, ring, carried(rings.fill.slot));
    auto filling =
        AsyncCopyGlobalToLocalOp::create(rewriter, load.getLoc(), AsyncTokenType::get(loop.getContext()), load.getPtr(),
                                         slot, load.getMask(), Value(), load.getCache(), load.getEvict(), false);
    markAhead({slot, filling}, rings.stage);
    auto view = MemDescIndexOp::create(rewriter, loc, ring, carried(rings.read.slot));
    if (copy.filled)
      takeView(copy.filled, view);
    else
      readIntoRegisters(copy, view);
    rewriter.eraseOp(load);
  }
  if (plan.copies.empty())
    return;
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  markAhead({AsyncCommitGroupOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange())}, 0);
}

/// Each layout that the values are wanted in is read from the buffer as it is.
void LoopPipeliner::readIntoRegisters(RingCopy copy, Value view) {
  tensor::LoadOp load = copy.load;
  if (!copy.transposing)
    return readUsesIntoRegisters(load, view);
  auto filled = cast<LocalAllocOp>(*load->user_begin());
  rewriter.setInsertionPoint(filled);
  auto type = withLayout(cast<RankedTensorType>(load.getType()), copy.transposing);
  Value read = LocalLoadOp::create(rewriter, load.getLoc(), type, view);
  if (parity)
    storeAlternately(filled, read);
  else
    filled.getSrcMutable().assign(read);
}

/// Two buffers instead of the one that `filled` is: the dot of the iteration before may still read the other.
void LoopPipeliner::storeAlternately(LocalAllocOp filled, Value value) {
  rewriter.setInsertionPoint(loop);
  transposed.push_back(
      LocalAllocOp::create(rewriter, filled.getLoc(), ringType(filled.getType(), plan.transposedBuffers)));
  rewriter.setInsertionPoint(filled);
  auto view = MemDescIndexOp::create(rewriter, loc, transposed.back(), carried(*parity));
  LocalStoreOp::create(rewriter, filled.getLoc(), value, view);
  replaceBuffer(filled.getResult(), view);
  rewriter.eraseOp(filled);
}

template <typename LoadT> void LoopPipeliner::readUsesIntoRegisters(LoadT load, Value view) {
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    if (auto convert = dyn_cast<ConvertLayoutOp>(user)) {
      rewriter.setInsertionPoint(convert);
      rewriter.replaceOpWithNewOp<LocalLoadOp>(convert, convert.getType(), view);
    }
  if (load->use_empty())
    return;
  rewriter.setInsertionPoint(load);
  auto read = LocalLoadOp::create(rewriter, load.getLoc(), load.getType(), view);
  rewriter.replaceAllUsesWith(load.getResult(), read.getResult());
}

void LoopPipeliner::freeRings() {
  // Copies behind the end wrote zeros: done before the buffers are used for something else.
  if (!plan.copies.empty())
    AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                        rewriter.getI32IntegerAttr(0));
  for (Value ring : llvm::concat<Value>(copyRings, blockRings, transposed))
    LocalDeallocOp::create(rewriter, loc, ring);
  if (meeting)
    InvalBarrierOp::create(rewriter, loc, meeting);
  for (Value barriers : {regular.full, regular.empty, delayed.full, delayed.empty})
    if (barriers)
      for (unsigned index = 0; index < plan.buffers; ++index)
        InvalBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, barriers, constant(index)));
}

} // namespace triton::gpu
