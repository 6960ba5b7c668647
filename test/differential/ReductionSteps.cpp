// Steps that combine elements of one tensor: reductions, scans, histograms. Only what gives the same bits in any order.
#include "test/differential/Generator.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

/// One of the ways two elements combine to one in any order with the same bits.
Value Generator::combine(Type element, Value lhs, Value rhs, unsigned choice) {
  if (isa<FloatType>(element))
    return choice % 2 ? make<arith::MaxNumFOp>(lhs, rhs) : make<arith::MinNumFOp>(lhs, rhs);
  if (element.isInteger(1))
    return choice % 2 ? make<arith::OrIOp>(lhs, rhs) : make<arith::XOrIOp>(lhs, rhs);
  switch (choice % 5) {
  case 0:
    return make<arith::AddIOp>(lhs, rhs);
  case 1:
    return make<arith::XOrIOp>(lhs, rhs);
  case 2:
    return make<arith::MaxSIOp>(lhs, rhs);
  case 3:
    return make<arith::MinUIOp>(lhs, rhs);
  default:
    return make<arith::MulIOp>(lhs, rhs);
  }
}

/// Which zero and which NaN a float extreme keeps is open: both are taken out.
Value Generator::tamed(Value value) {
  if (!isa<FloatType>(getElementTypeOrSelf(value.getType())))
    return value;
  value = make<ClampFOp>(value, constant(value.getType(), -1000), constant(value.getType(), 1000), PropagateNan::None);
  return make<arith::AddFOp>(value, constant(value.getType(), 0));
}

void Generator::reduceStep() {
  Value a = chance(50) ? findFloat() : vocabulary.truths && chance(20) ? findTruth() : findInteger();
  if (!a)
    return;
  a = tamed(a);
  auto type = cast<RankedTensorType>(a.getType());
  auto reduce = ReduceOp::create(builder, location, ValueRange{a}, int(below(type.getRank())));
  Type element = type.getElementType();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombineOp(), {}, {element, element}, {location, location});
  ReduceReturnOp::create(builder, location, combine(element, block->getArgument(0), block->getArgument(1), below(10)));
  builder.setInsertionPointAfter(reduce);
  Value result = reduce->getResult(0);
  if (!isa<RankedTensorType>(result.getType()))
    result = make<SplatOp>(result, type.getShape());
  keep(result);
}

/// The greatest element and the first place it is at, as two results of one reduction.
void Generator::findPlaceStep() {
  Value a = chance(50) ? findFloat() : findInteger();
  if (!a)
    return;
  a = tamed(a);
  auto type = cast<RankedTensorType>(a.getType());
  const int axis = below(type.getRank());
  Type element = type.getElementType(), count = builder.getI32Type();
  Value place = make<MakeRangeOp>(0, type.getDimSize(axis));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != axis)
      place = make<ExpandDimsOp>(place, dim);
  place = make<BroadcastOp>(place, type.getShape());
  auto reduce = ReduceOp::create(builder, location, ValueRange{a, place}, axis);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombineOp(), {}, {element, count, element, count},
                                     SmallVector<Location>(4, location));
  Value x = block->getArgument(0), i = block->getArgument(1), y = block->getArgument(2), j = block->getArgument(3);
  const bool isFloat = isa<FloatType>(element);
  Value isMore = isFloat ? make<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, y)
                         : make<arith::CmpIOp>(arith::CmpIPredicate::sgt, x, y);
  Value isSame = isFloat ? make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, y)
                         : make<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
  Value isFirst = make<arith::CmpIOp>(arith::CmpIPredicate::slt, i, j);
  Value takes = make<arith::OrIOp>(isMore, make<arith::AndIOp>(isSame, isFirst));
  ReduceReturnOp::create(builder, location,
                         ValueRange{make<arith::SelectOp>(takes, x, y), make<arith::SelectOp>(takes, i, j)});
  builder.setInsertionPointAfter(reduce);
  for (Value result : reduce->getResults())
    keep(isa<RankedTensorType>(result.getType()) ? result : make<SplatOp>(result, type.getShape()));
}

/// x -> a x + b, one after the other: two values that do not commute.
void Generator::recurrenceStep() {
  Value a = findInteger();
  if (!a)
    return;
  Value b = findLike(a);
  auto type = cast<RankedTensorType>(a.getType());
  auto scan = ScanOp::create(builder, location, ValueRange{a, b}, int(below(type.getRank())), chance(50));
  Type element = type.getElementType();
  OpBuilder::InsertionGuard guard(builder);
  Block *block =
      builder.createBlock(&scan.getCombineOp(), {}, SmallVector<Type>(4, element), SmallVector<Location>(4, location));
  Value a1 = block->getArgument(0), b1 = block->getArgument(1), a2 = block->getArgument(2), b2 = block->getArgument(3);
  ScanReturnOp::create(builder, location,
                       ValueRange{make<arith::MulIOp>(a1, a2), make<arith::AddIOp>(make<arith::MulIOp>(b1, a2), b2)});
  builder.setInsertionPointAfter(scan);
  keep(scan->getResult(0));
  keep(scan->getResult(1));
}

void Generator::scanStep() {
  Value a = findInteger();
  if (!a)
    return;
  auto type = cast<RankedTensorType>(a.getType());
  auto scan = ScanOp::create(builder, location, ValueRange{a}, int(below(type.getRank())), chance(50));
  Type element = type.getElementType();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&scan.getCombineOp(), {}, {element, element}, {location, location});
  ScanReturnOp::create(builder, location, combine(element, block->getArgument(0), block->getArgument(1), below(10)));
  builder.setInsertionPointAfter(scan);
  keep(scan->getResult(0));
}

void Generator::histogramStep() {
  Value a = find([](RankedTensorType type) { return type.getRank() == 1 && type.getElementType().isInteger(32); });
  if (!a)
    return;
  Value mask = chance(50) ? find([&](RankedTensorType type) {
    return type.getShape() == getShape(a.getType()) && type.getElementType().isInteger(1);
  })
                          : Value();
  const int32_t bins = int32_t(1) << below(8);
  keep(make<HistogramOp>(make<arith::AndIOp>(a, splat(a.getType(), bins - 1)), mask, bins));
}

} // namespace triton::differential
