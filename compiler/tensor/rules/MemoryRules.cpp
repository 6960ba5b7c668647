// The rules of loads, stores, atomics, block pointers and descriptors.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace triton::tensor {

/// The block a block pointer points to, or null for pointers to single elements.
static RankedTensorType getBlock(Type pointer) {
  auto type = dyn_cast<PointerType>(pointer);
  return type ? dyn_cast<RankedTensorType>(type.getPointeeType()) : RankedTensorType();
}

static LogicalResult checkPointer(StringRef op, Type pointer, EmitError error) {
  if (!isa<PointerType>(getElementTypeOrSelf(pointer)))
    return error() << "unsupported ptr type " << pointer << " in `tl." << op << "`";
  return success();
}

static Attribute getEncoding(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

/// A mask, `other` or value of an access through pointers that are no block pointer.
static LogicalResult checkCompanion(StringRef name, Type type, Type pointer, EmitError error) {
  if (!type)
    return success();
  bool pointsToOne = isa<PointerType>(pointer);
  if (pointsToOne && isa<RankedTensorType>(type))
    return error() << name << " argument cannot be block type if pointer argument is not a block";
  if (getShape(type) != getShape(pointer))
    return error() << name << " must have the shape of the pointers, expected [" << getShape(pointer) << "], got ["
                   << getShape(type) << "]";
  if (getEncoding(type) != getEncoding(pointer))
    return error() << name << " must have the layout of the pointers, got " << type << " and " << pointer;
  return success();
}

static LogicalResult checkMask(Type mask, Type pointer, EmitError error) {
  if (mask && !getElementTypeOrSelf(mask).isSignlessInteger(1))
    return error() << "mask must have boolean scalar type, got " << mask;
  return checkCompanion("mask", mask, pointer, error);
}

static LogicalResult checkPointee(StringRef name, Type type, Type pointer, EmitError error) {
  Type pointee = cast<PointerType>(getElementTypeOrSelf(pointer)).getPointeeType();
  if (type && getElementTypeOrSelf(type) != pointee)
    return error() << name << " must have the type the pointers point to, expected " << pointee << ", got "
                   << getElementTypeOrSelf(type);
  return success();
}

static LogicalResult checkBoundary(ArrayRef<int32_t> boundaryCheck, RankedTensorType block, EmitError error) {
  llvm::SmallBitVector seen(block.getRank());
  for (int32_t dim : boundaryCheck) {
    if (dim < 0 || dim >= block.getRank())
      return error() << "boundary_check dimension " << dim << " is outside of a block of rank " << block.getRank();
    if (seen[dim])
      return error() << "duplicate dimension " << dim << " in boundary_check";
    seen.set(dim);
  }
  return success();
}

static LogicalResult checkPadding(std::optional<PaddingOption> padding, Type element, EmitError error) {
  if (padding && isa<PointerType>(element))
    return error() << "padding is not supported for blocks of pointers, got " << element;
  if (padding == PaddingOption::Nan && !isa<FloatType>(element))
    return error() << "padding option `nan` is not supported for integer blocks, got " << element;
  return success();
}

FailureOr<Type> inferLoad(Type pointer, Type mask, Type other, ArrayRef<int32_t> boundaryCheck,
                          std::optional<PaddingOption> padding, EmitError error) {
  if (failed(checkPointer("load", pointer, error)))
    return failure();
  if (RankedTensorType block = getBlock(pointer)) {
    if (mask || other)
      return error() << "`mask` and `other` arguments cannot be specified for loading block pointers";
    if (failed(checkBoundary(boundaryCheck, block, error)) ||
        failed(checkPadding(padding, block.getElementType(), error)))
      return failure();
    return Type(block);
  }
  if (!mask && other)
    return error() << "`other` cannot be provided without `mask`";
  if (!boundaryCheck.empty() || padding)
    return error()
           << "`padding_option` or `boundary_check` argument is not supported for loading a tensor of pointers or a "
              "scalar, use block pointers instead";
  if (failed(checkMask(mask, pointer, error)) || failed(checkCompanion("other", other, pointer, error)) ||
      failed(checkPointee("other", other, pointer, error)))
    return failure();
  return getAccessedType(pointer);
}

LogicalResult checkStore(Type pointer, Type value, Type mask, ArrayRef<int32_t> boundaryCheck, EmitError error) {
  if (failed(checkPointer("store", pointer, error)))
    return failure();
  if (RankedTensorType block = getBlock(pointer)) {
    if (mask)
      return error() << "`mask` argument cannot be specified for storing block pointers";
    if (getShape(value) != block.getShape())
      return error() << "block shape [" << block.getShape() << "] and value shape [" << getShape(value) << "] mismatch";
    if (getElementTypeOrSelf(value) != block.getElementType())
      return error() << "block element type " << block.getElementType() << " and value element type "
                     << getElementTypeOrSelf(value) << " mismatch";
    return checkBoundary(boundaryCheck, block, error);
  }
  if (!boundaryCheck.empty())
    return error() << "`boundary_check` argument is not supported for storing a tensor of pointers or a scalar, use "
                      "block pointers "
                      "instead";
  if (failed(checkCompanion("value", value, pointer, error)) || failed(checkPointee("value", value, pointer, error)))
    return failure();
  return checkMask(mask, pointer, error);
}

static bool canUpdate(RMWOp op, Type element) {
  bool isWord = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  switch (op) {
  case RMWOp::And:
  case RMWOp::Or:
  case RMWOp::Xor:
  case RMWOp::Add:
  case RMWOp::UMax:
  case RMWOp::UMin:
    return isWord;
  case RMWOp::FAdd:
    return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  case RMWOp::Max:
  case RMWOp::Min:
  case RMWOp::Exchange:
    return isWord || element.isF32() || element.isF64();
  }
  return false;
}

/// What every atomic asks of its pointer.
static LogicalResult checkAtomicPointer(StringRef op, Type pointer, EmitError error) {
  if (!isa<PointerType>(getElementTypeOrSelf(pointer)) || getBlock(pointer))
    return error() << "pointer argument of atomic_" << op << " must be a pointer or a tensor of pointers, got "
                   << pointer;
  return success();
}

FailureOr<Type> inferAtomicRmw(RMWOp op, Type pointer, Type value, Type mask, EmitError error) {
  StringRef name = op == RMWOp::FAdd       ? "add"
                   : op == RMWOp::UMax     ? "max"
                   : op == RMWOp::UMin     ? "min"
                   : op == RMWOp::Exchange ? "xchg"
                                           : stringifyRMWOp(op);
  if (failed(checkAtomicPointer(name, pointer, error)))
    return failure();
  Type element = cast<PointerType>(getElementTypeOrSelf(pointer)).getPointeeType();
  if (!canUpdate(op, element))
    return error() << "atomic_" << name << " does not support " << element;
  if (failed(checkCompanion("value", value, pointer, error)) || failed(checkPointee("value", value, pointer, error)) ||
      failed(checkMask(mask, pointer, error)))
    return failure();
  return getAccessedType(pointer);
}

FailureOr<Type> inferAtomicCas(Type pointer, Type compared, Type value, EmitError error) {
  if (failed(checkAtomicPointer("cas", pointer, error)))
    return failure();
  Type accessed = getAccessedType(pointer);
  unsigned bits = getElementBits(accessed);
  if (!getElementTypeOrSelf(accessed).isIntOrFloat() || (bits != 16 && bits != 32 && bits != 64))
    return error() << "atomic_cas only supports elements with width {16, 32, 64}, got "
                   << getElementTypeOrSelf(accessed);
  for (auto [name, type] : {std::pair("cmp", compared), std::pair("value", value)})
    if (failed(checkCompanion(name, type, pointer, error)) || failed(checkPointee(name, type, pointer, error)))
      return failure();
  return accessed;
}

static SmallVector<int64_t> widen(ArrayRef<int32_t> values) {
  return SmallVector<int64_t>(values.begin(), values.end());
}

FailureOr<PointerType> inferMakeTensorPtr(Type base, WindowRanks ranks, ArrayRef<int32_t> blockShape,
                                          ArrayRef<int32_t> order, EmitError error) {
  auto pointer = dyn_cast<PointerType>(base);
  if (!pointer || pointer.isBlockPointer())
    return error() << "expected `base` to be a pointer type (but not a block pointer type or others), got " << base;
  int64_t rank = blockShape.size();
  if (ranks.shape != rank || ranks.strides != rank || ranks.offsets != rank ||
      static_cast<int64_t>(order.size()) != rank)
    return error() << "expected shape/strides/offsets/block_shape/order to have the same length, got " << ranks.shape
                   << ", " << ranks.strides << ", " << ranks.offsets << ", " << rank << " and " << order.size();
  if (failed(checkPermutation("order", order, rank, error)))
    return failure();
  SmallVector<int64_t> shape = widen(blockShape);
  if (failed(checkShape(shape, error)))
    return failure();
  return PointerType::get(RankedTensorType::get(shape, pointer.getPointeeType()), pointer.getAddressSpace());
}

LogicalResult checkAdvance(Type pointer, int64_t offsets, EmitError error) {
  RankedTensorType block = getBlock(pointer);
  if (!block)
    return error() << "advance needs a block pointer, got " << pointer;
  if (block.getRank() != offsets)
    return error() << "advance needs one offset per dimension, expected " << block.getRank() << ", got " << offsets;
  return success();
}

LogicalResult checkDescriptorBlock(Shape block, unsigned elementBits, EmitError error) {
  if (block.empty() || block.size() > 5)
    return error() << "expected 1 <= ndim <= 5 but got " << block.size() << " dimensions";
  if (failed(checkShape(block, error)))
    return failure();
  const int64_t size = std::max(elementBits / 8, 1u), bytes = block.back() * size;
  if (bytes < 16)
    return error() << "Descriptor block shape must have at least 16 bytes in the last dimension, but got "
                   << block.back() << " * " << size << " = " << bytes << " bytes";
  return success();
}

FailureOr<TensorDescType> inferMakeTensorDesc(Type base, int64_t shapeRank, int64_t stridesRank,
                                              ArrayRef<int32_t> blockShape, bool isSigned, PaddingOption padding,
                                              EmitError error) {
  auto pointer = dyn_cast<PointerType>(base);
  if (!pointer || !pointer.getPointeeType().isIntOrFloat())
    return error() << "a tensor descriptor needs a scalar pointer as base, got " << base;
  int64_t rank = blockShape.size();
  if (shapeRank < 1 || shapeRank > 5)
    return error() << "expected 1 <= ndim <= 5 but got " << shapeRank << " dimensions";
  if (stridesRank != shapeRank)
    return error() << "expected " << shapeRank << " strides but got " << stridesRank;
  if (rank != shapeRank)
    return error() << "expected block_shape to have " << shapeRank << " dimensions but got " << rank;
  SmallVector<int64_t> shape = widen(blockShape);
  Type element = pointer.getPointeeType();
  if (failed(checkDescriptorBlock(shape, element.getIntOrFloatBitWidth(), error)))
    return failure();
  if (failed(checkPadding(padding, element, error)))
    return failure();
  if (auto integer = dyn_cast<IntegerType>(element))
    element =
        IntegerType::get(base.getContext(), integer.getWidth(), isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  return TensorDescType::get(RankedTensorType::get(shape, element));
}

FailureOr<RankedTensorType> inferDescriptorLoad(TensorDescType descriptor, int64_t indices, EmitError error) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  if (block.getRank() != indices)
    return error() << "expected " << block.getRank() << " offsets, but got " << indices;
  // The encoding of a descriptor's block is that of shared memory on the way, not of the result.
  return cast<RankedTensorType>(dropEncoding(block));
}

/// What a block access through a descriptor stores: the same elements as `block`, in a shape that may drop leading 1s.
static LogicalResult checkStoredBlock(RankedTensorType block, Type value, EmitError error) {
  if (getShape(value) != block.getShape())
    return error() << "expected a value of the block shape [" << block.getShape() << "], got [" << getShape(value)
                   << "]";
  if (getElementTypeOrSelf(value) != block.getElementType())
    return error() << "expected a value of " << block.getElementType() << ", got " << getElementTypeOrSelf(value);
  return success();
}

LogicalResult checkDescriptorStore(TensorDescType descriptor, Type value, int64_t indices, EmitError error) {
  auto block = inferDescriptorLoad(descriptor, indices, error);
  if (failed(block))
    return failure();
  return checkStoredBlock(*block, value, error);
}

static bool canReduce(DescriptorReduceKind kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  bool isWord = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  switch (kind) {
  case DescriptorReduceKind::Add:
    return isWord || element.isF32() || element.isF16() || element.isBF16();
  case DescriptorReduceKind::Min:
  case DescriptorReduceKind::Max:
    return isWord || element.isF16() || element.isBF16();
  case DescriptorReduceKind::And:
  case DescriptorReduceKind::Or:
  case DescriptorReduceKind::Xor:
    return isWord && !isFloat;
  case DescriptorReduceKind::Inc:
  case DescriptorReduceKind::Dec:
    return element.isSignlessInteger(32);
  case DescriptorReduceKind::None:
    return false;
  }
  return false;
}

LogicalResult checkDescriptorReduce(DescriptorReduceKind kind, TensorDescType descriptor, Type value, int64_t indices,
                                    EmitError error) {
  Type element = descriptor.getSignlessBlockType().getElementType();
  if (!canReduce(kind, element))
    return error() << "unsupported dtype for a descriptor's atomic_" << stringifyDescriptorReduceKind(kind) << ": "
                   << descriptor.getBlockType().getElementType();
  return checkDescriptorStore(descriptor, value, indices, error);
}

/// What gathering and scattering rows ask alike. The type of the rows together.
static FailureOr<RankedTensorType> inferRows(StringRef op, TensorDescType descriptor, Type rows, EmitError error) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  if (block.getRank() != 2)
    return error() << "descriptor " << op << " needs a 2D descriptor, got a block of rank " << block.getRank();
  if (block.getDimSize(0) != 1)
    return error() << "descriptor " << op << " needs blocks of one row, got block shape [" << block.getShape() << "]";
  auto offsets = dyn_cast<RankedTensorType>(rows);
  if (!offsets || offsets.getRank() != 1)
    return error() << "x offsets must be 1D, got " << rows;
  if (offsets.getDimSize(0) < 8)
    return error() << "descriptor " << op << " must have at least 8 rows, got " << offsets.getDimSize(0);
  int64_t leastColumns = 32 / block.getElementTypeBitWidth() * 8;
  if (block.getDimSize(1) < leastColumns)
    return error() << "descriptor " << op << " of " << block.getElementType() << " must have at least " << leastColumns
                   << " columns, got " << block.getDimSize(1);
  return RankedTensorType::get({offsets.getDimSize(0), block.getDimSize(1)}, block.getElementType());
}

FailureOr<RankedTensorType> inferDescriptorGather(TensorDescType descriptor, Type rows, EmitError error) {
  return inferRows("gather", descriptor, rows, error);
}

LogicalResult checkDescriptorScatter(TensorDescType descriptor, Type rows, Type value, EmitError error) {
  auto expected = inferRows("scatter", descriptor, rows, error);
  if (failed(expected))
    return failure();
  return checkStoredBlock(*expected, value, error);
}

} // namespace triton::tensor
