#include "compiler/gpu/passes/layouts/LayoutProblem.h"

#include "compiler/gpu/DotPlan.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace triton::gpu {

using Kind = LayoutRelation::Kind;

LayoutProblem::LayoutProblem(ModuleOp module) : ctaThreads(getThreads(module)) {
  for (auto function : module.getOps<tensor::FuncOp>())
    addFunction(function);
}

const LayoutTie *LayoutProblem::definition(Value value) const {
  auto found = definitions.find(value);
  return found == definitions.end() ? nullptr : &found->second;
}

const LayoutTie *LayoutProblem::use(OpOperand &operand) const {
  auto found = uses.find(&operand);
  return found == uses.end() ? nullptr : &found->second;
}

bool LayoutProblem::isCheap(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && cheap.contains(op);
}

std::vector<LayoutProblem::Edge> LayoutProblem::edges() const {
  std::vector<Edge> result;
  for (const auto &[operand, to] : uses)
    if (const LayoutTie *from = definition(operand->get()))
      result.push_back({operand, from, &to});
  return result;
}

void LayoutProblem::addFunction(tensor::FuncOp function) {
  // Callers and callee agree without seeing each other.
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      definitions[argument] = {LayoutTie::noSlot,
                               {.kind = Kind::Fixed, .layout = defaultLayout(nullptr, type, ctaThreads)}};
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { addOp(op); });
}

static unsigned loopDepth(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

unsigned LayoutProblem::addSlot(Operation *op, bool isCarried, RankedTensorType type, Attribute required) {
  all.push_back({op, isCarried, type, required, loopDepth(op)});
  return all.size() - 1;
}

static bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor);
}

void LayoutProblem::addOp(Operation *op) {
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return addRegionBranch(branch);
  // What a terminator hands on, its parent has taken care of.
  const bool isHandedOn = isa<RegionBranchTerminatorOpInterface>(op) && !isa<tensor::ReturnOp>(op);
  if (!hasTensors(op) || isHandedOn || noteCheap(op))
    return;
  if (auto dot = dyn_cast<tensor::DotOp>(op))
    return addDot(dot);
  if (auto dot = dyn_cast<tensor::DotScaledOp>(op))
    return addScaledDot(dot);
  std::optional<unsigned> slot;
  auto tie = [&](LayoutRelation relation) -> LayoutTie {
    if (relation.kind == Kind::Fixed || relation.kind == Kind::Any)
      return {LayoutTie::noSlot, std::move(relation)};
    if (!slot)
      slot = addSlot(op, false, slotType(op));
    return {*slot, std::move(relation)};
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      uses[&operand] = tie(relationOf(operand, ctaThreads));
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      definitions[result] = tie(relationOf(result, ctaThreads));
}

/// An operand of a dot: in this layout, or in any where a pass puts it into shared memory.
static LayoutTie wanted(Attribute layout) {
  if (!layout)
    return {LayoutTie::noSlot, {.kind = Kind::Any}};
  return {LayoutTie::noSlot, {.kind = Kind::Fixed, .layout = layout}};
}

void LayoutProblem::addDot(tensor::DotOp dot) {
  auto module = dot->getParentOfType<ModuleOp>();
  const DotPlan plan = planDot(dot, dotTarget(module), ctaThreads.warps);
  const unsigned slot = addSlot(dot, false, cast<RankedTensorType>(dot.getType()), plan.accumulator);
  uses[&dot.getAMutable()] = wanted(plan.a);
  uses[&dot.getBMutable()] = wanted(plan.b);
  uses[&dot.getCMutable()] = {slot, {}};
  definitions[dot.getResult()] = {slot, {}};
}

void LayoutProblem::addScaledDot(tensor::DotScaledOp dot) {
  auto module = dot->getParentOfType<ModuleOp>();
  auto plan = planScaledDot(dot, dotTarget(module), ctaThreads.warps);
  assert(plan && "AssignLayouts checked that an instruction does it");
  const unsigned slot = addSlot(dot, false, cast<RankedTensorType>(dot.getType()), plan->accumulator);
  uses[&dot.getAMutable()] = wanted(plan->a);
  uses[&dot.getBMutable()] = wanted(plan->b);
  for (auto [operands, layout] :
       {std::pair(dot.getAScaleMutable(), plan->aScale), std::pair(dot.getBScaleMutable(), plan->bScale)})
    for (OpOperand &operand : operands)
      uses[&operand] = wanted(layout);
  uses[&dot.getCMutable()] = {slot, {}};
  definitions[dot.getResult()] = {slot, {}};
}

// Values that flow into each other across region boundaries have one layout: what enters a loop, what its body takes and yields, what comes out.
void LayoutProblem::addRegionBranch(RegionBranchOpInterface branch) {
  llvm::EquivalenceClasses<Value> together;
  SmallVector<std::pair<OpOperand *, Value>> flows;
  auto connect = [&](OperandRange operands, RegionSuccessor successor) {
    for (auto [index, input] : llvm::enumerate(successor.getSuccessorInputs())) {
      if (!isa<RankedTensorType>(input.getType()))
        continue;
      OpOperand &operand = operands.getBase()[index];
      together.insert(input);
      for (auto &[known, target] : flows)
        if (known == &operand)
          together.unionSets(target, input);
      flows.emplace_back(&operand, input);
    }
  };
  auto successorsOf = [&](RegionBranchPoint point) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    return successors;
  };
  for (RegionSuccessor successor : successorsOf(RegionBranchPoint::parent()))
    connect(branch.getEntrySuccessorOperands(successor), successor);
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator()))
        for (RegionSuccessor successor : successorsOf(RegionBranchPoint(terminator)))
          connect(terminator.getSuccessorOperands(successor), successor);
  DenseMap<Value, unsigned> slotOf;
  for (auto &[operand, input] : flows) {
    Value leader = together.getLeaderValue(input);
    auto [found, isNew] = slotOf.try_emplace(leader, 0);
    if (isNew) {
      found->second = addSlot(branch, true, cast<RankedTensorType>(leader.getType()));
      // A value is carried round the loop, not just to it.
      all.back().loopDepth += isa<LoopLikeOpInterface>(branch.getOperation());
    }
    definitions[input] = {found->second, {}};
    uses[operand] = {found->second, {}};
  }
}

// How much computing one element again takes, in simple instructions; nullopt for what must not be computed twice.
static std::optional<unsigned> weight(Operation *op) {
  if (isa<tensor::SplatOp, arith::ConstantOp, tensor::MakeRangeOp, ub::PoisonOp, tensor::ExpandDimsOp,
          tensor::BroadcastOp>(op))
    return 0;
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !OpTrait::hasElementwiseMappableTraits(op) ||
      !isMemoryEffectFree(op) || isa<math::MathDialect>(op->getDialect()))
    return std::nullopt;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::DivFOp>(op))
    return 4;
  return 1;
}

bool LayoutProblem::noteCheap(Operation *op) {
  constexpr unsigned limit = 48;
  std::optional<unsigned> total = weight(op);
  for (Value operand : op->getOperands()) {
    if (!total || !isa<RankedTensorType>(operand.getType()))
      continue;
    auto found = operand.getDefiningOp() ? cheap.find(operand.getDefiningOp()) : cheap.end();
    total = found == cheap.end() ? std::nullopt : std::optional<unsigned>(*total + found->second);
  }
  if (!total || *total > limit)
    return false;
  cheap[op] = *total;
  return true;
}

} // namespace triton::gpu
