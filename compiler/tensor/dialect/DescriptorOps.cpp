// Block pointers and tensor descriptors: how they are built and checked.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::tensor {

static SmallVector<int32_t> narrow(ArrayRef<int64_t> shape) { return SmallVector<int32_t>(shape.begin(), shape.end()); }

void MakeTensorPtrOp::build(OpBuilder &builder, OperationState &state, Value base, ValueRange shape, ValueRange strides,
                            ValueRange offsets, ArrayRef<int32_t> blockShape, ArrayRef<int32_t> order) {
  auto pointer = cast<PointerType>(base.getType());
  SmallVector<int64_t> dims(blockShape.begin(), blockShape.end());
  auto type = PointerType::get(RankedTensorType::get(dims, pointer.getPointeeType()), pointer.getAddressSpace());
  build(builder, state, type, base, shape, strides, offsets, order);
}

static LogicalResult checkOffsets(Operation *op, OperandRange offsets) {
  if (llvm::all_equal(offsets.getTypes()))
    return success();
  return op->emitOpError() << "needs offsets of one width, got " << offsets.getTypes();
}

LogicalResult MakeTensorPtrOp::verify() {
  auto block = dyn_cast<RankedTensorType>(getType().getPointeeType());
  if (!block)
    return emitOpError() << "gives a pointer to a tensor, not " << getType();
  WindowRanks ranks{int64_t(getShape().size()), int64_t(getStrides().size()), int64_t(getOffsets().size())};
  if (failed(inferMakeTensorPtr(getBase().getType(), ranks, narrow(block.getShape()), getOrder(),
                                [&] { return emitOpError(); })))
    return failure();
  return checkOffsets(*this, getOffsets());
}

LogicalResult AdvanceOp::verify() {
  if (failed(checkAdvance(getPtr().getType(), getOffsets().size(), [&] { return emitOpError(); })))
    return failure();
  return checkOffsets(*this, getOffsets());
}

void MakeTensorDescOp::build(OpBuilder &builder, OperationState &state, Value base, ValueRange shape,
                             ValueRange strides, ArrayRef<int32_t> blockShape, bool isSigned, PaddingOption padding) {
  auto type = inferMakeTensorDesc(base.getType(), shape.size(), strides.size(), blockShape, isSigned, padding,
                                  [&] { return mlir::emitError(state.location); });
  assert(succeeded(type) && "the caller asked inferMakeTensorDesc first");
  build(builder, state, *type, base, shape, strides, padding);
}

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = getType().getBlockType();
  auto type =
      inferMakeTensorDesc(getBase().getType(), getShape().size(), getStrides().size(), narrow(block.getShape()),
                          block.getElementType().isSignedInteger(), getPadding(), [&] { return emitOpError(); });
  if (failed(type))
    return failure();
  if (!isSameUpToEncoding(type->getSignlessBlockType(), getType().getSignlessBlockType()))
    return emitOpError() << "describes elements of " << type->getSignlessBlockType().getElementType() << ", not "
                         << block.getElementType();
  return success();
}

void DescriptorLoadOp::build(OpBuilder &builder, OperationState &state, Value descriptor, ValueRange indices,
                             CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, dropEncoding(cast<TensorDescType>(descriptor.getType()).getSignlessBlockType()), descriptor,
        indices, cache, evict);
}

LogicalResult DescriptorLoadOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto block = inferDescriptorLoad(getDesc().getType(), getIndices().size(), error);
  if (failed(block))
    return failure();
  if (!isSameUpToEncoding(*block, getType()))
    return error() << "gives " << *block << ", not " << getType();
  return success();
}

LogicalResult DescriptorStoreOp::verify() {
  return checkDescriptorStore(getDesc().getType(), getSrc().getType(), getIndices().size(),
                              [&] { return emitOpError(); });
}

LogicalResult DescriptorReduceOp::verify() {
  return checkDescriptorReduce(getKind(), getDesc().getType(), getSrc().getType(), getIndices().size(),
                               [&] { return emitOpError(); });
}

void DescriptorGatherOp::build(OpBuilder &builder, OperationState &state, Value descriptor, Value rows, Value column) {
  RankedTensorType block = cast<TensorDescType>(descriptor.getType()).getSignlessBlockType();
  SmallVector<int64_t> shape(triton::tensor::getShape(rows.getType()));
  shape.push_back(block.getShape().back());
  build(builder, state, RankedTensorType::get(shape, block.getElementType()), descriptor, rows, column);
}

LogicalResult DescriptorGatherOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto type = inferDescriptorGather(getDesc().getType(), getXOffsets().getType(), error);
  if (failed(type))
    return failure();
  if (!isSameUpToEncoding(*type, getType()))
    return error() << "gives " << *type << ", not " << getType();
  return success();
}

LogicalResult DescriptorScatterOp::verify() {
  return checkDescriptorScatter(getDesc().getType(), getXOffsets().getType(), getSrc().getType(),
                                [&] { return emitOpError(); });
}

} // namespace triton::tensor
