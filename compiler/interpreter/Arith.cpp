// What `arith` means. Where it leaves a result open the result is a number all the same: for division by zero what NVIDIA's processors give (see
// `byZero`), the least number for its quotient by -1, 0 for shifts by the width or more, for conversions that do not fit the nearest there is.
#include "compiler/interpreter/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace triton::interpreter {

namespace {

/// One elementwise op: its operands, and the type of its result's elements.
struct Elementwise {
  ArrayRef<Array> operands;
  Type element;

  Elementwise(Operation *op, ArrayRef<Array> operands)
      : operands(operands), element(getElementTypeOrSelf(op->getResult(0).getType())) {}

  const Array &lhs() const { return operands[0]; }
  const Array &rhs() const { return operands[1]; }

  template <typename FunctionT> Answer onSigned(FunctionT function) const {
    return one([&](size_t i) { return function(lhs().signedAt(at(lhs(), i)), rhs().signedAt(at(rhs(), i))); });
  }
  template <typename FunctionT> Answer onUnsigned(FunctionT function) const {
    return one([&](size_t i) { return function(lhs().unsignedAt(at(lhs(), i)), rhs().unsignedAt(at(rhs(), i))); });
  }
  template <typename FunctionT> Answer onFloats(FunctionT function) const {
    auto type = cast<FloatType>(element);
    return one(
        [&](size_t i) { return encode(type, function(lhs().floatAt(at(lhs(), i)), rhs().floatAt(at(rhs(), i)))); });
  }
  template <typename FunctionT> Answer one(FunctionT function) const {
    return Arrays{generate(element, operands, function)};
  }
};

/// Integer division, for one width.
struct Division {
  unsigned width;

  /// Quotient and remainder of a division by zero: all bits set; of 64 bits only the lower half if the dividend's upper half is zero, since such
  /// numbers are divided in 32 bits.
  int64_t byZero(uint64_t dividend) const {
    constexpr int64_t all = -1, lower = 0xffffffff;
    return width == 64 && dividend <= uint64_t(lower) ? lower : all;
  }

  int64_t divide(int64_t a, int64_t b) const { return b == 0 ? byZero(a) : b == -1 ? int64_t(0 - uint64_t(a)) : a / b; }
  int64_t remainder(int64_t a, int64_t b) const { return b == 0 ? byZero(a) : b == -1 ? 0 : a % b; }
  uint64_t divideUnsigned(uint64_t a, uint64_t b) const { return b == 0 ? byZero(a) : a / b; }
  uint64_t remainderUnsigned(uint64_t a, uint64_t b) const { return b == 0 ? byZero(a) : a % b; }
};

/// `value` as an integer of `bits` bits, the nearest there is.
uint64_t toInteger(double value, unsigned bits, bool isSigned) {
  if (std::isnan(value))
    return 0;
  double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0, beyond = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  if (value <= low)
    return static_cast<uint64_t>(static_cast<int64_t>(low));
  if (value >= beyond)
    return isSigned ? llvm::maskTrailingOnes<uint64_t>(bits - 1) : llvm::maskTrailingOnes<uint64_t>(bits);
  return isSigned ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
}

/// The greater in the order in which -0.0 comes before +0.0. Neither is NaN.
double greater(double a, double b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : greater(a, b); }
double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : -greater(-a, -b); }
double maxnum(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : greater(a, b); }
double minnum(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : -greater(-a, -b); }

Answer evaluateIntegers(Operation *op, const Elementwise &on) {
  unsigned width = bitWidth(on.element);
  const Division by{width};
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<arith::AddIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return a + b; }); })
      .Case<arith::SubIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return a - b; }); })
      .Case<arith::MulIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return a * b; }); })
      .Case<arith::DivSIOp>([&](auto) { return on.onSigned([&](auto a, auto b) { return by.divide(a, b); }); })
      .Case<arith::RemSIOp>([&](auto) { return on.onSigned([&](auto a, auto b) { return by.remainder(a, b); }); })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return on.onSigned(
            [&](auto a, auto b) { return by.divide(a, b) - (by.remainder(a, b) != 0 && (a < 0) != (b < 0)); });
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        return on.onSigned(
            [&](auto a, auto b) { return by.divide(a, b) + (by.remainder(a, b) != 0 && (a < 0) == (b < 0)); });
      })
      .Case<arith::DivUIOp>(
          [&](auto) { return on.onUnsigned([&](auto a, auto b) { return by.divideUnsigned(a, b); }); })
      .Case<arith::CeilDivUIOp>([&](auto) {
        return on.onUnsigned(
            [&](auto a, auto b) { return by.divideUnsigned(a, b) + (by.remainderUnsigned(a, b) != 0); });
      })
      .Case<arith::RemUIOp>(
          [&](auto) { return on.onUnsigned([&](auto a, auto b) { return by.remainderUnsigned(a, b); }); })
      .Case<arith::AndIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return a & b; }); })
      .Case<arith::OrIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return a | b; }); })
      .Case<arith::XOrIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return a ^ b; }); })
      .Case<arith::ShLIOp>(
          [&](auto) { return on.onUnsigned([=](uint64_t a, uint64_t b) { return b >= width ? 0 : a << b; }); })
      .Case<arith::ShRUIOp>(
          [&](auto) { return on.onUnsigned([=](uint64_t a, uint64_t b) { return b >= width ? 0 : a >> b; }); })
      .Case<arith::ShRSIOp>([&](auto) {
        return on.one([&](size_t i) -> uint64_t {
          uint64_t count = on.rhs().unsignedAt(at(on.rhs(), i));
          return count >= width ? 0 : on.lhs().signedAt(at(on.lhs(), i)) >> count;
        });
      })
      .Case<arith::MaxSIOp>([&](auto) { return on.onSigned([](int64_t a, int64_t b) { return std::max(a, b); }); })
      .Case<arith::MinSIOp>([&](auto) { return on.onSigned([](int64_t a, int64_t b) { return std::min(a, b); }); })
      .Case<arith::MaxUIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return std::max(a, b); }); })
      .Case<arith::MinUIOp>([&](auto) { return on.onUnsigned([](uint64_t a, uint64_t b) { return std::min(a, b); }); })
      .Default([](Operation *) { return Answer(); });
}

Answer evaluateFloats(Operation *op, const Elementwise &on) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<arith::AddFOp>([&](auto) { return on.onFloats([](double a, double b) { return a + b; }); })
      .Case<arith::SubFOp>([&](auto) { return on.onFloats([](double a, double b) { return a - b; }); })
      .Case<arith::MulFOp>([&](auto) { return on.onFloats([](double a, double b) { return a * b; }); })
      .Case<arith::DivFOp>([&](auto) { return on.onFloats([](double a, double b) { return a / b; }); })
      .Case<arith::RemFOp>([&](auto) { return on.onFloats([](double a, double b) { return std::fmod(a, b); }); })
      .Case<arith::MaximumFOp>([&](auto) { return on.onFloats(maximum); })
      .Case<arith::MinimumFOp>([&](auto) { return on.onFloats(minimum); })
      .Case<arith::MaxNumFOp>([&](auto) { return on.onFloats(maxnum); })
      .Case<arith::MinNumFOp>([&](auto) { return on.onFloats(minnum); })
      .Case<arith::NegFOp>([&](auto) {
        uint64_t sign = uint64_t(1) << (bitWidth(on.element) - 1);
        return on.one([&](size_t i) { return on.lhs().unsignedAt(i) ^ sign; });
      })
      .Default([](Operation *) { return Answer(); });
}

bool compare(arith::CmpIPredicate predicate, const Array &a, size_t i, const Array &b, size_t j) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a.unsignedAt(i) == b.unsignedAt(j);
  case arith::CmpIPredicate::ne:
    return a.unsignedAt(i) != b.unsignedAt(j);
  case arith::CmpIPredicate::slt:
    return a.signedAt(i) < b.signedAt(j);
  case arith::CmpIPredicate::sle:
    return a.signedAt(i) <= b.signedAt(j);
  case arith::CmpIPredicate::sgt:
    return a.signedAt(i) > b.signedAt(j);
  case arith::CmpIPredicate::sge:
    return a.signedAt(i) >= b.signedAt(j);
  case arith::CmpIPredicate::ult:
    return a.unsignedAt(i) < b.unsignedAt(j);
  case arith::CmpIPredicate::ule:
    return a.unsignedAt(i) <= b.unsignedAt(j);
  case arith::CmpIPredicate::ugt:
    return a.unsignedAt(i) > b.unsignedAt(j);
  case arith::CmpIPredicate::uge:
    return a.unsignedAt(i) >= b.unsignedAt(j);
  }
  return false;
}

bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

Answer evaluateChoices(Operation *op, const Elementwise &on) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<arith::CmpIOp>([&](auto cmp) {
        return on.one([&](size_t i) {
          return compare(cmp.getPredicate(), on.lhs(), at(on.lhs(), i), on.rhs(), at(on.rhs(), i));
        });
      })
      .Case<arith::CmpFOp>([&](auto cmp) {
        return on.one([&](size_t i) {
          return compare(cmp.getPredicate(), on.lhs().floatAt(at(on.lhs(), i)), on.rhs().floatAt(at(on.rhs(), i)));
        });
      })
      .Case<arith::SelectOp>([&](auto) -> Answer {
        // A scalar condition chooses between values of any kind, block pointers among them.
        if (on.operands[0].size() == 1)
          return Arrays{on.operands[0].unsignedAt(0) ? on.operands[1] : on.operands[2]};
        return on.one([&](size_t i) {
          const Array &chosen = on.operands[0].unsignedAt(i) ? on.operands[1] : on.operands[2];
          return chosen.unsignedAt(at(chosen, i));
        });
      })
      .Default([](Operation *) { return Answer(); });
}

Answer evaluateCasts(Operation *op, const Elementwise &on) {
  const Array &from = on.lhs();
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return on.one([&](size_t i) { return from.signedAt(i); }); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp, arith::BitcastOp>(
          [&](auto) { return on.one([&](size_t i) { return from.unsignedAt(i); }); })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return on.one([&](size_t i) { return encode(cast<FloatType>(on.element), from.floatAt(i)); }); })
      .Case<arith::SIToFPOp>([&](auto) {
        return on.one([&](size_t i) { return encodeInteger(cast<FloatType>(on.element), from.signedAt(i)); });
      })
      .Case<arith::UIToFPOp>([&](auto) {
        return on.one([&](size_t i) { return encodeUnsigned(cast<FloatType>(on.element), from.unsignedAt(i)); });
      })
      .Case<arith::FPToSIOp>([&](auto) {
        return on.one([&](size_t i) { return toInteger(from.floatAt(i), bitWidth(on.element), true); });
      })
      .Case<arith::FPToUIOp>([&](auto) {
        return on.one([&](size_t i) { return toInteger(from.floatAt(i), bitWidth(on.element), false); });
      })
      .Default([](Operation *) { return Answer(); });
}

/// The ops with two results: low and high half of a product, sum and carry.
Answer evaluateWide(Operation *op, const Elementwise &on) {
  unsigned width = bitWidth(on.element);
  auto both = [&](auto low, auto high) -> Answer {
    return Arrays{generate(on.element, on.operands, low),
                  generate(getElementTypeOrSelf(op->getResult(1).getType()), on.operands, high)};
  };
  auto left = [&](size_t i) { return on.lhs().unsignedAt(at(on.lhs(), i)); };
  auto right = [&](size_t i) { return on.rhs().unsignedAt(at(on.rhs(), i)); };
  auto leftSigned = [&](size_t i) { return on.lhs().signedAt(at(on.lhs(), i)); };
  auto rightSigned = [&](size_t i) { return on.rhs().signedAt(at(on.rhs(), i)); };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<arith::AddUIExtendedOp>([&](auto) {
        return both([&](size_t i) { return left(i) + right(i); },
                    [&](size_t i) { return truncate(on.element, left(i) + right(i)) < left(i); });
      })
      .Case<arith::MulUIExtendedOp>([&](auto) {
        return both([&](size_t i) { return left(i) * right(i); },
                    [&](size_t i) { return uint64_t((unsigned __int128)left(i) * right(i) >> width); });
      })
      .Case<arith::MulSIExtendedOp>([&](auto) {
        return both([&](size_t i) { return uint64_t(leftSigned(i)) * uint64_t(rightSigned(i)); },
                    [&](size_t i) { return uint64_t((__int128)leftSigned(i) * rightSigned(i) >> width); });
      })
      .Default([](Operation *) { return Answer(); });
}

} // namespace

Answer evaluateArith(Operation *op, ArrayRef<Array> operands) {
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto array = Array::constant(constant.getValue(), constant.getType()))
      return Arrays{*array};
    return std::nullopt;
  }
  Elementwise on(op, operands);
  for (auto evaluate : {evaluateIntegers, evaluateFloats, evaluateChoices, evaluateCasts, evaluateWide})
    if (Answer answer = evaluate(op, on))
      return answer;
  return std::nullopt;
}

} // namespace triton::interpreter
