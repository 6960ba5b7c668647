#include "compiler/tensor/passes/Window.h"

#include "compiler/tensor/NonNegative.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tensor {

Value toI64(OpBuilder &builder, Location location, Value value) {
  Type type = withElement(value.getType(), builder.getI64Type());
  return value.getType() == type ? value : arith::ExtSIOp::create(builder, location, type, value);
}

static Value constant(OpBuilder &builder, Location location, int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(builder, location, builder.getIntegerType(bits), value);
}

Value spread(OpBuilder &builder, Location location, Value vector, int64_t dim, ArrayRef<int64_t> shape) {
  for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis)
    if (axis != dim)
      vector = ExpandDimsOp::create(builder, location, vector, axis);
  if (cast<RankedTensorType>(vector.getType()).getShape() == shape)
    return vector;
  return BroadcastOp::create(builder, location, vector, shape);
}

Value Window::pointers(OpBuilder &builder, Location location) const {
  // One scalar address for the block's corner, so that what varies over the block depends on nothing but the strides.
  Value corner = base, distance;
  for (auto [dim, size] : llvm::enumerate(block.getShape())) {
    Value scalar = arith::MulIOp::create(builder, location, offsets[dim], strides[dim]);
    corner = AddPtrOp::create(builder, location, corner.getType(), corner, scalar);
    if (size == 1)
      continue;
    Value steps = toI64(builder, location, MakeRangeOp::create(builder, location, 0, size));
    Value stride = SplatOp::create(builder, location, strides[dim], {size});
    Value along =
        spread(builder, location, arith::MulIOp::create(builder, location, steps, stride), dim, block.getShape());
    distance = distance ? arith::AddIOp::create(builder, location, distance, along) : along;
  }
  Value pointers = SplatOp::create(builder, location, corner, block.getShape());
  return distance ? AddPtrOp::create(builder, location, pointers.getType(), pointers, distance) : pointers;
}

/// `value` limited to 0..`size`, as i32.
static Value limit(OpBuilder &builder, Location location, Value value, int64_t size) {
  value = arith::MaxSIOp::create(builder, location, value, constant(builder, location, 0, 64));
  value = arith::MinSIOp::create(builder, location, value, constant(builder, location, size, 64));
  return arith::TruncIOp::create(builder, location, builder.getI32Type(), value);
}

Value Window::mask(OpBuilder &builder, Location location, ArrayRef<int32_t> dims) const {
  Value mask;
  for (int32_t dim : dims) {
    int64_t size = block.getDimSize(dim);
    Value range = MakeRangeOp::create(builder, location, 0, size);
    Value zero = constant(builder, location, 0, 64);
    Value before = arith::SubIOp::create(builder, location, zero, offsets[dim]);
    Value left = arith::SubIOp::create(builder, location, shape[dim], offsets[dim]);
    auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
      Value splat = SplatOp::create(builder, location, limit(builder, location, bound, size), {size});
      return arith::CmpIOp::create(builder, location, predicate, range, splat);
    };
    Value above = compare(arith::CmpIPredicate::sge, before), below = compare(arith::CmpIPredicate::slt, left);
    Value inside = arith::AndIOp::create(builder, location, below, above);
    Value along = spread(builder, location, inside, dim, block.getShape());
    mask = mask ? arith::AndIOp::create(builder, location, mask, along) : along;
  }
  return mask;
}

/// The offset behind `range >= limit(0 - offset)`, the lower bound that `Window::mask` makes; null for any other
/// comparison.
static Value getOffsetOfLowerBound(arith::CmpIOp compare) {
  auto range = compare.getLhs().getDefiningOp<MakeRangeOp>();
  auto splat = compare.getRhs().getDefiningOp<SplatOp>();
  if (compare.getPredicate() != arith::CmpIPredicate::sge || !range || range.getStart() != 0 || !splat)
    return {};
  auto narrow = splat.getSrc().getDefiningOp<arith::TruncIOp>();
  auto least = narrow ? narrow.getIn().getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
  auto most = least ? least.getLhs().getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  auto difference = most ? most.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return difference && matchPattern(difference.getLhs(), m_Zero()) ? difference.getRhs() : Value();
}

void dropLowerBounds(Operation *root) {
  root->walk([](arith::CmpIOp compare) {
    Value offset = getOffsetOfLowerBound(compare);
    if (!offset || !isNonNegative(offset))
      return;
    OpBuilder builder(compare);
    auto all = DenseElementsAttr::get(cast<ShapedType>(compare.getType()), true);
    Value met = arith::ConstantOp::create(builder, compare.getLoc(), all);
    for (Operation *user : llvm::to_vector(compare->getUsers()))
      if (auto both = dyn_cast<arith::AndIOp>(user))
        both.replaceAllUsesWith(both.getLhs() == compare.getResult() ? both.getRhs() : both.getLhs());
    compare.replaceAllUsesWith(met);
  });
}

} // namespace triton::tensor
