#include "compiler/gpu/GlobalRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace triton::gpu {

/// Adds the kernel arguments that `address` may be computed from. False if it may also come from elsewhere.
static bool collectRoots(Value address, llvm::SmallSetVector<Value, 2> &roots, llvm::DenseSet<Value> &seen) {
  while (seen.insert(address).second) {
    if (auto argument = dyn_cast<BlockArgument>(address)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        if (argument == loop.getInductionVar() ||
            !collectRoots(loop.getTiedLoopYieldedValue(argument)->get(), roots, seen))
          return false;
        address = loop.getTiedLoopInit(argument)->get();
        continue;
      }
      if (isa<WarpSpecializePartitionsOp>(parent)) {
        address = cast<WarpSpecializeOp>(parent->getParentOp()).getExplicitCaptures()[argument.getArgNumber()];
        continue;
      }
      // What other functions are called with may be one tensor twice.
      auto function = dyn_cast<tensor::FuncOp>(parent);
      if (!function || !function.isPublic())
        return false;
      roots.insert(argument);
      return isa<tensor::PointerType, tensor::TensorDescType>(getElementTypeOrSelf(argument.getType()));
    }
    Operation *definition = address.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(definition)) {
      address = loop.getRegionIterArg(cast<OpResult>(address).getResultNumber());
      continue;
    }
    if (!isa<tensor::AddPtrOp, tensor::SplatOp, tensor::BroadcastOp, tensor::ExpandDimsOp, ConvertLayoutOp,
             tensor::BitcastOp, tensor::MakeTensorDescOp>(definition))
      return false;
    address = definition->getOperand(0);
  }
  return true;
}

Value rootOf(Value address) {
  llvm::SmallSetVector<Value, 2> roots;
  llvm::DenseSet<Value> seen;
  return collectRoots(address, roots, seen) && roots.size() == 1 ? roots[0] : Value();
}

Value writtenRoot(Operation *op) {
  // These may write anywhere.
  if (isa<tensor::ElementwiseInlineAsmOp, tensor::ExternElementwiseOp>(op) || op->getNumOperands() == 0)
    return {};
  return rootOf(op->getOperand(0));
}

bool mayWrite(Block *body, Value root) {
  WalkResult result = body->walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (isa<CallOpInterface>(op) && !effects)
      return WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> writes;
    if (effects)
      effects.getEffects(writes);
    for (const MemoryEffects::EffectInstance &effect : writes) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()) || effect.getResource() != tensor::GlobalMemory::get())
        continue;
      if (mayBeSameTensor(root, writtenRoot(op)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace triton::gpu
