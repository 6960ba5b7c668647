// The rules of ops that make tensors, move their elements or reduce them.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::tensor {

/// Says beside a message, which clients compare whole, what the size is.
static LogicalResult withSize(InFlightDiagnostic message, int64_t size) {
  Diagnostic &note = message.attachNote() << "it is " << size;
  if (size > 0 && size <= maxTensorElements)
    note << "; the next power of 2 is " << llvm::PowerOf2Ceil(size);
  return message;
}

LogicalResult checkShape(Shape shape, EmitError error) {
  if (shape.empty())
    return error() << "a tensor needs at least one dimension";
  int64_t elements = 1;
  for (auto [index, size] : llvm::enumerate(shape)) {
    if (size <= 0 || !llvm::isPowerOf2_64(size))
      return withSize(error() << "Shape element " << index << " must be a power of 2", size);
    // Sizes are powers of two, so the product is at most 2^20 * 2^63 in the unsigned type before the check stops it.
    if (size > maxTensorElements || (elements *= size) > maxTensorElements) {
      llvm::APInt total(128, 1);
      for (int64_t other : shape)
        total *= llvm::APInt(128, other > 0 ? other : 1);
      return error() << "numel (" << llvm::toString(total, 10, false) << ") exceeds triton maximum tensor numel ("
                     << maxTensorElements << ")";
    }
  }
  return success();
}

FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank, EmitError error) {
  if (axis < -rank || axis >= rank)
    return error() << "invalid axis " << axis << ". Expected " << -rank << " <= axis < " << rank;
  return axis < 0 ? axis + rank : axis;
}

static LogicalResult checkAxis(int64_t axis, int64_t rank, EmitError error) {
  if (axis < 0 || axis >= rank)
    return error() << "invalid axis " << axis << ". Expected 0 <= axis < " << rank;
  return success();
}

FailureOr<SmallVector<int64_t>> inferBroadcastShape(Shape lhs, Shape rhs, EmitError error) {
  int64_t rank = std::max(lhs.size(), rhs.size());
  auto sizeAt = [&](Shape shape, int64_t index) {
    int64_t place = index - (rank - static_cast<int64_t>(shape.size()));
    return place < 0 ? 1 : shape[place];
  };
  SmallVector<int64_t> result;
  for (int64_t index = 0; index < rank; ++index) {
    int64_t left = sizeAt(lhs, index), right = sizeAt(rhs, index);
    if (left != right && left != 1 && right != 1)
      return error() << "cannot make shapes compatible: incompatible dimensions at index " << index << ": " << left
                     << " and " << right;
    result.push_back(left == 1 ? right : left);
  }
  if (rank > 0 && failed(checkShape(result, error)))
    return failure();
  return result;
}

FailureOr<RankedTensorType> inferRange(MLIRContext *context, int64_t start, int64_t end, EmitError error) {
  if (!llvm::isUInt<32>(start) || !llvm::isUInt<32>(end))
    return error() << "arange must fit in int32, got " << start << " to " << end;
  if (end <= start)
    return error() << "arange's end argument must be greater than the start argument, got " << start << " to " << end;
  if (!llvm::isPowerOf2_64(end - start))
    return withSize(error() << "arange's range must be a power of 2", end - start);
  if (failed(checkShape({end - start}, error)))
    return failure();
  return RankedTensorType::get({end - start}, IntegerType::get(context, 32));
}

FailureOr<RankedTensorType> inferSplat(Type scalar, Shape shape, EmitError error) {
  if (isa<ShapedType>(scalar))
    return error() << "cannot splat " << scalar << ", which is not a scalar";
  if (failed(checkShape(shape, error)))
    return failure();
  return RankedTensorType::get(shape, scalar);
}

/// In a file of IR, MLIR's tensors may have sizes that are not known.
static LogicalResult checkIsStatic(RankedTensorType tensor, EmitError error) {
  if (tensor.hasStaticShape())
    return success();
  return error() << "needs a tensor of known sizes, got " << tensor;
}

FailureOr<Type> inferUnsplat(RankedTensorType tensor, EmitError error) {
  if (failed(checkIsStatic(tensor, error)))
    return failure();
  if (tensor.getNumElements() != 1)
    return error() << "only a tensor of one element becomes a scalar, got shape [" << tensor.getShape() << "]";
  return tensor.getElementType();
}

/// A tensor of `shape` with the elements of `tensor`, and the encoding that `infer` gives for an operand that has one.
static FailureOr<RankedTensorType>
withShape(RankedTensorType tensor, Shape shape,
          llvm::function_ref<EncodingInterface::Inferred(const EncodingInterface &)> infer) {
  Attribute encoding;
  if (const EncodingInterface *encodings = getEncodingInterface(tensor)) {
    auto inferred = infer(*encodings);
    if (failed(inferred))
      return failure();
    encoding = *inferred;
  }
  return RankedTensorType::get(shape, tensor.getElementType(), encoding);
}

FailureOr<RankedTensorType> inferExpandDims(RankedTensorType tensor, int64_t axis, EmitError error) {
  if (failed(checkAxis(axis, tensor.getRank() + 1, error)))
    return failure();
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + axis, 1);
  return withShape(tensor, shape, [&](auto &encodings) { return encodings.inferExpandDims(tensor, axis, error); });
}

FailureOr<RankedTensorType> inferBroadcast(RankedTensorType tensor, Shape shape, EmitError error) {
  if (static_cast<int64_t>(shape.size()) != tensor.getRank())
    return error() << "cannot broadcast, rank mismatch: [" << tensor.getShape() << "], [" << shape << "]";
  for (auto [index, from, to] : llvm::enumerate(tensor.getShape(), shape))
    if (from != to && from != 1)
      return error() << "cannot broadcast, the expanded size of the tensor (" << to
                     << ") must match the existing size (" << from << ") at non-singleton dimension (" << index
                     << "): [" << tensor.getShape() << "], [" << shape << "]";
  if (failed(checkShape(shape, error)))
    return failure();
  return tensor.clone(shape);
}

FailureOr<RankedTensorType> inferReshape(RankedTensorType tensor, Shape shape, EmitError error) {
  if (failed(checkShape(shape, error)) || failed(checkIsStatic(tensor, error)))
    return failure();
  if (ShapedType::getNumElements(shape) != tensor.getNumElements())
    return error() << "reshape() cannot change total number of elements in tensor: [" << tensor.getShape() << "] has "
                   << tensor.getNumElements() << ", [" << shape << "] has " << ShapedType::getNumElements(shape);
  return withShape(tensor, shape, [&](auto &encodings) { return encodings.inferReshape(tensor, shape, error); });
}

LogicalResult checkPermutation(StringRef what, ArrayRef<int32_t> order, int64_t rank, EmitError error) {
  if (static_cast<int64_t>(order.size()) != rank)
    return error() << what << " must have the same length as the shape, got " << order.size() << " for rank " << rank;
  llvm::SmallBitVector seen(rank);
  for (int32_t dim : order) {
    if (dim < 0 || dim >= rank || seen[dim])
      return error() << what << " must be a permutation of 0, 1, ..., n-1, got [" << order << "]";
    seen.set(dim);
  }
  return success();
}

FailureOr<RankedTensorType> inferTrans(RankedTensorType tensor, ArrayRef<int32_t> order, EmitError error) {
  if (failed(checkPermutation("permute dims", order, tensor.getRank(), error)))
    return failure();
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(tensor.getDimSize(dim));
  return withShape(tensor, shape, [&](auto &encodings) { return encodings.inferTrans(tensor, order, error); });
}

FailureOr<RankedTensorType> inferCat(RankedTensorType lhs, RankedTensorType rhs, EmitError error) {
  if (lhs != rhs)
    return error() << "cat needs two tensors of one shape and dtype, got " << lhs << " and " << rhs;
  if (failed(checkShape(lhs.getShape(), error)))
    return failure();
  SmallVector<int64_t> shape(lhs.getShape());
  shape[0] *= 2;
  if (failed(checkShape(shape, error)))
    return failure();
  return withShape(lhs, shape, [&](auto &encodings) { return encodings.inferCat(lhs, error); });
}

FailureOr<RankedTensorType> inferJoin(Type lhs, Type rhs, EmitError error) {
  if (lhs != rhs)
    return error() << "join needs two values of one shape and dtype, got " << lhs << " and " << rhs;
  SmallVector<int64_t> shape(getShape(lhs));
  shape.push_back(2);
  if (failed(checkShape(shape, error)))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(lhs);
  if (!tensor)
    return RankedTensorType::get(shape, lhs);
  return withShape(tensor, shape, [&](auto &encodings) { return encodings.inferJoin(tensor, error); });
}

FailureOr<Type> inferSplit(RankedTensorType tensor, EmitError error) {
  if (tensor.getShape().empty() || tensor.getShape().back() != 2)
    return error() << "split needs a last dimension of size 2, got shape [" << tensor.getShape() << "]";
  if (tensor.getRank() == 1)
    return tensor.getElementType();
  auto half = withShape(tensor, tensor.getShape().drop_back(),
                        [&](auto &encodings) { return encodings.inferSplit(tensor, error); });
  if (failed(half))
    return failure();
  return Type(*half);
}

FailureOr<RankedTensorType> inferGather(RankedTensorType source, RankedTensorType indices, int64_t axis,
                                        EmitError error) {
  if (!indices.getElementType().isSignlessInteger())
    return error() << "index must be an integer tensor, got " << indices.getElementType();
  if (source.getRank() != indices.getRank())
    return error() << "source and index tensors must have the same rank, got " << source.getRank() << " and "
                   << indices.getRank();
  if (failed(checkAxis(axis, source.getRank(), error)))
    return failure();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim != axis && source.getDimSize(dim) != indices.getDimSize(dim))
      return error() << "index dim " << dim << " must match the corresponding source dim, got "
                     << indices.getDimSize(dim) << " and " << source.getDimSize(dim);
  return indices.clone(source.getElementType());
}

/// What reductions and scans ask of their operands alike.
static LogicalResult checkReduced(StringRef what, TypeRange operands, int64_t axis, EmitError error) {
  if (operands.empty())
    return error() << what << " needs at least one operand";
  for (Type operand : operands) {
    if (!isa<RankedTensorType>(operand))
      return error() << what << " needs a tensor, got the scalar " << operand;
    if (getShape(operand) != getShape(operands[0]))
      return error() << what << ": all inputs must have the same shape, got [" << getShape(operands[0]) << "] and ["
                     << getShape(operand) << "]";
    if (cast<RankedTensorType>(operand).getEncoding() != cast<RankedTensorType>(operands[0]).getEncoding())
      return error() << what << ": all inputs must have the same layout, got " << operands[0] << " and " << operand;
  }
  return checkAxis(axis, getShape(operands[0]).size(), error);
}

FailureOr<SmallVector<Type>> inferReduce(TypeRange operands, int64_t axis, EmitError error) {
  if (failed(checkReduced("reduce", operands, axis, error)))
    return failure();
  SmallVector<int64_t> shape(getShape(operands[0]));
  shape.erase(shape.begin() + axis);
  SmallVector<Type> results;
  for (Type operand : operands) {
    auto tensor = cast<RankedTensorType>(operand);
    if (shape.empty()) {
      results.push_back(tensor.getElementType());
      continue;
    }
    auto reduced =
        withShape(tensor, shape, [&](auto &encodings) { return encodings.inferReduce(tensor, axis, error); });
    if (failed(reduced))
      return failure();
    results.push_back(*reduced);
  }
  return results;
}

LogicalResult checkScan(TypeRange operands, int64_t axis, EmitError error) {
  return checkReduced("associative_scan", operands, axis, error);
}

FailureOr<RankedTensorType> inferHistogram(Type operand, Type mask, int64_t bins, EmitError error) {
  auto tensor = dyn_cast<RankedTensorType>(operand);
  if (!tensor || tensor.getRank() != 1 || !tensor.getElementType().isSignlessInteger())
    return error() << "histogram only supports 1D integer input, got " << operand;
  if (mask && !getElementTypeOrSelf(mask).isSignlessInteger(1))
    return error() << "mask must have boolean scalar type, got " << mask;
  if (mask && getShape(mask) != tensor.getShape())
    return error() << "histogram mask must have the shape of the input, got [" << getShape(mask) << "] and ["
                   << tensor.getShape() << "]";
  if (failed(checkShape({bins}, error)))
    return failure();
  return RankedTensorType::get({bins}, IntegerType::get(operand.getContext(), 32));
}

LogicalResult checkRegionTypes(StringRef what, TypeRange yields, TypeRange wanted, EmitError error) {
  if (yields.size() != wanted.size())
    return error() << what << " must have " << wanted.size() << " values, got " << yields.size();
  for (auto [index, yield, want] : llvm::enumerate(yields, wanted))
    if (!isSameType(yield, want))
      return error() << what << " " << index << " must be " << want << ", got " << yield;
  return success();
}

} // namespace triton::tensor
