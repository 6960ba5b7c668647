// Steps that move elements.
#include "test/differential/Generator.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

void Generator::reshapeStep() {
  Value a = findAny();
  if (!a)
    return;
  auto type = cast<RankedTensorType>(a.getType());
  SmallVector<int64_t> shape;
  int64_t left = type.getNumElements();
  while (left > 1 && shape.size() < 4) {
    int64_t size = int64_t(1) << below(llvm::Log2_64(left) + 1);
    shape.push_back(size);
    left /= size;
  }
  shape.push_back(left);
  keep(make<ReshapeOp>(a, shape));
}

void Generator::transStep() {
  Value a = find([](RankedTensorType type) { return type.getRank() >= 2; });
  if (!a)
    return reshapeStep();
  SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, getShape(a.getType()).size()));
  std::shuffle(order.begin(), order.end(), random);
  keep(make<TransOp>(a, order));
}

void Generator::repeatStep() {
  Value a = find([](RankedTensorType type) { return type.getNumElements() <= 64; });
  if (!a)
    return;
  auto type = cast<RankedTensorType>(a.getType());
  int64_t axis = below(type.getRank() + 1);
  Value expanded = make<ExpandDimsOp>(a, axis);
  SmallVector<int64_t> shape(getShape(expanded.getType()));
  shape[axis] = pick(std::array{2, 4});
  keep(make<BroadcastOp>(expanded, shape));
}

void Generator::joinStep() {
  Value a = find([](RankedTensorType type) { return type.getShape().back() == 2 && type.getRank() > 1; });
  if (a && chance(50)) {
    auto split = SplitOp::create(builder, location, a);
    keep(split.getOutLHS());
    return keep(split.getOutRHS());
  }
  a = find([](RankedTensorType type) { return type.getNumElements() <= 128; });
  if (a)
    keep(make<JoinOp>(a, findLike(a)));
}

void Generator::gatherStep() {
  Value source = findAny();
  Value raw = source ? find([&](RankedTensorType type) {
    return type.getShape() == getShape(source.getType()) && type.getElementType().isInteger(32);
  })
                     : Value();
  if (!raw)
    return;
  // Fewer elements than there are to choose from, or more.
  if (getShape(source.getType()).size() == 1 && chance(50)) {
    int64_t count = int64_t(1) << below(9);
    raw = make<MakeRangeOp>(0, count);
    raw = make<arith::MulIOp>(raw, splat(raw.getType(), 5));
  }
  int axis = below(getShape(source.getType()).size());
  Value index = make<arith::AndIOp>(raw, splat(raw.getType(), getShape(source.getType())[axis] - 1));
  keep(make<GatherOp>(source, index, axis));
}

} // namespace triton::differential
