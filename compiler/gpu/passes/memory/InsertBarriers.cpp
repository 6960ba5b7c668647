// Makes all threads of a CTA wait where one may touch bytes of shared memory that another has yet to read or write.
//
//   ttg.local_store %x, %a
//   %y = ttg.local_load %a
// becomes
//   ttg.local_store %x, %a
//   ttg.barrier
//   %y = ttg.local_load %a
//
// Walks the program with the accesses since the last barrier. A barrier goes right before the first access that conflicts with one of them
// (same bytes, one of the two a write), which is the latest place that will do, so that one barrier serves as many conflicts as can be.
// Barriers within ops that exchange values count. A loop is first walked on its own, round and round; what it touches before its first
// barrier is then checked against what came before the loop, and such a barrier goes before the loop, where it runs once.
//   Copies (cp.async) conflict as writes when they begin; reading their bytes before the wait means another buffer of a row. At the wait they
// become writes of this thread that others must still be told of. Dots (wgmma) and TMA stores likewise read until their wait. What ends at
// an mbarrier needs nothing more: every thread that goes on has waited there. A wait that names buffers (`deps`) says that no thread accesses them any
// more. A thread that arrives at an mbarrier for all threads does so behind a barrier, which the others reach after their accesses.
//   Tensor memory is looked at likewise; there every warp has rows of its own, and only what the tensor cores do meets what threads did.
//   wgmma and TMA see what threads wrote, and may overwrite what they read, only after `ttng.fence_async_shared` in those threads and a barrier
// behind it.
// What a loop needs for what came before it may make a barrier spare that it was given for itself: those are looked at once more, and go if
// the program is right without.
// Runs last: offsets are known, and nothing moves any more.
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/SharedAccesses.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <set>

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// What may have happened since the last barrier, on any way here.
struct State {
  using Async = SharedEffects::Async;
  std::set<SharedAccess> accesses;
  std::set<std::pair<Async, SharedAccess>> underWay;
  /// By threads, not yet known to asynchronous accesses: before a fence, and between a fence and a barrier. Empty where it is not asked for: without fences
  /// they would grow with the program.
  std::set<SharedAccess> unfenced, fenced;
  bool operator==(const State &) const = default;

  void join(const State &other) {
    accesses.insert(other.accesses.begin(), other.accesses.end());
    underWay.insert(other.underWay.begin(), other.underWay.end());
    unfenced.insert(other.unfenced.begin(), other.unfenced.end());
    fenced.insert(other.fenced.begin(), other.fenced.end());
  }
  void barrier() {
    accesses.clear();
    fenced.clear();
  }
  void fence() {
    fenced.insert(unfenced.begin(), unfenced.end());
    unfenced.clear();
  }
  void add(const SharedAccess &access, bool needsFences) {
    if (!access.isTracked)
      accesses.insert(access);
    if (needsFences && !access.asyncProxy && !access.warps)
      unfenced.insert(access);
  }
  void wait(Async kind, bool forAll, bool needsFences) {
    for (const auto &[begun, access] : underWay)
      if (begun == kind)
        add(access, needsFences);
    if (forAll)
      std::erase_if(underWay, [&](const auto &each) { return each.first == kind; });
  }
};

enum class Need { Nothing, Barrier, FenceAndBarrier };

class Inserter {
public:
  explicit Inserter(FunctionOpInterface function)
      : function(function), aliases(function), needsFences(hasProxies(function)) {}
  void run();

private:
  State walkRegion(Region &body, State state);
  void removeSpare();
  State walk(Block &block, State state);
  State walk(Operation *op, State state);
  State walkLoop(Operation *loop, State state);
  State walkPartitions(WarpSpecializeOp op, State state);
  State bodyOf(Operation *loop, State state, State *atExit);
  void insertBefore(Operation *op, Need need, State &state);
  /// Accesses that may come before the first barrier inside. `passes`: whether the end can be reached without one.
  void exposedAccesses(Operation *op, SmallVectorImpl<SharedAccess> &result, bool &passes);
  void exposedAccesses(Block &block, SmallVectorImpl<SharedAccess> &result, bool &passes);
  const SharedEffects &effectsOf(Operation *op) {
    auto [found, isNew] = known.try_emplace(op);
    if (isNew)
      found->second = std::make_unique<SharedEffects>(getSharedEffects(op, aliases));
    return *found->second;
  }
  /// Whether anything but threads accesses shared memory, or partitions might.
  bool hasProxies(FunctionOpInterface function) {
    WalkResult result = function->walk([&](Operation *op) {
      auto byProxy = [](const SharedAccess &access) { return access.asyncProxy; };
      const SharedEffects &effects = effectsOf(op);
      return isa<WarpSpecializeOp>(op) || llvm::any_of(effects.accesses, byProxy) ||
                     llvm::any_of(effects.after, byProxy) || llvm::any_of(effects.begins, byProxy)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return result.wasInterrupted();
  }
  bool accesses(Operation *op, LocalAllocOp alloc) {
    return op && llvm::any_of(op->getOperands(), [&](Value operand) {
             return isa<MemDescType>(operand.getType()) && llvm::is_contained(aliases.of(operand), alloc);
           });
  }
  static Need needOf(const State &state, ArrayRef<SharedAccess> accesses);

  FunctionOpInterface function;
  BufferAliases aliases;
  llvm::DenseMap<Operation *, std::unique_ptr<SharedEffects>> known; // an exchange is planned anew whenever asked
  bool needsFences;
  SmallVector<Operation *> inserted, suspects; // barriers and fences
  bool onlyChecks = false, isWrong = false;    // whether one is missing is noted instead of inserting it
};

} // namespace

static bool conflictsWithAny(const std::set<SharedAccess> &earlier, const SharedAccess &access) {
  return llvm::any_of(earlier, [&](const SharedAccess &each) { return each.conflictsWith(access); });
}

/// Not of an mbarrier, where threads meet anyway.
static bool isOfData(const SharedAccess &access) {
  return !access.op || !isa<InitBarrierOp, InvalBarrierOp, BarrierExpectOp, ArriveBarrierOp, WaitBarrierOp>(access.op);
}

Need Inserter::needOf(const State &state, ArrayRef<SharedAccess> accesses) {
  Need need = Need::Nothing;
  for (const SharedAccess &access : accesses) {
    if (access.asyncProxy && conflictsWithAny(state.unfenced, access))
      return Need::FenceAndBarrier;
    if (conflictsWithAny(state.accesses, access) || (access.asyncProxy && conflictsWithAny(state.fenced, access)))
      need = Need::Barrier;
  }
  return need;
}

void Inserter::insertBefore(Operation *op, Need need, State &state) {
  if (need == Need::Nothing)
    return;
  if (onlyChecks) {
    isWrong = true;
    return;
  }
  OpBuilder builder(op);
  if (need == Need::FenceAndBarrier) {
    inserted.push_back(FenceAsyncSharedOp::create(builder, op->getLoc(), builder.getBoolAttr(false)));
    state.fence();
  }
  auto barrier = BarrierOp::create(builder, op->getLoc());
  barrier->setAttr(sharedOnlyName, builder.getUnitAttr());
  inserted.push_back(barrier);
  state.barrier();
}

void Inserter::exposedAccesses(Block &block, SmallVectorImpl<SharedAccess> &result, bool &passes) {
  passes = true;
  for (Operation &op : block) {
    exposedAccesses(&op, result, passes);
    if (!passes)
      return;
  }
}

void Inserter::exposedAccesses(Operation *op, SmallVectorImpl<SharedAccess> &result, bool &passes) {
  passes = true;
  if (isa<WarpSpecializeOp>(op)) {
    passes = false;
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool first = true, second = true;
    exposedAccesses(*branch.thenBlock(), result, first);
    if (branch.elseBlock())
      exposedAccesses(*branch.elseBlock(), result, second);
    passes = first || second;
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    exposedAccesses(*loop.getBeforeBody(), result, passes);
    bool after = true;
    if (passes)
      exposedAccesses(*loop.getAfterBody(), result, after);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool body = true;
    exposedAccesses(*loop.getBody(), result, body);
    return; // it may run no iteration
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      bool ignored = true; // some other region may run
      exposedAccesses(block, result, ignored);
    }
  const SharedEffects &effects = effectsOf(op);
  result.append(effects.accesses.begin(), effects.accesses.end());
  passes = !effects.isBarrier && !effects.waits;
}

/// One round through a loop's body. `atExit`, for a loop that may end in the middle, is the state there.
State Inserter::bodyOf(Operation *loop, State state, State *atExit) {
  if (auto whileLoop = dyn_cast<scf::WhileOp>(loop)) {
    state = walk(*whileLoop.getBeforeBody(), std::move(state));
    if (atExit)
      *atExit = state;
    return walk(*whileLoop.getAfterBody(), std::move(state));
  }
  return walk(*cast<scf::ForOp>(loop).getBody(), std::move(state));
}

State Inserter::walkLoop(Operation *loop, State state) {
  size_t before = inserted.size();
  // On its own: what one iteration leaves behind meets the next.
  State carried;
  for (;;) {
    State next = carried;
    next.join(bodyOf(loop, carried, nullptr));
    if (next == carried)
      break;
    carried = std::move(next);
  }
  SmallVector<SharedAccess> first;
  bool passes = true;
  exposedAccesses(loop, first, passes);
  insertBefore(loop, needOf(state, first), state);
  // Copies and dots under way before the loop meet its waits: that may take barriers more.
  SmallVector<Operation *> ofItself(llvm::drop_begin(inserted, before));
  size_t own = inserted.size();
  State entry = state;
  entry.join(carried);
  for (;;) {
    State atExit;
    State end = bodyOf(loop, entry, &atExit);
    State next = entry;
    next.join(end);
    if (!(next == entry)) {
      entry = std::move(next);
      continue;
    }
    if (inserted.size() > own)
      llvm::append_range(suspects, ofItself);
    if (isa<scf::WhileOp>(loop))
      return atExit;
    state.join(end);
    return state;
  }
}

/// All warps meet at both ends. In between each partition is on its own: what it shares with others it orders by mbarriers.
State Inserter::walkPartitions(WarpSpecializeOp op, State state) {
  if (!state.unfenced.empty() && !onlyChecks) {
    OpBuilder builder(op);
    FenceAsyncSharedOp::create(builder, op.getLoc(), builder.getBoolAttr(false));
  }
  state.fence();
  state.barrier();
  State end = walkRegion(op.getDefaultRegion(), state);
  for (Region &partition : op.getPartitionRegions()) {
    State own = walkRegion(partition, state);
    // Behind the partition no thread can fence what its threads did.
    if (llvm::any_of(own.unfenced, isOfData) && !onlyChecks)
      for (Block &block : partition)
        if (block.hasNoSuccessors()) {
          OpBuilder builder(block.getTerminator());
          FenceAsyncSharedOp::create(builder, op.getLoc(), builder.getBoolAttr(false));
        }
    own.fence();
    end.join(own);
  }
  end.barrier();
  return end;
}

State Inserter::walk(Operation *op, State state) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return walkLoop(op, std::move(state));
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    State other = state;
    state = walk(*branch.thenBlock(), std::move(state));
    if (branch.elseBlock())
      other = walk(*branch.elseBlock(), std::move(other));
    state.join(other);
    return state;
  }
  if (auto specialized = dyn_cast<WarpSpecializeOp>(op))
    return walkPartitions(specialized, std::move(state));
  // Of other regions any may run, or none.
  if (op->getNumRegions() != 0) {
    const State before = state;
    for (Region &region : op->getRegions())
      if (!region.empty())
        state.join(walkRegion(region, before));
  }
  const SharedEffects &effects = effectsOf(op);
  if (effects.isBarrier)
    state.barrier();
  if (effects.isFence)
    state.fence();
  for (auto [alloc, bytes] : effects.freed) {
    auto isOver = [&](const SharedAccess &access) {
      return bytes.begin <= access.bytes.begin && access.bytes.end <= bytes.end && accesses(access.op, alloc);
    };
    std::erase_if(state.accesses, isOver);
    if (effects.meets)
      std::erase_if(state.fenced, isOver);
  }
  if (effects.wait != SharedEffects::Async::None)
    state.wait(effects.wait, effects.waitsForAll, needsFences);
  Need need = needOf(state, effects.accesses);
  if (effects.arrives && need == Need::Nothing && llvm::any_of(state.accesses, isOfData))
    need = Need::Barrier;
  insertBefore(op, need, state);
  if (effects.begins.empty())
    for (const SharedAccess &access : effects.accesses)
      state.add(access, needsFences);
  if (effects.waits)
    state.barrier();
  for (const SharedAccess &access : effects.after)
    state.add(access, needsFences);
  for (const SharedAccess &access : effects.begins)
    state.underWay.insert({effects.begun, access});
  return state;
}

State Inserter::walk(Block &block, State state) {
  for (Operation &op : llvm::make_early_inc_range(block))
    state = walk(&op, std::move(state));
  return state;
}

/// The blocks of a region, from `state` on. Gives the state behind those that leave it.
State Inserter::walkRegion(Region &body, State state) {
  llvm::DenseMap<Block *, State> atEntry;
  SmallVector<Block *> pending{&body.front()};
  atEntry[&body.front()] = std::move(state);
  State atEnd;
  llvm::DenseSet<Block *> visited;
  while (!pending.empty()) {
    Block *block = pending.pop_back_val();
    visited.insert(block);
    State end = walk(*block, atEntry[block]);
    if (block->hasNoSuccessors())
      atEnd.join(end);
    for (Block *successor : block->getSuccessors()) {
      State joined = atEntry[successor];
      joined.join(end);
      if (visited.contains(successor) && joined == atEntry[successor])
        continue;
      atEntry[successor] = std::move(joined);
      pending.push_back(successor);
    }
  }
  return atEnd;
}

void Inserter::removeSpare() {
  onlyChecks = true;
  llvm::DenseSet<Operation *> seen;
  for (Operation *op : suspects) {
    if (!seen.insert(op).second)
      continue;
    Operation *next = op->getNextNode();
    op->remove();
    isWrong = false;
    walkRegion(function.getFunctionBody(), State());
    if (isWrong)
      next->getBlock()->getOperations().insert(next->getIterator(), op);
    else
      op->destroy();
  }
}

void Inserter::run() {
  walkRegion(function.getFunctionBody(), State());
  removeSpare();
}

namespace {
struct InsertBarriers : impl::InsertBarriersBase<InsertBarriers> {
  void run() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        Inserter(function).run();
  }
};
} // namespace

} // namespace triton::gpu
