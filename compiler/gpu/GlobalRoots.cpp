#include "compiler/gpu/GlobalRoots.h"

#include "compiler/tensor/Roots.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace triton::gpu {

/// What only GPU IR moves addresses by.
static tensor::Sources sourcesInGpuIr(Value address) {
  if (auto convert = address.getDefiningOp<ConvertLayoutOp>())
    return {convert.getSrc()};
  auto argument = dyn_cast<BlockArgument>(address);
  Operation *parent = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (!isa_and_nonnull<WarpSpecializePartitionsOp>(parent))
    return {};
  return {cast<WarpSpecializeOp>(parent->getParentOp()).getExplicitCaptures()[argument.getArgNumber()]};
}

/// Whether a value is the pointer or descriptor of a tensor that a kernel was given. What other functions are called with may be one tensor twice.
static bool isTensorOfKernel(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<tensor::FuncOp>(argument.getOwner()->getParentOp()) : tensor::FuncOp();
  return function && function.isPublic() &&
         isa<tensor::PointerType, tensor::TensorDescType>(getElementTypeOrSelf(argument.getType()));
}

Value rootOf(Value address) {
  const SmallVector<Value> roots = tensor::rootsOf(address, sourcesInGpuIr);
  return roots.size() == 1 && isTensorOfKernel(roots.front()) ? roots.front() : Value();
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
