// Each function: reduce the argument, evaluate a polynomial, undo the reduction, then put the special values right.
#include "compiler/tensor/ElementaryMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace triton::tensor {

static constexpr double infinity = std::numeric_limits<double>::infinity();

struct ElementaryMath::Format {
  int fractionBits, bias;
  double largest, smallestNormal;
  double rounding; // adding it to a float leaves the nearest integer in the low bits of the significand
  // ln 2 and log10(2) in two parts. The first has so few bits that its product with an exponent is exact, so no fma is needed.
  double ln2High, ln2Low, log10Of2High, log10Of2Low;
  // The nearest floats, and what they lack.
  double log2EHigh, log2ELow, log10EHigh, log10ELow;
  double expLimit;         // the largest number whose exponential is finite
  double expFloor;         // below this it is zero for sure
  double expm1Floor;       // below this it is -1
  double tiny;             // below this expm1, log1p and the like give their argument
  double far;              // from here on 1 + x has lost all of 1's digits but not overflowed
  double tanhLimit;        // from here on it is one
  double erfJoint;         // where erf goes from its own polynomial to that of its complement
  int64_t sqrtHalf;        // the bits of sqrt(1/2)
  ArrayRef<double> exp;    // (exp(r) - 1 - r) / r^2 for |r| up to ln(2)/2
  ArrayRef<double> expm1;  // the same for expm1, whose small results need more digits
  ArrayRef<double> exp2;   // (2^f - 1) / f for |f| up to 1/2
  ArrayRef<double> log;    // f32: (log(1 + f) - f + f^2/2) / f^3; f64: (2 atanh(s) - 2 s) / s^3, in s^2
  ArrayRef<double> tanh;   // (tanh(x) / x - 1) / x^2, in x^2
  ArrayRef<double> erf;    // erf(x) / x - 1, in x^2
  ArrayRef<double> erfc;   // f32: log2(1 - erf(x)); f64: that plus x^2 log2(e), in (x - 3.625) / 2.375
  ArrayRef<double> sine;   // (sin(x) / x - 1) / x^2, in x^2
  ArrayRef<double> cosine; // (cos(x) - 1 + x^2/2) / x^4, in x^2
};

static constexpr double exp32[] = {0.4999999341, 0.1666652011, 0.04166839404, 0.008368780576, 0.001381447574};
static constexpr double expm132[] = {0.5000000047,   0.1666666682,   0.04166635355,
                                     0.008333272697, 0.001394110198, 0.0001991436761};
static constexpr double exp232[] = {0.6931472029,   0.2402264791,   0.0555033241,
                                    0.009618437627, 0.001339890004, 0.0001535333485};
static constexpr double log32[] = {0.333333126,   -0.2500000956, 0.2000211848,  -0.1666799773, 0.1421955742,
                                   -0.1240555919, 0.1188810048,  -0.1167580815, 0.067469572};
static constexpr double tanh32[] = {-0.3333333089, 0.1333320921,    -0.05394713057,
                                    0.02170254387, -0.008181582781, 0.002146499976};
static constexpr double erf32[] = {0.1283791666,  -0.3761263319,    0.1128368719, -0.02685894154,
                                   0.00519990673, -0.0008130013177, 8.31677678e-5};
static constexpr double erfc32[] = {0.0002520146268, -1.62954558,     -0.9137264598,   -0.1562151261,
                                    0.03623965836,   -0.006017565934, 0.0006267957498, -3.043360444e-5};
static constexpr double sine32[] = {-0.1666665491, 0.008332175842, -0.0001951697697};
static constexpr double cosine32[] = {0.04166664681, -0.001388736466, 2.443810949e-5};

// Interpolated at Chebyshev nodes in 70 digits, then rounded.
static constexpr double exp64[] = {0.5,
                                   0.1666666666666667,
                                   0.04166666666666667,
                                   0.008333333333326084,
                                   0.0013888888888883711,
                                   0.0001984126987500228,
                                   2.480158732567746e-05,
                                   2.755725517000089e-06,
                                   2.755727347871858e-07,
                                   2.5105312729622103e-08,
                                   2.09147553258932e-09};
static constexpr double exp264[] = {0.6931471805599453,     0.24022650695910072,    0.055504108664821625,
                                    0.00961812910762848,    0.0013333558146406295,  0.00015403530393370645,
                                    1.5252733841782436e-05, 1.321548680881726e-06,  1.01780569717918e-07,
                                    7.054897246767236e-09,  4.4558384999982015e-10, 2.5729426100386435e-11};
static constexpr double log64[] = {0.6666666666666666,  0.4000000000000091,  0.2857142857078221, 0.22222222396552982,
                                   0.18181795124476754, 0.15386267672882226, 0.1326802614042874, 0.13094416666525344};
static constexpr double tanh64[] = {-0.3333333333333333,   0.1333333333333304,      -0.05396825396789384,
                                    0.021869488518873555,  -0.008863235100297065,   0.003592121713787555,
                                    -0.00145577511739838,  0.0005896591704308033,   -0.00023758584039791723,
                                    9.256153036516744e-05, -3.1190227437815513e-05, 6.479872918951109e-06};
static constexpr double erf64[] = {
    0.1283791670955126,     -0.37612638903183754,    0.11283791670955125,    -0.026866170645131065,
    0.005223977625440079,   -0.0008548327023306415,  0.00012055332975290563, -1.4925650156138455e-05,
    1.6462109866367482e-06, -1.6365771703850546e-07, 1.4806320960591308e-08, -1.2282881420612765e-09,
    9.37345102390703e-11,   -6.485065196638308e-12,  3.7505111128891296e-13, -1.3480944702541784e-14};
static constexpr double erfc64[] = {
    -2.7341817406056363,     -0.8841010022426503,     0.2552507454030731,     -0.09298064801186406,
    0.036128585227081726,    -0.014196425871393933,   0.005495835421288045,   -0.0020582423341468604,
    0.0007320961973363316,   -0.00024089096633362573, 6.965622898872189e-05,  -1.5273004621835976e-05,
    6.318751558633602e-07,   1.938735985871414e-06,   -1.565704907052052e-06, 8.684470776653444e-07,
    -4.0563408939758607e-07, 1.7106516252956792e-07,  -5.912744303952316e-08, 1.038311689522155e-08,
    -1.335685890746618e-09,  2.9192710003885e-09,     2.1621279840497382e-10, -2.0383735743473567e-09,
    7.378672215847276e-10};
static constexpr double sine64[] = {-0.16666666666666666,   0.008333333333333331,    -0.00019841269841265063,
                                    2.7557319219337672e-06, -2.5052106231927857e-08, 1.6058531536611833e-10,
                                    -7.586692262094344e-13};
static constexpr double cosine64[] = {0.041666666666666664,    -0.0013888888888888887, 2.4801587301584645e-05,
                                      -2.7557319221401993e-07, 2.087675579079147e-09,  -1.1470460841811526e-11,
                                      4.7458692024108734e-14};

const ElementaryMath::Format &ElementaryMath::formatOf(Value x) {
  static constexpr double log10Of2 = std::numbers::ln2 / std::numbers::ln10;
  static const Format narrow = {.fractionBits = 23,
                                .bias = 127,
                                .largest = std::numeric_limits<float>::max(),
                                .smallestNormal = std::numeric_limits<float>::min(),
                                .rounding = 12582912.0, // 1.5 * 2^23
                                .ln2High = 0.693359375,
                                .ln2Low = -2.12194440054690581e-4,
                                .log10Of2High = 0.30078125,
                                .log10Of2Low = log10Of2 - 0.30078125,
                                .log2EHigh = float(std::numbers::log2e),
                                .log2ELow = std::numbers::log2e - float(std::numbers::log2e),
                                .log10EHigh = float(std::numbers::log10e),
                                .log10ELow = std::numbers::log10e - float(std::numbers::log10e),
                                .expLimit = 88.7228317260742188,
                                .expFloor = -175, // 2^-252
                                .expm1Floor = -18,
                                .tiny = 1e-10,
                                .far = 0x1p30,
                                .tanhLimit = 10,
                                .erfJoint = 0.925,
                                .sqrtHalf = 0x3f3504f3,
                                .exp = exp32,
                                .expm1 = expm132,
                                .exp2 = exp232,
                                .log = log32,
                                .tanh = tanh32,
                                .erf = erf32,
                                .erfc = erfc32,
                                .sine = sine32,
                                .cosine = cosine32};
  static const Format wide = {.fractionBits = 52,
                              .bias = 1023,
                              .largest = std::numeric_limits<double>::max(),
                              .smallestNormal = std::numeric_limits<double>::min(),
                              .rounding = 6755399441055744.0, // 1.5 * 2^52
                              .ln2High = 0.6931471805601177,
                              .ln2Low = -1.7239444525614835e-13,
                              .log10Of2High = 0.3010299956640665,
                              .log10Of2Low = -8.532344317057107e-14,
                              .log2EHigh = 1.4426950408889634,
                              .log2ELow = 2.0355273740931033e-17,
                              .log10EHigh = 0.4342944819032518,
                              .log10ELow = 1.098319650216765e-17,
                              .expLimit = 709.782712893384,
                              .expFloor = -1416.5, // 2^-2044
                              .expm1Floor = -40,
                              .tiny = 1e-17,
                              .far = 0x1p62,
                              .tanhLimit = 20,
                              .erfJoint = 1.25,
                              .sqrtHalf = 0x3fe6a09e667f3bcd,
                              .exp = exp64,
                              .expm1 = exp64,
                              .exp2 = exp264,
                              .log = log64,
                              .tanh = tanh64,
                              .erf = erf64,
                              .erfc = erfc64,
                              .sine = sine64,
                              .cosine = cosine64};
  return getElementTypeOrSelf(x.getType()).isF64() ? wide : narrow;
}

Type ElementaryMath::like(Value model, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(model.getType()))
    return shaped.clone(element);
  return element;
}

Type ElementaryMath::integers(Value model) {
  return like(model, builder.getIntegerType(getElementTypeOrSelf(model.getType()).getIntOrFloatBitWidth()));
}

static Value splat(OpBuilder &builder, Location loc, Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

Value ElementaryMath::constant(Value model, double value) {
  return splat(builder, loc, model.getType(), builder.getFloatAttr(getElementTypeOrSelf(model.getType()), value));
}

Value ElementaryMath::bits(Value model, int64_t value) {
  Type type = integers(model);
  // Through the unsigned width: patterns such as a sign bit are outside the signed range.
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  return splat(
      builder, loc, type,
      builder.getIntegerAttr(element, APInt(element.getWidth(), uint64_t(value), false, /*implicitTrunc=*/true)));
}

Value ElementaryMath::add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
Value ElementaryMath::sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
Value ElementaryMath::mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
Value ElementaryMath::div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
Value ElementaryMath::fma(Value a, Value b, Value c) {
  return hasFma ? math::FmaOp::create(builder, loc, a, b, c).getResult() : add(mul(a, b), c);
}
Value ElementaryMath::absolute(Value a) { return math::AbsFOp::create(builder, loc, a); }
Value ElementaryMath::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}
Value ElementaryMath::less(Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
}
Value ElementaryMath::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value ElementaryMath::asInteger(Value a) { return arith::BitcastOp::create(builder, loc, integers(a), a); }
Value ElementaryMath::asFloat(Value a, Value model) {
  return arith::BitcastOp::create(builder, loc, model.getType(), a);
}
Value ElementaryMath::addBits(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
Value ElementaryMath::shiftLeft(Value a, int64_t amount) {
  return arith::ShLIOp::create(
      builder, loc, a,
      splat(builder, loc, a.getType(), builder.getIntegerAttr(getElementTypeOrSelf(a.getType()), amount)));
}
Value ElementaryMath::widen(Value a) { return arith::ExtFOp::create(builder, loc, like(a, builder.getF64Type()), a); }
Value ElementaryMath::narrow(Value a) {
  return arith::TruncFOp::create(builder, loc, like(a, builder.getF32Type()), a);
}

Value ElementaryMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, constant(x, coefficient));
  return result;
}

ElementaryMath::Rounded ElementaryMath::round(Value x) {
  const Format &format = formatOf(x);
  Value magic = constant(x, format.rounding);
  Value shifted = add(x, magic);
  return {sub(shifted, magic), shiftLeft(asInteger(shifted), format.fractionBits)};
}

/// value * 2^power for a power whose two is a normal number.
Value ElementaryMath::scale(Value value, Rounded power) {
  const Format &format = formatOf(value);
  Value one = bits(value, int64_t(format.bias) << format.fractionBits);
  return mul(value, asFloat(addBits(power.exponent, one), value));
}

/// exp(x) where neither it nor 2^round(x / ln 2) overflows or is below the normal numbers. NaN stays NaN.
Value ElementaryMath::exponential(Value x) {
  const Format &format = formatOf(x);
  Rounded n = round(mul(x, constant(x, std::numbers::log2e)));
  Value r = fma(n.value, constant(x, -format.ln2Low), fma(n.value, constant(x, -format.ln2High), x));
  Value p = fma(polynomial(r, format.exp), mul(r, r), r);
  return scale(add(p, constant(x, 1)), n);
}

/// value * 2^power for a value between a half and two and a power from twice the least normal one on: results below the normal numbers are rounded
/// like others.
Value ElementaryMath::scaleFar(Value value, Rounded power) {
  const Format &format = formatOf(value);
  // The exponent as far as normal numbers go, also those below one, is added: 2^128 alone would be infinite. The rest is multiplied: by one for
  // most, and by zero, which is faster than a product that underflows, for the least.
  const int64_t least = 2 - format.bias;
  Value far = bits(value, least << format.fractionBits);
  Value near = arith::MaxSIOp::create(builder, loc, power.exponent, far);
  Value rest = arith::MinSIOp::create(builder, loc, power.exponent, far);
  Value factor = asFloat(addBits(rest, bits(value, (format.bias - least) << format.fractionBits)), value);
  return mul(asFloat(addBits(asInteger(value), near), value), factor);
}

Value ElementaryMath::exp(Value x) {
  const Format &format = formatOf(x);
  Value limited = select(less(x, format.expFloor), constant(x, format.expFloor), x); // NaN stays
  Rounded n = round(mul(limited, constant(x, std::numbers::log2e)));
  Value r = fma(n.value, constant(x, -format.ln2Low), fma(n.value, constant(x, -format.ln2High), limited));
  Value p = add(fma(polynomial(r, format.exp), mul(r, r), r), constant(x, 1));
  // The product is infinite for what is too large, and NaN for NaN.
  Value fits = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, x, constant(x, format.expLimit));
  return select(fits, scaleFar(p, n), mul(x, constant(x, format.largest)));
}

Value ElementaryMath::powerOfTwo(Value x, Rounded whole) {
  Value f = sub(x, whole.value);
  return fma(polynomial(f, formatOf(x).exp2), f, constant(x, 1));
}

Value ElementaryMath::exp2(Value x) {
  const Format &format = formatOf(x);
  const double least = 2 * (1 - format.bias);
  Value limited = select(less(x, least), constant(x, least), x);
  Rounded n = round(limited);
  return select(less(x, format.bias + 1), scaleFar(powerOfTwo(limited, n), n), mul(x, constant(x, format.largest)));
}

Value ElementaryMath::expm1(Value x) {
  const Format &format = formatOf(x);
  Rounded n = round(mul(x, constant(x, std::numbers::log2e)));
  Value r = fma(n.value, constant(x, -format.ln2Low), fma(n.value, constant(x, -format.ln2High), x));
  Value q = fma(polynomial(r, format.expm1), mul(r, r), r);
  // 2^n q + (2^n - 1) in halves, so that the largest n is still a finite power.
  Value half = asFloat(addBits(n.exponent, bits(x, int64_t(format.bias - 1) << format.fractionBits)), x);
  Value sum = fma(half, q, sub(half, constant(x, 0.5)));
  Value result = add(sum, sum);
  result = select(less(x, format.expm1Floor), constant(x, -1), result);
  Value fits = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, x, constant(x, format.expLimit));
  result = select(fits, result, mul(x, constant(x, format.largest)));
  return select(less(absolute(x), format.tiny), x, result); // keeps the sign of zero
}

ElementaryMath::Decomposed ElementaryMath::decompose(Value x) {
  const Format &format = formatOf(x);
  const bool isWide = format.fractionBits == 52;
  // Below the normal numbers: scale up first.
  Value isSmall = less(x, format.smallestNormal);
  Value normal = select(isSmall, mul(x, constant(x, double(int64_t(1) << format.fractionBits))), x);
  // Below sqrt(1/2) the exponent counts one less, which centres the fraction on one.
  Value pattern = asInteger(normal), shift = bits(x, format.fractionBits);
  Value shifted, e;
  if (isWide) {
    // The exponent plus the bias, which is positive, put into the low bits of 2^52: before AVX-512 there is no arithmetic shift of 64-bit integers,
    // and no conversion of them.
    const int64_t one = int64_t(format.bias) << 52;
    Value biased = arith::ShRUIOp::create(builder, loc, addBits(pattern, bits(x, one - format.sqrtHalf)), shift);
    Value number = arith::OrIOp::create(builder, loc, biased, bits(x, llvm::bit_cast<int64_t>(0x1p52)));
    e = sub(asFloat(number, x), constant(x, 0x1p52 + format.bias));
    shifted = arith::SubIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, biased, shift), bits(x, one));
  } else {
    Value above = arith::SubIOp::create(builder, loc, pattern, bits(x, format.sqrtHalf));
    Value exponent = arith::ShRSIOp::create(builder, loc, above, shift);
    e = arith::SIToFPOp::create(builder, loc, x.getType(), exponent);
    shifted = arith::ShLIOp::create(builder, loc, exponent, shift);
  }
  Value significand = arith::SubIOp::create(builder, loc, pattern, shifted);
  e = add(e, select(isSmall, constant(x, -format.fractionBits), constant(x, 0)));
  return {sub(asFloat(significand, x), constant(x, 1)), e, shifted};
}

Value ElementaryMath::logOfFraction(Value f) {
  const Format &format = formatOf(f);
  Value square = mul(f, f);
  if (format.fractionBits == 23)
    return fma(square, constant(f, -0.5), mul(mul(polynomial(f, format.log), f), square));
  // log(1 + f) = 2 atanh(s) with s = f / (2 + f), which is 2 s = f - s f beside a series in s^2 that converges fast.
  Value s = div(f, add(f, constant(f, 2))), z = mul(s, s), half = mul(square, constant(f, 0.5));
  return sub(mul(s, add(half, mul(z, polynomial(z, format.log)))), half);
}

/// Infinity and NaN give themselves, negative numbers NaN, and zero the function's pole.
Value ElementaryMath::logSpecials(Value x, Value result, double pole) {
  result = select(less(x, infinity), result, x);
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, constant(x, 0));
  Value outside = select(isZero, constant(x, pole), constant(x, std::numeric_limits<double>::quiet_NaN()));
  return select(greater(x, 0), result, outside);
}

Value ElementaryMath::log(Value x) {
  const Format &format = formatOf(x);
  const Decomposed parts = decompose(x);
  Value rest = fma(parts.exponent, constant(x, format.ln2Low), logOfFraction(parts.fraction));
  return logSpecials(x, fma(parts.exponent, constant(x, format.ln2High), add(parts.fraction, rest)), -infinity);
}

/// log(x) in another base: `perE…` for each natural unit, `perTwo…` for each power of two.
Value ElementaryMath::logInBase(Value x, double perEHigh, double perELow, double perTwoHigh, double perTwoLow) {
  const Decomposed parts = decompose(x);
  // fraction + rest as an unevaluated sum of two floats, since scaling a rounded one would add its error.
  Value rest = logOfFraction(parts.fraction);
  Value high = add(parts.fraction, rest);
  Value low = sub(rest, sub(high, parts.fraction));
  Value small = fma(low, constant(x, perEHigh), mul(high, constant(x, perELow)));
  if (perTwoLow != 0)
    small = fma(parts.exponent, constant(x, perTwoLow), small);
  Value sum = fma(high, constant(x, perEHigh), small);
  return logSpecials(x, fma(parts.exponent, constant(x, perTwoHigh), sum), -infinity);
}

Value ElementaryMath::log2(Value x) { return logInBase(x, formatOf(x).log2EHigh, formatOf(x).log2ELow, 1, 0); }

Value ElementaryMath::log10(Value x) {
  const Format &format = formatOf(x);
  return logInBase(x, format.log10EHigh, format.log10ELow, format.log10Of2High, format.log10Of2Low);
}

Value ElementaryMath::log1p(Value x) {
  const Format &format = formatOf(x);
  Value u = add(x, constant(x, 1));
  const Decomposed parts = decompose(u);
  // 1 + x = 2^e (1 + f), with f taken from x itself unless that is large: u has lost x's low bits.
  Value one = bits(x, int64_t(format.bias) << format.fractionBits);
  Value inverse = asFloat(arith::SubIOp::create(builder, loc, one, parts.shifted), x);
  Value f = select(less(x, format.far), fma(x, inverse, sub(inverse, constant(x, 1))), parts.fraction);
  Value rest = fma(parts.exponent, constant(x, format.ln2Low), logOfFraction(f));
  Value result = logSpecials(u, fma(parts.exponent, constant(x, format.ln2High), add(f, rest)), -infinity);
  return select(less(absolute(x), format.tiny), x, result); // keeps the sign of zero
}

Value ElementaryMath::tanh(Value x) {
  const Format &format = formatOf(x);
  Value square = mul(x, x);
  Value near = mul(x, fma(square, polynomial(square, format.tanh), constant(x, 1)));
  // 1 - 2 / (exp(2 |x|) + 1), which is one from the limit on; there the exponential is kept from overflowing.
  Value magnitude = absolute(x);
  Value limited = select(greater(magnitude, format.tanhLimit), constant(x, format.tanhLimit), magnitude);
  Value e = exponential(add(limited, limited));
  Value far = sub(constant(x, 1), div(constant(x, 2), add(e, constant(x, 1))));
  return select(less(magnitude, 0.625), near, copySign(far, x));
}

/// 2^p(x), with p a fit of log2(1 - erf(x)), which is smooth; where erf is one it need not be right.
Value ElementaryMath::complement(Value magnitude) {
  const Format &format = formatOf(magnitude);
  Value p;
  if (format.fractionBits == 23) {
    Value limited = select(greater(magnitude, 4), constant(magnitude, 4), magnitude);
    p = polynomial(limited, format.erfc);
  } else {
    // Most of it is -x^2 log2(e); the polynomial is what is left.
    Value limited = select(greater(magnitude, 6), constant(magnitude, 6), magnitude);
    Value u = mul(sub(limited, constant(magnitude, 3.625)), constant(magnitude, 1 / 2.375));
    p = fma(mul(limited, limited), constant(magnitude, -std::numbers::log2e), polynomial(u, format.erfc));
  }
  Rounded n = round(p);
  return scale(powerOfTwo(p, n), n);
}

Value ElementaryMath::erf(Value x) {
  const Format &format = formatOf(x);
  Value near = fma(x, polynomial(mul(x, x), format.erf), x);
  Value magnitude = absolute(x);
  Value far = sub(constant(x, 1), complement(magnitude));
  return select(less(magnitude, format.erfJoint), near, copySign(far, x));
}

Value ElementaryMath::rsqrt(Value x) { return div(constant(x, 1), math::SqrtOp::create(builder, loc, x)); }

ElementaryMath::Pair ElementaryMath::subtractExactly(Value a, Value b) {
  Value difference = sub(a, b), taken = sub(difference, a);
  return {difference, sub(sub(a, sub(difference, taken)), add(b, taken))};
}

ElementaryMath::Pair ElementaryMath::addToLarger(Value a, Value b) {
  Value sum = add(a, b);
  return {sum, add(sub(a, sum), b)};
}

ElementaryMath::Pair ElementaryMath::multiplyExactly(Value a, Value b) {
  Value product = mul(a, b);
  if (hasFma)
    return {product, math::FmaOp::create(builder, loc, a, b, arith::NegFOp::create(builder, loc, product))};
  // Halves of 26 bits, whose products are exact.
  auto split = [&](Value x) -> Pair {
    Value scaled = mul(x, constant(x, 0x1p27 + 1)), high = sub(scaled, sub(scaled, x));
    return {high, sub(x, high)};
  };
  const Pair x = split(a), y = split(b);
  Value low = add(add(sub(mul(x.high, y.high), product), mul(x.high, y.low)), mul(x.low, y.high));
  return {product, add(low, mul(x.low, y.low))};
}

ElementaryMath::Pair ElementaryMath::multiply(Pair a, Pair b) {
  const Pair product = multiplyExactly(a.high, b.high);
  return {product.high, add(product.low, fma(a.high, b.low, mul(a.low, b.high)))};
}

ElementaryMath::Pair ElementaryMath::multiply(Pair a, double high, double low) {
  return multiply(a, {constant(a.high, high), constant(a.high, low)});
}

/// pi/2 in parts of 33 bits, whose products with a number of quarter turns below 2^20 are exact.
ElementaryMath::Reduced ElementaryMath::reduceWide(Value x) {
  constexpr double parts[] = {1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32};
  Value magic = constant(x, formatOf(x).rounding);
  Value shifted = add(mul(x, constant(x, 2 / std::numbers::pi)), magic);
  Value n = sub(shifted, magic);
  const Pair first = subtractExactly(sub(x, mul(n, constant(x, parts[0]))), mul(n, constant(x, parts[1])));
  const Pair second = subtractExactly(first.high, mul(n, constant(x, parts[2])));
  const Pair rest = addToLarger(second.high, sub(add(first.low, second.low), mul(n, constant(x, parts[3]))));
  return {rest.high, rest.low, asInteger(shifted)};
}

/// The sine or the cosine, with the sign that it has in a quadrant.
Value ElementaryMath::pickQuadrant(Value sine, Value cosine, Value quadrant) {
  const unsigned width = getElementTypeOrSelf(quadrant.getType()).getIntOrFloatBitWidth();
  Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(builder, loc, quadrant, bits(sine, 1)), bits(sine, 0));
  Value sign = shiftLeft(arith::AndIOp::create(builder, loc, quadrant, bits(sine, 2)), width - 2);
  Value result = select(isOdd, cosine, sine);
  return asFloat(arith::XOrIOp::create(builder, loc, asInteger(result), sign), sine);
}

Value ElementaryMath::trigonometric(Value x, int64_t quarters) {
  const Format &format = formatOf(x);
  Value sine, cosine, quadrant;
  if (format.fractionBits == 52) {
    const Reduced reduced = reduceWide(x);
    Value r = reduced.rest, z = mul(r, r), ones = constant(x, 1), half = mul(z, constant(x, 0.5));
    Value near = sub(ones, half); // of the cosine
    quadrant = reduced.quarters;
    sine = add(r, fma(mul(r, z), polynomial(z, format.sine), mul(reduced.correction, near)));
    Value tail = sub(mul(mul(z, z), polynomial(z, format.cosine)), mul(r, reduced.correction));
    cosine = add(near, add(sub(sub(ones, near), half), tail));
  } else {
    // In doubles: 52 bits hold any argument below the limit beside its remainder. pi/2 is split so that products with the
    // number of quarter turns are exact for all parts but the last.
    constexpr double half0 = 1.5707963109016418457, half1 = 1.5893254712295857e-8, half2 = 6.123233995736766e-17;
    Value wide = widen(x);
    Value magic = constant(wide, formatOf(wide).rounding);
    Value shifted = add(mul(wide, constant(wide, 2 / std::numbers::pi)), magic);
    Value n = sub(shifted, magic);
    Value r = fma(n, constant(wide, -half0), wide);
    r = fma(n, constant(wide, -half1), r);
    r = fma(n, constant(wide, -half2), r);
    quadrant = arith::TruncIOp::create(builder, loc, integers(x), asInteger(shifted));
    Value z = narrow(r), square = mul(z, z);
    sine = fma(mul(z, square), polynomial(square, format.sine), z);
    cosine = polynomial(square, format.cosine);
    cosine = fma(mul(square, square), cosine, fma(square, constant(x, -0.5), constant(x, 1)));
  }
  if (quarters)
    return pickQuadrant(sine, cosine, addBits(quadrant, bits(x, quarters)));
  // The sine's sum above loses the sign of zero.
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, constant(x, 0));
  return select(isZero, x, pickQuadrant(sine, cosine, quadrant));
}

/// log2(x) as a sum of two doubles: a power may multiply it by a thousand, and each unit of the last place by as much.
ElementaryMath::Pair ElementaryMath::logPair(Value x) {
  static constexpr double series[] = {0.4,
                                      0.28571428571429397,
                                      0.22222222221636845,
                                      0.18181818339697634,
                                      0.1538459450380989,
                                      0.13334829573906534,
                                      0.1170557189567721,
                                      0.1173010786189303};
  const Format &format = formatOf(x);
  const Decomposed parts = decompose(x);
  // log(m) = s (2 + z (2/3 + z series(z))) with s = (m - 1) / (m + 1) and z = s^2: only what comes after 2/3 is small enough for one double.
  Value f = parts.fraction, ones = constant(x, 1), m = add(f, ones), divisor = add(m, ones);
  Value dropped = sub(m, sub(divisor, ones)); // of m + 1
  Pair s{div(f, divisor), Value()};
  const Pair back = multiplyExactly(s.high, divisor);
  s.low = div(sub(sub(sub(f, back.high), back.low), mul(s.high, dropped)), divisor);
  const Pair z = multiply(s, s), thirds = multiply(z, 0.6666666666666666, 3.700743415417188e-17);
  Value rest = mul(mul(z.high, z.high), polynomial(z.high, series));
  Pair factor = addToLarger(constant(x, 2), thirds.high);
  factor.low = add(factor.low, add(thirds.low, rest));
  const Pair fraction = multiply(multiply(s, factor), format.log2EHigh, format.log2ELow);
  const Pair sum = addToLarger(parts.exponent, fraction.high);
  return addToLarger(sum.high, add(sum.low, fraction.low));
}

/// |x|^y: 2^(y log2 |x|).
Value ElementaryMath::powerWide(Value magnitude, Value y) {
  // Beyond 2^64 a power is 0, 1 or infinite; there the parts of a product would overflow.
  Value isFar = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, absolute(y), constant(y, 0x1p64));
  Value limitedY = select(isFar, copySign(constant(y, 0x1p64), y), y);
  Pair log = logPair(magnitude);
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, magnitude, constant(y, 0));
  Value isFinite = less(magnitude, infinity), zero = constant(y, 0);
  log.high = select(isZero, constant(y, -infinity), select(isFinite, log.high, magnitude)); // infinity and NaN
  log.low = select(isZero, zero, select(isFinite, log.low, zero));
  const Pair product = multiplyExactly(log.high, limitedY);
  Value low = select(less(absolute(product.high), 0x1p40), fma(log.low, limitedY, product.low), zero);
  Value t = select(less(product.high, -2000), constant(y, -2000), product.high);
  t = select(greater(t, 2000), constant(y, 2000), t);
  Rounded n = round(t);
  Value f = add(sub(t, n.value), low);
  Value power = fma(polynomial(f, formatOf(y).exp2), f, constant(y, 1));
  // The product is infinite for what is too large, and NaN for NaN.
  Value exponent = add(t, low);
  return select(less(exponent, 1024), scaleFar(power, n), mul(exponent, constant(y, formatOf(y).largest)));
}

/// |x|^y in doubles: the exponent needs eight more bits than a float has.
Value ElementaryMath::powerNarrow(Value magnitude, Value y) {
  Value wide = widen(magnitude), wideY = widen(y);
  Value pattern = asInteger(wide);
  constexpr int64_t sqrtHalf = 0x3fe6a09e667f3bcd, one = int64_t(1023) << 52;
  Value shift = bits(wide, 52);
  // The exponent plus 1023, which is positive: doubles have no arithmetic shift before AVX-512.
  Value biased = arith::ShRUIOp::create(builder, loc, addBits(pattern, bits(wide, one - sqrtHalf)), shift);
  Value significand = arith::SubIOp::create(
      builder, loc, pattern,
      arith::SubIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, biased, shift), bits(wide, one)));
  Value m = asFloat(significand, wide), ones = constant(wide, 1);
  Value exponent = arith::SIToFPOp::create(builder, loc, wide.getType(),
                                           arith::TruncIOp::create(builder, loc, integers(magnitude), biased));
  Value s = div(sub(m, ones), add(m, ones));
  Value log = fma(s,
                  polynomial(mul(s, s), {2.88539008177785, 0.96179669411332411, 0.577077942371072508,
                                         0.412209251686428568, 0.319905727145846191, 0.282899707178047974}),
                  sub(exponent, constant(wide, 1023)));
  log = select(less(magnitude, infinity), log, wide); // infinity and NaN
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, magnitude, constant(magnitude, 0));
  log = select(isZero, constant(wide, -infinity), log);
  Value t = mul(log, wideY);
  t = select(less(t, -1000), constant(wide, -1000), t);
  t = select(greater(t, 1000), constant(wide, 1000), t);
  Rounded n = round(t);
  Value f = sub(t, n.value);
  Value power =
      fma(polynomial(f, {0.693147180704455816, 0.24022651066587021, 0.0555041036615074026, 0.00961803812919353765,
                         0.00133339349524525099, 0.000154667570733228698, 0.0000151961773488283028}),
          f, ones);
  return narrow(scale(power, n));
}

Value ElementaryMath::pow(Value x, Value y) {
  const Format &format = formatOf(x);
  Value magnitude = absolute(x);
  Value result = format.fractionBits == 52 ? powerWide(magnitude, y) : powerNarrow(magnitude, y);
  auto equal = [&](Value a, double b) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, constant(a, b));
  };
  auto both = [&](Value a, Value b) -> Value { return arith::AndIOp::create(builder, loc, a, b); };
  auto either = [&](Value a, Value b) -> Value { return arith::OrIOp::create(builder, loc, a, b); };

  // Negative bases: the sign of odd powers, NaN for powers that are no integers. Floats that fill their fraction are even from twice that on.
  Value absoluteY = absolute(y);
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGE, absoluteY,
                                        constant(y, double(int64_t(2) << format.fractionBits)));
  Value whole = arith::FPToSIOp::create(builder, loc, integers(y), select(isLarge, constant(y, 0), y));
  Value isInteger = either(isLarge, arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, y,
                                                          arith::SIToFPOp::create(builder, loc, y.getType(), whole)));
  const int64_t signBit = format.fractionBits == 52 ? 63 : 31;
  Value isOdd = arith::AndIOp::create(builder, loc, whole, bits(y, 1));
  Value signOfX =
      arith::AndIOp::create(builder, loc, asInteger(x), bits(x, static_cast<int64_t>(uint64_t(1) << signBit)));
  Value sign = arith::AndIOp::create(builder, loc, shiftLeft(isOdd, signBit), signOfX);
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

Value ElementaryMath::squareRoot(Value x) { return math::SqrtOp::create(builder, loc, x); }
Value ElementaryMath::negate(Value x) { return arith::NegFOp::create(builder, loc, x); }
Value ElementaryMath::equal(Value a, double b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, constant(a, b));
}

Value ElementaryMath::inDoubles(ArrayRef<Value> operands, function_ref<Value(ArrayRef<Value>)> function) {
  if (formatOf(operands[0]).fractionBits == 52)
    return function(operands);
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(widen(operand));
  return narrow(function(wide));
}

Value ElementaryMath::sinh(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x), half = copySign(constant(x, 0.5), x);
    Value e = expm1(magnitude), root = exp(mul(magnitude, constant(x, 0.5)));
    Value near = mul(half, add(e, div(e, add(e, constant(x, 1)))));
    // Where the exponential overflows the result need not.
    return select(less(magnitude, 700), near, mul(mul(half, root), root));
  });
}

Value ElementaryMath::cosh(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x), half = constant(x, 0.5);
    Value e = exp(magnitude), root = exp(mul(magnitude, half));
    return select(less(magnitude, 700), add(mul(half, e), div(half, e)), mul(mul(half, root), root));
  });
}

Value ElementaryMath::arcSine(Value x) {
  // (asin(x) / x - 1) / x^2, in x^2
  static constexpr double series[] = {
      0.16666666666666669,  0.07499999999998433,   0.04464285714635543,  0.030381944138531247, 0.02237217294214989,
      0.017352392720869945, 0.013971212973553311,  0.011479177415181617, 0.0103228143502052,   0.005457506718563782,
      0.01740087944288715,  -0.014851887071528912, 0.028757851367602328};
  Value square = mul(x, x);
  return fma(mul(x, square), polynomial(square, series), x);
}

Value ElementaryMath::asin(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    // From 1/2 on asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)); NaN beyond one.
    Value x = operands[0], magnitude = absolute(x);
    Value root = squareRoot(mul(sub(constant(x, 1), magnitude), constant(x, 0.5)));
    Value rest = arcSine(root);
    Value far = sub(constant(x, std::numbers::pi / 2), sub(add(rest, rest), constant(x, 6.123233995736766e-17)));
    return select(less(magnitude, 0.5), arcSine(x), copySign(far, x));
  });
}

Value ElementaryMath::acos(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x), low = constant(x, 6.123233995736766e-17);
    Value near = sub(constant(x, std::numbers::pi / 2), sub(arcSine(x), low));
    Value rest = arcSine(squareRoot(mul(sub(constant(x, 1), magnitude), constant(x, 0.5))));
    Value twice = add(rest, rest), turned = sub(constant(x, std::numbers::pi), sub(twice, add(low, low)));
    return select(less(magnitude, 0.5), near, select(less(x, 0), turned, twice));
  });
}

Value ElementaryMath::arcTangent(Value x) {
  // (atan(x) / x - 1) / x^2, in x^2, up to tan(pi/8)
  static constexpr double series[] = {
      -0.3333333333333333,  0.19999999999999993,  -0.14285714285711515, 0.11111111110754218,   -0.09090909066979425,
      0.07692306734927001,  -0.06666641996244853, 0.05881924906427398,  -0.052580381939937075, 0.047193735719880364,
      -0.04104349551660424, 0.03063369493153089,  -0.013916196139529454};
  Value ones = constant(x, 1), isLarge = greater(x, 2.414213562373095), isMiddle = greater(x, 0.41421356237309503);
  Value t = select(isLarge, div(constant(x, -1), x), select(isMiddle, div(sub(x, ones), add(x, ones)), x));
  auto angle = [&](double large, double middle) {
    return select(isLarge, constant(x, large), select(isMiddle, constant(x, middle), constant(x, 0)));
  };
  Value square = mul(t, t);
  Value rest = fma(mul(t, square), polynomial(square, series), angle(6.123233995736766e-17, 3.061616997868383e-17));
  return add(angle(std::numbers::pi / 2, std::numbers::pi / 4), add(t, rest));
}

Value ElementaryMath::atan(Value given) {
  return inDoubles(given,
                   [&](ArrayRef<Value> operands) { return copySign(arcTangent(absolute(operands[0])), operands[0]); });
}

Value ElementaryMath::atan2(Value givenY, Value givenX) {
  return inDoubles({givenY, givenX}, [&](ArrayRef<Value> operands) {
    Value y = operands[0], x = operands[1], height = absolute(y), width = absolute(x);
    // Both zero, or both infinite: as if x were one beside it.
    auto both = [&](double value) -> Value {
      return arith::AndIOp::create(builder, loc, equal(height, value), equal(width, value));
    };
    Value quotient = select(both(0), constant(x, 0), select(both(infinity), constant(x, 1), div(height, width)));
    Value angle = arcTangent(quotient);
    Value isBehind = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, asInteger(x), bits(x, 0)); // -0 too
    Value turned = sub(constant(x, std::numbers::pi), sub(angle, constant(x, 1.2246467991473532e-16)));
    Value result = copySign(select(isBehind, turned, angle), y);
    Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, y);
    return select(isNan, add(x, y), result);
  });
}

Value ElementaryMath::asinh(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x), square = mul(x, x), ones = constant(x, 1);
    Value near = log1p(add(magnitude, div(square, add(ones, squareRoot(add(square, ones))))));
    Value far = add(log(magnitude), constant(x, std::numbers::ln2));
    return copySign(select(less(magnitude, 0x1p60), near, far), x);
  });
}

Value ElementaryMath::acosh(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], t = sub(x, constant(x, 1)); // NaN below one, from the root
    Value near = log1p(add(t, squareRoot(fma(t, t, add(t, t)))));
    return select(less(x, 0x1p60), near, add(log(x), constant(x, std::numbers::ln2)));
  });
}

Value ElementaryMath::atanh(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x);
    Value twice = add(magnitude, magnitude);
    Value result = mul(constant(x, 0.5), log1p(div(twice, sub(constant(x, 1), magnitude))));
    return copySign(result, x);
  });
}

Value ElementaryMath::cbrt(Value given) {
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x);
    Value root = exp2(mul(log2(magnitude), constant(x, 1.0 / 3)));
    // One step of Newton's with what root^3 lacks of x, exact enough in one fma.
    Value square = mul(root, root);
    Value rest = fma(square, root, negate(magnitude));
    Value better = sub(root, div(rest, mul(constant(x, 3), square)));
    Value isPlain = arith::AndIOp::create(builder, loc, greater(magnitude, 0), less(magnitude, infinity));
    return select(isPlain, copySign(better, x), x);
  });
}

Value ElementaryMath::erfc(Value given) {
  // erfc(x) exp(x^2) / t in 2 t - 1, with t = 2 / (2 + x), for x up to 28
  static constexpr double series[] = {
      0.5107913526210115,      0.3435803422069053,     0.13973604627802688,    0.01822111575343742,
      -0.010755330944712743,   -0.0032395925337853726, 0.0015453060288590438,  0.00041864802963567193,
      -0.0003315367434053854,  -1.718570069351607e-05, 7.223530339228658e-05,  -1.7074563335178523e-05,
      -1.0847738953350827e-05, 8.060933929178378e-06,  -5.64197318775908e-07,  -1.8231031443978693e-06,
      1.0049057485442134e-06,  7.209123025963302e-10,  -2.932986200052535e-07, 1.6124444963790316e-07,
      8.32461770341822e-09,    -5.617398027633467e-08, 2.077319055561932e-08,  7.1535832031922225e-09,
      -5.806269001518531e-09,  1.456205763896689e-10,  3.8089818601971153e-10};
  return inDoubles(given, [&](ArrayRef<Value> operands) {
    Value x = operands[0], magnitude = absolute(x), ones = constant(x, 1);
    Value limited = select(greater(magnitude, 28), constant(x, 28), magnitude); // where it is zero
    Value t = div(constant(x, 2), add(limited, constant(x, 2)));
    const Pair square = multiplyExactly(limited, limited);
    Value power = mul(exp(negate(square.high)), sub(ones, square.low));
    Value far = mul(mul(t, polynomial(sub(add(t, t), ones), series)), power);
    Value result = select(less(x, 0), sub(constant(x, 2), far), far);
    return select(less(magnitude, 0.5), sub(ones, erf(x)), result);
  });
}

StringRef mathOfLibdevice(StringRef symbol, Type element) {
  StringRef name = symbol;
  if (!name.consume_front("__nv_") || !isa<FloatType>(element))
    return "";
  name.consume_front("fast_");
  if (element.isF32() && name.ends_with("f") && name != "erf")
    name = name.drop_back();
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"acos",  "acosh", "asin", "asinh", "atan",  "atan2", "atanh", "cbrt",     "ceil",  "cos",   "cosh",
              "erf",   "erfc",  "exp",  "exp2",  "expm1", "floor", "fma",   "log",      "log10", "log1p", "log2",
              "rsqrt", "sin",   "sinh", "sqrt",  "tan",   "tanh",  "trunc", "copysign", "round"},
             name)
      .Case("pow", "powf")
      .Case("fabs", "absf")
      .Cases({"rint", "nearbyint"}, "roundeven")
      .Default("");
}

} // namespace triton::tensor
