// Overlaps loads of later iterations with the products of this one.
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
//     %w = ttng.warp_group_dot_wait %d {pendings = 1}   the product of the iteration before is done
//     ttg.barrier                                    in all threads: its buffers are free
//     ttg.async_copy_global_to_local → %ring[i + 2], masked off behind the last iteration
//     yield %w
//   }
//   ttng.warp_group_dot_wait {pendings = 0}
//
// Where other ops take the carried sum, as attention does to rescale it, the product stays in flight until the wait for the next iteration's first
// product.
// With mma.sync, whose operands are read into registers, the second barrier is not needed: whoever has come to the first one has read its
// operands. Every iteration commits one group of copies, also an empty one, so that counting groups counts iterations.
//
// Blocks that the copy engine brings (TMA) go into rings likewise: each place of the rings has a barrier in memory, for which all threads wait
// where the iteration begins; one thread tells it how many bytes to expect and starts the copies.
//
// Runs after products are lowered and before shared memory is allocated. Leaves alone loads that no product needs, that cannot be copied in
// pieces of 4 bytes or more, whose address depends on a product, or that may read what the loop writes.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/passes/DescriptorBuffers.h"
#include "compiler/gpu/passes/LoopPlan.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Dialect/SCF/Transforms/Transforms.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct Pipeliner {
  scf::ForOp loop;
  LoopPlan plan;
  IRRewriter rewriter{loop.getContext()};
  Location loc = loop.getLoc();
  llvm::DenseSet<Operation *> ahead; // stage 0
  SmallVector<Operation *> head;     // what begins an iteration
  SmallVector<Operation *> tail;     // waits for products in flight
  SmallVector<Value> transposed;     // pairs of buffers, used in turns: `parity` says which; null: there are none
  Value parity;
  // Of a product that is done an iteration later: its ring, its operand A among the carried values, how it is done.
  Value delayedRing;
  unsigned delayedLeft = 0;
  tensor::InputPrecision delayedPrecision = tensor::InputPrecision::IEEE;
  uint32_t delayedLimit = 0;
  Value barriers;                // one for each place of the rings that the copy engine fills; null: it fills none
  SmallVector<Value> blockRings; // as many as the plan has blocks

  Value constant(int64_t value) { return arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(value)); }

  /// Replaces the loop by one that carries more values. Gives the index of the first.
  unsigned addCarried(ArrayRef<Value> initial) {
    unsigned first = loop.getNumRegionIterArgs();
    auto yields = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return SmallVector<Value>(arguments.begin(), arguments.end());
    };
    auto replaced = loop.replaceWithAdditionalYields(rewriter, initial, false, yields);
    loop = cast<scf::ForOp>(replaced->getOperation());
    return first;
  }

  MemDescType ringType(RingCopy copy) {
    auto type = cast<RankedTensorType>(copy.load.getType());
    SmallVector<int64_t> shape = {int64_t(plan.buffers)};
    llvm::append_range(shape, type.getShape());
    return MemDescType::get(shape, type.getElementType(), copy.layout, SharedMemoryAttr::get(loop.getContext()), true);
  }

  /// The users of a filled buffer take `view` instead, whose type differs: views of it are made again.
  void replaceBuffer(Value old, Value view) {
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

  /// What an iteration begins with: its copies have arrived, for all threads and for the tensor cores too.
  void waitForRings(Value extract, Value phase) {
    if (barriers) {
      auto barrier = MemDescIndexOp::create(rewriter, loc, barriers, extract);
      head.append({barrier, WaitBarrierOp::create(rewriter, loc, barrier, phase)});
    }
    if (!plan.copies.empty())
      head.push_back(AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                                         rewriter.getI32IntegerAttr(plan.distance - 1)));
    // What threads copied or read is fenced off from what the tensor cores read and the copy engine writes next.
    bool needsFence = llvm::any_of(plan.copies, [](RingCopy &copy) { return bool(copy.filled); }) ||
                      llvm::any_of(plan.blocks, [](RingBlock &block) { return !block.filled; });
    if (needsFence)
      head.push_back(FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false)));
    // Everybody waits at the barrier in memory; the barrier behind a product in flight frees the places of rings.
    if (!plan.copies.empty() || needsFence || !plan.inFlight)
      head.push_back(BarrierOp::create(rewriter, loc));
  }

  /// The blocks that the copy engine brings: one thread tells the place's barrier how many bytes, then starts the copies.
  void fillBlockRings(Value insert, Value extract, Value isTrue) {
    if (plan.blocks.empty())
      return;
    int64_t bytes = 0;
    for (RingBlock block : plan.blocks)
      bytes += blockBytes(block.load.getDesc().getType());
    rewriter.setInsertionPoint(plan.blocks.front().load); // the first in the loop
    auto barrier = MemDescIndexOp::create(rewriter, loc, barriers, insert);
    auto expect = BarrierExpectOp::create(rewriter, loc, barrier, bytes, isTrue);
    ahead.insert_range(ArrayRef<Operation *>{barrier, expect});
    for (auto [block, ring] : llvm::zip_equal(plan.blocks, blockRings)) {
      tensor::DescriptorLoadOp load = block.load;
      rewriter.setInsertionPoint(load);
      auto slot = MemDescIndexOp::create(rewriter, loc, ring, insert);
      auto copy = AsyncTmaCopyGlobalToLocalOp::create(rewriter, load.getLoc(), load.getDesc(), load.getIndices(),
                                                      barrier, slot, isTrue, load.getCache(), load.getEvict(), false);
      ahead.insert_range(ArrayRef<Operation *>{slot, copy});
      auto view = MemDescIndexOp::create(rewriter, loc, ring, extract);
      if (block.filled)
        takeView(block.filled, view);
      else
        readUsesIntoRegisters(load, view);
      rewriter.eraseOp(load);
    }
  }

  /// A place of a ring instead of a buffer that was filled anew in every iteration.
  void takeView(LocalAllocOp filled, Value view) {
    replaceBuffer(filled.getResult(), view);
    if (auto fence = dyn_cast_or_null<FenceAsyncSharedOp>(filled->getNextNode()))
      rewriter.eraseOp(fence);
    rewriter.eraseOp(filled);
  }

  void fillRings(Value insert, Value extract, SmallVectorImpl<Value> &rings) {
    Block *body = loop.getBody();
    for (auto [copy, ring] : llvm::zip_equal(plan.copies, rings)) {
      tensor::LoadOp load = copy.load;
      rewriter.setInsertionPoint(load);
      auto slot = MemDescIndexOp::create(rewriter, loc, ring, insert);
      auto filling = AsyncCopyGlobalToLocalOp::create(rewriter, load.getLoc(), AsyncTokenType::get(loop.getContext()),
                                                      load.getPtr(), slot, load.getMask(), Value(), load.getCache(),
                                                      load.getEvict(), false);
      ahead.insert_range(ArrayRef<Operation *>{slot, filling});
      auto view = MemDescIndexOp::create(rewriter, loc, ring, extract);
      if (copy.filled)
        takeView(copy.filled, view);
      else
        readIntoRegisters(copy, view);
      rewriter.eraseOp(load);
    }
    if (plan.copies.empty())
      return;
    rewriter.setInsertionPoint(body->getTerminator());
    ahead.insert(AsyncCommitGroupOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange()));
  }

  /// Each layout that the values are wanted in is read from the buffer as it is.
  void readIntoRegisters(RingCopy copy, Value view) {
    tensor::LoadOp load = copy.load;
    if (copy.transposing) {
      auto filled = cast<LocalAllocOp>(*load->user_begin());
      rewriter.setInsertionPoint(filled);
      auto type = withLayout(cast<RankedTensorType>(load.getType()), copy.transposing);
      Value read = LocalLoadOp::create(rewriter, load.getLoc(), type, view);
      if (parity)
        storeAlternately(filled, read);
      else
        filled.getSrcMutable().assign(read);
      return;
    }
    readUsesIntoRegisters(load, view);
  }

  /// Two buffers instead of the one that `filled` is: the product of the iteration before may still read the other.
  void storeAlternately(LocalAllocOp filled, Value value) {
    MemDescType one = filled.getType();
    SmallVector<int64_t> shape = {2};
    llvm::append_range(shape, one.getShape());
    auto type = MemDescType::get(shape, one.getElementType(), one.getEncoding(), one.getMemorySpace(), true);
    rewriter.setInsertionPoint(loop);
    transposed.push_back(LocalAllocOp::create(rewriter, filled.getLoc(), type));
    rewriter.setInsertionPoint(filled);
    auto view = MemDescIndexOp::create(rewriter, loc, transposed.back(), parity);
    LocalStoreOp::create(rewriter, filled.getLoc(), value, view);
    replaceBuffer(filled.getResult(), view);
    rewriter.eraseOp(filled);
  }

  template <typename LoadT> void readUsesIntoRegisters(LoadT load, Value view) {
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

  /// Ops that both a copy and the rest of the iteration use are computed twice: carrying them through the loop would cost registers.
  void separateAhead() {
    llvm::DenseSet<Operation *> seen = ahead;
    SmallVector<Operation *> inOrder;
    for (Operation &op : loop.getBody()->without_terminator())
      if (plan.ahead.contains(&op))
        inOrder.push_back(&op);
    for (Operation *op : llvm::reverse(inOrder)) {
      bool usedByRest = false, usedAhead = false;
      for (Operation *user : op->getUsers())
        (ahead.contains(user) ? usedAhead : usedByRest) |= user != loop.getBody()->getTerminator();
      if (!usedByRest || isa<tensor::LoadOp>(op)) {
        ahead.insert(op);
        continue;
      }
      if (!usedAhead)
        continue;
      rewriter.setInsertionPoint(op);
      Operation *copy = rewriter.clone(*op);
      for (auto [result, copied] : llvm::zip_equal(op->getResults(), copy->getResults()))
        rewriter.replaceUsesWithIf(result, copied, [&](OpOperand &use) { return ahead.contains(use.getOwner()); });
      ahead.insert(copy);
      // What the loop carries for the copies is computed ahead; the rest of the iteration does not need it.
      for (OpOperand &use : llvm::make_early_inc_range(op->getUses()))
        if (use.getOwner() == loop.getBody()->getTerminator() && feedsOnlyAhead(use))
          use.set(copy->getResult(cast<OpResult>(use.get()).getResultNumber()));
    }
  }

  bool feedsOnlyAhead(OpOperand &yielded) {
    Value argument = loop.getRegionIterArg(yielded.getOperandNumber());
    return llvm::all_of(argument.getUsers(),
                        [&](Operation *user) { return ahead.contains(user) || plan.ahead.contains(user); });
  }

  /// Behind its wait and a barrier the buffers that the product in flight reads are free.
  void leaveInFlight() {
    auto [dot, carried, drain, overlapped] = *plan.inFlight;
    dot.setIsAsync(true);
    WarpGroupDotOp issued = drain ? drain : dot;
    issued.setIsAsync(true);
    SmallVector<Value> products = {issued.getD()};
    if (drain)
      products.push_back(loop.getRegionIterArg(carried));
    rewriter.setInsertionPointAfter(issued);
    auto wait = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange(ValueRange(products)), products,
                                           rewriter.getI32IntegerAttr(drain ? 0 : 1));
    for (auto [product, result] : llvm::zip_equal(products, wait.getResults()))
      rewriter.replaceAllUsesExcept(product, result, wait);
    tail = {wait, BarrierOp::create(rewriter, loc)};
  }

  /// The buffer before `slot`.
  Value previous(Value slot) {
    Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, slot, constant(0));
    return arith::SelectOp::create(rewriter, loc, isFirst, constant(plan.buffers - 1),
                                   arith::SubIOp::create(rewriter, loc, slot, constant(1)));
  }

  Value delayed(Value left, Value ring, Value slot, Value sum, bool isAsync) {
    auto view = MemDescIndexOp::create(rewriter, loc, ring, previous(slot));
    return WarpGroupDotOp::create(rewriter, loc, sum.getType(), left, view, sum, Value(), delayedPrecision,
                                  delayedLimit, isAsync);
  }

  /// Does the last product an iteration later, behind the first one of that iteration: while the first one's result is reduced, it runs.
  ///   s = q k(i)          in flight
  ///   o += p v(i - 1)     in flight; p is carried, and 0 at first, as is v(-1)
  ///   wait for s; m = max(s)
  ///   wait for o; o *= alpha; p = exp(s - m)
  /// What comes after the second wait takes the reduced tile from it, so that p is not made while the product still reads it.
  void rotate(unsigned slotIndex) {
    auto [dot, carried, drain, overlapped] = *plan.inFlight;
    auto type = cast<RankedTensorType>(dot.getA().getType());
    auto view = dot.getB().getDefiningOp<MemDescIndexOp>();
    delayedRing = view.getSrc();
    delayedPrecision = dot.getInputPrecision();
    delayedLimit = dot.getMaxNumImpreciseAcc();
    rewriter.setInsertionPoint(loop);
    Value none = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    auto ringType = cast<MemDescType>(delayedRing.getType());
    ArrayRef<int64_t> shape = ringType.getShape().drop_front();
    // Every CTA of a cluster clears its own.
    BlockedAttr one = getDefaultBlockedLayout(loop.getContext(), shape, getNumWarps(loop));
    SmallVector<int64_t> copies(llvm::Log2_32(getNumCtas(loop->getParentOfType<ModuleOp>())) * shape.size(), 0);
    auto anyLayout = BlockedAttr::get(loop.getContext(), one.getSizePerThread(), one.getThreadsPerWarp(),
                                      one.getWarpsPerCTA(), one.getOrder(), copies);
    auto zeros = RankedTensorType::get(shape, ringType.getElementType(), anyLayout);
    LocalStoreOp::create(rewriter, loc, arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(zeros)),
                         MemDescIndexOp::create(rewriter, loc, delayedRing, constant(plan.buffers - 1)));
    FenceAsyncSharedOp::create(rewriter, loc, rewriter.getBoolAttr(false));
    delayedLeft = addCarried(none);
    BlockArgument left = loop.getRegionIterArg(delayedLeft), sum = loop.getRegionIterArg(carried);
    BlockArgument slot = loop.getRegionIterArg(slotIndex);

    drain.setIsAsync(true);
    rewriter.setInsertionPointAfter(drain);
    Value product = delayed(left, delayedRing, slot, sum, true);
    auto first = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange{drain.getD().getType()}, ValueRange{drain.getD()},
                                            rewriter.getI32IntegerAttr(1));
    rewriter.replaceAllUsesExcept(drain.getD(), first.getResult(0), first);
    rewriter.setInsertionPointAfter(overlapped);
    Value tile = overlapped->getOperand(0);
    SmallVector<Value> tied = {product, tile};
    auto second =
        WarpGroupDotWaitOp::create(rewriter, loc, TypeRange(ValueRange(tied)), tied, rewriter.getI32IntegerAttr(0));
    second->setAttr(pinnedName, rewriter.getUnitAttr());
    tail = {second, BarrierOp::create(rewriter, loc)};
    rewriter.replaceUsesWithIf(sum, second.getResult(0),
                               [&](OpOperand &use) { return use.getOwner() != product.getDefiningOp(); });
    rewriter.replaceUsesWithIf(tile, second.getResult(1), [&](OpOperand &use) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      return user && second->isBeforeInBlock(user);
    });
    loop.getTiedLoopYieldedValue(left)->set(dot.getA());
    rewriter.replaceOp(dot, dot.getC());
    rewriter.eraseOp(view);
  }

  /// All ops with their stage, in the order they run in: the head, products in flight, copies, the rest; or copies right behind the head.
  void schedule(scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &ops) {
    llvm::DenseSet<Operation *> placed;
    auto place = [&](Operation *op) {
      if (placed.insert(op).second)
        ops.push_back({op, ahead.contains(op) ? 0u : plan.distance});
    };
    auto placeAhead = [&] {
      for (Operation &op : loop.getBody()->without_terminator())
        if (ahead.contains(&op))
          place(&op);
    };
    for (Operation *op : head)
      place(op);
    if (tail.empty())
      placeAhead();
    for (Operation &op : loop.getBody()->without_terminator())
      if (!ahead.contains(&op)) {
        place(&op);
        if (!tail.empty() && &op == tail.back())
          placeAhead();
      }
  }

  /// What runs ahead of the last iterations does nothing: only memory accesses need to be told.
  static Operation *predicate(RewriterBase &rewriter, Operation *op, Value isInside) {
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

  LogicalResult run() {
    rewriter.setInsertionPoint(loop);
    Value zero = constant(0), one = constant(1), size = constant(plan.buffers);
    SmallVector<Value> rings;
    for (RingCopy copy : plan.copies)
      rings.push_back(LocalAllocOp::create(rewriter, copy.load.getLoc(), ringType(copy)));
    Value isTrue = allocateBlockRings();
    bool alternates = plan.transposedBuffers > 1 && plan.inFlight &&
                      llvm::any_of(plan.copies, [](RingCopy &copy) { return bool(copy.transposing); });
    unsigned first = addCarried(SmallVector<Value>((barriers ? 3 : 2) + alternates, zero));
    BlockArgument insert = loop.getRegionIterArgs()[first], extract = loop.getRegionIterArgs()[first + 1];
    BlockArgument phase = barriers ? loop.getRegionIterArgs()[first + 2] : BlockArgument();
    if (alternates) {
      BlockArgument turn = loop.getRegionIterArgs().back();
      parity = turn;
      rewriter.setInsertionPoint(loop.getBody()->getTerminator());
      loop.getTiedLoopYieldedValue(turn)->set(arith::XOrIOp::create(rewriter, loc, turn, one));
    }
    // Both count 0, 1, …, buffers - 1, 0, …: where copies go, and where this iteration reads.
    for (auto [counter, isAhead] : {std::pair(insert, true), std::pair(extract, false)}) {
      rewriter.setInsertionPoint(loop.getBody()->getTerminator());
      auto next = arith::AddIOp::create(rewriter, loc, counter, one);
      auto isEnd = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, next, size);
      auto wrapped = arith::SelectOp::create(rewriter, loc, isEnd, zero, next);
      loop.getTiedLoopYieldedValue(counter)->set(wrapped);
      if (isAhead)
        ahead.insert_range(ArrayRef<Operation *>{next, isEnd, wrapped});
      else if (phase) { // each round through the ring is a phase of its barriers
        auto flipped = arith::XOrIOp::create(rewriter, loc, phase, one);
        loop.getTiedLoopYieldedValue(phase)->set(arith::SelectOp::create(rewriter, loc, isEnd, flipped, phase));
      }
    }
    rewriter.setInsertionPoint(&loop.getBody()->front());
    waitForRings(extract, phase);
    fillBlockRings(insert, extract, isTrue);
    fillRings(insert, extract, rings);
    separateAhead();
    if (plan.inFlight && plan.inFlight->overlapped)
      rotate(first + 1);
    else if (plan.inFlight)
      leaveInFlight();

    scf::PipeliningOption options;
    options.getScheduleFn = [&](scf::ForOp op, std::vector<std::pair<Operation *, unsigned>> &ops) {
      schedule(op, ops);
    };
    options.peelEpilogue = false;
    options.supportDynamicLoops = true;
    options.predicateFn = predicate;
    rewriter.setInsertionPoint(loop);
    FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
    if (failed(pipelined))
      return loop.emitError() << "could not be pipelined";
    loop = *pipelined;
    loop->removeAttr(tensor::numStagesName);
    finish(rings, first + 1);
    return success();
  }

  /// Rings for the blocks of the copy engine, with their barriers. The predicate `true`; null if there are no blocks.
  Value allocateBlockRings() {
    if (plan.blocks.empty())
      return {};
    barriers = LocalAllocOp::create(rewriter, loc, barrierType(loop.getContext(), plan.buffers));
    for (unsigned index = 0; index < plan.buffers; ++index)
      InitBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, barriers, constant(index)), 1);
    for (RingBlock block : plan.blocks) {
      MemDescType one = blockBufferType(block.load.getDesc().getType());
      SmallVector<int64_t> shape = {int64_t(plan.buffers)};
      llvm::append_range(shape, one.getShape());
      auto type = MemDescType::get(shape, one.getElementType(), one.getEncoding(), one.getMemorySpace(), true);
      blockRings.push_back(LocalAllocOp::create(rewriter, block.load.getLoc(), type));
    }
    return arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
  }

  /// `slot`: where the iteration behind the last would read.
  void finish(ArrayRef<Value> rings, unsigned slot) {
    rewriter.setInsertionPointAfter(loop);
    if (plan.inFlight && plan.inFlight->overlapped) {
      Value sum = loop.getResult(plan.inFlight->carried);
      Value product = delayed(loop.getResult(delayedLeft), delayedRing, loop.getResult(slot), sum, false);
      rewriter.replaceAllUsesExcept(sum, product, product.getDefiningOp());
    } else if (plan.inFlight) {
      Value product = loop.getResult(plan.inFlight->carried);
      auto wait = WarpGroupDotWaitOp::create(rewriter, loc, TypeRange{product.getType()}, ValueRange{product},
                                             rewriter.getI32IntegerAttr(0));
      rewriter.replaceAllUsesExcept(product, wait.getResult(0), wait);
    }
    // Copies behind the end wrote zeros: done before the buffers are used for something else.
    if (!plan.copies.empty())
      AsyncWaitOp::create(rewriter, loc, AsyncTokenType::get(loop.getContext()), ValueRange(),
                          rewriter.getI32IntegerAttr(0));
    for (Value ring : rings)
      LocalDeallocOp::create(rewriter, loc, ring);
    for (Value ring : llvm::concat<Value>(blockRings, transposed))
      LocalDeallocOp::create(rewriter, loc, ring);
    if (barriers)
      for (unsigned index = 0; index < plan.buffers; ++index)
        InvalBarrierOp::create(rewriter, loc, MemDescIndexOp::create(rewriter, loc, barriers, constant(index)));
  }
};

struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  using PipelineLoopsBase::PipelineLoopsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      auto asked = loop->getAttrOfType<IntegerAttr>(tensor::numStagesName);
      AccessAnalysis access(module);
      LoopPlan plan = planLoop(loop, asked ? asked.getInt() : numStages, access);
      if (plan && failed(Pipeliner{loop, plan}.run()))
        return signalPassFailure();
    }
  }
};

} // namespace

} // namespace triton::gpu
