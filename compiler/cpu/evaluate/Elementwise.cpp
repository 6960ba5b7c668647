#include "compiler/cpu/evaluate/Elementwise.h"

#include "compiler/tensor/ElementaryMath.h"

#include "compiler/cpu/Convert.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace triton::cpu {

bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || isa<arith::ConstantOp>(op))
    return false;
  if (auto external = dyn_cast<tensor::ExternElementwiseOp>(op))
    return external.getPure();
  if (isa<tensor::FpToFpOp, tensor::BitcastOp, tensor::ClampFOp, tensor::PreciseSqrtOp, tensor::PreciseDivFOp,
          tensor::MulhiUIOp>(op))
    return true;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

int getElementwiseCost(Operation *op) {
  if (isa<arith::DivFOp, arith::RemFOp, math::SqrtOp, math::RsqrtOp, tensor::PreciseDivFOp, tensor::PreciseSqrtOp>(op))
    return 8;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op))
    return 16;
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp, math::CopySignOp, math::RoundEvenOp,
          math::TruncOp>(op))
    return 1;
  if (isa<math::MathDialect>(op->getDialect()) || isa<tensor::ExternElementwiseOp>(op))
    return 16;
  if (auto convert = dyn_cast<tensor::FpToFpOp>(op))
    return 8;
  if (isa<tensor::BitcastOp, tensor::AddPtrOp>(op))
    return 0;
  return 1;
}

namespace {

struct ElementwiseEmitter {
  OpBuilder &builder;
  Operation *op;
  const HostTarget &target;
  Location loc = op->getLoc();
  Scalar s{builder, loc};

  Type resultElement() { return getElementTypeOrSelf(op->getResult(0).getType()); }
  Type operandElement(unsigned i) { return getElementTypeOrSelf(op->getOperand(i).getType()); }

  Value convert(Value value, Type from, Type to, Rounding rounding = Rounding::NearestEven) {
    return convertFloat(builder, loc, value, from, to, rounding, target);
  }

  /// The operation itself on other types, attributes kept.
  Value clone(ArrayRef<Value> operands, Type element) {
    Type shape = operands.empty() ? element : operands.front().getType();
    OperationState state(loc, op->getName(), operands, {withShapeOf(shape, element)}, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (StringRef hint : {tensor::divisibilityName, tensor::contiguityName, tensor::constancyName})
      state.attributes.erase(hint);
    Operation *copy = builder.create(state);
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(copy, folded)) && folded.size() == 1) {
      copy->erase();
      return folded[0];
    }
    return copy->getResult(0);
  }

  /// The extremum of `a` and `b`, where -0.0 is less than 0.0: processors give either. Of equal numbers only zeros differ in a bit.
  Value orderZeros(Value extremum, Value a, Value b) {
    for (Value operand : {a, b})
      if (matchPattern(operand, m_Constant()) && !matchPattern(operand, m_AnyZeroFloat()))
        return extremum;
    Type bits = builder.getIntegerType(elementOf(a).getIntOrFloatBitWidth());
    Value left = s.bitcast(a, bits), right = s.bitcast(b, bits);
    Value both = isa<arith::MaxNumFOp>(op) ? s.bitAnd(left, right) : s.bitOr(left, right);
    return s.select(s.compare(arith::CmpFPredicate::OEQ, a, b), s.bitcast(both, elementOf(a)), extremum);
  }

  /// Floats too small to compute with are widened first and the result is rounded back.
  Value floatArithmetic(ArrayRef<Value> operands) {
    SmallVector<Value> wide;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      Type type = operandElement(i);
      bool isSmall = isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
      wide.push_back(isSmall ? convert(operand, type, builder.getF32Type()) : operand);
    }
    Type result = resultElement();
    bool rounds = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
    Value value = clone(wide, rounds ? Type(builder.getF32Type()) : result);
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      value = orderZeros(value, wide[0], wide[1]);
    return rounds ? convert(value, builder.getF32Type(), result) : value;
  }

  /// The quotient of vectors by floats, for which there are instructions: the format has so many more digits than the integers that a
  /// quotient short of a whole number, by 1 / divisor at least, is never rounded up to it. Null where integers are divided as they are.
  Value divideAsFloats(Value dividend, Value divisor, bool isSigned) {
    auto type = dyn_cast<VectorType>(dividend.getType());
    const unsigned bits = elementOf(dividend).getIntOrFloatBitWidth();
    if (!type || bits < 8 || bits > 32 || !target.avx2 || (bits == 32 && !isSigned && !target.avx512f))
      return {};
    Type integer = builder.getI32Type(), real = bits == 32 ? builder.getF64Type() : Type(builder.getF32Type());
    Type reals = withShapeOf(type, real), integers = withShapeOf(type, integer);
    auto widen = [&](Value value) -> Value {
      value = s.resize(value, integer, isSigned);
      if (isSigned || bits < 32)
        return arith::SIToFPOp::create(builder, loc, reals, value);
      return arith::UIToFPOp::create(builder, loc, reals, value);
    };
    Value quotient = arith::DivFOp::create(builder, loc, widen(dividend), widen(divisor));
    quotient = isSigned || bits < 32 ? Value(arith::FPToSIOp::create(builder, loc, integers, quotient))
                                     : Value(arith::FPToUIOp::create(builder, loc, integers, quotient));
    return s.resize(quotient, elementOf(dividend), isSigned);
  }

  /// Quotient or remainder, as `arith` means them in the interpreter; never with a divisor that processors trap on.
  template <typename OpT> Value divide(Value dividend, Value divisor, bool isSigned) {
    auto compute = [&](Value by) -> Value {
      Value quotient = matchPattern(by, m_Constant()) ? Value() : divideAsFloats(dividend, by, isSigned);
      if (!quotient)
        return builder.createOrFold<OpT>(loc, dividend, by);
      constexpr bool isQuotient = std::is_same_v<OpT, arith::DivSIOp> || std::is_same_v<OpT, arith::DivUIOp>;
      return isQuotient ? quotient : s.sub(dividend, s.mul(quotient, by));
    };
    APInt constant;
    const bool isKnown = matchPattern(divisor, m_ConstantInt(&constant)) && !constant.isZero();
    if (isKnown && !constant.isAllOnes())
      return compute(divisor);
    Type type = divisor.getType();
    Value isZero = s.compare(arith::CmpIPredicate::eq, divisor, s.integer(type, 0)), traps = isZero;
    if (isSigned) {
      unsigned width = elementOf(divisor).getIntOrFloatBitWidth();
      Value least = s.integer(type, APInt::getSignedMinValue(width).getSExtValue());
      Value overflows = s.bitAnd(s.compare(arith::CmpIPredicate::eq, divisor, s.integer(type, -1)),
                                 s.compare(arith::CmpIPredicate::eq, dividend, least));
      traps = s.bitOr(traps, overflows);
    }
    // By 1 the least number and its remainder are what they wrap to by -1.
    Value result = compute(s.select(traps, s.integer(type, 1), divisor));
    Value byZero = s.integer(type, -1);
    if (elementOf(dividend).isInteger(64)) {
      Value shortOnes = s.integer(type, 0xffffffff);
      byZero = s.select(s.compare(arith::CmpIPredicate::ule, dividend, shortOnes), shortOnes, byZero);
    }
    return s.select(isZero, byZero, result);
  }

  /// The quotient, moved by one where it has a remainder: down if the signs differ, or up if they do not.
  Value divideToward(Value a, Value b, bool isFloor) {
    Type type = a.getType();
    Value zero = s.integer(type, 0);
    Value isInexact = s.compare(arith::CmpIPredicate::ne, divide<arith::RemSIOp>(a, b, true), zero);
    Value signs = builder.createOrFold<arith::XOrIOp>(loc, a, b);
    Value moves =
        s.bitAnd(isInexact, s.compare(isFloor ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge, signs, zero));
    Value quotient = divide<arith::DivSIOp>(a, b, true);
    return s.add(quotient, s.select(moves, s.integer(type, isFloor ? -1 : 1), zero));
  }

  /// Of a float that does not fit the nearest integer, of NaN zero; processors give other numbers, or none that fits.
  template <typename OpT> Value toInteger(Value operand, bool isSigned) {
    Type from = operandElement(0), wide = from.getIntOrFloatBitWidth() < 32 ? Type(builder.getF32Type()) : from;
    Value x = convert(operand, from, wide);
    Type result = withShapeOf(x.getType(), resultElement());
    const unsigned width = resultElement().getIntOrFloatBitWidth();
    const APInt most = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    const double end = std::ldexp(1.0, isSigned ? width - 1 : width); // the first that is too large
    Value low = s.floating(x.getType(), isSigned ? -end : 0.0), high = s.floating(x.getType(), end);
    Value isSmall = s.compare(arith::CmpFPredicate::OLT, x, low),
          isLarge = s.compare(arith::CmpFPredicate::OGE, x, high);
    Value isNumber = s.compare(arith::CmpFPredicate::ORD, x, x);
    Value inside = s.select(isNumber, s.select(isSmall, low, x), s.floating(x.getType(), 0.0));
    Value number = builder.createOrFold<OpT>(loc, result, s.select(isLarge, low, inside));
    return s.select(isLarge, s.integer(result, most.getSExtValue()), number);
  }

  /// By the width or more: zero.
  Value shift(ArrayRef<Value> operands) {
    Value shifted = clone(operands, resultElement());
    const unsigned width = resultElement().getIntOrFloatBitWidth();
    Value fits = s.compare(arith::CmpIPredicate::ult, operands[1], s.integer(operands[1].getType(), width));
    return s.select(fits, shifted, s.integer(shifted.getType(), 0));
  }

  Value multiplyHigh(Value a, Value b) {
    unsigned width = elementOf(a).getIntOrFloatBitWidth();
    if (width < 64) {
      Type wide = builder.getIntegerType(width * 2);
      Value product = s.mul(s.resize(a, wide, false), s.resize(b, wide, false));
      return s.resize(s.shiftRight(product, width), elementOf(a));
    }
    return arith::MulUIExtendedOp::create(builder, loc, a, b).getHigh();
  }

  Value clamp(tensor::ClampFOp clampOp, ArrayRef<Value> operands) {
    Type element = operandElement(0);
    Type wide = element.getIntOrFloatBitWidth() < 32 ? Type(builder.getF32Type()) : element;
    Value x = convert(operands[0], element, wide);
    Value low = convert(operands[1], element, wide), high = convert(operands[2], element, wide);
    // `x < low ? low : x` keeps a NaN in x; written the other way round it drops it.
    bool keepsNan = clampOp.getPropagateNan() == tensor::PropagateNan::All;
    Value above = keepsNan ? s.select(s.compare(arith::CmpFPredicate::OLT, x, low), low, x)
                           : s.select(s.compare(arith::CmpFPredicate::OGE, x, low), x, low);
    Value result = s.select(s.compare(arith::CmpFPredicate::OGT, above, high), high, above);
    return convert(result, wide, element);
  }

  /// Libdevice's names for what `math` has.
  FailureOr<Value> external(tensor::ExternElementwiseOp callOp, ArrayRef<Value> operands) {
    StringRef symbol = callOp.getSymbol();
    Type element = resultElement();
    StringRef known = tensor::mathOfLibdevice(symbol, element);
    if (known.empty())
      return op->emitError() << "the library function " << symbol << " has no counterpart on the CPU";
    std::string opName = ("math." + known).str();
    OperationState state(loc, opName, operands, {withShapeOf(operands.front().getType(), element)});
    return builder.create(state)->getResult(0);
  }

  FailureOr<Value> emit(ArrayRef<Value> operands) {
    return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
        .Case<arith::ExtFOp, arith::TruncFOp>(
            [&](auto) { return convert(operands[0], operandElement(0), resultElement()); })
        .Case([&](tensor::FpToFpOp convertOp) {
          bool down = convertOp.getRounding() && *convertOp.getRounding() == tensor::RoundingMode::TowardZero;
          return convert(operands[0], operandElement(0), resultElement(),
                         down ? Rounding::TowardZero : Rounding::NearestEven);
        })
        .Case<tensor::BitcastOp, arith::BitcastOp>(
            [&](auto) { return s.bitcast(operands[0], getRegisterType(resultElement())); })
        .Case([&](tensor::ClampFOp clampOp) { return clamp(clampOp, operands); })
        .Case([&](tensor::PreciseSqrtOp) -> Value { return math::SqrtOp::create(builder, loc, operands[0]); })
        .Case([&](tensor::PreciseDivFOp) -> Value {
          return arith::DivFOp::create(builder, loc, operands[0], operands[1]);
        })
        .Case([&](tensor::MulhiUIOp) { return multiplyHigh(operands[0], operands[1]); })
        .Case([&](tensor::ExternElementwiseOp callOp) { return external(callOp, operands); })
        .Case([&](arith::DivSIOp) { return divide<arith::DivSIOp>(operands[0], operands[1], true); })
        .Case([&](arith::RemSIOp) { return divide<arith::RemSIOp>(operands[0], operands[1], true); })
        .Case([&](arith::DivUIOp) { return divide<arith::DivUIOp>(operands[0], operands[1], false); })
        .Case([&](arith::RemUIOp) { return divide<arith::RemUIOp>(operands[0], operands[1], false); })
        .Case([&](arith::FPToSIOp) { return toInteger<arith::FPToSIOp>(operands[0], true); })
        .Case([&](arith::FPToUIOp) { return toInteger<arith::FPToUIOp>(operands[0], false); })
        .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return shift(operands); })
        .Case([&](arith::FloorDivSIOp) { return divideToward(operands[0], operands[1], /*isFloor=*/true); })
        .Case([&](arith::CeilDivSIOp) { return divideToward(operands[0], operands[1], /*isFloor=*/false); })
        .Case([&](arith::CeilDivUIOp) {
          Value left = s.compare(arith::CmpIPredicate::ne, divide<arith::RemUIOp>(operands[0], operands[1], false),
                                 s.integer(operands[0].getType(), 0));
          return s.add(divide<arith::DivUIOp>(operands[0], operands[1], false),
                       s.resize(left, resultElement(), /*isSigned=*/false));
        })
        .Case([&](arith::SelectOp) { return s.select(operands[0], operands[1], operands[2]); })
        .Default([&](Operation *) -> FailureOr<Value> {
          bool hasFloat = isa<FloatType>(resultElement());
          for (unsigned i = 0; i < operands.size(); ++i)
            hasFloat |= isa<FloatType>(operandElement(i));
          return hasFloat ? floatArithmetic(operands) : clone(operands, getRegisterType(resultElement()));
        });
  }
};

} // namespace

FailureOr<Value> emitElementwise(OpBuilder &builder, Operation *op, ArrayRef<Value> operands,
                                 const HostTarget &target) {
  return ElementwiseEmitter{builder, op, target}.emit(operands);
}

} // namespace triton::cpu
