// Shapes made equal (semantics 10): scalars splat, missing leading dimensions are added, dimensions of size 1 are repeated.
#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

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

static Attribute defaultLayout(Emitter &emitter) {
  return emitter.layouts() ? emitter.layouts()->defaultLayout(emitter.context()) : Attribute();
}

FailureOr<Value> broadcastTo(Emitter &emitter, const Value &value, ArrayRef<int64_t> shape, Attribute layout) {
  const auto &source = value.get<TensorValue>();
  if (source.type.shape() == shape)
    return value;
  if (failed(tensor::checkShape(shape, [&] { return emitter.ruleError(); })))
    return failure();
  if (source.type.isBlock())
    layout = source.type.layout();
  else if (!layout)
    layout = defaultLayout(emitter);
  const Type result = Type::block(source.type.element(), shape, layout);
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

static std::string describeLayout(Emitter &emitter, const Type &type) {
  FailureOr<Value> object = emitter.layouts()->layoutObject(emitter, type.layout(), type.shape());
  return failed(object) ? type.str() : object->str();
}

/// Blocks of languages with layouts meet only in one rank and one layout; placeholders adopt it. Gives that layout, null if there are no blocks.
static FailureOr<Attribute> meetInLayout(Emitter &emitter, std::vector<Value> &values) {
  const LayoutPolicy &layouts = *emitter.layouts();
  const Value *first = nullptr, *anchor = nullptr;
  for (const Value &value : values) {
    const Type type = value.type();
    if (!type.isBlock())
      continue;
    first = first ? first : &value;
    if (const Type other = first->type(); other.shape().size() != type.shape().size())
      return emitter.error("ValueError") << "rank mismatch: " << shapeText(other.shape()) << " and "
                                         << shapeText(type.shape()) << "; ranks are not made equal";
    if (layouts.isPlaceholder(type.layout()))
      continue;
    if (anchor && anchor->type().layout() != type.layout())
      return emitter.error("ValueError") << "Layout mismatch in broadcast: " << describeLayout(emitter, anchor->type())
                                         << " and " << describeLayout(emitter, type);
    anchor = anchor ? anchor : &value;
  }
  if (!anchor)
    return first ? first->type().layout() : Attribute();
  const Attribute layout = anchor->type().layout();
  for (Value &value : values) {
    const Type type = value.type();
    if (type.isBlock() && type.layout() != layout)
      value = Value::tensor(layouts.anchor(emitter, value.get<TensorValue>().ir, layout),
                            Type::block(type.element(), type.shape(), layout));
  }
  return layout;
}

FailureOr<std::vector<Value>> broadcastTogether(Emitter &emitter, ArrayRef<Value> given) {
  std::vector<Value> values(given.begin(), given.end());
  Attribute layout;
  if (emitter.layouts()) {
    FailureOr<Attribute> common = meetInLayout(emitter, values);
    if (failed(common))
      return failure();
    layout = *common;
  }
  size_t rank = 0;
  for (const Value &value : values)
    rank = std::max(rank, value.type().shape().size());
  if (rank == 0)
    return values;
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
        broadcastTo(emitter, isBlock ? addLeadingDimensions(emitter, value, rank) : value, common, layout);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

/// What is written instead of `x[3]` and `x[2:4]`.
static std::string insteadOfIndex(Type type) {
  if (type.isPointer())
    return "tl.load(pointer + index) reads an element, tl.store(pointer + index, value) writes one";
  return type.isBlock() ? "tl.gather picks elements by number, tl.where by a condition" : "";
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
      return emitter.error("ValueError").hint(item.is<EllipsisValue>() ? "" : insteadOfIndex(type))
             << "unsupported tensor index: " << item.str() << "; only None and : may be used";
    if (axis > static_cast<int64_t>(type.shape().size()))
      return emitter.error("ValueError") << "too many indices for tensor of rank " << tensor.type().shape().size()
                                         << ", its shape is " << shapeText(tensor.type().shape());
    if (type.isBlock()) {
      if (emitter.layouts() &&
          failed(emitter.layouts()->checkExpandDims(emitter, cast<RankedTensorType>(ir.getType()), axis)))
        return failure();
      ir = tensor::ExpandDimsOp::create(emitter.builder(), emitter.location(), ir, axis);
    } else
      ir = splat(
          emitter, ir,
          cast<RankedTensorType>(Type::block(type.element(), {1}, defaultLayout(emitter)).toIr(emitter.context())));
    auto expanded = cast<RankedTensorType>(ir.getType());
    type = Type::block(type.element(), expanded.getShape(), expanded.getEncoding());
    ++axis;
  }
  if (tensor.type().isBlock() && axis > static_cast<int64_t>(type.shape().size()) &&
      emitter.options().version.has(LanguageRule::CheckedIndices))
    return emitter.error("ValueError") << "too many indices for tensor of rank " << tensor.type().shape().size();
  return Value::tensor(ir, type);
}

} // namespace triton::frontend
