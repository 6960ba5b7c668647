// Floats of 8 bits in both of AMD's families: those of the OCP standard, and FNUZ, which have one NaN (0x80) in the place of -0, no infinities, and a bias that is one larger.
#pragma once

#include "simulator/arithmetic/Floats.h"

#include <array>

namespace triton::simulator::amdgcn {

enum class SmallFloat : uint8_t { E4M3, E5M2, E4M3Fnuz, E5M2Fnuz };

inline SmallFloat smallFloat(bool isE5, bool isFnuz) { return SmallFloat((isE5 ? 1 : 0) + (isFnuz ? 2 : 0)); }

inline const FloatFormat &formatOf(SmallFloat element) {
  static constexpr FloatFormat formats[] = {formatE4M3, formatE5M2, {4, 3, 8, false, false}, {5, 2, 16, false, false}};
  return formats[size_t(element)];
}
inline bool isFnuz(SmallFloat element) { return element >= SmallFloat::E4M3Fnuz; }

inline double decodeSmall(uint8_t bits, SmallFloat element) {
  static const auto tables = [] {
    std::array<std::array<double, 256>, 4> made;
    for (unsigned kind = 0; kind < 4; ++kind)
      for (unsigned code = 0; code < 256; ++code)
        made[kind][code] =
            isFnuz(SmallFloat(kind)) && code == 0x80 ? std::nan("") : decode(code, formatOf(SmallFloat(kind)));
    return made;
  }();
  return tables[size_t(element)][bits];
}

/// To nearest even; what is too large becomes NaN, or infinity where there is one.
inline uint8_t encodeSmall(double value, SmallFloat element) {
  if (!isFnuz(element))
    return uint8_t(encode(value, formatOf(element), Rounding::NearestEven, /*saturates=*/false));
  if (std::isnan(value) || std::isinf(value))
    return 0x80;
  const auto bits = uint8_t(encode(value, formatOf(element), Rounding::NearestEven, /*saturates=*/true));
  // What would round to more than the largest is too large.
  const double largest = decode(0x7F, formatOf(element));
  const double half = element == SmallFloat::E4M3Fnuz ? 8 : 4096;
  if (std::fabs(value) >= largest + half)
    return 0x80;
  return bits == 0x80 ? 0 : bits;
}

} // namespace triton::simulator::amdgcn
