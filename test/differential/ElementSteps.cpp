// Steps that compute each element from the elements at the same place.
#include "test/differential/Generator.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

void Generator::integerStep() {
  Value a = findInteger();
  if (!a)
    return;
  Value b = findLike(a);
  Type type = a.getType();
  unsigned bits = getElementBits(type);
  // -1, 0, 1, 2 or anything: what divisions have to be careful with, often.
  Value near = make<arith::SubIOp>(make<arith::AndIOp>(b, splat(type, 3)), splat(type, 1));
  Value divisor = below(2) ? near : b;
  Value shift = make<arith::AndIOp>(b, splat(type, bits - 1));
  switch (below(17)) {
  case 0:
    return keep(make<arith::AddIOp>(a, b));
  case 1:
    return keep(make<arith::SubIOp>(a, b));
  case 2:
    return keep(make<arith::MulIOp>(a, b));
  case 3:
    return keep(make<arith::DivSIOp>(a, divisor));
  case 4:
    return keep(make<arith::RemSIOp>(a, divisor));
  case 5:
    return keep(make<arith::DivUIOp>(a, divisor));
  case 6:
    return keep(make<arith::RemUIOp>(a, divisor));
  case 7:
    return keep(make<arith::AndIOp>(a, b));
  case 8:
    return keep(make<arith::OrIOp>(a, b));
  case 9:
    return keep(make<arith::XOrIOp>(a, b));
  case 10:
    return keep(make<arith::ShLIOp>(a, shift));
  case 11:
    return keep(make<arith::ShRSIOp>(a, shift));
  case 12:
    return keep(make<arith::ShRUIOp>(a, shift));
  case 13:
    return keep(make<arith::MaxSIOp>(a, b));
  case 14:
    return keep(make<arith::MinUIOp>(a, b));
  case 15: // not of the least number: ptxas takes results to be non-negative, the others have it wrap
    return keep(make<math::AbsIOp>(make<arith::ShRSIOp>(a, splat(type, 1))));
  default:
    if (bits >= 32)
      keep(make<MulhiUIOp>(a, b));
  }
}

void Generator::floatStep() {
  Value a = findFloat();
  if (!a)
    return;
  Value b = findLike(a);
  switch (below(13)) {
  case 0:
    return keep(make<arith::AddFOp>(a, b));
  case 1:
    return keep(make<arith::SubFOp>(a, b));
  case 2:
    return keep(make<arith::MulFOp>(a, b));
  case 3:
    return keep(make<arith::DivFOp>(a, b));
  // Which zero is the greater is open: a sum with +0.0 leaves one zero only.
  case 4:
    return keep(make<arith::AddFOp>(make<arith::MaxNumFOp>(a, b), constant(a.getType(), 0)));
  case 5:
    return keep(make<arith::AddFOp>(make<arith::MinimumFOp>(a, b), constant(a.getType(), 0)));
  case 6:
    return keep(make<arith::NegFOp>(a));
  case 7:
    return keep(make<math::AbsFOp>(a));
  case 8:
    return keep(make<math::FloorOp>(a));
  case 9:
    return keep(make<math::CeilOp>(a));
  case 10:
    return keep(make<math::SqrtOp>(make<math::AbsFOp>(a)));
  case 11:
    return keep(make<math::FmaOp>(a, b, findLike(a)));
  default:
    keep(make<ClampFOp>(a, constant(a.getType(), -2), constant(a.getType(), 3),
                        chance(50) ? PropagateNan::All : PropagateNan::None));
  }
}

void Generator::castStep() {
  if (chance(50)) {
    Value a = findInteger();
    if (!a)
      return;
    Type to = builder.getIntegerType(pick(std::array{8, 16, 32, 64}));
    Type type = withElement(a.getType(), to);
    if (chance(25)) {
      Type floating = pick(std::array<Type, 3>{builder.getF32Type(), builder.getF64Type(), builder.getF32Type()});
      Type target = withElement(a.getType(), floating);
      return keep(chance(50) ? make<arith::SIToFPOp>(target, a) : make<arith::UIToFPOp>(target, a));
    }
    if (getElementBits(type) < getElementBits(a.getType()))
      return keep(make<arith::TruncIOp>(type, a));
    if (getElementBits(type) > getElementBits(a.getType()))
      return keep(chance(50) ? make<arith::ExtSIOp>(type, a) : make<arith::ExtUIOp>(type, a));
    return;
  }
  Value a = findFloat();
  if (!a)
    return;
  if (chance(25)) {
    // Kept in the range of every integer type: what is beyond is open.
    Value tame = make<ClampFOp>(a, constant(a.getType(), -100), constant(a.getType(), 100), PropagateNan::None);
    Type target = withElement(a.getType(), builder.getIntegerType(pick(std::array{8, 32, 64})));
    return keep(make<arith::FPToSIOp>(target, tame));
  }
  Type to = pick(
      std::array<Type, 4>{builder.getF16Type(), builder.getBF16Type(), builder.getF32Type(), builder.getF64Type()});
  Type type = withElement(a.getType(), to);
  if (getElementBits(type) < getElementBits(a.getType()))
    keep(make<arith::TruncFOp>(type, a));
  else if (getElementBits(type) > getElementBits(a.getType()))
    keep(make<arith::ExtFOp>(type, a));
}

void Generator::selectStep() {
  bool isFloat = chance(50);
  Value a = isFloat ? findFloat() : findInteger();
  if (!a)
    return;
  Value b = findLike(a), condition;
  if (isFloat) {
    using Predicate = arith::CmpFPredicate;
    condition = make<arith::CmpFOp>(pick(std::array{Predicate::OLT, Predicate::OGE, Predicate::OEQ, Predicate::UNE,
                                                    Predicate::ULT, Predicate::UNO}),
                                    a, b);
  } else {
    using Predicate = arith::CmpIPredicate;
    condition = make<arith::CmpIOp>(
        pick(std::array{Predicate::slt, Predicate::sge, Predicate::eq, Predicate::ult, Predicate::ugt}), a, b);
  }
  Value x = find([&](RankedTensorType type) { return type.getShape() == getShape(a.getType()); });
  keep(make<arith::SelectOp>(condition, x, findLike(x)));
  if (chance(20))
    keep(make<arith::ExtUIOp>(withElement(a.getType(), builder.getI32Type()), condition));
  if (vocabulary.truths)
    keep(condition);
}

/// On single bits: they are bytes in memory and shared memory, predicates in registers, and take part in arithmetic.
void Generator::truthStep() {
  Value a = findTruth();
  if (!a)
    return selectStep();
  Value b = findLike(a);
  switch (below(7)) {
  case 0:
    return keep(make<arith::AndIOp>(a, b));
  case 1:
    return keep(make<arith::OrIOp>(a, b));
  case 2:
    return keep(make<arith::XOrIOp>(a, b));
  case 3:
    return keep(make<arith::AddIOp>(a, b));
  case 4:
    return keep(make<arith::XOrIOp>(a, splat(a.getType(), 1)));
  case 5:
    return keep(make<arith::UIToFPOp>(withElement(a.getType(), builder.getF16Type()), a));
  default:
    Type wide = withElement(a.getType(), builder.getIntegerType(pick(std::array{8, 32, 64})));
    return keep(chance(50) ? make<arith::ExtUIOp>(wide, a) : make<arith::ExtSIOp>(wide, a));
  }
}

void Generator::narrowStep() {
  Value a = findFloat();
  if (!a || getElementBits(a.getType()) > 32)
    return;
  MLIRContext *context = builder.getContext();
  Type narrow = pick(std::array<Type, 4>{Float8E5M2Type::get(context), Float8E4M3FNType::get(context),
                                         Float8E4M3FNUZType::get(context), Float8E5M2FNUZType::get(context)});
  auto rounding = RoundingModeAttr::get(context, RoundingMode::NearestEven);
  Value down = make<FpToFpOp>(withElement(a.getType(), narrow), a, rounding);
  keep(make<FpToFpOp>(a.getType(), down, RoundingModeAttr()));
}

} // namespace triton::differential
