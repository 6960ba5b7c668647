#include "compiler/gpu/GlobalRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::gpu {

Value rootOf(Value address) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(address)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return isa<tensor::FuncOp>(argument.getOwner()->getParentOp()) ? argument : Value();
      if (argument == loop.getInductionVar())
        return {};
      address = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    Operation *definition = address.getDefiningOp();
    if (!isa<tensor::AddPtrOp, tensor::SplatOp, tensor::BroadcastOp, tensor::ExpandDimsOp, ConvertLayoutOp,
             tensor::BitcastOp, tensor::MakeTensorDescOp>(definition))
      return {};
    address = definition->getOperand(0);
  }
}

Value writtenRoot(Operation *op) { return op->getNumOperands() ? rootOf(op->getOperand(0)) : Value(); }

} // namespace triton::gpu
