// Formats of floating-point numbers, exactly: widening, and rounding in every mode.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace triton::simulator {

enum class Rounding : uint8_t { NearestEven, Zero, Down, Up, NearestAway };

struct FloatFormat {
  int exponentBits, mantissaBits, bias;
  bool hasInfinity; // else the largest exponent holds numbers too
  bool hasNan;
  bool isSigned = true;
};

constexpr FloatFormat formatHalf{5, 10, 15, true, true}, formatBrain{8, 7, 127, true, true},
    formatTensor{8, 10, 127, true, true}, // of 19 bits; instructions keep it in the upper bits of 32
    formatE4M3{4, 3, 7, false, true},     // 0x7F is NaN
    formatE5M2{5, 2, 15, true, true}, formatE2M3{2, 3, 1, false, false}, formatE3M2{3, 2, 3, false, false},
    formatE2M1{2, 1, 1, false, false}, formatScaleE8M0{8, 0, 127, false, true, false}, // 0xFF is NaN; there is no zero
    formatScaleE4M3{4, 3, 7, false, true, false};

inline float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, rest = bits & 0x7FFF;
  if (rest >= 0x7C00) // infinity, NaN
    return std::bit_cast<float>(sign | 0x7F800000 | (rest & 0x3FF) << 13);
  float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f; // denormals come out right, too
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}
inline float brainToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7FFFFFFF;
  if (rest > 0x7F800000)
    return 0x7FFF;
  if (rest >= 0x477FF000) // rounds to 2^16 or more
    return uint16_t(sign | 0x7C00);
  if (rest < 0x38800000) { // denormal: the addition rounds
    float shifted = std::bit_cast<float>(rest) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000));
  }
  uint32_t odd = rest >> 13 & 1;
  return uint16_t(sign | ((rest - 0x38000000 + 0xFFF + odd) >> 13));
}
inline uint16_t floatToBrain(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return 0x7FFF;
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float flushDenormal(float value) { return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value; }

/// `value` in a format of at most 19 bits. What is too large becomes the largest number if `saturates`, and otherwise what rounding says (NaN where there is no infinity).
uint32_t encode(double value, const FloatFormat &format, Rounding rounding, bool saturates);
double decode(uint32_t bits, const FloatFormat &format);
/// Of a double to a float.
float roundToFloat(double value, Rounding rounding);

} // namespace triton::simulator
