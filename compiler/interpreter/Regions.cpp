// What reductions, scans and maps mean: their region, run for every element along the other dimensions at once where it can be.
#include "compiler/interpreter/Interpreter.h"

#include "compiler/interpreter/Indexing.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;

namespace triton::interpreter {

/// The elements of `array` at place `index` along `axis`: one lane for each place along the other dimensions.
static Array slice(const Array &array, int64_t axis, int64_t index) {
  ArrayRef<int64_t> shape = array.shape();
  int64_t outer = ShapedType::getNumElements(shape.take_front(axis)),
          inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
  std::vector<uint64_t> bits;
  bits.reserve(outer * inner);
  for (int64_t row = 0; row < outer; ++row)
    for (int64_t column = 0; column < inner; ++column)
      bits.push_back(array.unsignedAt((row * shape[axis] + index) * inner + column));
  return Array(array.element(), {outer * inner}, std::move(bits));
}

/// The slices `slices` put together again along `axis` of `shape`.
static Array assemble(Type element, ArrayRef<int64_t> shape, int64_t axis, ArrayRef<Array> slices) {
  int64_t inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
  std::vector<uint64_t> bits(ShapedType::getNumElements(shape));
  for (size_t place = 0; place < bits.size(); ++place) {
    int64_t column = place % inner, index = place / inner % shape[axis], row = place / inner / shape[axis];
    bits[place] = slices[index].unsignedAt(row * inner + column);
  }
  return Array(element, shape, std::move(bits));
}

/// Whether all ops of `region` act on each lane by itself, so that many lanes may pass at once.
static bool isLanewise(Region &region) {
  return region.hasOneBlock() && llvm::all_of(region.front().without_terminator(), [](Operation &op) {
           return op.hasTrait<OpTrait::ConstantLike>() || OpTrait::hasElementwiseMappableTraits(&op);
         });
}

/// `array`, repeated when it is the same for every lane.
static Array widen(const Array &array, size_t lanes) {
  if (array.size() == lanes)
    return array;
  return Array(array.element(), {int64_t(lanes)}, std::vector<uint64_t>(lanes, array.unsignedAt(0)));
}

FailureOr<Arrays> Interpreter::runLanes(Region &region, ArrayRef<Array> arguments, Environment &environment) {
  size_t lanes = arguments[0].size();
  if (isLanewise(region)) {
    auto results = runRegion(region, arguments, environment);
    if (failed(results))
      return failure();
    for (Array &result : *results)
      result = widen(result, lanes);
    return results;
  }
  SmallVector<std::vector<uint64_t>> bits;
  SmallVector<Type> elements;
  for (size_t lane = 0; lane < lanes; ++lane) {
    Arrays scalars;
    for (const Array &argument : arguments)
      scalars.push_back(Array(argument.element(), {}, {argument.unsignedAt(lane)}));
    auto results = runRegion(region, scalars, environment);
    if (failed(results))
      return failure();
    bits.resize(results->size());
    elements.clear();
    for (auto [index, result] : llvm::enumerate(*results)) {
      bits[index].push_back(result.unsignedAt(0));
      elements.push_back(result.element());
    }
  }
  Arrays results;
  for (auto [element, values] : llvm::zip(elements, bits))
    results.push_back(Array(element, {int64_t(lanes)}, std::move(values)));
  return results;
}

/// Slice `index` of every operand.
static Arrays slices(ArrayRef<Array> operands, int64_t axis, int64_t index) {
  Arrays result;
  for (const Array &operand : operands)
    result.push_back(slice(operand, axis, index));
  return result;
}

FailureOr<Arrays> Interpreter::runReduce(tensor::ReduceOp op, ArrayRef<Array> operands, Environment &environment) {
  int64_t axis = op.getAxis();
  Arrays combined = slices(operands, axis, 0);
  for (int64_t index = 1; index < operands[0].shape()[axis]; ++index) {
    Arrays arguments = combined;
    llvm::append_range(arguments, slices(operands, axis, index));
    auto next = runLanes(op.getCombineOp(), arguments, environment);
    if (failed(next))
      return failure();
    combined = std::move(*next);
  }
  SmallVector<int64_t> shape(operands[0].shape());
  shape.erase(shape.begin() + axis);
  for (Array &result : combined)
    result = result.reshaped(shape);
  return combined;
}

FailureOr<Arrays> Interpreter::runScan(tensor::ScanOp op, ArrayRef<Array> operands, Environment &environment) {
  int64_t axis = op.getAxis(), size = operands[0].shape()[axis];
  SmallVector<SmallVector<Array>> prefixes(operands.size(), SmallVector<Array>(size));
  Arrays combined;
  for (int64_t step = 0; step < size; ++step) {
    int64_t index = op.getReverse() ? size - 1 - step : step;
    Arrays next = slices(operands, axis, index);
    if (step > 0) {
      Arrays arguments = combined;
      llvm::append_range(arguments, next);
      auto results = runLanes(op.getCombineOp(), arguments, environment);
      if (failed(results))
        return failure();
      next = std::move(*results);
    }
    combined = next;
    for (auto [operand, value] : llvm::enumerate(combined))
      prefixes[operand][index] = value;
  }
  Arrays results;
  for (auto [operand, values] : llvm::zip(operands, prefixes))
    results.push_back(assemble(operand.element(), operand.shape(), axis, values));
  return results;
}

FailureOr<Arrays> Interpreter::runMap(tensor::MapElementwiseOp op, ArrayRef<Array> operands, Environment &environment) {
  // Groups of `pack` neighbours: seen as a second, inner dimension, whose slices are the region's arguments.
  int64_t pack = op.getPack(), groups = operands[0].size() / pack;
  Arrays arguments;
  for (const Array &operand : operands)
    for (int64_t member = 0; member < pack; ++member)
      arguments.push_back(slice(operand.reshaped({groups, pack}), 1, member));
  auto lanes = runLanes(op.getScalarOp(), arguments, environment);
  if (failed(lanes))
    return failure();
  Arrays results;
  for (size_t result = 0; result < op.getNumResults(); ++result) {
    ArrayRef<Array> members = ArrayRef<Array>(*lanes).slice(result * pack, pack);
    results.push_back(assemble(members[0].element(), {groups, pack}, 1, members).reshaped(operands[0].shape()));
  }
  return results;
}

} // namespace triton::interpreter
