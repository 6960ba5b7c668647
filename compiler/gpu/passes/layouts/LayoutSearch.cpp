// A worked example, the transposing copy of LayoutPlan.mlir: x = load along rows; store x along columns. Two slots, `load` and `store`, and one edge.
//
//   1. Proposals. The load proposes R (8 elements of a row for each thread), the store C (8 of a column). Each is followed along the edge: R says
//      {load: R, store: R}, C says {load: C, store: C}. Both slots begin with what reached them first, R.
//   2. Expansion. Shall slots change from R to C? Of each slot that C reaches one asks yes or no, and the costs of the answers are a graph:
//        load:  no 80 (wide), yes dear (2 bytes at a time)        edge, where the answers differ: 180, a conversion through shared memory
//        store: no dear,      yes 80
//      The minimum cut of that graph is the cheapest set of answers: `load` no, `store` yes, in sum 80 + 80 + 180. A dear access costs more than
//      the conversion, so that both are wide; were the tensor so small that it did not, the cut would leave both at R.
//   3. Rounds. All proposals are asked again until none changes anything; in between each slot tries what its neighbours have.
#include "compiler/gpu/passes/layouts/LayoutSearch.h"

#include "compiler/gpu/passes/layouts/LayoutAnchors.h"
#include "compiler/gpu/passes/layouts/MinimumCut.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace triton::gpu {

constexpr int64_t impossible = int64_t(1) << 40;

LayoutSearch::LayoutSearch(const LayoutProblem &problem, AccessAnalysis &access, LayoutCost &cost)
    : problem(problem), cost(cost), edgesOf(problem.slots().size()), chosen(problem.slots().size()),
      offered(problem.slots().size()), question(problem.slots().size(), -1) {
  for (const LayoutProblem::Edge &edge : problem.edges()) {
    if (edge.to->relation.kind == LayoutRelation::Kind::Any)
      continue;
    for (unsigned slot : {edge.from->slot, edge.to->slot})
      if (slot != LayoutTie::noSlot)
        edgesOf[slot].push_back(edges.size());
    edges.push_back({edge.operand->get(), edge.from, edge.to});
  }
  collectProposals(access);
}

Attribute LayoutSearch::follow(const LayoutTie &tie, Attribute layout, Value value) {
  if (tie.slot == LayoutTie::noSlot)
    return tie.relation.layout;
  auto [found, isNew] = followed.try_emplace({&tie, layout, value.getType()});
  if (isNew) {
    Attribute result =
        tie.relation.follow(layout, problem.slots()[tie.slot].type, cast<RankedTensorType>(value.getType()));
    return followed[{&tie, layout, value.getType()}] = result;
  }
  return found->second;
}

// Whether a layout may be proposed to a slot. Not what operands of dots are wanted in to the loads of a loop: those go through shared
// memory while the loop runs, and for that they must be coalesced.
static bool fits(const LayoutSlot &slot, Attribute layout) {
  if (slot.isCarried)
    return true;
  if (isa<tensor::LoadOp>(slot.op) && slot.loopDepth > 0 && isa<DotOperandAttr>(layout))
    return false;
  return isLegal(slot.op, slot.type, layout);
}

// Breadth first from the slot that proposes: each slot takes the layout that reaches it first.
void LayoutSearch::propose(unsigned origin, Attribute layout) {
  if (proposed.contains({origin, layout}))
    return;
  Proposal proposal;
  auto reach = [&](unsigned slot, Attribute layout) {
    proposal.emplace_back(slot, layout);
    proposed.insert({slot, layout});
    offered[slot] = layout;
    if (!chosen[slot])
      chosen[slot] = layout;
  };
  reach(origin, layout);
  for (size_t next = 0; next < proposal.size(); ++next)
    for (unsigned index : edgesOf[proposal[next].first]) {
      const Edge &edge = edges[index];
      const bool isForward = edge.from->slot == proposal[next].first;
      const LayoutTie &here = isForward ? *edge.from : *edge.to, &there = isForward ? *edge.to : *edge.from;
      if (there.slot == LayoutTie::noSlot || offered[there.slot])
        continue;
      const LayoutSlot &slot = problem.slots()[there.slot];
      Attribute between = follow(here, offered[here.slot], edge.value);
      Attribute other = between ? there.relation.trace(between, slot.type, cast<RankedTensorType>(edge.value.getType()))
                                : Attribute();
      if (!other || (slot.required && slot.required != other) || !fits(slot, other))
        continue;
      reach(there.slot, other);
    }
  for (auto [slot, layout] : proposal)
    offered[slot] = {};
  llvm::sort(proposal, llvm::less_first());
  proposals.push_back(std::move(proposal));
}

void LayoutSearch::collectProposals(AccessAnalysis &access) {
  ArrayRef<LayoutSlot> slots = problem.slots();
  for (auto [index, slot] : llvm::enumerate(slots))
    if (slot.required)
      propose(index, slot.required);
  for (auto [index, slot] : llvm::enumerate(slots))
    if (!slot.required && !slot.isCarried)
      if (Attribute layout = coalescedLayout(slot.op, access, problem.threads())) {
        propose(index, layout);
        propose(index, coalescedLayout(slot.op, access, problem.threads(), 128));
      }
  for (auto [index, slot] : llvm::enumerate(slots))
    if (isa<tensor::SplitOp>(slot.op))
      propose(index, exchangeLayout(slot.type, problem.threads()));
    else if (auto scan = dyn_cast<tensor::ScanOp>(slot.op); scan && !slot.isCarried)
      propose(index, scanLayout(slot.type, scan.getAxis(), problem.threads()));
  // What operands are wanted in, and arguments come in.
  for (const Edge &edge : edges)
    for (auto [here, there] : {std::pair(edge.from, edge.to), std::pair(edge.to, edge.from)})
      if (there->slot == LayoutTie::noSlot && here->slot != LayoutTie::noSlot && !slots[here->slot].required) {
        auto type = cast<RankedTensorType>(edge.value.getType());
        const LayoutSlot &slot = slots[here->slot];
        Attribute layout = here->relation.trace(there->relation.layout, slot.type, type);
        if (layout && fits(slot, layout))
          propose(here->slot, layout);
      }
  for (auto [index, slot] : llvm::enumerate(slots))
    if (!chosen[index])
      propose(index, defaultLayout(slot.isCarried ? nullptr : slot.op, slot.type, problem.threads()));
}

int64_t LayoutSearch::edgeCost(const Edge &edge, Attribute from, Attribute to) {
  Attribute made = follow(*edge.from, from, edge.value), wanted = follow(*edge.to, to, edge.value);
  return made && wanted ? cost.ofConversion(edge.value, made, wanted) : impossible;
}

static Attribute layoutAt(ArrayRef<Attribute> layouts, const LayoutTie *tie) {
  return tie->slot == LayoutTie::noSlot ? Attribute() : layouts[tie->slot];
}

int64_t LayoutSearch::costOf(ArrayRef<unsigned> slots, ArrayRef<unsigned> ties, ArrayRef<Attribute> layouts) {
  int64_t sum = 0;
  for (unsigned slot : slots)
    sum += cost.ofSlot(slot, layouts[slot]);
  for (unsigned index : ties)
    sum += edgeCost(edges[index], layoutAt(layouts, edges[index].from), layoutAt(layouts, edges[index].to));
  return sum;
}

// Which of the slots that `proposal` reaches change to it.
bool LayoutSearch::expand(const Proposal &proposal) {
  SmallVector<unsigned> asked, ties;
  for (auto [slot, layout] : proposal) {
    offered[slot] = layout;
    if (layout == chosen[slot])
      continue;
    question[slot] = asked.size();
    asked.push_back(slot);
    llvm::append_range(ties, edgesOf[slot]);
  }
  llvm::scope_exit forget([&] {
    for (auto [slot, layout] : proposal) {
      offered[slot] = {};
      question[slot] = -1;
    }
  });
  if (asked.empty())
    return false;
  llvm::sort(ties);
  ties.erase(llvm::unique(ties), ties.end());
  MinimumCut cut(asked.size());
  for (auto [index, slot] : llvm::enumerate(asked))
    cut.addCost(index, cost.ofSlot(slot, chosen[slot]), cost.ofSlot(slot, offered[slot]));
  for (unsigned tie : ties) {
    const Edge &edge = edges[tie];
    auto questionOf = [&](const LayoutTie *tie) { return tie->slot == LayoutTie::noSlot ? -1 : question[tie->slot]; };
    const int from = questionOf(edge.from), to = questionOf(edge.to);
    Attribute oldFrom = layoutAt(chosen, edge.from), newFrom = layoutAt(offered, edge.from);
    Attribute oldTo = layoutAt(chosen, edge.to), newTo = layoutAt(offered, edge.to);
    if (from >= 0 && to >= 0 && from != to)
      cut.addCost(from, to, edgeCost(edge, oldFrom, oldTo), edgeCost(edge, oldFrom, newTo),
                  edgeCost(edge, newFrom, oldTo), edgeCost(edge, newFrom, newTo));
    else if (from >= 0 && from == to)
      cut.addCost(from, edgeCost(edge, oldFrom, oldTo), edgeCost(edge, newFrom, newTo));
    else if (from >= 0)
      cut.addCost(from, edgeCost(edge, oldFrom, oldTo), edgeCost(edge, newFrom, oldTo));
    else if (to >= 0)
      cut.addCost(to, edgeCost(edge, oldFrom, oldTo), edgeCost(edge, oldFrom, newTo));
  }
  const int64_t before = costOf(asked, ties, chosen);
  const std::vector<bool> answers = cut.solve();
  SmallVector<std::pair<unsigned, Attribute>> replaced;
  for (auto [index, slot] : llvm::enumerate(asked))
    if (answers[index])
      replaced.emplace_back(slot, std::exchange(chosen[slot], offered[slot]));
  // The cut overcharges where costs have none: only what is cheaper in truth counts.
  if (costOf(asked, ties, chosen) < before)
    return true;
  for (auto [slot, layout] : replaced)
    chosen[slot] = layout;
  return false;
}

// One slot at a time: what a neighbour has may fit better than anything that was proposed to this slot, under another name for instance.
bool LayoutSearch::refine(unsigned slot) {
  const LayoutSlot &known = problem.slots()[slot];
  if (known.required)
    return false;
  auto costHere = [&] { return costOf({slot}, edgesOf[slot], chosen); };
  int64_t least = costHere();
  bool isBetter = false;
  for (unsigned index : edgesOf[slot]) {
    const Edge &edge = edges[index];
    const bool isForward = edge.from->slot == slot;
    const LayoutTie &here = isForward ? *edge.from : *edge.to, &there = isForward ? *edge.to : *edge.from;
    Attribute between = follow(there, layoutAt(chosen, &there), edge.value);
    Attribute layout =
        between ? here.relation.trace(between, known.type, cast<RankedTensorType>(edge.value.getType())) : Attribute();
    if (!layout || layout == chosen[slot] || !fits(known, layout))
      continue;
    Attribute before = std::exchange(chosen[slot], layout);
    if (const int64_t sum = costHere(); sum < least) {
      least = sum;
      isBetter = true;
    } else {
      chosen[slot] = before;
    }
  }
  return isBetter;
}

std::vector<Attribute> LayoutSearch::solve() {
  // Every slot has begun with the layout that reached it first: that of dots, then of accesses, then of the rest.
  constexpr unsigned mostRounds = 8;
  bool isBetter = true;
  for (unsigned round = 0; isBetter && round < mostRounds; ++round) {
    isBetter = false;
    for (const Proposal &proposal : proposals)
      isBetter |= expand(proposal);
    for (unsigned slot = 0; slot < chosen.size(); ++slot)
      isBetter |= refine(slot);
  }
  return chosen;
}

} // namespace triton::gpu
