// What tensor cores compute, for every instruction that multiplies matrices: mma, wgmma, tcgen05.mma.
//
// The model: operands are exact, products are exact, an instruction's products and its accumulator are added in 64-bit floats and rounded once, to nearest even, to the
// accumulator's type. Tensor cores align the addends to the largest and cut what falls off, so a GPU's last bits differ: by at most 2^-21 of the largest addend for 16-bit and
// tf32 operands, and by 2^-12 for fp8 on sm_90, which keeps about 14 bits. Integers are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace triton::simulator {

enum class Element : uint8_t { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8, S4, U4, B1, F32, S32, F64 };

constexpr unsigned bitsOf(Element element) {
  switch (element) {
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::TF32:
  case Element::F32:
  case Element::S32:
    return 32;
  case Element::F64:
    return 64;
  case Element::E2M1:
  case Element::S4:
  case Element::U4:
    return 4;
  case Element::B1:
    return 1;
  default: // fp6 lies in bytes
    return 8;
  }
}

/// By the name that opcodes have for it.
std::optional<Element> elementOf(std::string_view name);

/// The number that the lowest bits of `bits` stand for; not of F64.
double decodeElement(uint32_t bits, Element element);
/// `count` numbers that lie one behind the other; those of 4 bits two in a byte, the lower one first.
void decodeElements(const std::byte *bytes, unsigned count, Element element, double *numbers);
/// A sum as bits of an accumulator; integers wrap, or stop at their limits.
uint32_t encodeAccumulator(double sum, Element element, bool saturates);

/// How long a product takes, in products of 16-bit numbers.
constexpr uint64_t productsOf(Element element, unsigned m, unsigned n, unsigned k) {
  return uint64_t(m) * n * k * bitsOf(element) / 16;
}

/// d[m][n] += sum over k of a[m][k] * b[k][n]; all row by row.
void multiply(const double *a, const double *b, double *d, unsigned m, unsigned n, unsigned k);

} // namespace triton::simulator
