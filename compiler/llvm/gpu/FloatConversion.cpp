#include "compiler/llvm/gpu/FloatConversion.h"

#include "compiler/llvm/gpu/Packing.h"

#include <cmath>

using namespace mlir;

namespace triton::simt {

namespace {

using Rounding = tensor::RoundingMode;

/// What an 8-bit float's bits mean, for conversion by integer arithmetic.
struct Format {
  enum Special {
    Ieee,    // the highest exponent holds infinities and NaNs
    Finite,  // all ones is NaN, there are no infinities
    Unsigned // minus zero is NaN, there are no infinities
  };
  int mantissa, bias;
  Special special;

  uint32_t largestCode() const {
    switch (special) {
    case Ieee:
      return 0x7f - (1 << mantissa);
    case Finite:
      return 0x7e;
    case Unsigned:
      return 0x7f;
    }
    return 0;
  }
  double decode(uint32_t code) const {
    int exponent = int(code >> mantissa), fraction = int(code & ((1u << mantissa) - 1));
    return exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                         : std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
  }
};

Format formatOf(Type type) {
  if (isa<Float8E5M2Type>(type))
    return {2, 15, Format::Ieee};
  if (isa<Float8E4M3FNType>(type))
    return {3, 7, Format::Finite};
  if (isa<Float8E4M3FNUZType>(type))
    return {3, 8, Format::Unsigned};
  assert(isa<Float8E5M2FNUZType>(type) && "the other 8-bit format has conversions of its own");
  return {2, 16, Format::Unsigned};
}

uint32_t bitsOf(double value) { return llvm::bit_cast<uint32_t>(static_cast<float>(value)); }

class Conversion {
public:
  explicit Conversion(Emitter &emitter) : emitter(emitter), builder(emitter.builder) {}

  Registers convert(llvm::ArrayRef<llvm::Value *> values, Type from, Type to, Rounding rounding) {
    if (from == to)
      return Registers(values);
    Type half = Float16Type::get(from.getContext()), single = Float32Type::get(from.getContext());
    if (tensor::isFloat8(from)) {
      // Every 8-bit float is an f16, so that is the way to all others.
      if (to == half)
        return widen(values, from);
      return convert(widen(values, from), half, to, rounding);
    }
    if (tensor::isFloat8(to))
      return narrowToByte(values, from, to, rounding);
    if (from.isF64())
      return fromDouble(values, to, rounding);
    if (to.isF32())
      return each(values, [&](llvm::Value *value) { return builder.CreateFPExt(value, builder.getFloatTy()); });
    if (to.isF64()) {
      Registers wide = from == single ? Registers(values) : convert(values, from, single, rounding);
      return each(wide, [&](llvm::Value *value) { return builder.CreateFPExt(value, builder.getDoubleTy()); });
    }
    if (from != single)
      return convert(convert(values, from, single, rounding), single, to, rounding);
    return fromSingle(values, to, rounding);
  }

private:
  template <typename FunctionT> Registers each(llvm::ArrayRef<llvm::Value *> values, FunctionT function) {
    Registers results;
    for (llvm::Value *value : values)
      results.push_back(function(value));
    return results;
  }

  /// Two values at a time, the first in the low half of what `function` makes of them; a single one beside a zero.
  template <typename FunctionT> Registers inPairs(llvm::ArrayRef<llvm::Value *> values, FunctionT function) {
    Registers results;
    for (size_t first = 0; first < values.size(); first += 2) {
      bool isPair = first + 1 < values.size();
      llvm::Value *low = values[first];
      llvm::Value *high = isPair ? values[first + 1] : llvm::Constant::getNullValue(low->getType());
      auto parts = unpack(builder, function(low, high));
      results.append(parts.begin(), parts.begin() + (isPair ? 2 : 1));
    }
    return results;
  }

  /// Bytes by an instruction that makes two, as an i16. Four are put into one word, which is how registers hold them.
  template <typename FunctionT> Registers inBytePairs(llvm::ArrayRef<llvm::Value *> values, FunctionT function) {
    Registers results;
    auto append = [&](llvm::Value *bits, unsigned count) {
      auto parts =
          unpack(builder, bitCast(builder, bits, llvm::FixedVectorType::get(builder.getInt8Ty(), std::max(count, 2u))));
      results.append(parts.begin(), parts.begin() + count);
    };
    for (; values.size() >= 4; values = values.drop_front(4))
      append(pack(builder, {function(values[0], values[1]), function(values[2], values[3])}), 4);
    for (; values.size() >= 2; values = values.drop_front(2))
      append(function(values[0], values[1]), 2);
    if (!values.empty())
      append(function(values[0], llvm::Constant::getNullValue(values[0]->getType())), 1);
    return results;
  }

  llvm::Value *word(uint32_t value) { return builder.getInt32(value); }

  Registers fromSingle(llvm::ArrayRef<llvm::Value *> values, Type to, Rounding rounding) {
    llvm::Type *element = emitter.type(to);
    if (rounding == Rounding::TowardZero)
      return inPairs(values, [&](llvm::Value *low, llvm::Value *high) -> llvm::Value * {
        return emitter.machine.truncatePair(emitter, low, high, to.isF16());
      });
    if (values.size() == 1)
      return {builder.CreateFPTrunc(values[0], element)};
    return inPairs(values, [&](llvm::Value *low, llvm::Value *high) {
      return builder.CreateFPTrunc(pack(builder, {low, high}), llvm::FixedVectorType::get(element, 2));
    });
  }

  llvm::Value *truncateToSingle(llvm::Value *value) { return emitter.machine.truncateToSingle(emitter, value); }

  /// An f32 that rounds to any narrower format as `value` does: toward zero, with the last bit set if that lost something.
  llvm::Value *roundToOdd(llvm::Value *value) {
    llvm::Value *truncated = truncateToSingle(value);
    llvm::Value *isInexact = builder.CreateFCmpUNE(builder.CreateFPExt(truncated, value->getType()), value);
    llvm::Value *bits = builder.CreateBitCast(truncated, builder.getInt32Ty());
    bits = builder.CreateOr(bits, builder.CreateZExt(isInexact, builder.getInt32Ty()));
    return builder.CreateBitCast(bits, builder.getFloatTy());
  }

  Registers fromDouble(llvm::ArrayRef<llvm::Value *> values, Type to, Rounding rounding) {
    bool isNearest = rounding == Rounding::NearestEven;
    if (isNearest && !to.isBF16())
      return each(values, [&](llvm::Value *value) { return builder.CreateFPTrunc(value, emitter.type(to)); });
    Registers singles =
        each(values, [&](llvm::Value *value) { return isNearest ? roundToOdd(value) : truncateToSingle(value); });
    return to.isF32() ? singles : fromSingle(singles, to, rounding);
  }

  Registers widen(llvm::ArrayRef<llvm::Value *> values, Type from) {
    auto *halves = llvm::FixedVectorType::get(builder.getHalfTy(), 2);
    if (isa<Float8E5M2Type>(from)) // the upper byte of an f16
      return inPairs(values, [&](llvm::Value *low, llvm::Value *high) {
        llvm::Value *zero = builder.getInt8(0);
        return bitCast(builder, pack(builder, {zero, low, zero, high}), halves);
      });
    if (isa<Float8E4M3B11FNUZType>(from)) // how tensor IR spells fp8e4b15: an f16 without its highest exponent bit
      return each(values, [&](llvm::Value *value) {
        llvm::Value *bits = builder.CreateZExt(value, builder.getInt16Ty());
        llvm::Value *magnitude = builder.CreateShl(builder.CreateAnd(bits, 0x7f), 7);
        llvm::Value *sign = builder.CreateShl(builder.CreateAnd(bits, 0x80), 8);
        return builder.CreateBitCast(builder.CreateOr(magnitude, sign), builder.getHalfTy());
      });
    if (emitter.machine.convertsFromBytes(from))
      return inPairs(values, [&](llvm::Value *low, llvm::Value *high) -> llvm::Value * {
        llvm::Value *pair = bitCast(builder, pack(builder, {low, high}), builder.getInt16Ty());
        return emitter.machine.fromBytes(emitter, from, pair);
      });
    return fromSingle(each(values, [&](llvm::Value *value) { return widenByHand(value, formatOf(from)); }),
                      Float16Type::get(from.getContext()), Rounding::NearestEven);
  }

  /// To f32. Without a leading one the value is a multiple of the smallest number: an integer conversion, since arithmetic might flush
  /// the denormal that shifted bits would be.
  llvm::Value *widenByHand(llvm::Value *value, Format format) {
    llvm::Value *bits = builder.CreateZExt(value, builder.getInt32Ty());
    llvm::Value *sign = builder.CreateShl(builder.CreateAnd(bits, 0x80), 24);
    llvm::Value *magnitude = builder.CreateAnd(bits, 0x7f);
    llvm::Value *normal =
        builder.CreateAdd(builder.CreateShl(magnitude, 23 - format.mantissa), word(uint32_t(127 - format.bias) << 23));
    llvm::Value *counted = builder.CreateUIToFP(magnitude, builder.getFloatTy());
    double spacing = std::ldexp(1.0, 1 - format.bias - format.mantissa);
    llvm::Value *small = builder.CreateBitCast(
        builder.CreateFMul(counted, llvm::ConstantFP::get(builder.getFloatTy(), spacing)), builder.getInt32Ty());
    llvm::Value *isSmall = builder.CreateICmpULT(magnitude, word(1u << format.mantissa));
    llvm::Value *result = builder.CreateSelect(isSmall, small, normal);
    if (format.special == Format::Ieee) {
      llvm::Value *isSpecial = builder.CreateICmpUGT(magnitude, word(format.largestCode()));
      result = builder.CreateSelect(isSpecial, builder.CreateOr(result, 0x7f800000), result);
    }
    result = builder.CreateOr(result, sign);
    if (format.special != Format::Ieee) {
      bool isFinite = format.special == Format::Finite;
      llvm::Value *isNan = builder.CreateICmpEQ(isFinite ? magnitude : bits, word(isFinite ? 0x7f : 0x80));
      result = builder.CreateSelect(isNan, word(0x7fc00000), result);
    }
    return builder.CreateBitCast(result, builder.getFloatTy());
  }

  Registers narrowToByte(llvm::ArrayRef<llvm::Value *> values, Type from, Type to, Rounding rounding) {
    Type half = Float16Type::get(from.getContext()), single = Float32Type::get(from.getContext());
    if (isa<Float8E4M3B11FNUZType>(to)) {
      Registers halves = from == half ? Registers(values) : convert(values, from, half, Rounding::TowardZero);
      return each(halves, [&](llvm::Value *value) { return narrowToE4B15(value); });
    }
    const bool isNative = emitter.machine.convertsToBytes(to) && rounding == Rounding::NearestEven;
    auto toBytes = [&](llvm::Value *low, llvm::Value *high) { return emitter.machine.toBytes(emitter, to, low, high); };
    if (isNative && from == half)
      return inBytePairs(values, toBytes);
    Registers singles =
        from.isF64()     ? each(values,
                                [&](llvm::Value *value) {
                              return rounding == Rounding::NearestEven ? roundToOdd(value) : truncateToSingle(value);
                                })
        : from == single ? Registers(values)
                         : convert(values, from, single, rounding);
    if (isNative)
      return inBytePairs(singles, toBytes);
    return each(singles, [&](llvm::Value *value) { return narrowByHand(value, formatOf(to), rounding); });
  }

  /// Clamps to 1.75, then adds half a unit of the last place.
  llvm::Value *narrowToE4B15(llvm::Value *half) {
    llvm::Value *bits = builder.CreateBitCast(half, builder.getInt16Ty());
    llvm::Value *sign = builder.CreateAnd(builder.CreateLShr(bits, 8), 0x80);
    llvm::Value *magnitude =
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, builder.CreateAnd(bits, 0x7fff), builder.getInt16(0x3f00));
    llvm::Value *code = builder.CreateLShr(builder.CreateAdd(magnitude, builder.getInt16(0x40)), 7);
    return builder.CreateTrunc(builder.CreateOr(code, sign), builder.getInt8Ty());
  }

  /// From f32, by its bits: positive floats order as their bits do, so clamping is an integer minimum and rounding an integer addition.
  llvm::Value *narrowByHand(llvm::Value *value, Format format, Rounding rounding) {
    bool isNearest = rounding == Rounding::NearestEven;
    llvm::Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
    llvm::Value *sign = builder.CreateAnd(builder.CreateLShr(bits, 24), 0x80);
    llvm::Value *magnitude = builder.CreateAnd(bits, 0x7fffffff);
    llvm::Value *isNan = builder.CreateICmpUGT(magnitude, word(0x7f800000));
    llvm::Value *clamped = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, magnitude,
                                                         word(bitsOf(format.decode(format.largestCode()))));
    int drop = 23 - format.mantissa;
    llvm::Value *rounded = clamped;
    if (isNearest) {
      llvm::Value *odd = builder.CreateAnd(builder.CreateLShr(clamped, drop), 1);
      rounded = builder.CreateAdd(builder.CreateAdd(clamped, word((1u << (drop - 1)) - 1)), odd);
    }
    llvm::Value *normal =
        builder.CreateSub(builder.CreateLShr(rounded, drop), word(uint32_t(127 - format.bias) << format.mantissa));
    // Below the smallest normal number codes count multiples of one spacing. Adding the float whose last place is that spacing rounds
    // to nearest even; toward zero is a multiplication and a truncating conversion.
    double spacing = std::ldexp(1.0, 1 - format.bias - format.mantissa);
    llvm::Type *single = builder.getFloatTy();
    llvm::Value *small = builder.CreateBitCast(clamped, single), *denormal;
    if (isNearest) {
      double magic = spacing * std::ldexp(1.0, 23);
      llvm::Value *sum = builder.CreateFAdd(small, llvm::ConstantFP::get(single, magic));
      denormal = builder.CreateSub(builder.CreateBitCast(sum, builder.getInt32Ty()), word(bitsOf(magic)));
    } else {
      llvm::Value *count = builder.CreateFMul(small, llvm::ConstantFP::get(single, 1.0 / spacing));
      denormal = emitter.machine.toInteger(emitter, count, /*isWide=*/false, /*isSigned=*/true);
    }
    llvm::Value *isSmall = builder.CreateICmpULT(clamped, word(bitsOf(std::ldexp(1.0, 1 - format.bias))));
    llvm::Value *code = builder.CreateSelect(isSmall, denormal, normal);
    llvm::Value *result = builder.CreateOr(code, sign);
    if (format.special == Format::Unsigned) // there is no minus zero
      result = builder.CreateSelect(builder.CreateICmpEQ(code, word(0)), code, result);
    uint32_t nan = format.special == Format::Unsigned ? 0x80 : 0x7f;
    result = builder.CreateSelect(isNan, word(nan), result);
    return builder.CreateTrunc(result, builder.getInt8Ty());
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
};

} // namespace

Registers convertFloats(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values, Type from, Type to, Rounding rounding) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(emitter.builder);
  emitter.builder.clearFastMathFlags();
  return Conversion(emitter).convert(values, from, to, rounding);
}

bool isStorageOnly(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16; }

} // namespace triton::simt
