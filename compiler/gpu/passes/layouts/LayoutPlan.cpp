#include "compiler/gpu/passes/layouts/LayoutPlan.h"

#include "compiler/gpu/passes/layouts/LayoutSearch.h"

using namespace mlir;

namespace triton::gpu {

LayoutPlan::LayoutPlan(const LayoutProblem &problem, AccessAnalysis &access)
    : problem(problem), cost(problem, access), layouts(LayoutSearch(problem, access, cost).solve()) {}

Attribute LayoutPlan::follow(const LayoutTie &tie, RankedTensorType type) const {
  if (tie.slot == LayoutTie::noSlot)
    return tie.relation.layout;
  return tie.relation.follow(layouts[tie.slot], problem.slots()[tie.slot].type, type);
}

Attribute LayoutPlan::layoutOf(Value value) const {
  const LayoutTie *tie = problem.definition(value);
  return tie ? follow(*tie, cast<RankedTensorType>(value.getType())) : Attribute();
}

Attribute LayoutPlan::layoutFor(OpOperand &operand) const {
  const LayoutTie *tie = problem.use(operand);
  return tie ? follow(*tie, cast<RankedTensorType>(operand.get().getType())) : Attribute();
}

void LayoutPlan::print(llvm::raw_ostream &os) {
  for (auto [index, slot] : llvm::enumerate(problem.slots())) {
    os << (slot.isCarried ? "carried by " : "") << slot.op->getName() << " in " << slot.loopDepth
       << " loops: " << withLayout(slot.type, layouts[index]);
    if (const int64_t price = cost.ofSlot(index, layouts[index]))
      os << " costs " << price;
    os << "\n";
  }
  for (const LayoutProblem::Edge &edge : problem.edges()) {
    Value value = edge.operand->get();
    auto type = cast<RankedTensorType>(value.getType());
    Attribute made = follow(*edge.from, type), wanted = follow(*edge.to, type);
    if (wanted && made != wanted)
      os << "conversion for " << edge.operand->getOwner()->getName() << ": " << withLayout(type, made) << " to "
         << wanted << " costs " << cost.ofConversion(value, made, wanted) << "\n";
  }
}

} // namespace triton::gpu
