// Ops that make tensors and move their elements: how they are built and checked.
#include "compiler/tensor/InferError.h"
#include "compiler/tensor/Rules.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::tensor {

/// Adds `inferred` to the result types, if there is one.
template <typename TypeT> static LogicalResult append(SmallVectorImpl<Type> &types, FailureOr<TypeT> inferred) {
  if (failed(inferred))
    return failure();
  types.push_back(*inferred);
  return success();
}

/// Checks that an op's result is what the rule says.
template <typename TypeT> static LogicalResult expect(Operation *op, FailureOr<TypeT> inferred) {
  if (failed(inferred))
    return failure();
  if (op->getResult(0).getType() != *inferred)
    return op->emitOpError() << "gives " << *inferred << ", not " << op->getResult(0).getType();
  return success();
}

void MakeRangeOp::build(OpBuilder &builder, OperationState &state, int32_t start, int32_t end) {
  build(builder, state, RankedTensorType::get({int64_t(end) - start}, builder.getI32Type()), start, end);
}

LogicalResult MakeRangeOp::verify() {
  return expect(*this, inferRange(getContext(), int32_t(getStart()), int32_t(getEnd()), [&] { return emitOpError(); }));
}

void SplatOp::build(OpBuilder &builder, OperationState &state, Value scalar, ArrayRef<int64_t> shape) {
  build(builder, state, RankedTensorType::get(shape, scalar.getType()), scalar);
}

LogicalResult SplatOp::verify() {
  return expect(*this, inferSplat(getSrc().getType(), getType().getShape(), [&] { return emitOpError(); }));
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return append(types, inferUnsplat(cast<RankedTensorType>(adaptor.getSrc().getType()), errorAt(location)));
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return append(types, inferExpandDims(cast<RankedTensorType>(adaptor.getSrc().getType()), int32_t(adaptor.getAxis()),
                                       errorAt(location)));
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Value tensor, ArrayRef<int64_t> shape) {
  build(builder, state, cast<RankedTensorType>(tensor.getType()).clone(shape), tensor);
}

LogicalResult BroadcastOp::verify() {
  return expect(*this, inferBroadcast(getSrc().getType(), getType().getShape(), [&] { return emitOpError(); }));
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value tensor, ArrayRef<int64_t> shape,
                      bool allowReorder) {
  build(builder, state, cast<RankedTensorType>(tensor.getType()).clone(shape), tensor, allowReorder,
        /*efficient_layout=*/false);
}

LogicalResult ReshapeOp::verify() {
  return expect(*this, inferReshape(getSrc().getType(), getType().getShape(), [&] { return emitOpError(); }));
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return append(types,
                inferTrans(cast<RankedTensorType>(adaptor.getSrc().getType()), adaptor.getOrder(), errorAt(location)));
}

void CatOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] *= 2;
  build(builder, state, type.clone(shape), lhs, rhs);
}

LogicalResult CatOp::verify() {
  return expect(*this, inferCat(getLhs().getType(), getRhs().getType(), [&] { return emitOpError(); }));
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return append(types, inferJoin(adaptor.getLhs().getType(), adaptor.getRhs().getType(), errorAt(location)));
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto half = inferSplit(cast<RankedTensorType>(adaptor.getSrc().getType()), errorAt(location));
  if (failed(half))
    return failure();
  types.assign(2, *half);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return append(types, inferGather(cast<RankedTensorType>(adaptor.getSrc().getType()),
                                   cast<RankedTensorType>(adaptor.getIndices().getType()), int32_t(adaptor.getAxis()),
                                   errorAt(location)));
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value source, Value indices, int axis) {
  auto type = RankedTensorType::get(getShape(indices.getType()), getElementTypeOrSelf(source.getType()));
  build(builder, state, type, source, indices, axis, /*efficient_layout=*/false);
}

} // namespace triton::tensor
