// Shapes made equal (semantics 10): scalars splat, missing leading dimensions are added, dimensions of size 1 are repeated.
#include "compiler/frontend/Emitter.h"
#include "compiler/frontend/Operations.h"
#include "compiler/tensor/Rules.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::frontend {

// A splat of a constant is written as the constant it is: shorter IR, and every pass sees it.
static mlir::Value splat(Emitter &emitter, mlir::Value scalar, RankedTensorType type) {
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)) && isa<IntegerAttr, FloatAttr>(constant))
    return arith::ConstantOp::create(emitter.builder(), emitter.location(),
                                     DenseElementsAttr::get(type, ArrayRef<Attribute>(constant)));
  return tensor::SplatOp::create(emitter.builder(), emitter.location(), type, scalar);
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

FailureOr<Value> broadcastTo(Emitter &emitter, const Value &value, ArrayRef<int64_t> shape) {
  const auto &source = value.get<TensorValue>();
  if (source.type.shape() == shape)
    return value;
  if (failed(tensor::checkShape(shape, [&] { return emitter.ruleError(); })))
    return failure();
  const Type result = Type::block(source.type.element(), shape);
  auto resultIr = cast<RankedTensorType>(result.toIr(emitter.context()));
  if (!source.type.isBlock())
    return Value::tensor(splat(emitter, source.ir, resultIr), result);
  if (failed(tensor::inferBroadcast(cast<RankedTensorType>(source.ir.getType()), shape,
                                    [&] { return emitter.ruleError(); })))
    return failure();
  return Value::tensor(tensor::BroadcastOp::create(emitter.builder(), emitter.location(), resultIr, source.ir), result);
}

static Value addLeadingDimensions(Emitter &emitter, const Value &value, size_t rank) {
  auto [ir, type] = value.get<TensorValue>();
  SmallVector<int64_t> shape(type.shape());
  while (shape.size() < rank) {
    shape.insert(shape.begin(), 1);
    type = Type::block(type.element(), shape);
    ir = tensor::ExpandDimsOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()), ir, 0);
  }
  return Value::tensor(ir, type);
}

FailureOr<std::vector<Value>> broadcastTogether(Emitter &emitter, ArrayRef<Value> values) {
  size_t rank = 0;
  for (const Value &value : values)
    rank = std::max(rank, value.type().shape().size());
  if (rank == 0)
    return std::vector<Value>(values.begin(), values.end());
  SmallVector<int64_t> common;
  for (const Value &value : values) {
    const Type type = value.type();
    if (!type.isBlock())
      continue;
    FailureOr<SmallVector<int64_t>> shape =
        tensor::inferBroadcastShape(common, type.shape(), [&] { return emitter.ruleError(); });
    if (failed(shape))
      return failure();
    common = *shape;
  }
  if (failed(tensor::checkShape(common, [&] { return emitter.ruleError(); })))
    return failure();
  std::vector<Value> results;
  for (const Value &value : values) {
    const bool isBlock = value.type().isBlock();
    FailureOr<Value> result =
        broadcastTo(emitter, isBlock ? addLeadingDimensions(emitter, value, rank) : value, common);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

FailureOr<Value> subscriptTensor(Emitter &emitter, const Value &tensor, ArrayRef<Value> items) {
  auto [ir, type] = tensor.get<TensorValue>();
  if (type.isPointer() && type.pointee().isBlock())
    return emitter.error("TypeError") << "unsupported tensor index on a block pointer";
  int64_t axis = 0;
  for (const Value &item : items) {
    const auto *slice = item.getIf<std::shared_ptr<const SliceValue>>();
    const bool isFullSlice = slice && (*slice)->start.isNone() && (*slice)->stop.isNone() && (*slice)->step.isNone();
    if (isFullSlice) {
      // A scalar has no dimensions to take whole: kernels write `tl.program_id(0)[:, None]` to mean a block of one.
      axis += type.isBlock();
      continue;
    }
    if (!item.isNone())
      return emitter.error("ValueError") << "unsupported tensor index: " << item.str()
                                         << "; only None and : may be used";
    if (axis > static_cast<int64_t>(type.shape().size()))
      return emitter.error("ValueError") << "too many indices for a tensor of shape "
                                         << shapeText(tensor.type().shape());
    SmallVector<int64_t> shape(type.shape());
    shape.insert(shape.begin() + axis, 1);
    const Type expanded = Type::block(type.element(), shape);
    if (type.isBlock())
      ir = tensor::ExpandDimsOp::create(emitter.builder(), emitter.location(), expanded.toIr(emitter.context()), ir,
                                        axis);
    else
      ir = splat(emitter, ir, cast<RankedTensorType>(expanded.toIr(emitter.context())));
    type = expanded;
    ++axis;
  }
  return Value::tensor(ir, type);
}

} // namespace triton::frontend
