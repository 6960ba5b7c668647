// Conversions between number formats: `arith` casts, tt.fp_to_fp, and reading bits as another type.
// Where `arith` leaves a result open the nearest number is given: floats too large for an integer type become its largest.
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/FloatConversion.h"
#include "compiler/llvm/gpu/Packing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace mlir;

namespace triton::simt {

template <typename FunctionT> static Registers forEach(llvm::ArrayRef<llvm::Value *> values, FunctionT function) {
  Registers results;
  for (llvm::Value *value : values)
    results.push_back(function(value));
  return results;
}

/// f32 or f64 to an integer, toward zero. The instructions saturate to 32 and 64 bits; fewer are clamped here.
static llvm::Value *floatToInteger(Emitter &emitter, llvm::Value *value, unsigned bits, bool isSigned) {
  llvm::Value *whole = emitter.machine.toInteger(emitter, value, /*isWide=*/bits > 32, isSigned);
  if (bits >= 32)
    return whole;
  auto limit = [&](llvm::Intrinsic::ID clamp, const llvm::APInt &bound) {
    whole = emitter.builder.CreateBinaryIntrinsic(clamp, whole, emitter.builder.getInt(bound));
  };
  if (isSigned) {
    limit(llvm::Intrinsic::smax, llvm::APInt::getSignedMinValue(bits).sext(32));
    limit(llvm::Intrinsic::smin, llvm::APInt::getSignedMaxValue(bits).sext(32));
  } else {
    limit(llvm::Intrinsic::umin, llvm::APInt::getMaxValue(bits).zext(32));
  }
  return emitter.builder.CreateTrunc(whole, emitter.builder.getIntNTy(bits));
}

namespace {
/// Integers and what they lie between, both included.
struct Range {
  int64_t least, most;
};
} // namespace

/// What is known of an integer: the bits of a number, and a constant that is added to it.
static std::optional<Range> rangeOf(const llvm::DataLayout &layout, llvm::Value *value, bool isSigned) {
  const unsigned bits = value->getType()->getIntegerBitWidth();
  if (bits > 32)
    return std::nullopt;
  int64_t added = 0;
  llvm::ConstantInt *constant = nullptr;
  using namespace llvm::PatternMatch;
  llvm::Value *number = value;
  if (match(value, m_Add(m_Value(number), m_ConstantInt(constant))))
    added = constant->getSExtValue();
  else if (match(value, m_Sub(m_Value(number), m_ConstantInt(constant))))
    added = -constant->getSExtValue();
  const llvm::KnownBits known = llvm::computeKnownBits(number, layout);
  const Range range = isSigned ? Range{known.getSignedMinValue().getSExtValue() + added,
                                       known.getSignedMaxValue().getSExtValue() + added}
                               : Range{static_cast<int64_t>(known.getMinValue().getZExtValue()) + added,
                                       static_cast<int64_t>(known.getMaxValue().getZExtValue()) + added};
  const bool wraps = isSigned ? range.least < llvm::minIntN(bits) || range.most > llvm::maxIntN(bits)
                              : range.least < 0 || range.most > static_cast<int64_t>(llvm::maxUIntN(bits));
  return wraps ? std::nullopt : std::optional(range);
}

/// Two integers of a small range as 16-bit floats, by arithmetic on floats: the instruction for it has a quarter of the rate. With `one` the float whose
/// last place is 1, `one + (n - least)` is written as bits, and the subtraction of `one - least` is exact. Nothing if the range is too large.
static std::optional<Registers> smallIntegersToFloats(Emitter &emitter, llvm::ArrayRef<llvm::Value *> pair, Type to,
                                                      bool isSigned) {
  const bool isHalf = to.isF16();
  // bf16 has arithmetic of its own from sm_90 on.
  if (pair.size() != 2 || !(isHalf || (to.isBF16() && emitter.target().capability >= 90)))
    return std::nullopt;
  const int64_t one = isHalf ? 1024 : 128, bits = isHalf ? 0x6400 : 0x4300;
  llvm::IRBuilder<> &builder = emitter.builder;
  const llvm::DataLayout &layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  llvm::Type *type = emitter.type(to), *word = builder.getInt32Ty();
  llvm::Value *written = emitter.i32(bits << 16 | bits);
  llvm::SmallVector<llvm::Constant *, 2> subtracted;
  for (auto [index, value] : llvm::enumerate(pair)) {
    const std::optional<Range> range = rangeOf(layout, value, isSigned);
    if (!range || range->most - range->least >= one || range->least < -one || range->least > one)
      return std::nullopt;
    llvm::Value *wide = isSigned ? builder.CreateSExt(value, word) : builder.CreateZExt(value, word);
    llvm::Value *above = builder.CreateSub(wide, emitter.i32(range->least));
    written = builder.CreateOr(written, builder.CreateShl(above, 16 * index));
    subtracted.push_back(llvm::ConstantFP::get(type, static_cast<double>(one - range->least)));
  }
  auto *vector = llvm::FixedVectorType::get(type, 2);
  return Registers(unpack(
      builder, builder.CreateFSub(builder.CreateBitCast(written, vector), llvm::ConstantVector::get(subtracted))));
}

/// An integer to any float, rounded once. There is no instruction for bf16 on older chips, nor for 8-bit floats: through f64, which holds
/// 32-bit integers exactly, and f32 otherwise.
static Registers integerToFloat(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values, Type from, Type to,
                                bool isSigned) {
  llvm::IRBuilder<> &builder = emitter.builder;
  auto make = [&](Type type) {
    return forEach(values, [&](llvm::Value *value) {
      llvm::Type *result = emitter.type(type);
      return isSigned ? builder.CreateSIToFP(value, result) : builder.CreateUIToFP(value, result);
    });
  };
  auto pairs = [&]() -> std::optional<Registers> {
    Registers results;
    for (size_t first = 0; first < values.size(); first += 2) {
      auto pair =
          smallIntegersToFloats(emitter, values.slice(first, std::min<size_t>(2, values.size() - first)), to, isSigned);
      if (!pair)
        return std::nullopt;
      llvm::append_range(results, *pair);
    }
    return results;
  };
  if (std::optional<Registers> small = pairs())
    return *small;
  unsigned bits = from.getIntOrFloatBitWidth();
  Type single = Float32Type::get(to.getContext()), wide = Float64Type::get(to.getContext());
  if (to.getIntOrFloatBitWidth() >= 32 || to.isF16())
    return make(to);
  Type middle = bits <= 24 ? single : wide;
  return convertFloats(emitter, make(middle), middle, to);
}

static Registers resizeIntegers(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values, Type to, bool isSigned) {
  llvm::IRBuilder<> &builder = emitter.builder;
  return forEach(values, [&](llvm::Value *value) {
    return isSigned ? builder.CreateSExtOrTrunc(value, emitter.type(to))
                    : builder.CreateZExtOrTrunc(value, emitter.type(to));
  });
}

Emitted emitCasts(Emitter &emitter, Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() != 1)
    return std::nullopt;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType()), to = getElementTypeOrSelf(op->getResult(0).getType());
  llvm::IRBuilder<> &builder = emitter.builder;
  auto values = [&] { return Registers(emitter.registers(op->getOperand(0))); };
  auto result = [&](Registers registers) -> Emitted {
    emitter.define(op->getResult(0), std::move(registers));
    return success();
  };
  auto toInteger = [&](bool isSigned) {
    Registers wide = values();
    if (from.getIntOrFloatBitWidth() < 32)
      wide = convertFloats(emitter, wide, from, Float32Type::get(from.getContext()));
    return result(forEach(wide, [&](llvm::Value *value) {
      return floatToInteger(emitter, value, to.getIntOrFloatBitWidth(), isSigned);
    }));
  };
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return result(resizeIntegers(emitter, values(), to, true)); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
          [&](auto) { return result(resizeIntegers(emitter, values(), to, false)); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return result(convertFloats(emitter, values(), from, to)); })
      .Case([&](tensor::FpToFpOp convert) {
        return result(convertFloats(emitter, values(), from, to,
                                    convert.getRounding().value_or(tensor::RoundingMode::NearestEven)));
      })
      .Case([&](arith::SIToFPOp) { return result(integerToFloat(emitter, values(), from, to, true)); })
      .Case([&](arith::UIToFPOp) { return result(integerToFloat(emitter, values(), from, to, false)); })
      .Case([&](arith::FPToSIOp) { return toInteger(true); })
      .Case([&](arith::FPToUIOp) { return toInteger(false); })
      .Case<arith::BitcastOp, tensor::BitcastOp, tensor::PtrToIntOp, tensor::IntToPtrOp>([&](auto) {
        return result(forEach(values(), [&](llvm::Value *value) { return bitCast(builder, value, emitter.type(to)); }));
      })
      .Default([](Operation *) { return Emitted(); });
}

} // namespace triton::simt
