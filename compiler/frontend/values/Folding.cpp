#include "compiler/frontend/values/Folding.h"

#include "compiler/frontend/Builtins.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace triton::frontend;
using llvm::Error;
using llvm::Expected;
using Op = BinaryOperation;

static constexpr llvm::StringLiteral binaryTexts[] = {"+", "-", "*", "/",  "//", "%", "**", "<<", ">>", "&",
                                                      "|", "^", "@", "==", "!=", "<", "<=", ">",  ">="};
static constexpr llvm::StringLiteral unaryTexts[] = {"-", "+", "~", "not "};

llvm::StringRef triton::frontend::spelling(BinaryOperation operation) {
  return binaryTexts[static_cast<unsigned>(operation)];
}

llvm::StringRef triton::frontend::spelling(UnaryOperation operation) {
  return unaryTexts[static_cast<unsigned>(operation)];
}

template <typename Operation>
static std::optional<Operation> find(llvm::ArrayRef<llvm::StringLiteral> texts, llvm::StringRef spelled) {
  for (const auto &[index, text] : llvm::enumerate(texts))
    if (text.rtrim() == spelled)
      return static_cast<Operation>(index);
  return std::nullopt;
}

std::optional<BinaryOperation> triton::frontend::binaryOperation(llvm::StringRef spelled) {
  return find<BinaryOperation>(binaryTexts, spelled);
}

std::optional<UnaryOperation> triton::frontend::unaryOperation(llvm::StringRef spelled) {
  return find<UnaryOperation>(unaryTexts, spelled);
}

static bool isComparison(Op operation) { return operation >= Op::Eq; }

std::string triton::frontend::classNameOf(const Value &value) {
  if (value.isNone())
    return "NoneType";
  if (value.is<bool>())
    return "bool";
  if (value.is<Integer>())
    return "int";
  if (value.is<double>())
    return "float";
  if (value.is<std::string>())
    return "str";
  if (value.is<Type>())
    return "dtype";
  if (auto *tuple = value.tuple())
    return tuple->isList ? "list" : "tuple";
  if (value.isTensor())
    return "tensor";
  if (value.descriptor())
    return "tensor_descriptor";
  if (auto *aggregate = value.aggregate())
    return aggregate->className;
  if (value.is<std::shared_ptr<const SliceValue>>())
    return "slice";
  if (value.is<EllipsisValue>())
    return "ellipsis";
  if (value.is<ModuleValue>())
    return "module";
  if (auto *builtin = value.getIf<const Builtin *>(); builtin && (*builtin)->kind == Builtin::Kind::Class)
    return "type";
  if (auto *object = value.getIf<HostObject>())
    return object->host->className(*object);
  return "function";
}

static Error unsupported(Op operation, const Value &lhs, const Value &rhs) {
  return hostError("TypeError", ("unsupported operand types for " + spelling(operation) + ": '" + classNameOf(lhs) +
                                 "' and '" + classNameOf(rhs) + "'")
                                    .str());
}

static bool isIntegral(const Value &value) { return value.is<bool>() || value.is<Integer>(); }
static Integer asInteger(const Value &value) {
  return value.is<bool>() ? Integer(value.get<bool>() ? 1 : 0) : value.get<Integer>();
}
/// The float that a number becomes next to another one; OverflowError if there is none.
static Expected<double> asDouble(const Value &value) {
  if (value.is<double>())
    return value.get<double>();
  return toFiniteDouble(asInteger(value));
}

/// The integer next to a finite float towards zero.
static Integer truncated(double number) {
  llvm::APSInt bits(1100, /*isUnsigned=*/false);
  bool exact = false;
  llvm::APFloat(number).convertToInteger(bits, llvm::APFloat::rmTowardZero, &exact);
  return fromBits(bits.trunc(bits.getSignificantBits()), /*isSigned=*/true);
}

static std::optional<int> compareToReal(const Integer &integer, double real) {
  if (std::isnan(real))
    return std::nullopt;
  if (std::isinf(real))
    return real > 0 ? -1 : 1;
  const Integer whole = truncated(real);
  if (integer != whole)
    return integer < whole ? -1 : 1;
  const double fraction = real - std::trunc(real);
  return fraction > 0 ? -1 : fraction < 0 ? 1 : 0;
}

std::optional<int> triton::frontend::compareNumbers(const Value &a, const Value &b) {
  auto *realA = a.getIf<double>(), *realB = b.getIf<double>();
  if (realA && realB) {
    if (std::isnan(*realA) || std::isnan(*realB))
      return std::nullopt;
    return *realA < *realB ? -1 : *realA > *realB;
  }
  if (realB)
    return compareToReal(asInteger(a), *realB);
  if (realA) {
    std::optional<int> order = compareToReal(asInteger(b), *realA);
    return order ? std::optional(-*order) : order;
  }
  const Integer integerA = asInteger(a), integerB = asInteger(b);
  return integerA < integerB ? -1 : integerA > integerB;
}

bool triton::frontend::identical(const Value &a, const Value &b) {
  if (a.isNone() || b.isNone())
    return a.isNone() && b.isNone();
  if (a.isTensor() && b.isTensor())
    return a.get<TensorValue>().ir == b.get<TensorValue>().ir;
  return a.isCompileTime() && b.isCompileTime() && a.key() == b.key();
}

template <typename T> static std::optional<bool> compare(Op operation, const T &a, const T &b) {
  switch (operation) {
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  case Op::Gt:
    return a > b;
  case Op::Ge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

/// Beyond this an integer is surely a mistake, and would take the compiler's time and memory.
static constexpr unsigned maxIntegerBits = 1 << 16;

static Expected<Value> floatPower(double base, double exponent) {
  if (base == 0 && exponent < 0)
    return hostError("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent))
    return hostError("ValueError", "a negative number to a fractional power is complex");
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent))
    return hostError("OverflowError", "(34, 'Numerical result out of range')");
  return Value::real(result);
}

/// The float nearest to `a / b`, as Python divides integers: the quotient is rounded once.
static Expected<Value> divide(const Integer &a, const Integer &b) {
  const Integer numerator = abs(a), denominator = abs(b);
  // 64 bits of the quotient and a bit that says whether something is left are enough to round at any of its 53.
  const int64_t scale = int64_t(bitLength(denominator)) - int64_t(bitLength(numerator)) + 64;
  llvm::APInt top = toBits(numerator, bitLength(numerator) + 1 + std::max<int64_t>(scale, 0));
  llvm::APInt bottom = toBits(denominator, bitLength(denominator) + 1 + std::max<int64_t>(-scale, 0));
  const unsigned width = std::max(top.getBitWidth(), bottom.getBitWidth());
  top = top.zext(width) << std::max<int64_t>(scale, 0);
  bottom = bottom.zext(width) << std::max<int64_t>(-scale, 0);
  llvm::APInt quotient, rest;
  llvm::APInt::udivrem(top, bottom, quotient, rest);
  llvm::APInt sticky = quotient.zextOrTrunc(80).shl(1);
  if (!rest.isZero())
    sticky.setBit(0);
  llvm::APFloat exact(llvm::APFloat::IEEEquad());
  exact.convertFromAPInt(sticky, /*IsSigned=*/false, llvm::APFloat::rmNearestTiesToEven);
  exact = llvm::scalbn(exact, static_cast<int>(-scale - 1), llvm::APFloat::rmNearestTiesToEven);
  bool losesInformation = false;
  exact.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInformation);
  if (exact.isInfinity())
    return hostError("OverflowError", "integer division result too large for a float");
  const double result = exact.convertToDouble();
  return Value::real((a < 0) == (b < 0) ? result : -result);
}

static Expected<Value> power(Integer base, Integer exponent) {
  if (exponent < 0) {
    auto realBase = toFiniteDouble(base), realExponent = toFiniteDouble(exponent);
    if (!realBase || !realExponent)
      return llvm::joinErrors(realBase.takeError(), realExponent.takeError());
    return floatPower(*realBase, *realExponent);
  }
  if (bitLength(base) > 1 && exponent * bitLength(base) > maxIntegerBits)
    return hostError("OverflowError", toString(base) + " ** " + toString(exponent) + " is too large");
  Integer result(1);
  while (exponent > 0) {
    Integer half = floorDiv(exponent, Integer(2));
    if (exponent - half * 2 == 1)
      result *= base;
    exponent = half;
    if (exponent > 0)
      base *= base;
  }
  return Value::integer(result);
}

static Expected<Value> shift(Op operation, const Integer &value, const Integer &count) {
  if (count < 0)
    return hostError("ValueError", "negative shift count");
  if (operation == Op::LShift && value != 0 && count + bitLength(value) > maxIntegerBits)
    return hostError("OverflowError", "shift count " + toString(count) + " is too large");
  if (operation == Op::RShift && count > bitLength(value))
    return Value::integer(value < 0 ? -1 : 0);
  auto factor = power(Integer(2), count);
  if (!factor)
    return factor.takeError();
  const Integer &scale = factor->get<Integer>();
  return Value::integer(operation == Op::LShift ? value * scale : floorDiv(value, scale));
}

static Expected<Value> foldIntegers(Op operation, const Value &lhs, const Value &rhs) {
  Integer a = asInteger(lhs), b = asInteger(rhs);
  bool bothBool = lhs.is<bool>() && rhs.is<bool>();
  switch (operation) {
  case Op::Add:
    return Value::integer(a + b);
  case Op::Sub:
    return Value::integer(a - b);
  case Op::Mul:
    if (bitLength(a) + bitLength(b) > maxIntegerBits)
      return hostError("OverflowError", "the product is too large");
    return Value::integer(a * b);
  case Op::TrueDiv:
  case Op::FloorDiv:
  case Op::Mod: {
    if (b == 0)
      return hostError("ZeroDivisionError", "division by zero");
    if (operation == Op::TrueDiv)
      return divide(a, b);
    Integer quotient = floorDiv(a, b);
    return Value::integer(operation == Op::FloorDiv ? quotient : a - quotient * b);
  }
  case Op::Pow:
    return power(a, b);
  case Op::LShift:
  case Op::RShift:
    return shift(operation, a, b);
  case Op::And:
  case Op::Or:
  case Op::Xor: {
    unsigned bits = std::max(bitLength(a), bitLength(b)) + 1;
    llvm::APInt x = toBits(a, bits), y = toBits(b, bits);
    llvm::APInt result = operation == Op::And ? x & y : operation == Op::Or ? x | y : x ^ y;
    return bothBool ? Value::boolean(!result.isZero()) : Value::integer(fromBits(result, /*isSigned=*/true));
  }
  default:
    break;
  }
  if (auto result = compare(operation, a, b))
    return Value::boolean(*result);
  return unsupported(operation, lhs, rhs);
}

/// Python's float `//` and `%`: floored, the remainder takes the divisor's sign.
static Expected<Value> floorDivide(Op operation, double a, double b) {
  if (b == 0)
    return hostError("ZeroDivisionError", "division by zero");
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) {
    remainder += b;
    quotient -= 1;
  }
  if (operation == Op::Mod)
    return Value::real(remainder == 0 ? std::copysign(0.0, b) : remainder);
  if (quotient == 0)
    return Value::real(std::copysign(0.0, a / b));
  double floored = std::floor(quotient);
  return Value::real(quotient - floored > 0.5 ? floored + 1 : floored);
}

static Expected<Value> foldFloats(Op operation, const Value &lhs, const Value &rhs) {
  if (isComparison(operation)) {
    const std::optional<int> order = compareNumbers(lhs, rhs);
    return Value::boolean(order ? *compare(operation, *order, 0) : operation == Op::Ne);
  }
  auto left = asDouble(lhs), right = asDouble(rhs);
  if (!left || !right)
    return llvm::joinErrors(left.takeError(), right.takeError());
  const double a = *left, b = *right;
  switch (operation) {
  case Op::Add:
    return Value::real(a + b);
  case Op::Sub:
    return Value::real(a - b);
  case Op::Mul:
    return Value::real(a * b);
  case Op::TrueDiv:
    if (b == 0)
      return hostError("ZeroDivisionError", "division by zero");
    return Value::real(a / b);
  case Op::FloorDiv:
  case Op::Mod:
    return floorDivide(operation, a, b);
  case Op::Pow:
    return floatPower(a, b);
  default:
    return unsupported(operation, lhs, rhs);
  }
}

/// Likewise of strings and tuples: what doubles with every statement ends here, not with the machine's memory.
static constexpr size_t maxSequence = 1 << 20;

static llvm::Error checkLength(size_t length) {
  if (length <= maxSequence)
    return llvm::Error::success();
  return hostError("MemoryError",
                   "a sequence of " + std::to_string(length) + " is too long: at most " + std::to_string(maxSequence));
}

static Expected<Value> repeat(const Value &sequence, const Integer &count) {
  const size_t length = sequence.tuple() ? sequence.tuple()->elements.size() : sequence.get<std::string>().size();
  std::optional<int64_t> times = length == 0 || count <= 0 ? 0 : toInt64(count);
  if (!times || static_cast<uint64_t>(*times) > maxSequence / std::max<size_t>(length, 1))
    return hostError("MemoryError", "the repeated sequence is too long");
  if (!sequence.tuple()) {
    std::string text;
    for (int64_t i = 0; i < *times; ++i)
      text += sequence.get<std::string>();
    return Value::string(std::move(text));
  }
  std::vector<Value> elements;
  for (int64_t i = 0; i < *times; ++i)
    llvm::append_range(elements, sequence.tuple()->elements);
  return sequence.tuple()->isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
}

static Expected<Value> foldTuples(Op operation, const Value &lhs, const Value &rhs) {
  const auto &a = lhs.tuple()->elements, &b = rhs.tuple()->elements;
  if (lhs.tuple()->isList != rhs.tuple()->isList)
    return unsupported(operation, lhs, rhs);
  if (operation == Op::Add) {
    if (llvm::Error error = checkLength(a.size() + b.size()))
      return std::move(error);
    std::vector<Value> elements(a);
    llvm::append_range(elements, b);
    return lhs.tuple()->isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
  }
  if (!isComparison(operation))
    return unsupported(operation, lhs, rhs);
  for (auto [x, y] : llvm::zip(a, b)) {
    if (!x.isCompileTime() || !y.isCompileTime())
      return hostError("TypeError", "tuples of run-time values cannot be compared");
    if (equalConstants(x, y))
      continue;
    return operation == Op::Eq || operation == Op::Ne ? Expected<Value>(Value::boolean(operation == Op::Ne))
                                                      : fold(operation, x, y);
  }
  return Value::boolean(*compare(operation, a.size(), b.size()));
}

static Expected<Value> foldStrings(Op operation, const Value &lhs, const Value &rhs) {
  const std::string &a = lhs.get<std::string>(), &b = rhs.get<std::string>();
  if (operation == Op::Add) {
    if (llvm::Error error = checkLength(a.size() + b.size()))
      return std::move(error);
    return Value::string(a + b);
  }
  if (auto result = compare(operation, a, b))
    return Value::boolean(*result);
  return unsupported(operation, lhs, rhs);
}

Expected<Value> triton::frontend::fold(BinaryOperation operation, const Value &lhs, const Value &rhs) {
  for (const Value *operand : {&lhs, &rhs})
    if (auto *object = operand->getIf<HostObject>())
      return object->host->binary(operation, lhs, rhs);
  if (isIntegral(lhs) && isIntegral(rhs))
    return foldIntegers(operation, lhs, rhs);
  if (lhs.isNumber() && rhs.isNumber())
    return foldFloats(operation, lhs, rhs);
  if (lhs.tuple() && rhs.tuple() && (lhs.tuple()->isList == rhs.tuple()->isList || !isComparison(operation)))
    return foldTuples(operation, lhs, rhs);
  if (lhs.is<std::string>() && rhs.is<std::string>())
    return foldStrings(operation, lhs, rhs);
  if (operation == Op::Mul && isIntegral(rhs) && (lhs.tuple() || lhs.is<std::string>()))
    return repeat(lhs, asInteger(rhs));
  if (operation == Op::Mul && isIntegral(lhs) && (rhs.tuple() || rhs.is<std::string>()))
    return repeat(rhs, asInteger(lhs));
  if (operation == Op::Eq || operation == Op::Ne)
    return Value::boolean(equalConstants(lhs, rhs) == (operation == Op::Eq));
  return unsupported(operation, lhs, rhs);
}

Expected<Value> triton::frontend::fold(UnaryOperation operation, const Value &operand) {
  if (operation == UnaryOperation::Not) {
    auto result = truth(operand);
    if (!result)
      return result.takeError();
    return Value::boolean(!*result);
  }
  if (auto *object = operand.getIf<HostObject>())
    return object->host->unary(operation, *object);
  if (isIntegral(operand)) {
    Integer value = asInteger(operand);
    return Value::integer(operation == UnaryOperation::Neg      ? -value
                          : operation == UnaryOperation::Invert ? -value - 1
                                                                : value);
  }
  if (operand.is<double>() && operation != UnaryOperation::Invert)
    return Value::real(operation == UnaryOperation::Neg ? -operand.get<double>() : operand.get<double>());
  return hostError("TypeError",
                   ("bad operand type for unary " + spelling(operation) + ": '" + classNameOf(operand) + "'").str());
}

Expected<bool> triton::frontend::truth(const Value &value) {
  if (auto *object = value.getIf<HostObject>())
    return object->host->truth(*object);
  if (value.isNone())
    return false;
  if (value.is<bool>())
    return value.get<bool>();
  if (value.is<Integer>())
    return value.get<Integer>() != 0;
  if (value.is<double>())
    return value.get<double>() != 0;
  if (value.is<std::string>())
    return !value.get<std::string>().empty();
  if (value.tuple())
    return !value.tuple()->elements.empty();
  if (value.isTensor())
    return hostError("TypeError", "a run-time value has no truth value while compiling");
  return true;
}

Expected<Value> triton::frontend::foldToInteger(const Value &value) {
  if (isIntegral(value))
    return Value::integer(asInteger(value));
  if (value.is<double>()) {
    double number = value.get<double>();
    if (std::isnan(number))
      return hostError("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(number))
      return hostError("OverflowError", "cannot convert float infinity to integer");
    return Value::integer(truncated(number));
  }
  if (value.is<std::string>()) {
    llvm::StringRef text = llvm::StringRef(value.get<std::string>()).trim();
    bool negative = text.consume_front("-");
    llvm::APInt bits;
    if (!text.empty() && !text.getAsInteger(10, bits)) {
      Integer magnitude = fromBits(bits, /*isSigned=*/false);
      return Value::integer(negative ? -magnitude : magnitude);
    }
    return hostError("ValueError", "invalid literal for int() with base 10: " + value.repr());
  }
  return hostError("TypeError", "int() argument must be a string or a number, not '" + classNameOf(value) + "'");
}

Expected<Value> triton::frontend::foldToFloat(const Value &value) {
  if (value.isNumber()) {
    auto number = asDouble(value);
    if (!number)
      return number.takeError();
    return Value::real(*number);
  }
  if (value.is<std::string>()) {
    std::string text = llvm::StringRef(value.get<std::string>()).trim().lower();
    llvm::StringRef magnitude(text);
    bool negative = magnitude.consume_front("-");
    if (!negative)
      magnitude.consume_front("+");
    double number = 0;
    if (magnitude == "inf" || magnitude == "infinity")
      number = INFINITY;
    else if (magnitude == "nan")
      number = NAN;
    else if (magnitude.getAsDouble(number))
      return hostError("ValueError", "could not convert string to float: " + value.repr());
    return Value::real(negative ? -number : number);
  }
  return hostError("TypeError", "float() argument must be a string or a number, not '" + classNameOf(value) + "'");
}
