#include "compiler/gpu/ScaledExtrema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

Operation *extremumOf(tensor::ReduceOp reduce) {
  Block &body = reduce.getCombineOp().front();
  Operation *combine = &body.front();
  bool isExtremum = reduce.getNumOperands() == 1 && &*std::next(body.begin()) == body.getTerminator() &&
                    isa<arith::MaxNumFOp, arith::MinNumFOp>(combine) &&
                    combine->getOperand(0) != combine->getOperand(1) &&
                    llvm::all_of(combine->getOperands(), llvm::IsaPred<BlockArgument>) &&
                    body.getTerminator()->getOperand(0) == combine->getResult(0);
  return isExtremum ? combine : nullptr;
}

/// Whether all elements of `tensor` are one number, which may be positive.
static bool isFactor(Value tensor) {
  SplatElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)))
    return bool(tensor.getDefiningOp<tensor::SplatOp>());
  const APFloat number = elements.getSplatValue<APFloat>();
  return number.isFiniteNonZero() && !number.isNegative();
}

/// The factor that all elements of a product have: its operand. Null if there is none.
static OpOperand *factorOf(arith::MulFOp product) {
  return isFactor(product.getRhs())   ? &product.getRhsMutable()
         : isFactor(product.getLhs()) ? &product.getLhsMutable()
                                      : nullptr;
}

static Value otherThan(arith::MulFOp product, OpOperand *factor) {
  return factor->getOperandNumber() == 0 ? product.getRhs() : product.getLhs();
}

Value findUnscaled(tensor::ReduceOp reduce) {
  auto product = extremumOf(reduce) ? reduce->getOperand(0).getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  OpOperand *factor = product ? factorOf(product) : nullptr;
  return factor ? otherThan(product, factor) : Value();
}

static Value createFloat(OpBuilder &builder, Location loc, Type type, const APFloat &number) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, number));
}

Value createIsOrdinary(OpBuilder &builder, Location loc, Value factor) {
  const llvm::fltSemantics &semantics = cast<FloatType>(factor.getType()).getFloatSemantics();
  auto compare = [&](arith::CmpFPredicate predicate, const APFloat &number) {
    return arith::CmpFOp::create(builder, loc, predicate, factor, createFloat(builder, loc, factor.getType(), number));
  };
  Value isPositive = compare(arith::CmpFPredicate::OGT, APFloat::getZero(semantics));
  return arith::AndIOp::create(builder, loc, isPositive,
                               compare(arith::CmpFPredicate::OLT, APFloat::getInf(semantics)));
}

bool isOrdinary(Value factor) {
  auto choice = factor.getDefiningOp<arith::SelectOp>();
  auto both = choice ? choice.getCondition().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  if (!both || !matchPattern(choice.getFalseValue(), m_OneFloat()))
    return false;
  auto isCompared = [&](Value condition, arith::CmpFPredicate predicate, auto limit) {
    auto compare = condition.getDefiningOp<arith::CmpFOp>();
    return compare && compare.getPredicate() == predicate && compare.getLhs() == choice.getTrueValue() &&
           matchPattern(compare.getRhs(), limit);
  };
  return isCompared(both.getLhs(), arith::CmpFPredicate::OGT, m_PosZeroFloat()) &&
         isCompared(both.getRhs(), arith::CmpFPredicate::OLT, m_PosInfFloat());
}

void factorOutOfMask(tensor::ReduceOp reduce) {
  auto choice = extremumOf(reduce) ? reduce->getOperand(0).getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  if (!choice || !isa<RankedTensorType>(choice.getCondition().getType()))
    return;
  auto isInfinity = [](Value value) {
    return matchPattern(value, m_NegInfFloat()) || matchPattern(value, m_PosInfFloat());
  };
  OpOperand &kept = isInfinity(choice.getTrueValue()) ? choice.getFalseValueMutable() : choice.getTrueValueMutable();
  Value other = isInfinity(choice.getTrueValue()) ? choice.getTrueValue() : choice.getFalseValue();
  auto product = kept.get().getDefiningOp<arith::MulFOp>();
  OpOperand *factors = product && product->hasOneUse() ? factorOf(product) : nullptr;
  auto isFused = [&](Operation *user) { return user == reduce || isa<arith::AddFOp, arith::SubFOp>(user); };
  if (!factors || !isInfinity(other) || !llvm::all_of(choice->getUsers(), isFused))
    return;

  OpBuilder builder(product);
  Location loc = product.getLoc();
  Value scale = factors->get(), unscaled = otherThan(product, factors);
  if (auto splat = scale.getDefiningOp<tensor::SplatOp>()) {
    Value factor = splat.getSrc(), condition = createIsOrdinary(builder, loc, factor);
    Value one = createFloat(builder, loc, factor.getType(),
                            APFloat::getOne(cast<FloatType>(factor.getType()).getFloatSemantics()));
    auto choose = [&](Value ordinary, Value otherwise) -> Value {
      Value chosen = arith::SelectOp::create(builder, loc, condition, ordinary, otherwise);
      return tensor::SplatOp::create(builder, loc, scale.getType(), chosen);
    };
    scale = choose(factor, one);
    factors->set(choose(one, factor));
  } else {
    kept.set(unscaled);
  }
  builder.setInsertionPointAfter(choice);
  auto scaled = arith::MulFOp::create(builder, loc, choice, scale, product.getFastmathAttr());
  choice.getResult().replaceAllUsesExcept(scaled, scaled);
  if (product->use_empty())
    product->erase();
}

} // namespace triton::gpu
