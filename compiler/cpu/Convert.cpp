#include "compiler/cpu/Convert.h"

#include "compiler/cpu/Scalar.h"
#include "compiler/tensor/dialect/Types.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace triton::cpu {

namespace {

/// What a small float's bits mean, for the integer algorithms below.
struct Format {
  enum Special {
    Ieee,     // the highest exponent holds infinities and NaNs
    Finite,   // all ones is NaN, there are no infinities
    Unsigned, // minus zero is NaN, there are no infinities
    None      // every code is a number
  };
  int bits, mantissa, bias;
  Special special;

  int64_t maximumCode() const { // of the largest finite number
    int64_t magnitude = (int64_t(1) << (bits - 1)) - 1;
    if (special == Ieee)
      return magnitude - (int64_t(1) << mantissa);
    return special == Unsigned ? magnitude : magnitude - 1;
  }
  double decode(int64_t code) const {
    int64_t exponent = code >> mantissa, fraction = code & ((1 << mantissa) - 1);
    if (exponent == 0)
      return std::ldexp(double(fraction), 1 - bias - mantissa);
    return std::ldexp(double(fraction + (1 << mantissa)), int(exponent) - bias - mantissa);
  }
};

Format formatOf(Type type) {
  if (isa<Float8E5M2Type>(type))
    return {8, 2, 15, Format::Ieee};
  if (isa<Float8E4M3FNType>(type))
    return {8, 3, 7, Format::Finite};
  if (isa<Float8E4M3FNUZType>(type))
    return {8, 3, 8, Format::Unsigned};
  if (isa<Float8E5M2FNUZType>(type))
    return {8, 2, 16, Format::Unsigned};
  if (isa<Float8E4M3B11FNUZType>(type)) // how tensor IR spells fp8e4b15
    return {8, 3, 15, Format::None};
  assert(isa<Float16Type>(type) && "only 8-bit floats and f16 are converted by hand");
  return {16, 10, 15, Format::Ieee};
}

struct Converter {
  OpBuilder &builder;
  Location loc;
  Scalar s{builder, loc};
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();

  Value mulf(Value a, Value b) { return builder.createOrFold<arith::MulFOp>(loc, a, b); }
  Value real(Value like, double value) { return s.floating(withShapeOf(like.getType(), f32), value); }
  Value word(Value like, int64_t value) { return s.integer(withShapeOf(like.getType(), i32), value); }

  /// Moves the magnitude to where f32 has its exponent, and rescales: a multiplication also normalises denormals.
  Value widen(Value code, Format format) {
    Value bits = s.resize(code, i32, /*isSigned=*/false);
    int64_t signBit = int64_t(1) << (format.bits - 1);
    Value sign = s.shiftLeft(s.bitAnd(bits, signBit), 32 - format.bits);
    Value magnitude = s.bitAnd(bits, signBit - 1);
    Value scaled = s.bitcast(s.shiftLeft(magnitude, 23 - format.mantissa), f32);
    scaled = mulf(scaled, real(scaled, std::ldexp(1.0, 127 - format.bias)));
    Value result = s.bitcast(scaled, i32);
    if (format.special == Format::Ieee) {
      Value isSpecial = s.compare(arith::CmpIPredicate::ugt, magnitude, word(magnitude, format.maximumCode()));
      result = s.select(isSpecial, s.bitOr(result, word(result, 0x7f800000)), result);
    }
    result = s.bitOr(result, sign);
    if (format.special == Format::Finite || format.special == Format::Unsigned) {
      Value source = format.special == Format::Finite ? magnitude : bits;
      Value isNan = s.compare(arith::CmpIPredicate::eq, source,
                              word(source, format.special == Format::Finite ? signBit - 1 : signBit));
      result = s.select(isNan, word(result, 0x7fc00000), result);
    }
    return s.bitcast(result, f32);
  }

  Value narrow(Value value, Format format, Rounding rounding) {
    Value bits = s.bitcast(value, i32);
    Value sign = s.shiftRight(s.bitAnd(bits, int64_t(0x80000000)), 32 - format.bits);
    Value magnitude = s.bitAnd(bits, 0x7fffffff);
    Value isNan = s.compare(arith::CmpIPredicate::ugt, magnitude, word(magnitude, 0x7f800000));
    // Positive floats order as their bits do, so the clamp is an integer minimum. f16 overflows to infinity, as IEEE
    // does, from halfway between its largest number and the next power of two.
    bool overflows = format.special == Format::Ieee && format.bits == 16;
    int64_t largest = int64_t(llvm::bit_cast<uint32_t>(float(format.decode(format.maximumCode()))));
    Value clamped =
        overflows ? magnitude : builder.createOrFold<arith::MinUIOp>(loc, magnitude, word(magnitude, largest));

    int drop = 23 - format.mantissa;
    Value rounded = clamped;
    if (rounding == Rounding::NearestEven) {
      Value odd = s.bitAnd(s.shiftRight(clamped, drop), 1);
      rounded = s.add(s.add(clamped, (int64_t(1) << (drop - 1)) - 1), odd);
    }
    Value normal = s.sub(s.shiftRight(rounded, drop), word(bits, int64_t(127 - format.bias) << format.mantissa));
    if (overflows) {
      Value limit = word(normal, format.maximumCode() + (rounding == Rounding::NearestEven ? 1 : 0));
      Value isInfinite = s.compare(arith::CmpIPredicate::eq, magnitude, word(magnitude, 0x7f800000));
      normal = s.select(isInfinite, word(normal, format.maximumCode() + 1),
                        builder.createOrFold<arith::MinSIOp>(loc, normal, limit));
    }

    // Below the smallest normal number codes count multiples of one spacing. Adding the float whose last place is that
    // spacing rounds to nearest even; toward zero is a multiplication and a truncating conversion.
    double spacing = std::ldexp(1.0, 1 - format.bias - format.mantissa);
    Value small = s.bitcast(clamped, f32), denormal;
    if (rounding == Rounding::NearestEven) {
      double magic = spacing * std::ldexp(1.0, 23);
      Value sum = builder.createOrFold<arith::AddFOp>(loc, small, real(small, magic));
      denormal = s.sub(s.bitcast(sum, i32), word(bits, int64_t(llvm::bit_cast<uint32_t>(float(magic)))));
    } else {
      Value count = mulf(small, real(small, 1.0 / spacing));
      count = builder.createOrFold<arith::MinNumFOp>(loc, count, real(count, 1 << (format.mantissa + 1)));
      denormal = builder.createOrFold<arith::FPToSIOp>(loc, withShapeOf(bits.getType(), i32), count);
    }
    float smallestNormal = float(std::ldexp(1.0, 1 - format.bias));
    Value isSmall =
        s.compare(arith::CmpIPredicate::ult, clamped, word(bits, int64_t(llvm::bit_cast<uint32_t>(smallestNormal))));
    Value code = s.select(isSmall, denormal, normal);
    Value signedCode = s.bitOr(code, sign);
    if (format.special == Format::Unsigned) // there is no minus zero
      signedCode = s.select(s.compare(arith::CmpIPredicate::eq, code, word(code, 0)), code, signedCode);
    if (format.special != Format::None) {
      int64_t nan = format.special == Format::Unsigned ? int64_t(1) << (format.bits - 1)
                    : format.bits == 16                ? 0x7e00
                                                       : (int64_t(1) << (format.bits - 1)) - 1;
      signedCode = s.select(isNan, word(code, nan), signedCode);
    }
    return s.resize(signedCode, builder.getIntegerType(format.bits));
  }

  /// A double as a float, cut off toward zero. With `sticky`, the last bit is set where something was cut off: a second rounding, to a
  /// format with at least two bits less, then gives what rounding the double itself would.
  Value cutDouble(Value value, bool sticky) {
    Type shaped = withShapeOf(value.getType(), f32);
    Value nearest = builder.createOrFold<arith::TruncFOp>(loc, shaped, value);
    Value back = builder.createOrFold<arith::ExtFOp>(loc, value.getType(), nearest);
    auto magnitude = [&](Value x) { return builder.createOrFold<math::AbsFOp>(loc, x); };
    Value isAbove = s.compare(arith::CmpFPredicate::OGT, magnitude(back), magnitude(value));
    Value bits = s.bitcast(nearest, i32);
    Value cut = s.select(isAbove, s.sub(bits, word(bits, 1)), bits);
    if (sticky) {
      Value isInexact = s.compare(arith::CmpFPredicate::ONE, back, value);
      cut = s.select(isInexact, s.bitOr(cut, word(cut, 1)), cut);
    }
    return s.bitcast(cut, f32);
  }

  Value bfloatToFloat(Value value) {
    Value bits = s.resize(s.bitcast(value, builder.getI16Type()), i32, /*isSigned=*/false);
    return s.bitcast(s.shiftLeft(bits, 16), f32);
  }

  Value floatToBfloat(Value value, Rounding rounding) {
    Value bits = s.bitcast(value, i32), rounded = bits;
    if (rounding == Rounding::NearestEven)
      rounded = s.add(s.add(bits, 0x7fff), s.bitAnd(s.shiftRight(bits, 16), 1));
    Value isNan = s.compare(arith::CmpFPredicate::UNO, value, value);
    rounded = s.select(isNan, s.bitOr(bits, word(bits, 0x400000)), rounded);
    return s.bitcast(s.resize(s.shiftRight(rounded, 16), builder.getI16Type()), builder.getBF16Type());
  }
};

} // namespace

static bool isSmall(Type type) { return type.getIntOrFloatBitWidth() < 32; }

Value convertFloat(OpBuilder &builder, Location loc, Value value, Type from, Type to, Rounding rounding,
                   const HostTarget &target) {
  if (from == to)
    return value;
  Converter converter{builder, loc};
  auto native = [&](Value source, Type element) -> Value {
    Type type = withShapeOf(source.getType(), element);
    if (getElementTypeOrSelf(source).getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
      return builder.createOrFold<arith::ExtFOp>(loc, type, source);
    return builder.createOrFold<arith::TruncFOp>(loc, type, source);
  };
  bool hasHalf = target.f16c || target.avx512f;

  // Everything small goes through f32, which holds all of them exactly.
  if (isSmall(from)) {
    if (isa<BFloat16Type>(from))
      value = converter.bfloatToFloat(value);
    else if (isa<Float16Type>(from) && hasHalf)
      value = native(value, builder.getF32Type());
    else
      value = converter.widen(isa<Float16Type>(from) ? converter.s.bitcast(value, builder.getI16Type()) : value,
                              formatOf(from));
  }
  Type current = getElementTypeOrSelf(value);
  if (current.isF64() && to.isF32() && rounding == Rounding::TowardZero)
    return converter.cutDouble(value, /*sticky=*/false);
  if (!isSmall(to))
    return current == to ? value : native(value, to);
  if (current.isF64())
    value = converter.cutDouble(value, /*sticky=*/true);
  if (isa<BFloat16Type>(to))
    return converter.floatToBfloat(value, rounding);
  if (isa<Float16Type>(to)) {
    if (hasHalf && rounding == Rounding::NearestEven)
      return native(value, to);
    return converter.s.bitcast(converter.narrow(value, formatOf(to), rounding), to);
  }
  return converter.narrow(value, formatOf(to), rounding);
}

} // namespace triton::cpu
