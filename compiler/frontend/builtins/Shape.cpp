// Shape manipulation: elements move or repeat, none is computed.
#include "compiler/frontend/builtins/Shape.h"

#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/Support/InterleavedRange.h"

#include <numeric>

using namespace mlir;

namespace triton::frontend {

Value tensorOf(mlir::Value ir, Type element) {
  auto type = dyn_cast<RankedTensorType>(ir.getType());
  return Value::tensor(ir, type ? Type::block(element, type.getShape(), type.getEncoding()) : element);
}

FailureOr<Value> itemOf(Emitter &emitter, const Value &value) {
  const Type type = value.type();
  if (!type.isBlock())
    return value;
  if (failed(tensor::inferUnsplat(irTypeOf(value), ruleErrors(emitter))))
    return failure();
  return Value::tensor(tensor::UnsplatOp::create(emitter.builder(), emitter.location(), irOf(value)), type.element());
}

/// What an op made of `source` by changing its shape.
static Value reshaped(Emitter &emitter, const Value &source, mlir::Value result) {
  if (emitter.layouts())
    result.setType(emitter.layouts()->written(irTypeOf(source), llvm::cast<RankedTensorType>(result.getType()),
                                              isa<tensor::ReshapeOp>(result.getDefiningOp())));
  return tensorOf(result, source.type().element());
}

FailureOr<Value> reshapeTo(Emitter &emitter, const Value &value, ArrayRef<int64_t> shape, bool allowReorder) {
  if (!value.type().isBlock() && shape.empty())
    return value;
  if (shape.empty())
    return itemOf(emitter, value);
  if (!value.type().isBlock()) {
    if (llvm::any_of(shape, [](int64_t size) { return size != 1; }))
      return emitter.error("ValueError") << "reshape() cannot change the total number of elements: a scalar has 1";
    return broadcastTo(emitter, value, shape);
  }
  if (failed(tensor::inferReshape(irTypeOf(value), shape, ruleErrors(emitter))))
    return failure();
  if (value.type().shape() == shape)
    return value;
  return reshaped(emitter, value,
                  tensor::ReshapeOp::create(emitter.builder(), emitter.location(), irOf(value), shape, allowReorder));
}

FailureOr<Value> permuteTo(Emitter &emitter, const Value &value, ArrayRef<int32_t> order) {
  if (failed(tensor::inferTrans(irTypeOf(value), order, ruleErrors(emitter))))
    return failure();
  return reshaped(emitter, value, tensor::TransOp::create(emitter.builder(), emitter.location(), irOf(value), order));
}

Value insertDimension(Emitter &emitter, const Value &value, int64_t axis) {
  if (!value.type().isBlock())
    return *broadcastTo(emitter, value, {1});
  return tensorOf(tensor::ExpandDimsOp::create(emitter.builder(), emitter.location(), irOf(value), axis),
                  value.type().element());
}

static FailureOr<Value> broadcastBuiltin(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> lhs = toTensor(emitter, arguments[0]), rhs = toTensor(emitter, arguments[1]);
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<std::vector<Value>> both = broadcastTogether(emitter, {*lhs, *rhs});
  if (failed(both))
    return failure();
  return Value::tuple(*both);
}

static FailureOr<Value> broadcastToBuiltin(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = readTensor(emitter, arguments[0], "input of broadcast_to");
  FailureOr<std::vector<Value>> sizes = readVariadic(emitter, arguments[1], "shape");
  if (failed(input) || failed(sizes))
    return failure();
  FailureOr<std::vector<int64_t>> shape = readShape(emitter, *sizes);
  if (failed(shape))
    return failure();
  return broadcastTo(emitter, *input, *shape);
}

static FailureOr<std::vector<int32_t>> readOrder(Emitter &emitter, const Value &dims) {
  FailureOr<std::vector<int64_t>> order = readVariadicIntegers(emitter, dims, "dims");
  if (failed(order))
    return failure();
  return std::vector<int32_t>(order->begin(), order->end());
}

static FailureOr<Value> permute(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = readBlock(emitter, arguments[0], "input of permute");
  FailureOr<std::vector<int32_t>> order = readOrder(emitter, arguments[1]);
  if (failed(input) || failed(order))
    return failure();
  return permuteTo(emitter, *input, *order);
}

static FailureOr<Value> trans(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<int32_t>> order = readOrder(emitter, arguments[1]);
  FailureOr<Value> input = readTensor(emitter, arguments[0], "input of trans");
  if (failed(input) || failed(order))
    return failure();
  const int32_t rank = input->type().shape().size();
  if (rank < 2)
    return emitter.error("ValueError") << "tl.trans invoked with a 0- or 1-dimensional tensor: " << input->type().str();
  if (order->empty()) {
    order->resize(rank);
    std::iota(order->begin(), order->end(), 0);
    std::swap((*order)[rank - 1], (*order)[rank - 2]);
  }
  return permuteTo(emitter, *input, *order);
}

static FailureOr<Value> reshapeArguments(Emitter &emitter, const Value &value, const Value &sizesValue,
                                         bool allowReorder) {
  FailureOr<Value> input = toTensor(emitter, value);
  FailureOr<std::vector<Value>> sizes = readVariadic(emitter, sizesValue, "shape");
  if (failed(input) || failed(sizes))
    return failure();
  FailureOr<std::vector<int64_t>> shape = readShape(emitter, *sizes);
  if (failed(shape))
    return failure();
  return reshapeTo(emitter, *input, *shape, allowReorder);
}

/// 3.9, the newest release, says what the next one takes away.
static void warnOfReordering(Emitter &emitter, llvm::StringRef function) {
  if (emitter.options().version == *LanguageVersion::parse("3.9"))
    emitter.warn("FutureWarning", "tl." + function +
                                      "(can_reorder=True) is deprecated and will be removed in Triton 3.10; "
                                      "without it the order of elements is kept");
}

static FailureOr<Value> reshape(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> allowReorder = readBoolean(emitter, arguments[2], "can_reorder");
  if (failed(allowReorder))
    return failure();
  if (*allowReorder && emitter.layouts())
    return emitter.error("ValueError") << "can_reorder is not supported in gluon: layouts say where elements lie";
  if (*allowReorder)
    warnOfReordering(emitter, "reshape");
  return reshapeArguments(emitter, arguments[0], arguments[1], *allowReorder);
}

static FailureOr<Value> view(Emitter &emitter, const BoundArguments &arguments) {
  emitter.warn("UserWarning", "view is deprecated, please use reshape with can_reorder being true");
  return reshapeArguments(emitter, arguments[0], arguments[1], /*allowReorder=*/true);
}

static FailureOr<Value> item(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = toTensor(emitter, arguments[0]);
  return failed(input) ? input : itemOf(emitter, *input);
}

// One axis, or several; both count in the result.
static FailureOr<std::vector<int64_t>> readNewAxes(Emitter &emitter, const Value &value, int64_t rank) {
  FailureOr<std::vector<int64_t>> axes = failure();
  if (asInteger(value)) {
    FailureOr<int64_t> axis = readInteger(emitter, value, "axis");
    if (failed(axis))
      return failure();
    axes = std::vector<int64_t>{*axis};
  } else {
    axes = readIntegers(emitter, value, "axis");
  }
  if (failed(axes))
    return failure();
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> normalized = tensor::normalizeAxis(axis, rank + axes->size(), ruleErrors(emitter));
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return emitter.error("ValueError") << "expand_dims received duplicate axes, normalized axes = ["
                                       << llvm::interleaved(*axes) << "]";
  return axes;
}

static FailureOr<Value> expandDims(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = toTensor(emitter, arguments[0]);
  if (failed(input))
    return failure();
  FailureOr<std::vector<int64_t>> axes = readNewAxes(emitter, arguments[1], input->type().shape().size());
  if (failed(axes))
    return failure();
  Value result = *input;
  for (int64_t axis : *axes) {
    if (emitter.layouts() && result.type().isBlock() &&
        failed(emitter.layouts()->checkExpandDims(emitter, irTypeOf(result), axis)))
      return failure();
    result = insertDimension(emitter, result, axis);
  }
  return result;
}

/// In order, along a dimension: joined, with the new dimension moved in front of it, and both taken for one.
static FailureOr<Value> concatenate(Emitter &emitter, const Value &lhs, const Value &rhs, int64_t given) {
  const std::vector<int64_t> shape = lhs.type().shape().vec();
  if (lhs.type().shape() != rhs.type().shape())
    return emitter.error("ValueError") << "cat needs operands of one shape unless can_reorder=True, got "
                                       << lhs.type().str() << " and " << rhs.type().str();
  FailureOr<int64_t> dim = tensor::normalizeAxis(given, shape.size(), ruleErrors(emitter));
  if (failed(dim) || failed(tensor::inferJoin(irTypeOf(lhs), irTypeOf(rhs), ruleErrors(emitter))))
    return failure();
  Value joined =
      reshaped(emitter, lhs, tensor::JoinOp::create(emitter.builder(), emitter.location(), irOf(lhs), irOf(rhs)));
  std::vector<int32_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + *dim, static_cast<int32_t>(shape.size()));
  FailureOr<Value> moved = permuteTo(emitter, joined, order);
  std::vector<int64_t> result = shape;
  result[*dim] *= 2;
  return failed(moved) ? moved : reshapeTo(emitter, *moved, result, /*allowReorder=*/false);
}

static FailureOr<Value> cat(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> mayReorder = readBoolean(emitter, arguments[2], "can_reorder");
  FailureOr<int64_t> dim = readInteger(emitter, arguments[3], "dim");
  FailureOr<Value> lhs = readBlock(emitter, arguments[0], "input of cat"),
                   rhs = readBlock(emitter, arguments[1], "other of cat");
  if (failed(mayReorder) || failed(dim) || failed(lhs) || failed(rhs))
    return failure();
  if (!(lhs->type().element() == rhs->type().element()))
    return emitter.error("ValueError") << "cat needs operands of one dtype, got " << lhs->type().element().str()
                                       << " and " << rhs->type().element().str();
  if (!*mayReorder)
    return concatenate(emitter, *lhs, *rhs, *dim);
  warnOfReordering(emitter, "cat");
  if (failed(tensor::inferCat(irTypeOf(*lhs), irTypeOf(*rhs), ruleErrors(emitter))))
    return failure();
  return tensorOf(tensor::CatOp::create(emitter.builder(), emitter.location(), irOf(*lhs), irOf(*rhs)),
                  lhs->type().element());
}

static FailureOr<Value> join(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> lhs = readTensor(emitter, arguments[0], "first operand of join"),
                   rhs = readTensor(emitter, arguments[1], "second operand of join");
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<std::vector<Value>> both = broadcastTogether(emitter, {*lhs, *rhs});
  if (failed(both))
    return failure();
  if (emitter.layouts() && !(*both)[0].type().isBlock())
    return emitter.error("ValueError") << "join takes blocks in Gluon, got " << (*both)[0].type().str();
  const Type element = (*both)[0].type().element();
  if (!(element == (*both)[1].type().element()))
    return emitter.error("ValueError") << "join needs operands of one dtype, got " << element.str() << " and "
                                       << (*both)[1].type().element().str();
  mlir::Value left = irOf((*both)[0]), right = irOf((*both)[1]);
  if (failed(tensor::inferJoin(left.getType(), right.getType(), ruleErrors(emitter))))
    return failure();
  return reshaped(emitter, (*both)[0], tensor::JoinOp::create(emitter.builder(), emitter.location(), left, right));
}

static FailureOr<Value> split(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = readBlock(emitter, arguments[0], "input of split");
  if (failed(input) || failed(tensor::inferSplit(irTypeOf(*input), ruleErrors(emitter))))
    return failure();
  auto op = tensor::SplitOp::create(emitter.builder(), emitter.location(), irOf(*input));
  const Type element = input->type().element();
  return Value::tuple({tensorOf(op.getOutLHS(), element), tensorOf(op.getOutRHS(), element)});
}

static FailureOr<Value> gather(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> source = readBlock(emitter, arguments[0], "src of gather"),
                   index = readBlock(emitter, arguments[1], "index of gather");
  FailureOr<int64_t> axis = readInteger(emitter, arguments[2], "axis");
  if (failed(source) || failed(index) || failed(axis))
    return failure();
  if (!index->type().isInteger())
    return emitter.error("AssertionError") << "gather index must be an integer tensor, got " << index->type().str();
  FailureOr<int64_t> normalized = tensor::normalizeAxis(*axis, source->type().shape().size(), ruleErrors(emitter));
  if (failed(normalized) ||
      failed(tensor::inferGather(irTypeOf(*source), irTypeOf(*index), *normalized, ruleErrors(emitter))))
    return failure();
  auto op = tensor::GatherOp::create(emitter.builder(), emitter.location(), irOf(*source), irOf(*index),
                                     static_cast<int>(*normalized));
  return tensorOf(op, source->type().element());
}

llvm::ArrayRef<Builtin> shapeBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "broadcast", "(input, other)",
       "Both operands broadcast to their common shape, as a pair.", broadcastBuiltin},
      {"triton.language.core", "broadcast_to", "(input, *shape)",
       "`input` repeated along its dimensions of size 1 to fill `shape`, which has the same rank. A scalar fills any "
       "shape.",
       broadcastToBuiltin, true},
      {"triton.language.core", "trans", "(input, *dims)",
       "`input` with its dimensions permuted; without `dims`, the last two swap places.", trans, true},
      {"triton.language.core", "permute", "(input, *dims)", "`input` with dimension `dims[i]` moved to place `i`.",
       permute, true},
      {"triton.language.core", "reshape", "(input, *shape, can_reorder=False)",
       "The elements of `input` in another shape of the same number of elements, in row-major order.\n\n"
       "With `can_reorder=True` the compiler may choose any order. The empty shape takes the one element out as a "
       "scalar.",
       reshape, true},
      {"triton.language.core", "view", "(input, *shape)", "Deprecated: `reshape` with `can_reorder=True`.", view, true},
      {"triton.language.core", "item", "(input)", "The element of a one-element block, as a scalar.", item, true},
      {"triton.language.core", "expand_dims", "(input, axis)",
       "`input` with dimensions of size 1 inserted.\n\n`axis` is one position in the result or a sequence of them; "
       "negative ones count from the end.",
       expandDims, true},
      {"triton.language.core", "cat", "(input, other, can_reorder=False, dim=0)",
       "Two blocks of one shape one behind the other along `dim`.\n\nWith `can_reorder=True`, the elements of two 1-D "
       "blocks in one block, in no particular order.",
       cat},
      {"triton.language.core", "join", "(a, b)", "Two operands stacked along a new last dimension of size 2.", join},
      {"triton.language.core", "split", "(a)",
       "The two halves of the last dimension, which has size 2: the inverse of `join`.", split, true},
      {"triton.language.core", "gather", "(src, index, axis)",
       "Elements of `src` picked along `axis` by the integer block `index`, whose shape the result has.\n\n"
       "For `axis=0` and two dimensions, `out[i, j] = src[index[i, j], j]`. An index out of range gives an undefined "
       "value.",
       gather, true},
  };
  return table;
}

} // namespace triton::frontend
