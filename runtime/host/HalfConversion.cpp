#include "runtime/host/HalfConversion.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>

using llvm::bit_cast;

namespace triton::runtime {

static HalfRegister inRegister(uint16_t bits) { return bit_cast<double>(uint64_t(bits)); }

/// Narrower without rounding twice: an inexact result gets its last bit set, so that a later rounding sees on which side it lies.
static float truncateToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value) || std::isinf(nearest))
    return nearest;
  float towardZero = std::abs(double(nearest)) > std::abs(value) ? std::nextafter(nearest, 0.0f) : nearest;
  return bit_cast<float>(bit_cast<uint32_t>(towardZero) | 1);
}

static uint16_t halfBits(float value) {
  uint32_t bits = bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000) // from halfway between the largest half and the next power of two
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below the normal halves: let the float adder round to multiples of 2^-24.
    float shifted = bit_cast<float>(magnitude) + 0.5f;
    return sign | uint16_t(bit_cast<uint32_t>(shifted) - bit_cast<uint32_t>(0.5f));
  }
  uint32_t odd = magnitude >> 13 & 1;
  return sign | uint16_t((magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

static uint16_t bfloatBits(float value) {
  uint32_t bits = bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float extendHalf(HalfRegister half) {
  uint32_t bits = uint16_t(bit_cast<uint64_t>(half)), sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) // infinity and NaN
    return bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13 | (magnitude > 0x7c00 ? 0x400000 : 0));
  // Too small by a power of two that a multiplication makes up for, exactly, for normal numbers and others alike.
  float scaled = bit_cast<float>(magnitude << 13) * 0x1p112f;
  return bit_cast<float>(bit_cast<uint32_t>(scaled) | sign);
}

HalfRegister truncateToHalf(float value) { return inRegister(halfBits(value)); }
HalfRegister truncateDoubleToHalf(double value) { return inRegister(halfBits(truncateToOdd(value))); }
HalfRegister truncateToBFloat(float value) { return inRegister(bfloatBits(value)); }
HalfRegister truncateDoubleToBFloat(double value) { return inRegister(bfloatBits(truncateToOdd(value))); }

} // namespace triton::runtime
