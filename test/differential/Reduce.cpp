#include "test/differential/Reduce.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::differential {

/// What addresses, masks and indices are computed from. A change there could make a kernel that races or reads outside, of which any
/// result is right.
static llvm::DenseSet<Operation *> getAddressing(ModuleOp module) {
  SmallVector<Value> work;
  module.walk([&](Operation *op) {
    if (isa<tensor::LoadOp>(op))
      llvm::append_range(work, op->getOperands());
    else if (isa<tensor::StoreOp>(op))
      work.push_back(op->getOperand(0));
    else if (auto gather = dyn_cast<tensor::GatherOp>(op))
      work.push_back(gather.getIndices());
  });
  llvm::DenseSet<Operation *> ops;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    // A gather's indices are cut to range by their last op: what they are cut from may change.
    if (op && ops.insert(op).second && !isa<arith::AndIOp>(op))
      llvm::append_range(work, op->getOperands());
  }
  return ops;
}

/// The ops of a module that a change may be about, in order.
static std::vector<Operation *> getOps(ModuleOp module) {
  llvm::DenseSet<Operation *> addressing = getAddressing(module);
  std::vector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ModuleOp, tensor::FuncOp>(op) && !op->hasTrait<OpTrait::IsTerminator>() && !addressing.contains(op))
      ops.push_back(op);
  });
  return ops;
}

/// Values that `result` could be replaced by: operands, or a constant.
static Value getReplacement(OpResult result, unsigned choice) {
  Operation *op = result.getOwner();
  unsigned seen = 0;
  for (Value operand : op->getOperands())
    if (operand.getType() == result.getType() && seen++ == choice)
      return operand;
  OpBuilder builder(op);
  TypedAttr zero = isa<ub::PoisonOp>(op) || op->hasTrait<OpTrait::ConstantLike>()
                       ? TypedAttr()
                       : builder.getZeroAttr(result.getType());
  if (seen == choice && zero)
    return arith::ConstantOp::create(builder, op->getLoc(), zero);
  return {};
}

/// Change `choice` of op number `index`; whether there is such a change.
static bool change(ModuleOp module, unsigned index, unsigned choice) {
  Operation *op = getOps(module)[index];
  if (op->getNumResults() == 0) {
    if (choice > 0)
      return false;
    op->erase();
    return true;
  }
  SmallVector<Value> replacements;
  for (OpResult result : op->getResults())
    replacements.push_back(getReplacement(result, choice));
  if (llvm::is_contained(replacements, Value()))
    return false;
  op->replaceAllUsesWith(replacements);
  op->erase();
  return true;
}

void reduce(RandomKernel &kernel, const std::function<bool(RandomKernel &)> &fails) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (unsigned index = getOps(*kernel.module).size(); index-- > 0;) {
      for (unsigned choice = 0; index < getOps(*kernel.module).size(); ++choice) {
        RandomKernel smaller{kernel.module->clone(), kernel.parameters, kernel.programs, kernel.validElements};
        if (!change(*smaller.module, index, choice))
          break;
        PassManager manager(smaller.module->getContext());
        manager.addPass(createCSEPass());
        if (failed(manager.run(*smaller.module)) || !fails(smaller))
          continue;
        kernel.module = std::move(smaller.module);
        progress = true;
        break;
      }
    }
  }
}

} // namespace triton::differential
