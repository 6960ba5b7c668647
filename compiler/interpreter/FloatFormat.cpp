#include "compiler/interpreter/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace triton::interpreter {

/// fp8e4b15 goes by the name of a type that LLVM knows and that means other numbers. It is half precision without the low seven bits and the highest
/// exponents: no infinity, no NaN.
static bool isE4B15(FloatType type) { return isa<Float8E4M3B11FNUZType>(type); }

double decode(FloatType type, uint64_t bits) {
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  if (type.isF32())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (isE4B15(type))
    return decode(Float16Type::get(type.getContext()), (bits & 0x80) << 8 | (bits & 0x7f) << 7);
  APFloat value(type.getFloatSemantics(), APInt(type.getWidth(), bits));
  bool losesInformation = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInformation);
  return value.convertToDouble();
}

/// fp8e4b15 has its own way: toward zero to half precision, clamp, then up by half a unit of the last place.
static uint64_t encodeE4B15(FloatType type, double value) {
  const uint64_t bits = encode(Float16Type::get(type.getContext()), value, Rounding::TowardZero);
  const uint64_t magnitude = std::min<uint64_t>(bits & 0x7fff, 0x3f00);
  return (bits >> 8 & 0x80) | std::min<uint64_t>((magnitude + 0x40) >> 7, 0x7e);
}

uint64_t encode(FloatType type, double value, Rounding rounding, bool saturate) {
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  if (type.isF32() && rounding == Rounding::NearestEven)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  if (isE4B15(type))
    return encodeE4B15(type, value);
  const llvm::fltSemantics &format = type.getFloatSemantics();
  if (std::isnan(value))
    return APFloat::getQNaN(format, std::signbit(value)).bitcastToAPInt().getZExtValue();
  APFloat result(value);
  bool losesInformation = false;
  result.convert(format, rounding == Rounding::NearestEven ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero,
                 &losesInformation);
  // Toward zero, what is finite stays so.
  const bool clamps = saturate || (rounding == Rounding::TowardZero && std::isfinite(value));
  if (clamps && !result.isFinite())
    result = APFloat::getLargest(format, std::signbit(value));
  return result.bitcastToAPInt().getZExtValue();
}

static uint64_t encode(FloatType type, const APInt &value, bool isSigned) {
  // The largest integers are beyond its range by far: how they are rounded before makes no difference.
  if (isE4B15(type))
    return encode(type, value.roundToDouble(isSigned));
  APFloat result(type.getFloatSemantics());
  result.convertFromAPInt(value, isSigned, APFloat::rmNearestTiesToEven);
  return result.bitcastToAPInt().getZExtValue();
}

uint64_t encodeUnsigned(FloatType type, uint64_t value) { return encode(type, APInt(64, value), /*isSigned=*/false); }
uint64_t encodeInteger(FloatType type, int64_t value) {
  return encode(type, APInt(64, static_cast<uint64_t>(value)), /*isSigned=*/true);
}

} // namespace triton::interpreter
