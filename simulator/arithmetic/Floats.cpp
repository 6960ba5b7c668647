#include "simulator/arithmetic/Floats.h"

#include <cstdlib>
#include <limits>

namespace triton::simulator {

/// `value`, which is not negative, as an integer.
static uint64_t roundToInteger(double value, bool isNegative, Rounding rounding) {
  double whole = std::floor(value), rest = value - whole;
  auto integer = uint64_t(whole);
  switch (rounding) {
  case Rounding::NearestEven:
    return integer + (rest > 0.5 || (rest == 0.5 && (integer & 1)));
  case Rounding::NearestAway:
    return integer + (rest >= 0.5);
  case Rounding::Zero:
    return integer;
  case Rounding::Down:
    return integer + (isNegative && rest > 0);
  case Rounding::Up:
    return integer + (!isNegative && rest > 0);
  }
  return integer;
}

uint32_t encode(double value, const FloatFormat &format, Rounding rounding, bool saturates) {
  const int width = format.exponentBits + format.mantissaBits;
  const uint32_t ones = (1u << width) - 1, sign = format.isSigned && std::signbit(value) ? 1u << width : 0;
  const uint32_t infinity = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  // The largest number: below infinity, below the one NaN, or all ones.
  const uint32_t largest = format.hasInfinity ? infinity - 1 : format.hasNan ? ones - 1 : ones;
  const uint32_t nan = format.hasInfinity ? ones : ones;
  if (std::isnan(value))
    return format.hasNan ? nan : largest; // without one, the largest positive number
  if (!format.isSigned && std::signbit(value))
    return 0;
  double magnitude = std::fabs(value);
  auto tooLarge = [&]() -> uint32_t {
    if (saturates || !(format.hasInfinity || format.hasNan))
      return sign | largest;
    bool towardsZero = rounding == Rounding::Zero || (rounding == Rounding::Down && !std::signbit(value)) ||
                       (rounding == Rounding::Up && std::signbit(value));
    if (towardsZero && !std::isinf(value))
      return sign | largest;
    return sign | (format.hasInfinity ? infinity : nan);
  };
  if (std::isinf(value))
    return saturates || !format.hasInfinity ? tooLarge() : sign | infinity;
  if (magnitude == 0)
    return format.mantissaBits == 0 ? 0 : sign;
  int exponent = std::ilogb(magnitude);
  const int lowest = format.mantissaBits == 0 ? -format.bias : 1 - format.bias;
  exponent = std::max(exponent, lowest);
  uint64_t scaled =
      roundToInteger(std::ldexp(magnitude, format.mantissaBits - exponent), std::signbit(value), rounding);
  // A carry into the next power of two adds up by itself, as exponents stand above mantissas.
  uint64_t bits;
  if (format.mantissaBits == 0)
    bits = uint64_t(exponent + format.bias) + (scaled > 1 ? 1 : 0) - (scaled == 0 && exponent > lowest ? 1 : 0);
  else
    bits = (uint64_t(exponent - lowest) << format.mantissaBits) + scaled;
  if (bits > largest)
    return tooLarge();
  return sign | uint32_t(bits);
}

double decode(uint32_t bits, const FloatFormat &format) {
  const int width = format.exponentBits + format.mantissaBits;
  const uint32_t ones = (1u << width) - 1, rest = bits & ones;
  const double sign = format.isSigned && (bits >> width & 1) ? -1.0 : 1.0;
  const uint32_t mantissa = rest & ((1u << format.mantissaBits) - 1);
  const int exponent = int(rest >> format.mantissaBits);
  if (format.hasInfinity && exponent == (1 << format.exponentBits) - 1)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (format.hasNan && !format.hasInfinity && rest == ones)
    return std::numeric_limits<double>::quiet_NaN();
  if (format.mantissaBits == 0)
    return std::ldexp(1.0, exponent - format.bias);
  if (exponent == 0)
    return sign * std::ldexp(double(mantissa), 1 - format.bias - format.mantissaBits);
  return sign *
         std::ldexp(double(mantissa + (1u << format.mantissaBits)), exponent - format.bias - format.mantissaBits);
}

float roundToFloat(double value, Rounding rounding) {
  auto nearest = float(value);
  if (rounding == Rounding::NearestEven || std::isnan(value) || double(nearest) == value)
    return nearest;
  auto largest = std::numeric_limits<float>::max();
  if (std::isinf(nearest) && !std::isinf(value)) {
    bool isOutwards = (rounding == Rounding::Up && value > 0) || (rounding == Rounding::Down && value < 0);
    return isOutwards ? nearest : std::copysign(largest, nearest);
  }
  bool wantsSmaller = rounding == Rounding::Down || (rounding == Rounding::Zero && value > 0);
  bool wantsLarger = rounding == Rounding::Up || (rounding == Rounding::Zero && value < 0);
  if (wantsSmaller && double(nearest) > value)
    return std::nextafter(nearest, -std::numeric_limits<float>::infinity());
  if (wantsLarger && double(nearest) < value)
    return std::nextafter(nearest, std::numeric_limits<float>::infinity());
  return nearest;
}

} // namespace triton::simulator
