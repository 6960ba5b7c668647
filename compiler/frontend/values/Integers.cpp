// What DynamicAPInt lacks: its bits, its double, its size.
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace triton::frontend;
using llvm::APInt;

static const Integer &powerOf32() {
  static const Integer power(int64_t(1) << 32);
  return power;
}

APInt triton::frontend::toBits(const Integer &value, unsigned bits) {
  if (auto small = toInt64(value))
    return APInt(64, static_cast<uint64_t>(*small)).sextOrTrunc(bits);
  // Floor division by 2^32 peels the two's complement digits, also of negative numbers.
  APInt result(bits, 0);
  Integer rest = value;
  for (unsigned shift = 0; shift < bits; shift += 32) {
    Integer quotient = floorDiv(rest, powerOf32());
    Integer digit = rest - quotient * powerOf32();
    result |= APInt(64, static_cast<uint64_t>(static_cast<int64_t>(digit))).zextOrTrunc(bits).shl(shift);
    rest = quotient;
  }
  return result;
}

Integer triton::frontend::fromBits(const APInt &bits, bool isSigned) {
  return Integer(isSigned ? bits : bits.zext(bits.getBitWidth() + 1));
}

unsigned triton::frontend::bitLength(const Integer &value) {
  Integer magnitude = abs(value);
  unsigned length = 0;
  while (magnitude >= powerOf32()) {
    magnitude = floorDiv(magnitude, powerOf32());
    length += 32;
  }
  return length + llvm::bit_width(static_cast<uint64_t>(static_cast<int64_t>(magnitude)));
}

double triton::frontend::toDouble(const Integer &value) {
  if (auto small = toInt64(value))
    return static_cast<double>(*small);
  llvm::APFloat result(llvm::APFloat::IEEEdouble());
  result.convertFromAPInt(toBits(value, bitLength(value) + 1), /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  return result.convertToDouble();
}

std::optional<int64_t> triton::frontend::toInt64(const Integer &value) {
  if (value < Integer(INT64_MIN) || value > Integer(INT64_MAX))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

llvm::Expected<double> triton::frontend::toFiniteDouble(const Integer &value) {
  const double result = toDouble(value);
  if (std::isinf(result))
    return hostError("OverflowError", "int too large to convert to float");
  return result;
}

std::string triton::frontend::toString(const Integer &value, unsigned radix) {
  return llvm::toString(toBits(value, bitLength(value) + 1), radix, /*Signed=*/true, /*formatAsCLiteral=*/false,
                        /*UpperCase=*/false);
}
