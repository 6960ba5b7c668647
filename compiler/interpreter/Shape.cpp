// What ops mean that make tensors and move their elements.
#include "compiler/interpreter/Operations.h"

#include "compiler/interpreter/Indexing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::interpreter {

/// An array of type `type` whose element at each place is the one of `source` that `from` names.
template <typename FunctionT> static Answer pick(Type type, const Array &source, FunctionT from) {
  ArrayRef<int64_t> shape = tensor::getShape(type);
  std::vector<uint64_t> bits;
  bits.reserve(ShapedType::getNumElements(shape));
  forEachIndex(shape, [&](ArrayRef<int64_t> index) { bits.push_back(source.unsignedAt(from(index))); });
  return Arrays{Array(source.element(), shape, std::move(bits))};
}

static Answer broadcast(tensor::BroadcastOp op, const Array &source) {
  SmallVector<int64_t> strides = rowMajorStrides(source.shape());
  for (auto [stride, size] : llvm::zip(strides, source.shape()))
    if (size == 1)
      stride = 0;
  return pick(op.getType(), source, [&](ArrayRef<int64_t> index) { return linearize(index, strides); });
}

static Answer transpose(tensor::TransOp op, const Array &source) {
  SmallVector<int64_t> strides = rowMajorStrides(source.shape()), permuted;
  for (int32_t dim : op.getOrder())
    permuted.push_back(strides[dim]);
  return pick(op.getType(), source, [&](ArrayRef<int64_t> index) { return linearize(index, permuted); });
}

static Answer gather(tensor::GatherOp op, const Array &source, const Array &indices) {
  SmallVector<int64_t> strides = rowMajorStrides(source.shape());
  int64_t size = source.shape()[op.getAxis()];
  size_t next = 0;
  std::vector<uint64_t> bits;
  forEachIndex(indices.shape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> place(index);
    int64_t along = indices.signedAt(next++);
    place[op.getAxis()] = along;
    bits.push_back(along >= 0 && along < size ? source.unsignedAt(linearize(place, strides)) : 0);
  });
  return Arrays{Array(source.element(), indices.shape(), std::move(bits))};
}

static Answer join(ArrayRef<Array> operands) {
  std::vector<uint64_t> bits;
  for (size_t index = 0; index < operands[0].size(); ++index)
    for (const Array &operand : operands)
      bits.push_back(operand.unsignedAt(index));
  SmallVector<int64_t> shape(operands[0].shape());
  shape.push_back(2);
  return Arrays{Array(operands[0].element(), shape, std::move(bits))};
}

static Answer split(const Array &source) {
  std::vector<uint64_t> halves[2];
  for (size_t index = 0; index < source.size(); ++index)
    halves[index % 2].push_back(source.unsignedAt(index));
  ArrayRef<int64_t> shape = source.shape().drop_back();
  return Arrays{Array(source.element(), shape, std::move(halves[0])),
                Array(source.element(), shape, std::move(halves[1]))};
}

static Answer concatenate(Type type, ArrayRef<Array> operands) {
  std::vector<uint64_t> bits(operands[0].bits());
  llvm::append_range(bits, operands[1].bits());
  return Arrays{Array(operands[0].element(), tensor::getShape(type), std::move(bits))};
}

static Answer makeRange(tensor::MakeRangeOp op) {
  std::vector<uint64_t> bits;
  for (uint64_t value = op.getStart(); value < op.getEnd(); ++value)
    bits.push_back(value);
  return Arrays{Array(op.getType().getElementType(), op.getType().getShape(), std::move(bits))};
}

static Answer histogram(tensor::HistogramOp op, ArrayRef<Array> operands) {
  std::vector<uint64_t> counts(op.getType().getNumElements());
  for (size_t index = 0; index < operands[0].size(); ++index) {
    bool counted = operands.size() == 1 || operands[1].unsignedAt(index);
    int64_t bin = operands[0].signedAt(index);
    if (counted && bin >= 0 && bin < static_cast<int64_t>(counts.size()))
      ++counts[bin];
  }
  return Arrays{Array(op.getType().getElementType(), op.getType().getShape(), std::move(counts))};
}

Answer evaluateShape(Operation *op, ArrayRef<Array> operands) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<tensor::MakeRangeOp>([&](auto range) { return makeRange(range); })
      .Case<tensor::SplatOp>([&](auto splat) -> Answer {
        Array result = Array::splat(splat.getType(), operands[0].unsignedAt(0));
        return Arrays{result};
      })
      .Case<tensor::UnsplatOp>([&](auto) -> Answer { return Arrays{operands[0].reshaped({})}; })
      .Case<tensor::ExpandDimsOp, tensor::ReshapeOp>(
          [&](auto move) -> Answer { return Arrays{operands[0].reshaped(move.getType().getShape())}; })
      .Case<tensor::BroadcastOp>([&](auto move) { return broadcast(move, operands[0]); })
      .Case<tensor::TransOp>([&](auto move) { return transpose(move, operands[0]); })
      .Case<tensor::CatOp>([&](auto cat) { return concatenate(cat.getType(), operands); })
      .Case<tensor::JoinOp>([&](auto) { return join(operands); })
      .Case<tensor::SplitOp>([&](auto) { return split(operands[0]); })
      .Case<tensor::GatherOp>([&](auto pick) { return gather(pick, operands[0], operands[1]); })
      .Case<tensor::HistogramOp>([&](auto count) { return histogram(count, operands); })
      .Default([](Operation *) { return Answer(); });
}

} // namespace triton::interpreter
