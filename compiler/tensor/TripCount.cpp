#include "compiler/tensor/TripCount.h"

#include "compiler/tensor/NonNegative.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using llvm::APInt;

namespace triton::tensor {

static std::optional<APInt> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  return std::nullopt;
}

static unsigned widthOf(Type type) {
  return type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
}

static bool isLess(const APInt &a, const APInt &b, bool isUnsigned) { return isUnsigned ? a.ult(b) : a.slt(b); }

bool hasPositiveStep(scf::ForOp loop) {
  std::optional<APInt> step = constantOf(loop.getStep());
  return step && (loop.getUnsignedCmp() ? !step->isZero() : step->isStrictlyPositive());
}

bool mayStepBeyond(scf::ForOp loop) {
  std::optional<APInt> step = constantOf(loop.getStep());
  if (!step || !hasPositiveStep(loop))
    return true;
  if (step->isOne()) // the variable is below the upper bound before it is added
    return false;
  const bool isUnsigned = loop.getUnsignedCmp();
  const unsigned width = step->getBitWidth();
  const APInt largest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt upper = constantOf(loop.getUpperBound()).value_or(largest);
  if (auto widened = loop.getUpperBound().getDefiningOp<arith::ExtSIOp>(); widened && !isUnsigned)
    upper = APInt::getSignedMaxValue(widthOf(widened.getIn().getType())).zext(width);
  return isLess(largest - *step, upper - 1, isUnsigned); // the last place is below the upper bound
}

Value createTripCount(OpBuilder &builder, Location location, Value lower, Value upper, Value step, bool isUnsigned,
                      Type counter) {
  Type type = lower.getType();
  const unsigned width = widthOf(type), counted = widthOf(counter);
  auto constant = [&](Type of, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(of, value));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(location, predicate, a, b);
  };
  Value one = constant(type, 1);
  Value runs = compare(isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, lower, upper);
  if (std::optional<APInt> known = constantOf(step); !known || known->isZero()) {
    Value moves = compare(arith::CmpIPredicate::ne, step, constant(type, 0));
    runs = builder.createOrFold<arith::AndIOp>(location, runs, moves);
    step = builder.createOrFold<arith::MaxUIOp>(location, step, one);
  }
  // Read as unsigned, the distance of two numbers is exact.
  Value distance = builder.createOrFold<arith::SubIOp>(location, upper, lower);
  Value before = builder.createOrFold<arith::SubIOp>(location, distance, one);
  Value whole = builder.createOrFold<arith::DivUIOp>(location, before, step);
  Value count = builder.createOrFold<arith::AddIOp>(location, whole, one);
  if (counted > width)
    count = builder.createOrFold<arith::ExtUIOp>(location, counter, count);
  else
    count = builder.createOrFold<arith::MinUIOp>(
        location, count,
        arith::ConstantOp::create(builder, location,
                                  builder.getIntegerAttr(type, APInt::getSignedMaxValue(counted).zext(width))));
  if (counted < width)
    count = builder.createOrFold<arith::TruncIOp>(location, counter, count);
  return builder.createOrFold<arith::SelectOp>(location, runs, count, constant(counter, 0));
}

void countIterations(RewriterBase &rewriter, scf::ForOp loop) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  Location location = loop.getLoc();
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Type type = lower.getType(), counter = rewriter.getI64Type();
  const bool isNear = !loop.getUnsignedCmp() && isCount(lower); // then a signed number says how far it is
  if (type.isIndex() || (isNear && widthOf(type) >= 32))
    counter = type;
  Value magnitude = step;
  if (!loop.getUnsignedCmp() && !hasPositiveStep(loop)) {
    Value zero = arith::ConstantOp::create(rewriter, location, rewriter.getIntegerAttr(type, 0));
    magnitude = rewriter.createOrFold<arith::MaxSIOp>(location, step, zero);
  }
  Value count =
      createTripCount(rewriter, location, lower, loop.getUpperBound(), magnitude, loop.getUnsignedCmp(), counter);
  Value zero = arith::ConstantOp::create(rewriter, location, rewriter.getIntegerAttr(counter, 0));
  Value one = arith::ConstantOp::create(rewriter, location, rewriter.getIntegerAttr(counter, 1));

  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(zero);
    loop.setUpperBound(count);
    loop.setStep(one);
    loop.setUnsignedCmp(false);
    loop.getInductionVar().setType(counter);
  });
  rewriter.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  if (widthOf(counter) > widthOf(type))
    number = arith::TruncIOp::create(rewriter, location, type, number);
  Value way = arith::MulIOp::create(rewriter, location, number, step);
  Value place = arith::AddIOp::create(rewriter, location, lower, way);
  rewriter.replaceAllUsesExcept(loop.getInductionVar(), place,
                                (number == loop.getInductionVar() ? way : number).getDefiningOp());
}

namespace {

struct CountWideLoop : OpRewritePattern<scf::ForOp> {
  explicit CountWideLoop(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/100) {}

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    std::optional<APInt> lower = constantOf(loop.getLowerBound()), upper = constantOf(loop.getUpperBound());
    if (!lower || !upper || !loop.getLowerBound().getType().isInteger() ||
        !isLess(*lower, *upper, loop.getUnsignedCmp()) || (*upper - *lower).isNonNegative())
      return failure();
    countIterations(rewriter, loop);
    return success();
  }
};

} // namespace

void populateWideLoopPatterns(RewritePatternSet &patterns) { patterns.add<CountWideLoop>(patterns.getContext()); }

} // namespace triton::tensor
