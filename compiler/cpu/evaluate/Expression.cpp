#include "compiler/cpu/evaluate/Expression.h"

#include "compiler/cpu/Mask.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

#include <set>

using namespace mlir;

namespace triton::cpu {

bool isVectorisable(Region &region) {
  return region.hasOneBlock() && llvm::all_of(region.front().without_terminator(), [](Operation &op) {
           return isa<arith::ConstantOp>(op) || isElementwise(&op);
         });
}

bool isRecomputable(Operation *op) {
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }))
    return false;
  if (isa<tensor::MakeRangeOp, tensor::SplatOp, tensor::ExpandDimsOp, tensor::BroadcastOp, tensor::TransOp,
          tensor::ReshapeOp, tensor::SplitOp, tensor::GatherOp, tensor::AddPtrOp, tensor::LoadOp, tensor::IntToPtrOp,
          tensor::PtrToIntOp, arith::ConstantOp, ub::PoisonOp>(op))
    return true;
  if (auto map = dyn_cast<tensor::MapElementwiseOp>(op))
    return map.getPack() == 1 && isVectorisable(map.getScalarOp());
  return isElementwise(op);
}

static bool anyInside(Operation *op, llvm::function_ref<bool(Operation *)> holds) {
  return op->walk([&](Operation *inner) { return holds(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool mayWriteItself(Operation *op) {
  if (isa<tensor::StoreOp, tensor::AtomicRMWOp, tensor::AtomicCASOp, tensor::CallOp>(op))
    return true;
  if (auto assembly = dyn_cast<tensor::ElementwiseInlineAsmOp>(op))
    return !assembly.getPure();
  if (auto external = dyn_cast<tensor::ExternElementwiseOp>(op))
    return !external.getPure();
  return false;
}

bool mayWrite(Operation *op) { return anyInside(op, mayWriteItself); }

bool touchesMemory(Operation *op) {
  return anyInside(op, [](Operation *inner) { return mayWriteItself(inner) || isa<tensor::LoadOp>(inner); });
}

SmallVector<int> getOwnDimensions(Value tensor) {
  SmallVector<int> dimensions;
  if (auto type = dyn_cast<RankedTensorType>(tensor.getType()))
    for (int d = 0; d < type.getRank(); ++d)
      dimensions.push_back(d);
  return dimensions;
}

void walkExpression(Value root, ArrayRef<int> dimensions, llvm::function_ref<bool(Value)> isLeaf,
                    llvm::function_ref<void(Value, ArrayRef<int>)> visit) {
  std::set<std::pair<void *, std::vector<int>>> seen;
  SmallVector<std::pair<Value, SmallVector<int>>> pending{{root, SmallVector<int>(dimensions)}};
  while (!pending.empty()) {
    auto [tensor, placed] = pending.pop_back_val();
    if (!isa<RankedTensorType>(tensor.getType()) ||
        !seen.insert({tensor.getAsOpaquePointer(), std::vector<int>(placed.begin(), placed.end())}).second)
      continue;
    visit(tensor, placed);
    Operation *op = tensor.getDefiningOp();
    if (!op || isLeaf(tensor) || !isRecomputable(op))
      continue;
    if (auto source = mapThroughView(tensor, placed)) {
      pending.push_back(*source);
      continue;
    }
    if (isa<tensor::SplatOp>(op))
      continue;
    if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
      pending.push_back({gather.getIndices(), placed});
      continue;
    }
    for (Value operand : llvm::reverse(op->getOperands()))
      pending.push_back({operand, placed});
  }
}

} // namespace triton::cpu
