#include "compiler/gpu/GlobalRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::gpu {

/// What an address is made from, one step back: several values where a loop carries it, none where it comes from elsewhere.
static SmallVector<Value, 2> sourcesOf(Value address) {
  if (auto argument = dyn_cast<BlockArgument>(address)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument != loop.getInductionVar())
      return {loop.getTiedLoopYieldedValue(argument)->get(), loop.getTiedLoopInit(argument)->get()};
    if (isa<WarpSpecializePartitionsOp>(parent))
      return {cast<WarpSpecializeOp>(parent->getParentOp()).getExplicitCaptures()[argument.getArgNumber()]};
    return {};
  }
  Operation *definition = address.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(definition))
    return {loop.getRegionIterArg(cast<OpResult>(address).getResultNumber())};
  if (isa<tensor::AddPtrOp, tensor::SplatOp, tensor::BroadcastOp, tensor::ExpandDimsOp, ConvertLayoutOp,
          tensor::BitcastOp, tensor::MakeTensorDescOp>(definition))
    return {definition->getOperand(0)};
  return {};
}

/// Whether a value is the pointer or descriptor of a tensor that a kernel was given. What other functions are called with may be one tensor twice.
static bool isTensorOfKernel(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<tensor::FuncOp>(argument.getOwner()->getParentOp()) : tensor::FuncOp();
  return function && function.isPublic() &&
         isa<tensor::PointerType, tensor::TensorDescType>(getElementTypeOrSelf(argument.getType()));
}

Value rootOf(Value address) {
  Value root;
  llvm::SetVector<Value> known;
  known.insert(address);
  for (size_t index = 0; index < known.size(); ++index) {
    const SmallVector<Value, 2> sources = sourcesOf(known[index]);
    known.insert_range(sources);
    if (!sources.empty())
      continue;
    if (!isTensorOfKernel(known[index]) || (root && root != known[index]))
      return {};
    root = known[index];
  }
  return root;
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
