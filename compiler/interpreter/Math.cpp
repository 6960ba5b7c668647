// What `math` means, and the elementwise ops of `tt`. Functions are evaluated in double and rounded once, which for f32 and narrower types
// is the nearest value but for rare ties; for f64 it is the C library's.
#include "compiler/interpreter/Operations.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace triton::interpreter {

static double fusedMultiplyAdd(Type type, double a, double b, double c) {
  // The product of two f32 fits a double, its sum with a third may not: only fmaf rounds once.
  return type.isF32() ? std::fmaf(a, b, c) : std::fma(a, b, c);
}

/// Functions of one float, by the name of their op.
static double (*findUnary(StringRef op))(double) {
  static const llvm::StringMap<double (*)(double)> table = {
      {"math.acos", [](double x) { return std::acos(x); }},
      {"math.acosh", [](double x) { return std::acosh(x); }},
      {"math.asin", [](double x) { return std::asin(x); }},
      {"math.asinh", [](double x) { return std::asinh(x); }},
      {"math.atan", [](double x) { return std::atan(x); }},
      {"math.atanh", [](double x) { return std::atanh(x); }},
      {"math.cbrt", [](double x) { return std::cbrt(x); }},
      {"math.ceil", [](double x) { return std::ceil(x); }},
      {"math.cos", [](double x) { return std::cos(x); }},
      {"math.cosh", [](double x) { return std::cosh(x); }},
      {"math.erf", [](double x) { return std::erf(x); }},
      {"math.erfc", [](double x) { return std::erfc(x); }},
      {"math.exp", [](double x) { return std::exp(x); }},
      {"math.exp2", [](double x) { return std::exp2(x); }},
      {"math.expm1", [](double x) { return std::expm1(x); }},
      {"math.floor", [](double x) { return std::floor(x); }},
      {"math.log", [](double x) { return std::log(x); }},
      {"math.log10", [](double x) { return std::log10(x); }},
      {"math.log1p", [](double x) { return std::log1p(x); }},
      {"math.log2", [](double x) { return std::log2(x); }},
      {"math.round", [](double x) { return std::round(x); }},
      {"math.sin", [](double x) { return std::sin(x); }},
      {"math.sinh", [](double x) { return std::sinh(x); }},
      {"math.sqrt", [](double x) { return std::sqrt(x); }},
      {"math.tan", [](double x) { return std::tan(x); }},
      {"math.tanh", [](double x) { return std::tanh(x); }},
      {"math.trunc", [](double x) { return std::trunc(x); }},
      {"math.roundeven", [](double x) { return std::nearbyint(x); }},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"tt.precise_sqrt", [](double x) { return std::sqrt(x); }},
  };
  return table.lookup(op);
}

static Answer evaluateUnary(Operation *op, ArrayRef<Array> operands) {
  auto function = findUnary(op->getName().getStringRef());
  if (!function)
    return std::nullopt;
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return Arrays{generate(type, operands, [&](size_t i) { return encode(type, function(operands[0].floatAt(i))); })};
}

static Answer evaluateFloatFunctions(Operation *op, ArrayRef<Array> operands) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto number = [&](unsigned operand, size_t i) { return operands[operand].floatAt(at(operands[operand], i)); };
  auto floats = [&](auto function) -> Answer {
    auto type = cast<FloatType>(element);
    return Arrays{generate(type, operands, [&](size_t i) { return encode(type, function(i)); })};
  };
  auto bools = [&](auto function) -> Answer { return Arrays{generate(element, operands, function)}; };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<math::AbsFOp>([&](auto) -> Answer {
        uint64_t magnitude = llvm::maskTrailingOnes<uint64_t>(bitWidth(element) - 1);
        return Arrays{generate(element, operands, [&](size_t i) { return operands[0].unsignedAt(i) & magnitude; })};
      })
      .Case<math::Atan2Op>(
          [&](auto) { return floats([&](size_t i) { return std::atan2(number(0, i), number(1, i)); }); })
      .Case<math::CopySignOp>(
          [&](auto) { return floats([&](size_t i) { return std::copysign(number(0, i), number(1, i)); }); })
      .Case<math::PowFOp>([&](auto) { return floats([&](size_t i) { return std::pow(number(0, i), number(1, i)); }); })
      .Case<math::FPowIOp>([&](auto) {
        return floats(
            [&](size_t i) { return std::pow(number(0, i), double(operands[1].signedAt(at(operands[1], i)))); });
      })
      .Case<math::FmaOp>([&](auto) {
        return floats([&](size_t i) { return fusedMultiplyAdd(element, number(0, i), number(1, i), number(2, i)); });
      })
      .Case<math::ClampFOp>([&](auto) {
        return floats([&](size_t i) { return std::fmin(std::fmax(number(0, i), number(1, i)), number(2, i)); });
      })
      .Case<math::IsFiniteOp>([&](auto) { return bools([&](size_t i) { return std::isfinite(number(0, i)); }); })
      .Case<math::IsInfOp>([&](auto) { return bools([&](size_t i) { return std::isinf(number(0, i)); }); })
      .Case<math::IsNaNOp>([&](auto) { return bools([&](size_t i) { return std::isnan(number(0, i)); }); })
      .Case<math::SincosOp>([&](auto) -> Answer {
        return Arrays{(*floats([&](size_t i) { return std::sin(number(0, i)); }))->front(),
                      (*floats([&](size_t i) { return std::cos(number(0, i)); }))->front()};
      })
      .Case<tensor::PreciseDivFOp>([&](auto) { return floats([&](size_t i) { return number(0, i) / number(1, i); }); })
      .Case<tensor::ClampFOp>([&](auto clamp) {
        bool keepsNan = clamp.getPropagateNan() == tensor::PropagateNan::All;
        return floats([&](size_t i) {
          double x = number(0, i);
          return keepsNan && std::isnan(x) ? x : std::fmin(std::fmax(x, number(1, i)), number(2, i));
        });
      })
      .Case<tensor::FpToFpOp>([&](auto convert) {
        auto type = cast<FloatType>(element);
        bool towardZero = convert.getRounding() == tensor::RoundingMode::TowardZero;
        return bools([&](size_t i) {
          return encode(type, number(0, i), towardZero ? Rounding::TowardZero : Rounding::NearestEven,
                        /*saturate=*/type.getWidth() == 8);
        });
      })
      .Default([](Operation *) { return Answer(); });
}

static uint64_t power(uint64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : 0;
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

static Answer evaluateIntegerFunctions(Operation *op, ArrayRef<Array> operands) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = bitWidth(element);
  auto bits = [&](unsigned operand, size_t i) { return operands[operand].unsignedAt(at(operands[operand], i)); };
  auto result = [&](auto function) -> Answer { return Arrays{generate(element, operands, function)}; };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<math::AbsIOp>([&](auto) {
        return result([&](size_t i) -> uint64_t {
          int64_t value = operands[0].signedAt(i);
          return value < 0 ? 0 - uint64_t(value) : value;
        });
      })
      .Case<math::CtPopOp>([&](auto) { return result([&](size_t i) { return llvm::popcount(bits(0, i)); }); })
      .Case<math::CountLeadingZerosOp>(
          [&](auto) { return result([&](size_t i) { return llvm::countl_zero(bits(0, i)) - (64 - width); }); })
      .Case<math::CountTrailingZerosOp>([&](auto) {
        return result([&](size_t i) { return std::min<unsigned>(llvm::countr_zero(bits(0, i)), width); });
      })
      .Case<math::IPowIOp>([&](auto) {
        return result([&](size_t i) { return power(bits(0, i), operands[1].signedAt(at(operands[1], i))); });
      })
      .Case<tensor::MulhiUIOp>([&](auto) {
        return result([&](size_t i) { return uint64_t((unsigned __int128)bits(0, i) * bits(1, i) >> width); });
      })
      .Case<tensor::BitcastOp, tensor::IntToPtrOp, tensor::PtrToIntOp>(
          [&](auto) { return result([&](size_t i) { return bits(0, i); }); })
      .Case<tensor::AddPtrOp>([&](auto) {
        Type pointee = cast<tensor::PointerType>(element).getPointeeType();
        uint64_t bytes = std::max(tensor::getElementBits(pointee) / 8, 1u);
        return result(
            [&](size_t i) { return bits(0, i) + uint64_t(operands[1].signedAt(at(operands[1], i))) * bytes; });
      })
      .Default([](Operation *) { return Answer(); });
}

static Answer evaluateExtern(tensor::ExternElementwiseOp op, ArrayRef<Array> operands) {
  Type element = getElementTypeOrSelf(op.getType());
  bool isKnown = true;
  Array result = generate(element, operands, [&](size_t i) {
    auto value = callLibrary(op.getSymbol(), element, operands, i);
    isKnown &= value.has_value();
    return value.value_or(0);
  });
  if (!isKnown)
    return FailureOr<Arrays>(op.emitError() << "extern_elementwise of '" << op.getSymbol()
                                            << "' is not supported in interpreter mode");
  return Arrays{result};
}

Answer evaluateMath(Operation *op, ArrayRef<Array> operands) {
  if (auto external = dyn_cast<tensor::ExternElementwiseOp>(op); external && !operands.empty())
    return evaluateExtern(external, operands);
  if (isa<tensor::ElementwiseInlineAsmOp>(op))
    return FailureOr<Arrays>(op->emitError() << "inline_asm_elementwise is not supported in interpreter mode");
  if (op->getNumResults() == 0 || operands.empty())
    return std::nullopt;
  for (auto evaluate : {evaluateUnary, evaluateFloatFunctions, evaluateIntegerFunctions})
    if (Answer answer = evaluate(op, operands))
      return answer;
  return std::nullopt;
}

} // namespace triton::interpreter
