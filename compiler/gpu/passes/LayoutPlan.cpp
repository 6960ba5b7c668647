#include "compiler/gpu/passes/LayoutPlan.h"

#include "compiler/gpu/passes/LayoutAnchors.h"

using namespace mlir;

namespace triton::gpu {

LayoutPlan::LayoutPlan(const LayoutProblem &problem, AccessAnalysis &access) : problem(problem) {
  for (const LayoutSlot &slot : problem.slots()) {
    Attribute layout = slot.required;
    if (!layout && !slot.isCarried)
      layout = coalescedLayout(slot.op, access, problem.numWarps());
    layouts.push_back(layout ? layout
                             : defaultLayout(slot.isCarried ? nullptr : slot.op, slot.type, problem.numWarps()));
  }
}

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

void LayoutPlan::print(llvm::raw_ostream &os) const {
  for (auto [slot, layout] : llvm::zip_equal(problem.slots(), layouts))
    os << (slot.isCarried ? "carried by " : "") << slot.op->getName() << " at depth " << slot.loopDepth << ": "
       << withLayout(slot.type, layout) << "\n";
}

} // namespace triton::gpu
