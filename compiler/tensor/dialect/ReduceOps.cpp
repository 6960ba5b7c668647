// Reductions, scans, maps and histograms: how they are built and checked.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::tensor {

static SmallVector<Type> elementTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return getElementTypeOrSelf(type); });
}

/// Checks that `region` takes and gives the scalars that combine groups of `elements`.
template <typename ReturnT> static LogicalResult checkCombiner(Operation *op, Region &region, ArrayRef<Type> elements) {
  auto error = [&] { return op->emitOpError(); };
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  if (failed(checkRegionTypes("combine argument", region.getArgumentTypes(), arguments, error)))
    return failure();
  auto terminator = dyn_cast<ReturnT>(region.front().getTerminator());
  if (!terminator)
    return error() << "must end its region with " << ReturnT::getOperationName();
  return checkRegionTypes("combine result", terminator->getOperandTypes(), elements, error);
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int axis) {
  auto types = inferReduce(srcs.getTypes(), axis, [&] { return mlir::emitError(state.location); });
  assert(succeeded(types) && "the caller asked inferReduce first");
  build(builder, state, *types, srcs, axis);
}

SmallVector<Type> ReduceOp::getElementTypes() { return elementTypes(getOperandTypes()); }

Operation *ReduceOp::getSingleCombiner() {
  Block &block = getCombineOp().front();
  if (getNumOperands() != 1 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation *combiner = &block.front();
  if (combiner->getNumOperands() != 2 || combiner->getNumResults() != 1 ||
      block.getTerminator()->getOperand(0) != combiner->getResult(0))
    return nullptr;
  bool inOrder = combiner->getOperand(0) == block.getArgument(0) && combiner->getOperand(1) == block.getArgument(1);
  bool swapped = combiner->getOperand(1) == block.getArgument(0) && combiner->getOperand(0) == block.getArgument(1) &&
                 combiner->hasTrait<OpTrait::IsCommutative>();
  return inOrder || swapped ? combiner : nullptr;
}

LogicalResult ReduceOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto types = inferReduce(getOperandTypes(), int32_t(getAxis()), error);
  if (failed(types))
    return failure();
  return checkRegionTypes("result", getResultTypes(), *types, error);
}

LogicalResult ReduceOp::verifyRegions() {
  return checkCombiner<ReduceReturnOp>(*this, getCombineOp(), getElementTypes());
}

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int axis, bool reverse) {
  build(builder, state, srcs.getTypes(), srcs, axis, reverse);
}

SmallVector<Type> ScanOp::getElementTypes() { return elementTypes(getOperandTypes()); }

LogicalResult ScanOp::verify() {
  auto error = [&] { return emitOpError(); };
  if (failed(checkScan(getOperandTypes(), int32_t(getAxis()), error)))
    return failure();
  return checkRegionTypes("result", getResultTypes(), getOperandTypes(), error);
}

LogicalResult ScanOp::verifyRegions() { return checkCombiner<ScanReturnOp>(*this, getCombineOp(), getElementTypes()); }

LogicalResult MapElementwiseOp::verify() {
  if (getOperands().empty())
    return emitOpError() << "needs at least one operand";
  int32_t pack = getPack();
  if (pack < 1 || !llvm::isPowerOf2_32(pack))
    return emitOpError() << "needs a pack that is a power of 2, got " << pack;
  auto tensor = cast<RankedTensorType>(getOperandTypes()[0]);
  if (!tensor.hasStaticShape())
    return emitOpError() << "needs tensors of known sizes, got " << tensor;
  int64_t elements = tensor.getNumElements();
  if (elements % pack != 0)
    return emitOpError() << "has " << elements << " elements, which pack " << pack << " does not divide";
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  auto error = [&] { return emitOpError(); };
  auto packed = [&](TypeRange types) {
    SmallVector<Type> scalars;
    for (Type type : types)
      scalars.append(getPack(), getElementTypeOrSelf(type));
    return scalars;
  };
  if (getScalarOp().empty())
    return error() << "needs a scalar function";
  if (failed(checkRegionTypes("argument", getScalarOp().getArgumentTypes(), packed(getOperandTypes()), error)))
    return failure();
  for (Block &block : getScalarOp())
    if (auto terminator = dyn_cast<MapElementwiseReturnOp>(block.getTerminator()))
      if (failed(checkRegionTypes("returned value", terminator->getOperandTypes(), packed(getResultTypes()), error)))
        return failure();
  return success();
}

void HistogramOp::build(OpBuilder &builder, OperationState &state, Value src, Value mask, int64_t bins) {
  build(builder, state, RankedTensorType::get({bins}, builder.getI32Type()), src, mask);
}

LogicalResult HistogramOp::verify() {
  auto error = [&] { return emitOpError(); };
  if (failed(checkShape(getType().getShape(), error)))
    return failure();
  auto type =
      inferHistogram(getSrc().getType(), getMask() ? getMask().getType() : Type(), getType().getShape()[0], error);
  if (failed(type))
    return failure();
  if (!isSameUpToEncoding(*type, getType()))
    return error() << "gives " << *type << ", not " << getType();
  return success();
}

} // namespace triton::tensor
