// Warp specialisation: a loop split between a producer warp that starts copies and the warps that compute.
//
//   scf.for … {
//     %a = tt.descriptor_load %d[%i, %k]
//     %w = ttng.warp_group_dot %a, …, %acc
//   } {tt.warp_specialize}
// becomes, with multi-buffers and an mbarrier of each kind, full and empty, for each slot of them,
//   ttg.warp_specialize(%d, …) attributes {requestedRegisters = array<i32: 24>}
//   default {
//     scf.for … {
//       ttng.wait_barrier %full[j]                    the block is there
//       ttng.warp_group_dot %buffers[j], …, %acc {isAsync}
//       ttng.warp_group_dot_wait {pendings = 1}       the dot of the iteration before is done
//       ttng.arrive_barrier %empty[j - 1]
//     }
//   }
//   partition0(…) num_warps(1) {
//     scf.for … {
//       ttng.wait_barrier %empty[j]                   not for the first round
//       ttng.barrier_expect %full[j], bytes
//       ttng.async_tma_copy_global_to_local … %buffers[j], %full[j]
//     }
//   }
//
// The plan and the buffers are those of a pipelined loop. What the table gives a stage of copies is done by the producer warp, which in place of a
// stage runs as far ahead as there are free buffers. Both loops run equally often: every block that is asked for is waited for, so that nothing is
// under way when the two meet behind them, also if there was no iteration.
//   Where slots are released an iteration later, the first iteration releases the last slot, as if a round lay behind it: the producer waits for
// this in the first round already.
//   A loop around the loop is split with it, also where that only asks to be flattened, if nothing else is in its way and there is room beside the buffers for what it stores, so that copies
// go on while results are stored: slots go round from one tile to the next. Attention's loop, whose second dot is done an iteration later, begins and
// ends with empty buffers.
//
// Left to pipelining: GPUs where ptxas does not pass registers on (sm_120), loops where threads copy, where coordinates are tensors or come from what the loop computes, with more than one CTA, with a
// number of warps other than four or eight, or in functions that kernels call.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/GlobalRoots.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/loops/LoopPipeliner.h"
#include "compiler/gpu/passes/loops/LoopSlice.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::gpu {

namespace {

constexpr llvm::StringLiteral specializeName = "tt.warp_specialize", flattenName = "tt.flatten";
/// With more there are not enough registers for four beside them.
constexpr int mostWarps = 8;
/// Of a thread that only counts and starts copies.
constexpr int32_t registersOfCopies = 24;

/// The loop itself, or the innermost around it, that asks for it.
scf::ForOp askingLoop(scf::ForOp loop) {
  for (; loop; loop = loop->getParentOfType<scf::ForOp>())
    if (loop->hasAttr(specializeName))
      return loop;
  return {};
}

/// The loop around `loop`, if that asks to be flattened into it. Loops of dots are not (`gpu-flatten-loops`), but a producer warp does what it
/// would be for: the next tile's copies begin while results are stored.
scf::ForOp flatteningLoop(scf::ForOp loop) {
  auto outer = loop->getParentOfType<scf::ForOp>();
  return outer && outer->hasAttr(flattenName) ? outer : scf::ForOp();
}

bool isTensor(Type type) { return isa<RankedTensorType>(type); }

/// Whether one warp can compute on its own, from `whole` in, where to copy from and how often.
bool canCopyAlone(scf::ForOp whole, scf::ForOp loop, LoopPlan &plan) {
  LoopSlice slice(whole);
  slice.add(loop.getOperation());
  for (LoopBuffer &buffer : plan.buffers) {
    auto load = cast<tensor::DescriptorLoadOp>(buffer.load);
    if (!whole.isDefinedOutsideOfLoop(load.getDesc()) || mayWrite(whole.getBody(), rootOf(load.getDesc())))
      return false;
    for (Value coordinate : load.getIndices())
      slice.add(coordinate);
  }
  auto isScalar = [&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
      return false;
    auto load = dyn_cast<tensor::LoadOp>(op);
    return op->getNumRegions() == 0 &&
           (load ? !load.getIsVolatile() && !mayWrite(whole.getBody(), rootOf(load.getPtr())) : isMemoryEffectFree(op));
  };
  return llvm::all_of(slice.ops(), [&](Operation *op) { return op == whole || op == loop || isScalar(op); }) &&
         llvm::none_of(slice.captures(), [](Value value) { return isTensor(value.getType()); });
}

/// Whether `outer` is but one more loop around `loop`, and no other program is told anything between its iterations.
bool isPlainNest(scf::ForOp outer, scf::ForOp loop) {
  if (loop->getParentOp() != outer)
    return false;
  WalkResult others = outer.walk([&](Operation *op) {
    bool tells = isa<tensor::AtomicRMWOp, tensor::AtomicCASOp, tensor::DebugBarrierOp, CallOpInterface>(op);
    bool isOther = isa<scf::ForOp>(op) && op != outer && op != loop;
    return tells || isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !others.wasInterrupted();
}

/// Whether the buffers leave room for what the rest of `outer` needs at the same time.
bool fitsBesideBuffers(scf::ForOp outer, LoopPlan &plan) {
  int64_t buffers = 0, most = 0;
  for (LoopBuffer &buffer : plan.buffers)
    buffers += plan.depth * blockBytes(cast<tensor::DescriptorLoadOp>(buffer.load).getDesc().getType());
  for (Operation &op : *outer.getBody()) {
    if (auto store = dyn_cast<tensor::DescriptorStoreOp>(op))
      most = std::max(most, blockBytes(store.getDesc().getType()));
    else if (op.getNumRegions() == 0)
      most = std::max<int64_t>(most, scratchBytes(&op));
  }
  constexpr int64_t forBarriers = 1024;
  return buffers + most + forBarriers <= dotTarget(outer->getParentOfType<ModuleOp>()).sharedBytes();
}

} // namespace

bool asksForWarpSpecialization(scf::ForOp loop) { return bool(askingLoop(loop)); }

void planWarpSpecialization(scf::ForOp loop, LoopPlan &plan) {
  scf::ForOp asking = askingLoop(loop), flattening = asking ? scf::ForOp() : flatteningLoop(loop);
  auto module = loop->getParentOfType<ModuleOp>();
  auto function = loop->getParentOfType<FunctionOpInterface>();
  Target target{unsigned(getComputeCapability(module).value_or(90))};
  if (!(asking || flattening) || !(target.isHopper() || target.isBlackwell()) || plan.hasAsyncCopies() ||
      !plan.hasTma() || (plan.isRotated() && plan.release != Release::Mbarrier) || getNumCtas(module) != 1 ||
      getNumWarps(loop) % 4 != 0 || getNumWarps(loop) > mostWarps || !function.isPublic() ||
      loop->getParentOfType<WarpSpecializeOp>())
    return;
  scf::ForOp outer = asking ? asking : flattening;
  if (outer != loop && !plan.isRotated() && isPlainNest(outer, loop) && canCopyAlone(outer, loop, plan) &&
      fitsBesideBuffers(outer, plan))
    plan.specialized = outer;
  else if (asking && canCopyAlone(loop, loop, plan))
    plan.specialized = loop;
  if (plan.specialized)
    plan.release = Release::Mbarrier;
}

/// What the loop carries from `first` on goes round the loop around it too.
void LoopPipeliner::carryAround(unsigned first, ArrayRef<Value> initial) {
  scf::ForOp outer = plan.specialized;
  unsigned before = outer.getNumRegionIterArgs();
  auto results = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>(loop.getResults().drop_front(first));
  };
  auto replaced = outer.replaceWithAdditionalYields(rewriter, initial, false, results);
  plan.specialized = cast<scf::ForOp>(replaced->getOperation());
  for (unsigned index = 0; index < initial.size(); ++index)
    loop.getInitArgsMutable()[first + index].set(plan.specialized.getRegionIterArg(before + index));
}

/// The op of the loop's body behind which nothing reads `view` any more.
static Operation *lastReader(Value view, Block *body) {
  Operation *last = view.getDefiningOp();
  for (Operation *user : view.getUsers()) {
    Operation *reader = body->findAncestorOpInBlock(*user);
    for (Value result : user->getResults())
      if (isa<MemDescType>(result.getType()) && reader == user)
        reader = lastReader(result, body);
      else if (auto dot = dyn_cast<WarpGroupDotOp>(user); dot && dot.getIsAsync())
        reader = lastReader(result, body); // the wait
    if (last->isBeforeInBlock(reader))
      last = reader;
  }
  return last;
}

/// Behind the last op that reads this iteration's buffers.
void LoopPipeliner::freeBehindReads() {
  Operation *last = &loop.getBody()->front();
  for (Value buffer : multiBuffers)
    for (Operation *user : buffer.getUsers())
      if (auto view = dyn_cast<MemDescIndexOp>(user); view && view.getIndex() == carried(regular.read.slot))
        if (Operation *reader = lastReader(view, loop.getBody()); last->isBeforeInBlock(reader))
          last = reader;
  rewriter.setInsertionPointAfter(last);
  release(regular);
}

void LoopPipeliner::specialize() {
  scf::ForOp whole = plan.specialized;
  for (scf::ForOp each : {whole, loop}) {
    each->removeAttr(tensor::numStagesName);
    each->removeAttr(specializeName);
  }
  Operation *behind = whole->getNextNode();
  finishDots();

  // Two parts, each with what it needs.
  LoopSlice copies(whole), rest(whole);
  for (Operation *op : copyOps)
    copies.add(op);
  rest.add(loop.getOperation());
  for (scf::ForOp each : {whole, loop})
    for (Operation &op : each.getBody()->without_terminator())
      if (&op != loop && !isMemoryEffectFree(&op) && !llvm::is_contained(copyOps, &op))
        rest.add(&op);
  for (Value result : whole.getResults())
    if (!result.use_empty())
      rest.add(result);
  rewriter.setInsertionPoint(whole);
  IRMapping ofRest;
  rest.clone(rewriter, ofRest);
  for (Value result : whole.getResults())
    if (!result.use_empty())
      rewriter.replaceAllUsesWith(result, ofRest.lookup(result));

  // What comes out of the computing part: the loop and what finishes its dots.
  SmallVector<Operation *> computing = {whole->getPrevNode()};
  for (Operation *op = whole->getNextNode(); op != behind; op = op->getNextNode())
    computing.push_back(op);
  SmallVector<Value> results;
  for (Operation *op : computing)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return llvm::none_of(computing, [&](Operation *part) { return part->isAncestor(user); });
          }))
        results.push_back(result);

  SmallVector<Value> captures;
  for (Value value : copies.captures())
    if (!value.getDefiningOp() || !value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>())
      captures.push_back(value);
  rewriter.setInsertionPoint(computing.front());
  auto specialized =
      WarpSpecializeOp::create(rewriter, loc, TypeRange(ValueRange(results)), captures, ArrayRef<int32_t>{1});
  specialized.setRequestedRegisters(ArrayRef<int32_t>{registersOfCopies});
  for (auto [value, result] : llvm::zip_equal(results, specialized.getResults()))
    rewriter.replaceUsesWithIf(value, result, [&](OpOperand &use) {
      return llvm::none_of(computing, [&](Operation *part) { return part->isAncestor(use.getOwner()); });
    });
  Block &own = specialized.getDefaultRegion().front();
  for (Operation *op : computing)
    rewriter.moveOpBefore(op, &own, own.end());
  rewriter.setInsertionPointToEnd(&own);
  WarpYieldOp::create(rewriter, loc, results);

  Block &other = specialized.getPartitionRegions().front().front();
  rewriter.setInsertionPointToStart(&other);
  IRMapping ofCopies;
  ofCopies.map(captures, other.getArguments());
  for (Value value : copies.captures())
    if (!ofCopies.contains(value))
      ofCopies.map(value, rewriter.clone(*value.getDefiningOp())->getResult(0));
  copies.clone(rewriter, ofCopies);
  WarpReturnOp::create(rewriter, loc);
  rewriter.eraseOp(whole);
  rewriter.setInsertionPointAfter(specialized);
}

} // namespace triton::gpu
