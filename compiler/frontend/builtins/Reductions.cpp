// Reductions and scans with any combine function, and counting.
#include "compiler/frontend/builtins/Reductions.h"
#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::frontend {

namespace {
/// What is reduced or scanned: blocks, and whether they came as a tuple.
struct Operands {
  std::vector<Value> blocks;
  bool isTuple = false;

  SmallVector<mlir::Value> ir() const { return llvm::map_to_vector(blocks, irOf); }
  Value results(std::vector<Value> values) const { return isTuple ? Value::tuple(std::move(values)) : values[0]; }
};
} // namespace

static FailureOr<Operands> readOperands(Emitter &emitter, const Value &input, llvm::StringRef function) {
  Operands operands;
  operands.isTuple = input.tuple() != nullptr;
  operands.blocks = operands.isTuple ? input.tuple()->elements : std::vector<Value>{input};
  if (operands.blocks.empty())
    return emitter.error("ValueError") << function << " needs at least one tensor";
  for (const Value &block : operands.blocks)
    if (failed(readBlock(emitter, block, (function + " input").str())))
      return failure();
  return operands;
}

// Fills the region of a reduction or scan: the block has the left scalars, then the right ones, as arguments.
static LogicalResult emitCombine(Emitter &emitter, Region &region, const Operands &operands, const Value &function,
                                 llvm::function_ref<void(ArrayRef<mlir::Value>)> terminate) {
  OpBuilder::InsertionGuard guard(emitter.builder());
  std::vector<Value> scalars;
  Block *block = emitter.builder().createBlock(&region);
  for (int side : {0, 1})
    for (const Value &operand : operands.blocks) {
      (void)side;
      const Type element = operand.type().element();
      scalars.push_back(
          Value::tensor(block->addArgument(element.toIr(emitter.context()), emitter.location()), element));
    }
  FailureOr<Value> result = emitter.callScalar(function, scalars);
  if (failed(result))
    return failure();
  std::vector<Value> values = result->tuple() ? result->tuple()->elements : std::vector<Value>{*result};
  if (values.size() != operands.blocks.size())
    return emitter.error("ValueError") << "the combine function must return " << operands.blocks.size()
                                       << " values, got " << values.size();
  SmallVector<mlir::Value> yielded;
  for (auto [index, value] : llvm::enumerate(values)) {
    const Type wanted = operands.blocks[index].type().element();
    if (!value.isTensor() || !(value.type() == wanted))
      return emitter.error("TypeError") << "the combine function must return the types it is given: value " << index
                                        << " must be " << wanted.str() << ", got "
                                        << (value.isTensor() ? value.type().str() : value.repr());
    yielded.push_back(irOf(value));
  }
  terminate(yielded);
  return success();
}

static FailureOr<std::vector<Value>> reduceAlong(Emitter &emitter, const Operands &operands, int64_t axis,
                                                 const Value &combine) {
  SmallVector<mlir::Value> sources = operands.ir();
  if (failed(tensor::inferReduce(ValueRange(sources).getTypes(), axis, ruleErrors(emitter))))
    return failure();
  auto op = tensor::ReduceOp::create(emitter.builder(), emitter.location(), sources, static_cast<int>(axis));
  LogicalResult filled = emitCombine(emitter, op.getCombineOp(), operands, combine, [&](ArrayRef<mlir::Value> values) {
    tensor::ReduceReturnOp::create(emitter.builder(), emitter.location(), values);
  });
  if (failed(filled)) {
    op.erase();
    return failure();
  }
  std::vector<Value> results;
  for (auto [index, result] : llvm::enumerate(op.getResult()))
    results.push_back(tensorOf(result, operands.blocks[index].type().element()));
  return results;
}

static FailureOr<Operands> flattened(Emitter &emitter, const Operands &operands) {
  FailureOr<std::vector<Value>> blocks = mapValues(operands.blocks, [&](const Value &block) {
    return reshapeTo(emitter, block, {block.type().elementCount()}, /*allowReorder=*/!emitter.layouts());
  });
  if (failed(blocks))
    return failure();
  return Operands{*blocks, operands.isTuple};
}

static FailureOr<Value> reduceOperands(Emitter &emitter, const Operands &operands, const Value &axisValue,
                                       const Value &combine, bool keepDims) {
  const Type type = operands.blocks[0].type();
  const int64_t rank = type.shape().size();
  if (axisValue.isNone()) {
    FailureOr<Operands> flat = rank == 1 ? FailureOr<Operands>(operands) : flattened(emitter, operands);
    FailureOr<std::vector<Value>> results =
        failed(flat) ? FailureOr<std::vector<Value>>() : reduceAlong(emitter, *flat, 0, combine);
    if (failed(results))
      return failure();
    if (keepDims)
      for (Value &result : *results)
        result = *broadcastTo(emitter, result, SmallVector<int64_t>(rank, 1));
    return operands.results(*results);
  }
  FailureOr<int64_t> given = readInteger(emitter, axisValue, "axis");
  FailureOr<int64_t> axis = failed(given) ? given : tensor::normalizeAxis(*given, rank, ruleErrors(emitter));
  FailureOr<std::vector<Value>> results =
      failed(axis) ? FailureOr<std::vector<Value>>() : reduceAlong(emitter, operands, *axis, combine);
  if (failed(results))
    return failure();
  if (keepDims)
    for (Value &result : *results)
      result = insertDimension(emitter, result, *axis);
  return operands.results(*results);
}

static FailureOr<Value> reduce(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Operands> operands = readOperands(emitter, arguments[0], "reduce");
  FailureOr<bool> keepDims = failed(operands) ? FailureOr<bool>() : readBoolean(emitter, arguments[3], "keep_dims");
  return failed(keepDims) ? FailureOr<Value>()
                          : reduceOperands(emitter, *operands, arguments[1], arguments[2], *keepDims);
}

// The positions along `axis` as a block of the operand's shape.
static FailureOr<Value> positionsAlong(Emitter &emitter, Type type, int64_t axis) {
  ArrayRef<int64_t> shape = type.shape();
  const LayoutPolicy *layouts = emitter.layouts();
  const Type line = Type::block(Type::int32(), {shape[axis]},
                                layouts ? layouts->defaultLayout(emitter.context()) : mlir::Attribute());
  auto range = tensor::MakeRangeOp::create(emitter.builder(), emitter.location(), line.toIr(emitter.context()), 0,
                                           static_cast<int32_t>(shape[axis]));
  Value positions = Value::tensor(range, line);
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (dim != axis)
      positions = insertDimension(emitter, positions, dim);
  FailureOr<Value> all = broadcastTo(emitter, positions, shape);
  if (failed(all) || type.layout() == all->type().layout())
    return all;
  return Value::tensor(layouts->anchor(emitter, irOf(*all), type.layout()),
                       Type::block(Type::int32(), shape, type.layout()));
}

static FailureOr<Value> reduceWithIndices(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = readBlock(emitter, arguments[0], "input");
  FailureOr<int64_t> given =
      failed(input) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "axis of a reduction with indices");
  FailureOr<bool> keepDims = failed(given) ? FailureOr<bool>() : readBoolean(emitter, arguments[3], "keep_dims");
  if (failed(keepDims))
    return failure();
  FailureOr<int64_t> axis = tensor::normalizeAxis(*given, input->type().shape().size(), ruleErrors(emitter));
  FailureOr<Value> positions = failed(axis) ? FailureOr<Value>() : positionsAlong(emitter, input->type(), *axis);
  if (failed(positions))
    return failure();
  return reduceOperands(emitter, Operands{{*input, *positions}, true}, Value::integer(*axis), arguments[2], *keepDims);
}

static FailureOr<Value> associativeScan(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Operands> operands = readOperands(emitter, arguments[0], "associative_scan");
  FailureOr<int64_t> given = failed(operands) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "axis");
  FailureOr<bool> reverse = failed(given) ? FailureOr<bool>() : readBoolean(emitter, arguments[3], "reverse");
  if (failed(reverse))
    return failure();
  const Type first = operands->blocks[0].type();
  FailureOr<int64_t> axis = tensor::normalizeAxis(*given, first.shape().size(), ruleErrors(emitter));
  SmallVector<mlir::Value> sources = operands->ir();
  if (failed(axis) || failed(tensor::checkScan(ValueRange(sources).getTypes(), *axis, ruleErrors(emitter))))
    return failure();
  auto op = tensor::ScanOp::create(emitter.builder(), emitter.location(), sources, static_cast<int>(*axis), *reverse);
  LogicalResult filled =
      emitCombine(emitter, op.getCombineOp(), *operands, arguments[2], [&](ArrayRef<mlir::Value> values) {
        tensor::ScanReturnOp::create(emitter.builder(), emitter.location(), values);
      });
  if (failed(filled)) {
    op.erase();
    return failure();
  }
  std::vector<Value> results;
  for (auto [index, result] : llvm::enumerate(op.getResult()))
    results.push_back(tensorOf(result, operands->blocks[index].type().element()));
  return operands->results(std::move(results));
}

FailureOr<HistogramArguments> readHistogram(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> input = readBlock(emitter, arguments[0], "input of histogram");
  FailureOr<int64_t> bins = failed(input) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "num_bins");
  FailureOr<std::optional<Value>> mask =
      failed(bins) ? FailureOr<std::optional<Value>>() : readMask(emitter, arguments[2]);
  if (failed(mask))
    return failure();
  const Type element = input->type().element();
  if (!(element.isInteger() && element.bitWidth() == 32) &&
      emitter.options().version.has(LanguageRule::CheckedHistogram))
    return emitter.error("ValueError") << "histogram only supports 32-bit integer input, got " << element.str();
  mlir::Value maskIr;
  if (*mask) {
    FailureOr<std::vector<Value>> fitted = broadcastTogether(emitter, {*input, **mask});
    if (failed(fitted))
      return failure();
    maskIr = irOf((*fitted)[1]);
  }
  if (failed(tensor::inferHistogram(irOf(*input).getType(), maskIr ? maskIr.getType() : mlir::Type(), *bins,
                                    ruleErrors(emitter))))
    return failure();
  return HistogramArguments{*input, maskIr, *bins};
}

static FailureOr<Value> histogram(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<HistogramArguments> read = readHistogram(emitter, arguments);
  if (failed(read))
    return failure();
  return tensorOf(
      tensor::HistogramOp::create(emitter.builder(), emitter.location(), irOf(read->input), read->mask, read->bins),
      Type::int32());
}

static FailureOr<Value> widenToWord(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> value = readTensor(emitter, arguments[0], "input");
  if (failed(value) || value->type().isPointerLike() || value->type().bitWidth() >= 32)
    return value;
  return cast(emitter, *value, value->type().isFloating() ? Type::float32() : Type::int32());
}

llvm::ArrayRef<Builtin> reductionBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "reduce", "(input, axis, combine_fn, keep_dims=False)",
       "Combines the elements along `axis` with a jitted function, in no particular order.\n\n"
       "`input` is a block, or a tuple of blocks of one shape that are reduced together: `combine_fn` takes one scalar "
       "of each for the left side, then one of each "
       "for the right, and returns as many. `axis=None` combines all elements. `keep_dims=True` keeps the reduced "
       "dimension with size 1.",
       reduce, true},
      {"triton.language.core", "associative_scan", "(input, axis, combine_fn, reverse=False)",
       "All partial combinations along `axis`: element i combines elements 0 to i, or with `reverse` those from the "
       "end to i.\n\n"
       "`combine_fn` takes what was accumulated so far, then the next element (for a tuple of blocks, one scalar of "
       "each), and must be associative.",
       associativeScan, true},
      {"triton.language.core", "histogram", "(input, num_bins, mask=None)",
       "How often each of the numbers 0 to `num_bins` - 1 occurs in a 1-D integer block, as int32.\n\n"
       "Elements whose `mask` is false do not count. Values out of range are undefined.",
       histogram, true},
      {"triton.language.core", "_reduce_with_indices", "(input, axis, combine_fn, keep_dims=False)",
       "Reduces `input` together with the positions of its elements along `axis`.", reduceWithIndices},
      {"triton.language.core", "_widen_to_word", "(input)",
       "In 32 bits at least, which is what an extremum without positions is computed in.", widenToWord},
  };
  return table;
}

} // namespace triton::frontend
