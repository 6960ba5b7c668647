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
// become writes of this thread that others must still be told of. Products (wgmma) likewise read until their wait.
//   What threads wrote is seen by wgmma and TMA only after `ttng.fence_async_shared` in the writing threads and a barrier behind it.
// Runs last: offsets are known, and nothing moves any more.
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
  std::set<SharedAccess> accesses;
  std::set<SharedAccess> copies, products; // under way
  std::set<ByteRange> unfenced, fenced;    // written by threads, not yet seen by asynchronous readers
  bool operator==(const State &) const = default;

  void join(const State &other) {
    accesses.insert(other.accesses.begin(), other.accesses.end());
    copies.insert(other.copies.begin(), other.copies.end());
    products.insert(other.products.begin(), other.products.end());
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
  void add(const SharedAccess &access) {
    accesses.insert(access);
    if (access.writes && !access.asyncProxy)
      unfenced.insert(access.bytes);
  }
};

enum class Need { Nothing, Barrier, FenceAndBarrier };

class Inserter {
public:
  explicit Inserter(FunctionOpInterface function) : function(function), aliases(function) {}
  void run();

private:
  State walk(Block &block, State state);
  State walk(Operation *op, State state);
  State walkLoop(Operation *loop, State state);
  State bodyOf(Operation *loop, State state, State *atExit);
  void insertBefore(Operation *op, Need need, State &state);
  static Need needOf(const State &state, ArrayRef<SharedAccess> accesses);

  FunctionOpInterface function;
  BufferAliases aliases;
};

} // namespace

static bool overlapsAny(const std::set<ByteRange> &ranges, const ByteRange &bytes) {
  return llvm::any_of(ranges, [&](const ByteRange &range) { return range.overlaps(bytes); });
}

Need Inserter::needOf(const State &state, ArrayRef<SharedAccess> accesses) {
  Need need = Need::Nothing;
  for (const SharedAccess &access : accesses) {
    if (access.asyncProxy && overlapsAny(state.unfenced, access.bytes))
      return Need::FenceAndBarrier;
    bool conflict = access.asyncProxy && overlapsAny(state.fenced, access.bytes);
    for (const SharedAccess &earlier : state.accesses)
      conflict |= earlier.conflictsWith(access);
    if (conflict)
      need = Need::Barrier;
  }
  return need;
}

void Inserter::insertBefore(Operation *op, Need need, State &state) {
  if (need == Need::Nothing)
    return;
  OpBuilder builder(op);
  if (need == Need::FenceAndBarrier) {
    FenceAsyncSharedOp::create(builder, op->getLoc(), builder.getBoolAttr(false));
    state.fence();
  }
  BarrierOp::create(builder, op->getLoc());
  state.barrier();
}

/// Accesses that may come before the first barrier inside `op`. Sets `passes` if its end can be reached without one.
static void exposedAccesses(Operation *op, const BufferAliases &aliases, SmallVectorImpl<SharedAccess> &result,
                            bool &passes);

static void exposedAccesses(Block &block, const BufferAliases &aliases, SmallVectorImpl<SharedAccess> &result,
                            bool &passes) {
  passes = true;
  for (Operation &op : block) {
    exposedAccesses(&op, aliases, result, passes);
    if (!passes)
      return;
  }
}

static void exposedAccesses(Operation *op, const BufferAliases &aliases, SmallVectorImpl<SharedAccess> &result,
                            bool &passes) {
  passes = true;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool first = true, second = true;
    exposedAccesses(*branch.thenBlock(), aliases, result, first);
    if (branch.elseBlock())
      exposedAccesses(*branch.elseBlock(), aliases, result, second);
    passes = first || second;
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    exposedAccesses(*loop.getBeforeBody(), aliases, result, passes);
    bool after = true;
    if (passes)
      exposedAccesses(*loop.getAfterBody(), aliases, result, after);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool body = true;
    exposedAccesses(*loop.getBody(), aliases, result, body);
    return; // it may run no iteration
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      bool ignored = true; // some other region may run
      exposedAccesses(block, aliases, result, ignored);
    }
  SharedEffects effects = getSharedEffects(op, aliases);
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
  exposedAccesses(loop, aliases, first, passes);
  insertBefore(loop, needOf(state, first), state);
  // Copies and products under way before the loop meet its waits: that may take barriers more.
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
    if (isa<scf::WhileOp>(loop))
      return atExit;
    state.join(end);
    return state;
  }
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
  // Of other regions any may run, or none.
  State before = state;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      state.join(walk(block, before));
  SharedEffects effects = getSharedEffects(op, aliases);
  if (effects.isBarrier)
    state.barrier();
  if (effects.isFence)
    state.fence();
  if (effects.wait != SharedEffects::Wait::None) {
    std::set<SharedAccess> &underWay = effects.wait == SharedEffects::Wait::Copies ? state.copies : state.products;
    for (const SharedAccess &access : underWay)
      state.add(access);
    if (effects.waitsForAll)
      underWay.clear();
  }
  insertBefore(op, needOf(state, effects.accesses), state);
  if (effects.begins.empty())
    for (const SharedAccess &access : effects.accesses)
      state.add(access);
  if (effects.waits)
    state.barrier();
  for (const SharedAccess &access : effects.after)
    state.add(access);
  for (const SharedAccess &access : effects.begins)
    (access.writes ? state.copies : state.products).insert(access);
  return state;
}

State Inserter::walk(Block &block, State state) {
  for (Operation &op : llvm::make_early_inc_range(block))
    state = walk(&op, std::move(state));
  return state;
}

void Inserter::run() {
  Region &body = function.getFunctionBody();
  llvm::DenseMap<Block *, State> atEntry;
  SmallVector<Block *> pending{&body.front()};
  atEntry[&body.front()];
  llvm::DenseSet<Block *> visited;
  while (!pending.empty()) {
    Block *block = pending.pop_back_val();
    visited.insert(block);
    State end = walk(*block, atEntry[block]);
    for (Block *successor : block->getSuccessors()) {
      State joined = atEntry[successor];
      joined.join(end);
      if (visited.contains(successor) && joined == atEntry[successor])
        continue;
      atEntry[successor] = std::move(joined);
      pending.push_back(successor);
    }
  }
}

namespace {
struct InsertBarriers : impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        Inserter(function).run();
  }
};
} // namespace

} // namespace triton::gpu
