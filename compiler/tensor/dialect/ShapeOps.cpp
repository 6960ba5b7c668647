// Ops that make tensors and move their elements: how they are built and checked.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/InferError.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::tensor {

/// Adds `inferred` to the result types, if there is one.
template <typename TypeT> static LogicalResult append(SmallVectorImpl<Type> &types, FailureOr<TypeT> inferred) {
  if (failed(inferred))
    return failure();
  types.push_back(*inferred);
  return success();
}

static LogicalResult reportResult(Operation *op, Type expected) {
  return op->emitOpError() << "gives " << expected << ", not " << op->getResult(0).getType();
}

/// Checks that an op's result is what the rule says.
template <typename TypeT> static LogicalResult expect(Operation *op, FailureOr<TypeT> inferred) {
  if (failed(inferred))
    return failure();
  return isSameType(*inferred, op->getResult(0).getType()) ? success() : reportResult(op, *inferred);
}

/// The same for an op whose result may have any encoding.
template <typename TypeT> static LogicalResult expectAnyEncoding(Operation *op, FailureOr<TypeT> inferred) {
  if (failed(inferred))
    return failure();
  return isSameUpToEncoding(*inferred, op->getResult(0).getType()) ? success() : reportResult(op, *inferred);
}

void MakeRangeOp::build(OpBuilder &builder, OperationState &state, int32_t start, int32_t end) {
  build(builder, state, RankedTensorType::get({int64_t(end) - start}, builder.getI32Type()), start, end);
}

LogicalResult MakeRangeOp::verify() {
  return expectAnyEncoding(
      *this, inferRange(getContext(), int32_t(getStart()), int32_t(getEnd()), [&] { return emitOpError(); }));
}

void SplatOp::build(OpBuilder &builder, OperationState &state, Value scalar, ArrayRef<int64_t> shape) {
  build(builder, state, RankedTensorType::get(shape, scalar.getType()), scalar);
}

LogicalResult SplatOp::verify() {
  return expectAnyEncoding(*this, inferSplat(getSrc().getType(), getType().getShape(), [&] { return emitOpError(); }));
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

bool ExpandDimsOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areSameTypes(lhs, rhs); }

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Value tensor, ArrayRef<int64_t> shape) {
  build(builder, state, cast<RankedTensorType>(tensor.getType()).clone(shape), tensor);
}

LogicalResult BroadcastOp::verify() {
  return expect(*this, inferBroadcast(getSrc().getType(), getType().getShape(), [&] { return emitOpError(); }));
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value tensor, ArrayRef<int64_t> shape,
                      bool allowReorder) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type result = type.clone(shape);
  if (type.getEncoding()) {
    auto inferred = inferReshape(type, shape, [&] { return mlir::emitError(state.location); });
    assert(succeeded(inferred) && "the caller asked inferReshape first");
    result = *inferred;
  }
  build(builder, state, result, tensor, allowReorder, /*efficient_layout=*/false);
}

LogicalResult ReshapeOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto plain = cast<RankedTensorType>(dropEncoding(getSrc().getType()));
  if (failed(expectAnyEncoding(*this, inferReshape(plain, getType().getShape(), error))))
    return failure();
  const EncodingInterface *encodings = getEncodingInterface(getSrc().getType());
  if (!encodings != !getEncodingInterface(getType()))
    return error() << "has a layout on one side only: " << getSrc().getType() << " to " << getType();
  if (encodings && !(getAllowReorder() ? encodings->isReorder(getSrc().getType(), getType())
                                       : encodings->isReshape(getSrc().getType(), getType())))
    return error() << "gives the elements of " << getSrc().getType() << " in place, which " << getType() << " is not";
  return success();
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return append(types,
                inferTrans(cast<RankedTensorType>(adaptor.getSrc().getType()), adaptor.getOrder(), errorAt(location)));
}

bool TransOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areSameTypes(lhs, rhs); }

void CatOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs) {
  auto type = inferCat(cast<RankedTensorType>(lhs.getType()), cast<RankedTensorType>(rhs.getType()),
                       [&] { return mlir::emitError(state.location); });
  assert(succeeded(type) && "the caller asked inferCat first");
  build(builder, state, *type, lhs, rhs);
}

LogicalResult CatOp::verify() {
  return expect(*this, inferCat(getLhs().getType(), getRhs().getType(), [&] { return emitOpError(); }));
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return append(types, inferJoin(adaptor.getLhs().getType(), adaptor.getRhs().getType(), errorAt(location)));
}

static bool isPair(Type type) { return getShape(type).size() == 1; }

/// Two scalars have no encoding to go by: their pair may have any.
bool JoinOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) {
  return areSameTypes(lhs, rhs) ||
         (lhs.size() == 1 && rhs.size() == 1 && isPair(lhs[0]) && isPair(rhs[0]) && isSameUpToEncoding(lhs[0], rhs[0]));
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto half = inferSplit(cast<RankedTensorType>(adaptor.getSrc().getType()), errorAt(location));
  if (failed(half))
    return failure();
  types.assign(2, *half);
  return success();
}

bool SplitOp::isCompatibleReturnTypes(TypeRange lhs, TypeRange rhs) { return areSameTypes(lhs, rhs); }

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return append(types, inferGather(cast<RankedTensorType>(adaptor.getSrc().getType()),
                                   cast<RankedTensorType>(adaptor.getIndices().getType()), int32_t(adaptor.getAxis()),
                                   errorAt(location)));
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value source, Value indices, int axis) {
  auto type = cast<RankedTensorType>(indices.getType()).clone(getElementTypeOrSelf(source.getType()));
  build(builder, state, type, source, indices, axis, /*efficient_layout=*/false);
}

} // namespace triton::tensor
