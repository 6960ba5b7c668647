#include "compiler/gpu/ScaledExtrema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

Operation *extremumOf(tensor::ReduceOp reduce) {
  Block &body = reduce.getCombineOp().front();
  Operation *combine = &body.front();
  bool isExtremum = reduce.getNumOperands() == 1 && &*std::next(body.begin()) == body.getTerminator() &&
                    isa<arith::MaxNumFOp, arith::MinNumFOp>(combine) &&
                    combine->getOperand(0) != combine->getOperand(1) &&
                    llvm::all_of(combine->getOperands(), llvm::IsaPred<BlockArgument>) &&
                    body.getTerminator()->getOperand(0) == combine->getResult(0);
  return isExtremum ? combine : nullptr;
}

/// Whether all elements of `tensor` are one number, which may be positive.
static bool isFactor(Value tensor) {
  SplatElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)))
    return bool(tensor.getDefiningOp<tensor::SplatOp>());
  const APFloat number = elements.getSplatValue<APFloat>();
  return number.isFiniteNonZero() && !number.isNegative();
}

Value findUnscaled(tensor::ReduceOp reduce) {
  auto product = extremumOf(reduce) ? reduce->getOperand(0).getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product)
    return {};
  return isFactor(product.getRhs()) ? product.getLhs() : isFactor(product.getLhs()) ? product.getRhs() : Value();
}

} // namespace triton::gpu
