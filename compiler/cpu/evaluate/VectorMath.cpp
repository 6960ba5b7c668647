// Each function: reduce the argument, evaluate a polynomial, undo the reduction, then put the special values right.
#include "compiler/cpu/evaluate/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace triton::cpu {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double largest = std::numeric_limits<float>::max();

// ln 2 in two parts. The first has so few bits that its product with an exponent is exact, so no fma is needed.
static constexpr double ln2High = 0.693359375, ln2Low = -2.12194440054690581e-4;
// Adding it to a float leaves the nearest integer in the low bits of the significand.
static constexpr double roundingConstant = 12582912.0;             // 1.5 * 2^23
static constexpr double wideRoundingConstant = 6755399441055744.0; // 1.5 * 2^52

Type VectorMath::like(Value model, Type element) {
  if (auto vector = dyn_cast<VectorType>(model.getType()))
    return vector.clone(element);
  return element;
}

Type VectorMath::integers(Value model) {
  return like(model, builder.getIntegerType(getElementTypeOrSelf(model.getType()).getIntOrFloatBitWidth()));
}

static Value splat(OpBuilder &builder, Location loc, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

Value VectorMath::constant(Value model, double value) {
  return splat(builder, loc, model.getType(), builder.getFloatAttr(getElementTypeOrSelf(model.getType()), value));
}

Value VectorMath::bits(Value model, int64_t value) {
  Type type = integers(model);
  // Through the unsigned width: patterns such as a sign bit are outside the signed range.
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  return splat(
      builder, loc, type,
      builder.getIntegerAttr(element, APInt(element.getWidth(), uint64_t(value), false, /*implicitTrunc=*/true)));
}

Value VectorMath::add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
Value VectorMath::sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
Value VectorMath::mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
Value VectorMath::div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
Value VectorMath::fma(Value a, Value b, Value c) {
  return hasFma ? math::FmaOp::create(builder, loc, a, b, c).getResult() : add(mul(a, b), c);
}
Value VectorMath::absolute(Value a) { return math::AbsFOp::create(builder, loc, a); }
Value VectorMath::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}
Value VectorMath::less(Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
}
Value VectorMath::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value VectorMath::asInteger(Value a) { return arith::BitcastOp::create(builder, loc, integers(a), a); }
Value VectorMath::asFloat(Value a, Value model) { return arith::BitcastOp::create(builder, loc, model.getType(), a); }
Value VectorMath::addBits(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
Value VectorMath::shiftLeft(Value a, int64_t amount) {
  return arith::ShLIOp::create(
      builder, loc, a,
      splat(builder, loc, a.getType(), builder.getIntegerAttr(getElementTypeOrSelf(a.getType()), amount)));
}
Value VectorMath::widen(Value a) { return arith::ExtFOp::create(builder, loc, like(a, builder.getF64Type()), a); }
Value VectorMath::narrow(Value a) { return arith::TruncFOp::create(builder, loc, like(a, builder.getF32Type()), a); }

Value VectorMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, constant(x, coefficient));
  return result;
}

VectorMath::Rounded VectorMath::round(Value x) {
  bool isWide = getElementTypeOrSelf(x.getType()).isF64();
  Value magic = constant(x, isWide ? wideRoundingConstant : roundingConstant);
  Value shifted = add(x, magic);
  return {sub(shifted, magic), shiftLeft(asInteger(shifted), isWide ? 52 : 23)};
}

/// value * 2^power for a power whose two is a normal number.
Value VectorMath::scale(Value value, Rounded power) {
  bool isWide = getElementTypeOrSelf(value.getType()).isF64();
  Value one = bits(value, isWide ? int64_t(1023) << 52 : int64_t(127) << 23);
  return mul(value, asFloat(addBits(power.exponent, one), value));
}

/// exp(r) - 1 - r - r^2 * this: for |r| up to ln(2)/2.
static constexpr double expCoefficients[] = {0.4999999341, 0.1666652011, 0.04166839404, 0.008368780576, 0.001381447574};

/// exp(x) where neither it nor 2^round(x / ln 2) overflows or is below the normal numbers. NaN stays NaN.
Value VectorMath::exponential(Value x) {
  Rounded n = round(mul(x, constant(x, std::numbers::log2e)));
  Value r = fma(n.value, constant(x, -ln2Low), fma(n.value, constant(x, -ln2High), x));
  Value p = fma(polynomial(r, expCoefficients), mul(r, r), r);
  return scale(add(p, constant(x, 1)), n);
}

/// value * 2^power for a value between a half and two and a power from -252 on: results below the normal numbers are rounded like others.
Value VectorMath::scaleFar(Value value, Rounded power) {
  // The exponent as far as normal numbers go, also those below one, is added: 2^128 alone would be infinite. The rest is multiplied: by one for
  // most, and by zero, which is faster than a product that underflows, for 2^-252.
  Value far = bits(value, int64_t(-125) << 23);
  Value near = arith::MaxSIOp::create(builder, loc, power.exponent, far);
  Value rest = arith::MinSIOp::create(builder, loc, power.exponent, far);
  Value factor = asFloat(addBits(rest, bits(value, int64_t(252) << 23)), value);
  return mul(asFloat(addBits(asInteger(value), near), value), factor);
}

Value VectorMath::exp(Value x) {
  Value limited = select(less(x, -175), constant(x, -175), x); // 2^-252; NaN stays
  Rounded n = round(mul(limited, constant(x, std::numbers::log2e)));
  Value r = fma(n.value, constant(x, -ln2Low), fma(n.value, constant(x, -ln2High), limited));
  Value p = add(fma(polynomial(r, expCoefficients), mul(r, r), r), constant(x, 1));
  // The product is infinite for what is too large, and NaN for NaN.
  Value fits = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, x, constant(x, 88.7228317260742188));
  return select(fits, scaleFar(p, n), mul(x, constant(x, largest)));
}

Value VectorMath::exp2(Value x) {
  Value limited = select(less(x, -252), constant(x, -252), x);
  Rounded n = round(limited);
  Value f = sub(limited, n.value);
  Value p =
      fma(polynomial(f, {0.6931472029, 0.2402264791, 0.0555033241, 0.009618437627, 0.001339890004, 0.0001535333485}), f,
          constant(x, 1));
  return select(less(x, 128), scaleFar(p, n), mul(x, constant(x, largest)));
}

Value VectorMath::expm1(Value x) {
  Rounded n = round(mul(x, constant(x, std::numbers::log2e)));
  Value r = fma(n.value, constant(x, -ln2Low), fma(n.value, constant(x, -ln2High), x));
  Value q =
      fma(polynomial(r, {0.5000000047, 0.1666666682, 0.04166635355, 0.008333272697, 0.001394110198, 0.0001991436761}),
          mul(r, r), r);
  // 2^n q + (2^n - 1) in halves, so that n = 128 is still a finite power.
  Value half = asFloat(addBits(n.exponent, bits(x, int64_t(126) << 23)), x);
  Value sum = fma(half, q, sub(half, constant(x, 0.5)));
  Value result = add(sum, sum);
  result = select(less(x, -18), constant(x, -1), result);
  Value fits = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, x, constant(x, 88.7228317260742188));
  result = select(fits, result, mul(x, constant(x, largest)));
  return select(less(absolute(x), 1e-10), x, result); // keeps the sign of zero
}

VectorMath::Decomposed VectorMath::decompose(Value x) {
  // Below the normal numbers: scale up by 2^23 first.
  Value isSmall = less(x, std::numeric_limits<float>::min());
  Value normal = select(isSmall, mul(x, constant(x, 8388608)), x);
  // The bits of sqrt(1/2): below it the exponent counts one less, which centres the fraction on one.
  Value pattern = asInteger(normal);
  Value above = arith::SubIOp::create(builder, loc, pattern, bits(x, 0x3f3504f3));
  Value shift = bits(x, 23);
  Value exponent = arith::ShRSIOp::create(builder, loc, above, shift);
  Value significand =
      arith::SubIOp::create(builder, loc, pattern, arith::ShLIOp::create(builder, loc, exponent, shift));
  Value e = arith::SIToFPOp::create(builder, loc, x.getType(), exponent);
  e = add(e, select(isSmall, constant(x, -23), constant(x, 0)));
  return {sub(asFloat(significand, x), constant(x, 1)), e};
}

Value VectorMath::logOfFraction(Value f) {
  Value p = polynomial(f, {0.333333126, -0.2500000956, 0.2000211848, -0.1666799773, 0.1421955742, -0.1240555919,
                           0.1188810048, -0.1167580815, 0.067469572});
  Value square = mul(f, f);
  return fma(square, constant(f, -0.5), mul(mul(p, f), square));
}

/// Infinity and NaN give themselves, negative numbers NaN, and zero the function's pole.
Value VectorMath::logSpecials(Value x, Value result, double pole) {
  result = select(less(x, infinity), result, x);
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, constant(x, 0));
  Value outside = select(isZero, constant(x, pole), constant(x, std::numeric_limits<double>::quiet_NaN()));
  return select(greater(x, 0), result, outside);
}

Value VectorMath::log(Value x) {
  auto [f, e] = decompose(x);
  Value rest = fma(e, constant(x, ln2Low), logOfFraction(f));
  return logSpecials(x, fma(e, constant(x, ln2High), add(f, rest)), -infinity);
}

/// log(x) in another base: `perE` for each natural unit, `perTwo…` for each power of two.
Value VectorMath::logInBase(Value x, double perE, double perTwoHigh, double perTwoLow) {
  auto [f, e] = decompose(x);
  // f + rest as an unevaluated sum of two floats, since scaling a rounded one would add its error.
  Value rest = logOfFraction(f);
  Value high = add(f, rest);
  Value low = sub(rest, sub(high, f));
  double scaleHigh = float(perE), scaleLow = perE - scaleHigh;
  Value small = fma(low, constant(x, scaleHigh), mul(high, constant(x, scaleLow)));
  if (perTwoLow != 0)
    small = fma(e, constant(x, perTwoLow), small);
  Value sum = fma(high, constant(x, scaleHigh), small);
  return logSpecials(x, fma(e, constant(x, perTwoHigh), sum), -infinity);
}

Value VectorMath::log2(Value x) { return logInBase(x, std::numbers::log2e, 1, 0); }

Value VectorMath::log10(Value x) {
  constexpr double log10Of2 = std::numbers::ln2 / std::numbers::ln10, high = 0.30078125; // few bits, like ln2High
  return logInBase(x, std::numbers::log10e, high, log10Of2 - high);
}

Value VectorMath::log1p(Value x) {
  Value u = add(x, constant(x, 1));
  auto [fraction, e] = decompose(u);
  // 1 + x = 2^e (1 + f), with f taken from x itself unless that is large: u has lost x's low bits.
  Value exponent = arith::FPToSIOp::create(builder, loc, integers(x), e);
  Value inverse = asFloat(arith::SubIOp::create(builder, loc, bits(x, int64_t(127) << 23), shiftLeft(exponent, 23)), x);
  Value f = select(less(x, 1 << 30), fma(x, inverse, sub(inverse, constant(x, 1))), fraction);
  Value rest = fma(e, constant(x, ln2Low), logOfFraction(f));
  Value result = logSpecials(u, fma(e, constant(x, ln2High), add(f, rest)), -infinity);
  return select(less(absolute(x), 1e-10), x, result); // keeps the sign of zero
}

Value VectorMath::tanh(Value x) {
  Value square = mul(x, x);
  Value near = mul(x, fma(square,
                          polynomial(square, {-0.3333333089, 0.1333320921, -0.05394713057, 0.02170254387,
                                              -0.008181582781, 0.002146499976}),
                          constant(x, 1)));
  // 1 - 2 / (exp(2 |x|) + 1), which is one from 10 on; there the exponential is kept from overflowing.
  Value magnitude = absolute(x);
  Value limited = select(greater(magnitude, 10), constant(x, 10), magnitude);
  Value e = exponential(add(limited, limited));
  Value far = sub(constant(x, 1), div(constant(x, 2), add(e, constant(x, 1))));
  return select(less(magnitude, 0.625), near, copySign(far, x));
}

Value VectorMath::erf(Value x) {
  Value square = mul(x, x);
  Value near = fma(x,
                   polynomial(square, {0.1283791666, -0.3761263319, 0.1128368719, -0.02685894154, 0.00519990673,
                                       -0.0008130013177, 8.31677678e-5}),
                   x);
  // 1 - 2^p(|x|), with p a fit of log2(erfc), which is smooth; from 4 on erf is one.
  Value magnitude = absolute(x);
  Value limited = select(greater(magnitude, 4), constant(x, 4), magnitude);
  Value p = polynomial(limited, {0.0002520146268, -1.62954558, -0.9137264598, -0.1562151261, 0.03623965836,
                                 -0.006017565934, 0.0006267957498, -3.043360444e-5});
  Rounded n = round(p);
  Value f = sub(p, n.value);
  Value power =
      fma(polynomial(f, {0.6931472029, 0.2402264791, 0.0555033241, 0.009618437627, 0.001339890004, 0.0001535333485}), f,
          constant(x, 1));
  Value far = sub(constant(x, 1), scale(power, n));
  return select(less(magnitude, 0.925), near, copySign(far, x));
}

Value VectorMath::rsqrt(Value x) { return div(constant(x, 1), math::SqrtOp::create(builder, loc, x)); }

Value VectorMath::trigonometric(Value x, int64_t quarters) {
  // In doubles: 52 bits hold any argument below the limit beside its remainder. pi/2 is split so that products with the
  // number of quarter turns are exact for all parts but the last.
  constexpr double half0 = 1.5707963109016418457, half1 = 1.5893254712295857e-8, half2 = 6.123233995736766e-17;
  Value wide = widen(x);
  Value magic = constant(wide, wideRoundingConstant);
  Value shifted = add(mul(wide, constant(wide, 2 / std::numbers::pi)), magic);
  Value n = sub(shifted, magic);
  Value r = fma(n, constant(wide, -half0), wide);
  r = fma(n, constant(wide, -half1), r);
  r = fma(n, constant(wide, -half2), r);
  Value quadrant = arith::TruncIOp::create(builder, loc, integers(x), asInteger(shifted));
  if (quarters)
    quadrant = addBits(quadrant, bits(x, quarters));

  Value z = narrow(r), square = mul(z, z);
  Value sine = fma(mul(z, square), polynomial(square, {-0.1666665491, 0.008332175842, -0.0001951697697}), z);
  Value cosine = polynomial(square, {0.04166664681, -0.001388736466, 2.443810949e-5});
  cosine = fma(mul(square, square), cosine, fma(square, constant(x, -0.5), constant(x, 1)));
  Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(builder, loc, quadrant, bits(x, 1)), bits(x, 0));
  Value sign = shiftLeft(arith::AndIOp::create(builder, loc, quadrant, bits(x, 2)), 30);
  Value result = select(isOdd, cosine, sine);
  result = asFloat(arith::XOrIOp::create(builder, loc, asInteger(result), sign), x);
  if (quarters)
    return result;
  // The sine's sum above loses the sign of zero.
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, constant(x, 0));
  return select(isZero, x, result);
}

Value VectorMath::pow(Value x, Value y) {
  // 2^(y log2 |x|) in doubles: the exponent needs eight more bits than a float has.
  Value magnitude = absolute(x), wide = widen(magnitude), wideY = widen(y);
  Value pattern = asInteger(wide);
  constexpr int64_t sqrtHalf = 0x3fe6a09e667f3bcd, one = int64_t(1023) << 52;
  Value shift = bits(wide, 52);
  // The exponent plus 1023, which is positive: doubles have no arithmetic shift before AVX-512.
  Value biased = arith::ShRUIOp::create(builder, loc, addBits(pattern, bits(wide, one - sqrtHalf)), shift);
  Value significand = arith::SubIOp::create(
      builder, loc, pattern,
      arith::SubIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, biased, shift), bits(wide, one)));
  Value m = asFloat(significand, wide), ones = constant(wide, 1);
  Value exponent =
      arith::SIToFPOp::create(builder, loc, wide.getType(), arith::TruncIOp::create(builder, loc, integers(x), biased));
  Value s = div(sub(m, ones), add(m, ones));
  Value log = fma(s,
                  polynomial(mul(s, s), {2.88539008177785, 0.96179669411332411, 0.577077942371072508,
                                         0.412209251686428568, 0.319905727145846191, 0.282899707178047974}),
                  sub(exponent, constant(wide, 1023)));
  auto equal = [&](Value a, double b) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, constant(a, b));
  };
  auto both = [&](Value a, Value b) -> Value { return arith::AndIOp::create(builder, loc, a, b); };
  auto either = [&](Value a, Value b) -> Value { return arith::OrIOp::create(builder, loc, a, b); };
  log = select(less(magnitude, infinity), log, wide); // infinity and NaN
  log = select(equal(magnitude, 0), constant(wide, -infinity), log);
  Value t = mul(log, wideY);
  t = select(less(t, -1000), constant(wide, -1000), t);
  t = select(greater(t, 1000), constant(wide, 1000), t);
  Rounded n = round(t);
  Value f = sub(t, n.value);
  Value power =
      fma(polynomial(f, {0.693147180704455816, 0.24022651066587021, 0.0555041036615074026, 0.00961803812919353765,
                         0.00133339349524525099, 0.000154667570733228698, 0.0000151961773488283028}),
          f, ones);
  Value result = narrow(scale(power, n));

  // Negative bases: the sign of odd powers, NaN for powers that are no integers. Floats from 2^24 on are even.
  Value absoluteY = absolute(y);
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, absoluteY, constant(y, 16777216));
  Value whole = arith::FPToSIOp::create(builder, loc, integers(y), select(isLarge, constant(y, 0), y));
  Value isInteger = either(isLarge, arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, y,
                                                          arith::SIToFPOp::create(builder, loc, y.getType(), whole)));
  Value isOdd = arith::AndIOp::create(builder, loc, whole, bits(y, 1));
  Value signOfX = arith::AndIOp::create(builder, loc, asInteger(x), bits(x, int64_t(1) << 31));
  Value sign = arith::AndIOp::create(builder, loc, shiftLeft(isOdd, 31), signOfX);
  // A fraction has an odd integer part too, but then the result is NaN unless the base is zero or infinite.
  Value zeroSign = bits(x, 0);
  sign = select(isInteger, sign, zeroSign);
  result = asFloat(arith::OrIOp::create(builder, loc, asInteger(result), sign), x);
  Value isInvalid = both(
      less(x, 0), both(less(magnitude, infinity),
                       arith::XOrIOp::create(builder, loc, isInteger,
                                             splat(builder, loc, isInteger.getType(), builder.getBoolAttr(true)))));
  result = select(isInvalid, constant(x, std::numeric_limits<double>::quiet_NaN()), result);
  Value isOne = either(either(equal(x, 1), equal(y, 0)), both(equal(magnitude, 1), equal(absoluteY, infinity)));
  return select(isOne, constant(x, 1), result);
}

} // namespace triton::cpu
