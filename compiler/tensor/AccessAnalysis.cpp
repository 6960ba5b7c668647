#include "compiler/tensor/AccessAnalysis.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::tensor {

namespace {

struct FactsLattice : dataflow::Lattice<AccessFacts> {
  using Lattice::Lattice;
};

class FactsPropagation : public dataflow::SparseForwardDataFlowAnalysis<FactsLattice> {
public:
  FactsPropagation(DataFlowSolver &solver, Promises promises)
      : SparseForwardDataFlowAnalysis(solver), promises(std::move(promises)) {}

  LogicalResult visitOperation(Operation *op, ArrayRef<const FactsLattice *> operands,
                               ArrayRef<FactsLattice *> results) override {
    SmallVector<const AccessFacts *> facts;
    for (const FactsLattice *operand : operands) {
      // An operand not reached yet is reached later, or never.
      if (!operand->getValue().isReached())
        return success();
      facts.push_back(&operand->getValue());
    }
    for (FactsLattice *result : results) {
      AccessFacts known = transfer(cast<OpResult>(result->getAnchor()), facts);
      if (auto sum = dyn_cast<arith::AddIOp>(op))
        raiseBound(sum, known);
      promises.apply(result->getAnchor(), known);
      propagateIfChanged(result, result->join(known));
    }
    return success();
  }

  void setToEntryState(FactsLattice *lattice) override {
    AccessFacts known = nothingKnown(lattice->getAnchor().getType());
    promises.apply(lattice->getAnchor(), known);
    propagateIfChanged(lattice, lattice->join(known));
  }

  /// A loop's variable: the lower bound plus a multiple of the step.
  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor, ArrayRef<FactsLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments, firstIndex);
    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    const AccessFacts &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue();
    const AccessFacts &step = getLatticeElementFor(point, loop.getStep())->getValue();
    if (!lower.isReached() || !step.isReached())
      return;
    AccessFacts known = nothingKnown(loop.getInductionVar().getType());
    known.dimensions[0].divisibility = std::min(lower.divisibilityOfAll(), step.divisibilityOfAll());
    known.bound = lower.bound;
    propagateIfChanged(arguments[0], arguments[0]->join(known));
  }

private:
  /// What a loop counts from `x - step` on, by `step` and before it is used, is not below `x`:
  ///   for … iter_args(%counter = x - step) { %next = %counter + step; …; yield %next }
  /// If `step` is a constant bounds show that by themselves; here it is anything that is not negative, such as the number of programs.
  void raiseBound(arith::AddIOp next, AccessFacts &known) {
    for (auto [counter, step] : {std::pair(next.getLhs(), next.getRhs()), std::pair(next.getRhs(), next.getLhs())}) {
      auto argument = dyn_cast<BlockArgument>(counter);
      auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      auto start = init ? init->get().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
      if (!start || start.getRhs() != step || loop.getTiedLoopYieldedValue(argument)->get() != next.getResult())
        continue;
      ProgramPoint *point = getProgramPointAfter(next);
      const AccessFacts &first = getLatticeElementFor(point, start.getLhs())->getValue();
      const AccessFacts &by = getLatticeElementFor(point, step)->getValue();
      if (first.bound && by.isNonNegative() && (!known.bound || known.bound->value < first.bound->value))
        known.setBound(first.bound->value);
    }
  }

  Promises promises;
};

} // namespace

AccessAnalysis::AccessAnalysis(Operation *root, Runs runs) : solver(std::make_unique<DataFlowSolver>()) {
  solver->load<dataflow::DeadCodeAnalysis>();
  solver->load<dataflow::SparseConstantPropagation>();
  solver->load<FactsPropagation>(Promises(root, runs));
  const bool solved = succeeded(solver->initializeAndRun(root));
  assert(solved && "no transfer function fails");
  (void)solved;
}

AccessAnalysis::AccessAnalysis() = default;
AccessAnalysis::AccessAnalysis(AccessAnalysis &&) = default;
AccessAnalysis::~AccessAnalysis() = default;

const AccessFacts &AccessAnalysis::of(Value value) {
  if (!solver)
    return compute(value);
  FactsLattice *lattice = solver->getOrCreateState<FactsLattice>(value);
  if (!lattice->getValue().isReached())
    (void)lattice->join(nothingKnown(value.getType()));
  return lattice->getValue();
}

const AccessFacts &AccessAnalysis::compute(Value value) {
  // Operands first, without recursion: kernels are as deep as their users like.
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    const Value next = pending.back();
    if (onDemand.contains(next)) {
      pending.pop_back();
      continue;
    }
    Operation *op = next.getDefiningOp();
    const OperandRange operands = op && op->getNumRegions() == 0 ? op->getOperands() : OperandRange(nullptr, 0);
    const size_t count = pending.size();
    llvm::copy_if(operands, std::back_inserter(pending), [&](Value operand) { return !onDemand.contains(operand); });
    if (pending.size() > count)
      continue;
    pending.pop_back();
    SmallVector<const AccessFacts *> facts =
        llvm::map_to_vector(operands, [&](Value operand) -> const AccessFacts * { return onDemand[operand].get(); });
    onDemand[next] =
        std::make_unique<AccessFacts>(op ? transfer(cast<OpResult>(next), facts) : nothingKnown(next.getType()));
  }
  return *onDemand[value];
}

Steps AccessAnalysis::steps(Value tensor) {
  Steps steps;
  for (const AccessFacts::Dimension &dimension :
       ArrayRef(of(tensor).dimensions).take_front(getShape(tensor.getType()).size()))
    steps.push_back(dimension.step);
  return steps;
}

bool AccessAnalysis::isUniform(Value tensor) {
  return llvm::all_of(steps(tensor), [](Step step) { return step.isZero(); });
}

bool AccessAnalysis::isAffine(Value tensor) {
  return llvm::all_of(steps(tensor), [](Step step) { return step.isAffine(); });
}

} // namespace triton::tensor
