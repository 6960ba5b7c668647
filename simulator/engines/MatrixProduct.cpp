#include "simulator/engines/MatrixProduct.h"

#include "simulator/arithmetic/Floats.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace triton::simulator {

std::optional<Element> elementOf(std::string_view name) {
  static constexpr std::pair<std::string_view, Element> names[] = {
      {"f16", Element::F16},   {"bf16", Element::BF16}, {"tf32", Element::TF32}, {"e4m3", Element::E4M3},
      {"e5m2", Element::E5M2}, {"e2m3", Element::E2M3}, {"e3m2", Element::E3M2}, {"e2m1", Element::E2M1},
      {"s8", Element::S8},     {"u8", Element::U8},     {"f32", Element::F32},   {"s32", Element::S32},
      {"s4", Element::S4},     {"u4", Element::U4},     {"f64", Element::F64},   {"b1", Element::B1}};
  for (auto [text, element] : names)
    if (text == name)
      return element;
  return std::nullopt;
}

/// All numbers of a format of at most 8 bits.
template <const FloatFormat &format> static const std::array<double, 256> &tableOf() {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> made;
    unsigned bits = 1 + format.exponentBits + format.mantissaBits;
    for (unsigned code = 0; code < 256; ++code)
      made[code] = decode(code & ((1u << bits) - 1), format);
    return made;
  }();
  return table;
}

double decodeElement(uint32_t bits, Element element) {
  switch (element) {
  case Element::F16:
    return halfToFloat(uint16_t(bits));
  case Element::BF16:
    return brainToFloat(uint16_t(bits));
  case Element::TF32: // the lower bits of the register are not looked at
    return std::bit_cast<float>(bits & 0xFFFFE000);
  case Element::F32:
    return std::bit_cast<float>(bits);
  case Element::S32:
    return int32_t(bits);
  case Element::E4M3:
    return tableOf<formatE4M3>()[bits & 0xFF];
  case Element::E5M2:
    return tableOf<formatE5M2>()[bits & 0xFF];
  case Element::E2M3:
    return tableOf<formatE2M3>()[bits & 0xFF];
  case Element::E3M2:
    return tableOf<formatE3M2>()[bits & 0xFF];
  case Element::E2M1:
    return tableOf<formatE2M1>()[bits & 0xFF];
  case Element::S8:
    return int8_t(bits);
  case Element::U8:
    return uint8_t(bits);
  case Element::S4:
    return int32_t(bits << 28) >> 28;
  case Element::U4:
    return bits & 15;
  case Element::B1:
    return bits & 1;
  case Element::F64:
    break; // has more bits
  }
  return 0;
}

void decodeElements(const std::byte *bytes, unsigned count, Element element, double *numbers) {
  unsigned bits = bitsOf(element);
  for (unsigned i = 0; i < count; ++i) {
    uint32_t code = 0;
    if (bits == 4)
      code = uint32_t(bytes[i / 2]) >> (i % 2 * 4) & 15;
    else
      std::memcpy(&code, bytes + i * bits / 8, bits / 8);
    numbers[i] = decodeElement(code, element);
  }
}

uint32_t encodeAccumulator(double sum, Element element, bool saturates) {
  switch (element) {
  case Element::F16: {
    return encode(sum, formatHalf, Rounding::NearestEven, /*saturates=*/false);
  }
  case Element::S32:
    if (saturates)
      return uint32_t(int32_t(std::clamp(sum, -0x1p31, 0x1p31 - 1)));
    return uint32_t(int64_t(sum));
  default:
    return std::bit_cast<uint32_t>(float(sum));
  }
}

void multiply(const double *a, const double *b, double *d, unsigned m, unsigned n, unsigned k) {
  for (unsigned row = 0; row < m; ++row)
    for (unsigned depth = 0; depth < k; ++depth) {
      double factor = a[row * k + depth];
      const double *other = b + size_t(depth) * n;
      double *sums = d + size_t(row) * n;
#pragma clang loop vectorize(assume_safety)
      for (unsigned column = 0; column < n; ++column)
        sums[column] += factor * other[column];
    }
}

} // namespace triton::simulator
