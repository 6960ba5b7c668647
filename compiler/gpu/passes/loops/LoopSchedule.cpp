// The table of a pipelined loop, made step by step. The worked example is attention's loop, pipelined with three stages (distance 2):
//
//   k = load; s = dot q, k; m = max s; p = exp(s - m); v = load; o = dot p, v, o * alpha
//
// 1. Loads run ahead.                     2. The second dot is rotated: it is done an iteration later, under the maximum of the next tile.
//    op            stage  cluster            op            stage  cluster
//    k = load        0       2               k = load        0       2
//    s = dot         2       3               s = dot         2       1     issued first
//    m = max         2       3               o = dot         3       1     issued behind it, for the iteration before
//    p = exp         2       3               v = load        1       2     read an iteration later, so copied an iteration later
//    v = load        0       2               m = max         2       3     while the tensor cores do `o`
//    o = dot         2       3               p = exp         2       3
// One iteration of the pipelined loop then is
//    s = q k(i); o += p v(i - 1); copy k(i + 2), v(i + 1); wait for s; m = max s; wait for o; p = exp(s - m); o *= alpha
// with p carried from iteration to iteration. Its first value is 0, as is v(-1); the last dot is done behind the loop.
//
// 3. Where the loop asks for a producer warp, what has the stage of a copy is done by that warp, which waits for free buffers in place of a stage.
#include "compiler/gpu/passes/loops/LoopPlan.h"

#include <set>

using namespace mlir;

namespace triton::gpu {

namespace {

struct Scheduler {
  scf::ForOp loop;
  LoopPlan &plan;
  Block *body = loop.getBody();
  llvm::DenseMap<Operation *, unsigned> loads; // that run ahead: their stages
  /// What the addresses of copies are computed from: the earliest stage that needs it.
  llvm::DenseMap<Operation *, unsigned> needed;

  Scheduler(scf::ForOp loop, LoopPlan &plan) : loop(loop), plan(plan) {
    for (LoopBuffer &buffer : plan.buffers)
      loads[buffer.load] = buffer.stage;
    for (EarlyLoad &early : plan.early)
      loads[early.load] = plan.distance - 1;
    for (LoopBuffer &buffer : plan.buffers)
      need(buffer.ahead, buffer.stage);
    for (EarlyLoad &early : plan.early)
      need(early.ahead, plan.distance - 1);
  }

  void need(const llvm::SetVector<Operation *> &ahead, unsigned stage) {
    for (Operation *op : ahead) {
      auto [found, isNew] = needed.try_emplace(op, stage);
      found->second = std::min(found->second, stage);
    }
  }

  /// Whether a yielded value is used, in the next iteration, by a copy or what it needs.
  bool feedsCopies(OpOperand &use) {
    return use.getOwner() == body->getTerminator() &&
           llvm::any_of(loop.getRegionIterArg(use.getOperandNumber()).getUsers(),
                        [&](Operation *user) { return loads.contains(user) || needed.contains(user); });
  }

  /// What masked elements of a copy are: copies bring zeros.
  bool isOtherOfCopy(OpOperand &use) {
    auto load = dyn_cast<tensor::LoadOp>(use.getOwner());
    return load && load.getOther() && &use == &*load.getOtherMutable().begin() &&
           llvm::none_of(plan.early, [&](EarlyLoad &early) { return early.load == load; });
  }

  /// Ops that copies of different stages, or a copy and the rest of the iteration, use run once for each: carrying their values through the loop
  /// would cost registers. Of loads there is one, as early as it is needed.
  SmallVector<Place, 1> placesOf(Operation *op) {
    const Place own = {plan.distance, cluster::afterCopies};
    if (!needed.contains(op))
      return {own};
    bool isUsedByRest = false;
    std::set<unsigned> stages;
    for (OpOperand &use : op->getUses()) {
      Operation *user = use.getOwner();
      if (auto found = loads.find(user); found != loads.end()) {
        if (!isOtherOfCopy(use))
          stages.insert(found->second);
      } else if (needed.contains(user)) {
        for (const Place &place : plan.schedule[user])
          place.isAhead() ? void(stages.insert(place.stage)) : void(isUsedByRest = true);
      } else if (feedsCopies(use)) {
        stages.insert(needed[op]);
      } else {
        isUsedByRest |= user != body->getTerminator();
      }
    }
    const unsigned earliest = stages.empty() ? needed[op] : *stages.begin();
    SmallVector<Place, 1> places;
    if (!isUsedByRest || isa<tensor::LoadOp>(op)) {
      places.push_back({earliest, cluster::copies});
      stages.erase(earliest);
    } else {
      places.push_back(own);
    }
    if (!isa<tensor::LoadOp>(op))
      for (unsigned stage : stages)
        places.push_back({stage, cluster::copies});
    return places;
  }

  /// Step 1: loads and what they need at the stages of their copies, all else behind.
  void runLoadsAhead() {
    for (Operation &op : body->without_terminator())
      plan.schedule[&op] = {};
    for (Operation &op : llvm::reverse(body->without_terminator())) {
      auto found = loads.find(&op);
      plan.schedule[&op] =
          found != loads.end() ? SmallVector<Place, 1>{{found->second, cluster::copies}} : placesOf(&op);
    }
  }

  /// Copies begin only when `dot` has been issued: before, the dot of the iteration before might still read the buffers that they fill.
  void issueBeforeCopies(WarpGroupDotOp dot) {
    for (auto &[op, places] : plan.schedule)
      if (op == dot || op->isBeforeInBlock(dot))
        for (Place &place : places)
          if (!place.isAhead())
            place.cluster = cluster::beforeCopies;
  }

  /// Step 2 for attention: the last dot is done an iteration later, behind the first one.
  void rotate(const DotInFlight &inFlight) {
    issueBeforeCopies(inFlight.drain);
    plan.schedule[inFlight.dot] = {{plan.distance + 1, cluster::beforeCopies}};
  }

  void run() {
    runLoadsAhead();
    if (plan.isRotated())
      rotate(*plan.inFlight);
    else if (plan.inFlight)
      issueBeforeCopies(plan.inFlight->drain ? plan.inFlight->drain : plan.inFlight->dot);
    else if (plan.covering)
      issueBeforeCopies(plan.covering);
  }
};

llvm::StringRef nameOf(Release release, bool isReadByThreads) {
  switch (release) {
  case Release::Barrier:
    return "a barrier of all threads";
  case Release::SplitBarrier:
    return "an mbarrier of all warps";
  case Release::Mbarrier:
    return isReadByThreads ? "its mbarrier, warp by warp" : "its mbarrier, warpgroup by warpgroup";
  }
  llvm_unreachable("all kinds are above");
}

} // namespace

void scheduleLoop(scf::ForOp loop, LoopPlan &plan) { Scheduler(loop, plan).run(); }

void LoopPlan::print(llvm::raw_ostream &os) const {
  os << "loop of " << distance + 1 << " stages" << (specialized ? ", copies by a producer warp" : "") << "\n";
  for (const LoopBuffer &buffer : buffers) {
    os << "buffer of " << buffer.load->getName() << ": " << buffer.type << ", depth " << depth << ", filled by "
       << (buffer.isTma()      ? "TMA"
           : buffer.copyLayout ? "waves side by side"
                               : "cp.async")
       << " in stage " << buffer.stage << ", released by " << nameOf(release, isReadByThreads()) << "\n";
    if (buffer.transposing)
      os << "transposed through " << buffer.transposing << ", depth "
         << (storesAlternately(buffer) ? transposedDepth : 1) << "\n";
  }
  for (const EarlyLoad &each : early)
    os << "loaded into registers, an iteration ahead: " << each.load->getResult(0).getType() << "\n";
  for (const EarlyLoad &each : early)
    if (each.staged)
      os << "stored where an iteration ends: " << each.buffer << "\n";
  for (auto &[op, places] : schedule) {
    os << op->getName() << ":";
    for (const Place &place : places)
      os << (&place == places.begin() ? " stage " : ", again in stage ") << place.stage << " cluster " << place.cluster;
    if (inFlight && op == inFlight->dot)
      os << ", in flight";
    os << "\n";
  }
}

} // namespace triton::gpu
