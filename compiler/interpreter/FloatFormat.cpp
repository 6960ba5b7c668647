#include "compiler/interpreter/FloatFormat.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace triton::interpreter {

namespace {

/// How a narrow type encodes what is not a finite number.
enum class Specials {
  Ieee,         // the last exponent is infinity and NaN
  NanOnly,      // all ones is NaN, no infinity
  UnsignedZero, // the negative zero's place is NaN, no infinity
  None,         // neither; what is too large is clamped
};

struct Format {
  int exponentBits, mantissaBits, bias;
  Specials specials;

  int bits() const { return 1 + exponentBits + mantissaBits; }
  uint64_t sign() const { return uint64_t(1) << (bits() - 1); }
  uint64_t nan() const {
    switch (specials) {
    case Specials::Ieee:
      return ((uint64_t(1) << exponentBits) - 1) << mantissaBits | uint64_t(1) << (mantissaBits - 1);
    case Specials::NanOnly:
      return sign() - 1;
    case Specials::UnsignedZero:
      return sign();
    case Specials::None:
      return largest();
    }
    return 0;
  }
  uint64_t largest() const {
    switch (specials) {
    case Specials::Ieee:
      return (((uint64_t(1) << exponentBits) - 1) << mantissaBits) - 1;
    case Specials::NanOnly:
      return sign() - 2;
    case Specials::UnsignedZero:
      return sign() - 1;
    case Specials::None:
      return sign() - 2;
    }
    return 0;
  }
  uint64_t tooLarge() const { return specials == Specials::Ieee ? largest() + 1 : nan(); }
};

} // namespace

static Format getFormat(FloatType type) {
  if (type.isF16())
    return {5, 10, 15, Specials::Ieee};
  if (type.isBF16())
    return {8, 7, 127, Specials::Ieee};
  if (isa<Float8E5M2Type>(type))
    return {5, 2, 15, Specials::Ieee};
  if (isa<Float8E4M3FNType>(type))
    return {4, 3, 7, Specials::NanOnly};
  if (isa<Float8E4M3FNUZType>(type))
    return {4, 3, 8, Specials::UnsignedZero};
  if (isa<Float8E5M2FNUZType>(type))
    return {5, 2, 16, Specials::UnsignedZero};
  // The name that fp8e4b15 goes by.
  return {4, 3, 15, Specials::None};
}

static double decodeNarrow(const Format &format, uint64_t bits) {
  bool negative = bits & format.sign();
  uint64_t magnitude = bits & (format.sign() - 1);
  if (format.specials == Specials::UnsignedZero && bits == format.sign())
    return std::nan("");
  if (format.specials == Specials::NanOnly && magnitude == format.sign() - 1)
    return std::nan("");
  if (format.specials == Specials::Ieee && magnitude > format.largest()) {
    double special = magnitude == format.largest() + 1 ? HUGE_VAL : std::nan("");
    return negative ? -special : special;
  }
  int exponent = magnitude >> format.mantissaBits;
  uint64_t mantissa = magnitude & ((uint64_t(1) << format.mantissaBits) - 1);
  // Without a leading one the exponent is the smallest there is.
  if (exponent == 0)
    exponent = 1;
  else
    mantissa |= uint64_t(1) << format.mantissaBits;
  double value = std::ldexp(static_cast<double>(mantissa), exponent - format.bias - format.mantissaBits);
  return negative ? -value : value;
}

double decode(FloatType type, uint64_t bits) {
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  if (type.isF32())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  return decodeNarrow(getFormat(type), bits);
}

static uint64_t encodeNarrow(const Format &format, double value, Rounding rounding, bool saturate) {
  uint64_t sign = std::signbit(value) ? format.sign() : 0;
  if (std::isnan(value))
    return format.specials == Specials::None || format.specials == Specials::UnsignedZero ? format.nan()
                                                                                          : sign | format.nan();
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return format.specials == Specials::UnsignedZero ? 0 : sign;
  saturate |= format.specials == Specials::None;
  if (std::isinf(magnitude)) {
    uint64_t code = saturate ? format.largest() : format.tooLarge();
    return code == format.sign() ? code : sign | code;
  }
  // In units of the last place at this magnitude: below the smallest normal number units shrink no further.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  int unit = std::max(exponent - 1, 1 - format.bias) - format.mantissaBits;
  double scaled = std::ldexp(magnitude, -unit);
  double count = rounding == Rounding::NearestEven ? std::nearbyint(scaled) : std::trunc(scaled);
  // Rounding up may reach the next power of two, which the sum below carries into the exponent.
  uint64_t lowest = uint64_t(unit + format.mantissaBits + format.bias - 1) << format.mantissaBits;
  uint64_t code = lowest + static_cast<uint64_t>(count);
  if (code > format.largest()) {
    bool clamps = saturate || rounding == Rounding::TowardZero;
    code = clamps ? format.largest() : format.tooLarge();
    if (code == format.sign())
      return code;
  }
  if (code == 0 && format.specials == Specials::UnsignedZero)
    return 0;
  return sign | code;
}

/// `value` rounded to a float toward zero.
static float truncateToFloat(double value) {
  float nearest = static_cast<float>(value);
  if (std::isfinite(value) && std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    return std::nextafter(nearest, 0.0f);
  return nearest;
}

/// fp8e4b15 has its own way: toward zero to half precision, clamp, then up by half a unit of the last place.
static uint64_t encodeE4B15(double value) {
  Format half{5, 10, 15, Specials::Ieee};
  uint64_t bits = encodeNarrow(half, value, Rounding::TowardZero, false);
  uint64_t magnitude = std::min<uint64_t>(bits & 0x7fff, 0x3f00);
  return (bits >> 8 & 0x80) | std::min<uint64_t>((magnitude + 0x40) >> 7, 0x7e);
}

uint64_t encode(FloatType type, double value, Rounding rounding, bool saturate) {
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  if (type.isF32())
    return llvm::bit_cast<uint32_t>(rounding == Rounding::NearestEven ? static_cast<float>(value)
                                                                      : truncateToFloat(value));
  if (isa<Float8E4M3B11FNUZType>(type))
    return encodeE4B15(value);
  return encodeNarrow(getFormat(type), value, rounding, saturate);
}

uint64_t encodeUnsigned(FloatType type, uint64_t value) {
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(static_cast<double>(value));
  if (value < uint64_t(1) << 53)
    return encode(type, static_cast<double>(value));
  // The low bits decide nothing but whether the value is above a halfway point: one bit stands for all of them.
  uint64_t sticky = value >> 11 | ((value & 2047) != 0);
  return encode(type, std::ldexp(static_cast<double>(sticky), 11));
}

uint64_t encodeInteger(FloatType type, int64_t value) {
  if (value >= 0)
    return encodeUnsigned(type, value);
  uint64_t magnitude = encodeUnsigned(type, 0 - static_cast<uint64_t>(value));
  return magnitude | uint64_t(1) << (type.getWidth() - 1);
}

} // namespace triton::interpreter
