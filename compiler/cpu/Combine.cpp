#include "compiler/cpu/Combine.h"

#include "compiler/cpu/Convert.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/cpu/evaluate/Expression.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::cpu {

/// What `op` combined with anything leaves as it is, as `type`.
static TypedAttr identityOf(Operation *op, Type type) {
  Builder b(op->getContext());
  auto integer = [&](APInt value) -> TypedAttr { return b.getIntegerAttr(type, value); };
  auto real = [&](double value) -> TypedAttr { return b.getFloatAttr(type, value); };
  double infinity = std::numeric_limits<double>::infinity();
  unsigned bits = type.getIntOrFloatBitWidth();
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case([&](arith::AddFOp) { return real(-0.0); })
      .Case([&](arith::MulFOp) { return real(1); })
      .Case<arith::MaxNumFOp, arith::MaximumFOp>([&](auto) { return real(-infinity); })
      .Case<arith::MinNumFOp, arith::MinimumFOp>([&](auto) { return real(infinity); })
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(APInt::getZero(bits)); })
      .Case([&](arith::MulIOp) { return integer(APInt(bits, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(APInt::getAllOnes(bits)); })
      .Case([&](arith::MaxSIOp) { return integer(APInt::getSignedMinValue(bits)); })
      .Case([&](arith::MinSIOp) { return integer(APInt::getSignedMaxValue(bits)); })
      .Default(TypedAttr());
}

Combiner::Combiner(OpBuilder &builder, Operation *op, const HostTarget &target)
    : builder(builder), op(op), target(target), region(op->getRegion(0)) {
  for (Value operand : op->getOperands())
    elements.push_back(getElementTypeOrSelf(operand.getType()));
  for (Type element : elements)
    accumulators.push_back(getRegisterType(element));
  Block &body = region.front();
  if (elements.size() != 1 || body.getOperations().size() != 2)
    return;
  Operation *only = &body.front();
  auto uses = [&](Value value) { return llvm::is_contained(only->getOperands(), value); };
  if (only->getNumOperands() != 2 || only->getNumResults() != 1 || !uses(body.getArgument(0)) ||
      !uses(body.getArgument(1)) || body.getTerminator()->getOperand(0) != only->getResult(0))
    return;
  Type element = elements[0];
  bool isSmall = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Type wide = isSmall ? Type(builder.getF32Type()) : element;
  neutral = identityOf(only, wide);
  if (!neutral)
    return;
  single = only;
  accumulators[0] = wide;
}

Combiner::Values Combiner::widen(ValueRange values) {
  Values wide;
  for (auto [i, value] : llvm::enumerate(values))
    wide.push_back(
        accumulators[i] == getRegisterType(elements[i])
            ? value
            : convertFloat(builder, op->getLoc(), value, elements[i], accumulators[i], Rounding::NearestEven, target));
  return wide;
}

Combiner::Values Combiner::narrow(ValueRange values) {
  Values results;
  for (auto [i, value] : llvm::enumerate(values))
    results.push_back(
        accumulators[i] == getRegisterType(elements[i])
            ? value
            : convertFloat(builder, op->getLoc(), value, accumulators[i], elements[i], Rounding::NearestEven, target));
  return results;
}

/// Has arithmetic in the regions of `branch` mean what it means elsewhere.
LogicalResult Combiner::emitInside(Operation *branch) {
  SmallVector<Operation *> arithmetic;
  branch->walk([&](Operation *inner) {
    if (inner != branch && isElementwise(inner))
      arithmetic.push_back(inner);
  });
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *inner : arithmetic) {
    builder.setInsertionPoint(inner);
    FailureOr<Value> result = emitElementwise(builder, inner, llvm::to_vector(inner->getOperands()), target);
    if (llvm::failed(result))
      return failure();
    inner->replaceAllUsesWith(ValueRange{*result});
    inner->erase();
  }
  return success();
}

Combiner::Values Combiner::combine(ValueRange left, ValueRange right) {
  Location loc = op->getLoc();
  if (single) {
    // `a > b ? a : b` is one instruction and, since accumulators start from an infinity, ignores NaN as maxnum does;
    // maxnum is three.
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(single)) {
      auto predicate = isa<arith::MaxNumFOp>(single) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
      Scalar s{builder, loc};
      return {s.select(s.compare(predicate, right[0], left[0]), right[0], left[0])};
    }
    OperationState state(loc, single->getName(), {left[0], right[0]}, {left[0].getType()}, single->getAttrs());
    state.propertiesAttr = single->getPropertiesAsAttribute();
    return {builder.create(state)->getResult(0)};
  }
  Block &body = region.front();
  IRMapping mapping = scalars;
  for (auto [i, value] : llvm::enumerate(left))
    mapping.map(body.getArgument(i), value);
  for (auto [i, value] : llvm::enumerate(right))
    mapping.map(body.getArgument(left.size() + i), value);
  auto vector = dyn_cast<VectorType>(left[0].getType());
  auto shaped = [&](Value value) -> Value {
    if (!vector || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, VectorType::get(vector.getShape(), value.getType()), value);
  };
  for (Operation &inner : body.without_terminator()) {
    if (isa<arith::ConstantOp>(inner) || !isElementwise(&inner)) {
      hasFailed |= llvm::failed(emitInside(builder.clone(inner, mapping))); // combinations of scalars only
      continue;
    }
    Values operands;
    for (Value operand : inner.getOperands())
      operands.push_back(shaped(mapping.lookupOrDefault(operand)));
    FailureOr<Value> result = emitElementwise(builder, &inner, operands, target);
    if (llvm::failed(result)) {
      hasFailed = true;
      return Values(left);
    }
    mapping.map(inner.getResult(0), *result);
  }
  Values results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(shaped(mapping.lookupOrDefault(result)));
  return results;
}

bool Combiner::losesNan() const { return single && isa<arith::MaxNumFOp, arith::MinNumFOp>(single); }

Combiner::Values Combiner::combineLanes(ValueRange vectors) {
  Values values(vectors);
  Location loc = op->getLoc();
  auto type = dyn_cast<VectorType>(values[0].getType());
  if (!type)
    return values;
  for (int64_t lanes = type.getNumElements(); lanes > 1; lanes /= 2) {
    Values low, high;
    SmallVector<int64_t> first, second;
    for (int64_t lane = 0; lane < lanes / 2; ++lane) {
      first.push_back(lane);
      second.push_back(lane + lanes / 2);
    }
    for (Value value : values) {
      low.push_back(vector::ShuffleOp::create(builder, loc, value, value, first));
      high.push_back(vector::ShuffleOp::create(builder, loc, value, value, second));
    }
    values = combine(low, high);
  }
  for (Value &value : values)
    value = vector::ExtractOp::create(builder, loc, value, 0);
  return values;
}

} // namespace triton::cpu
