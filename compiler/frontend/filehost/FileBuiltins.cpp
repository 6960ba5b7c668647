// Python's own functions and its `math` module, for compile-time code in files.
#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace triton::frontend;
using llvm::Expected;
using llvm::StringRef;

static Expected<Value> wrongArguments(StringRef name, size_t count) {
  return hostError("TypeError", (name + "() does not take " + llvm::Twine(count) + " arguments here").str());
}

static Expected<Value> makeRange(llvm::ArrayRef<Value> arguments) {
  int64_t bounds[3] = {0, 0, 1};
  if (arguments.empty() || arguments.size() > 3)
    return wrongArguments("range", arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto value = argument.is<Integer>() ? toInt64(argument.get<Integer>()) : std::nullopt;
    if (!value)
      return hostError("TypeError", "range() takes integers, got " + argument.repr());
    bounds[arguments.size() == 1 ? 1 : index] = *value;
  }
  auto [start, stop, step] = bounds;
  if (step == 0)
    return hostError("ValueError", "range() step must not be zero");
  if ((stop - start) / step > 1'000'000)
    return hostError("MemoryError", "a compile-time range of more than a million elements");
  std::vector<Value> values;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
    values.push_back(Value::integer(i));
  return Value::tuple(std::move(values));
}

/// `min` and `max` of the arguments, or of the one sequence given.
static Expected<Value> extreme(StringRef name, llvm::ArrayRef<Value> arguments) {
  if (arguments.size() == 1 && arguments[0].tuple())
    arguments = arguments[0].tuple()->elements;
  if (arguments.empty())
    return hostError("ValueError", (name + "() of nothing").str());
  Value best = arguments.front();
  for (const Value &candidate : arguments.drop_front()) {
    auto better = fold(name == "min" ? BinaryOperation::Lt : BinaryOperation::Gt, candidate, best);
    if (!better)
      return better.takeError();
    auto holds = truth(*better);
    if (!holds)
      return holds.takeError();
    if (*holds)
      best = candidate;
  }
  return best;
}

static Expected<Value> sum(llvm::ArrayRef<Value> elements) {
  Value total = Value::integer(int64_t(0));
  for (const Value &element : elements) {
    auto next = fold(BinaryOperation::Add, total, element);
    if (!next)
      return next.takeError();
    total = std::move(*next);
  }
  return total;
}

static Expected<Value> absolute(const Value &value) {
  auto negative = fold(BinaryOperation::Lt, value, Value::integer(int64_t(0)));
  if (!negative)
    return negative.takeError();
  return negative->get<bool>() ? fold(UnaryOperation::Neg, value) : fold(UnaryOperation::Pos, value);
}

std::optional<Expected<Value>> triton::frontend::callPythonBuiltin(StringRef name, const CallArguments &call) {
  llvm::ArrayRef<Value> arguments = call.positional;
  auto is = [&](StringRef text, size_t count) {
    return name == text && arguments.size() == count && call.keywords.empty();
  };
  if (name == "range" && call.keywords.empty())
    return makeRange(arguments);
  if ((name == "min" || name == "max") && call.keywords.empty())
    return extreme(name, arguments);
  if (is("len", 1))
    return foldLength(arguments[0]);
  if (is("int", 1))
    return foldToInteger(arguments[0]);
  if (is("float", 1))
    return foldToFloat(arguments[0]);
  if (is("str", 1))
    return Value::string(arguments[0].str());
  if (is("repr", 1))
    return Value::string(arguments[0].repr());
  if (is("abs", 1))
    return absolute(arguments[0]);
  if (is("pow", 2))
    return fold(BinaryOperation::Pow, arguments[0], arguments[1]);
  if (is("bool", 1)) {
    auto result = truth(arguments[0]);
    if (!result)
      return result.takeError();
    return Value::boolean(*result);
  }
  if ((is("tuple", 1) || is("list", 1)) && arguments[0].tuple())
    return Value::tuple(arguments[0].tuple()->elements);
  if (is("sum", 1) && arguments[0].tuple())
    return sum(arguments[0].tuple()->elements);
  return std::nullopt;
}

using MathFunction = double (*)(double);

static MathFunction unaryMath(StringRef name) {
  return llvm::StringSwitch<MathFunction>(name)
      .Case("sqrt", std::sqrt)
      .Case("exp", std::exp)
      .Case("exp2", std::exp2)
      .Case("expm1", std::expm1)
      .Case("log", std::log)
      .Case("log2", std::log2)
      .Case("log10", std::log10)
      .Case("log1p", std::log1p)
      .Case("sin", std::sin)
      .Case("cos", std::cos)
      .Case("tan", std::tan)
      .Case("asin", std::asin)
      .Case("acos", std::acos)
      .Case("atan", std::atan)
      .Case("sinh", std::sinh)
      .Case("cosh", std::cosh)
      .Case("tanh", std::tanh)
      .Case("erf", std::erf)
      .Case("erfc", std::erfc)
      .Case("gamma", std::tgamma)
      .Case("lgamma", std::lgamma)
      .Case("fabs", std::fabs)
      .Default(nullptr);
}

bool triton::frontend::isMathFunction(StringRef name) {
  return unaryMath(name) ||
         llvm::is_contained({"ceil", "floor", "trunc", "pow", "isinf", "isnan", "isfinite", "gcd", "prod"}, name);
}

Expected<Value> triton::frontend::callMath(StringRef name, llvm::ArrayRef<Value> arguments) {
  auto number = [&](size_t index) -> Expected<double> {
    auto value = foldToFloat(arguments[index]);
    if (!value)
      return value.takeError();
    return value->get<double>();
  };
  auto need = [&](size_t count) { return arguments.size() == count; };
  if (name == "gcd" && need(2) && arguments[0].is<Integer>() && arguments[1].is<Integer>())
    return Value::integer(gcd(abs(arguments[0].get<Integer>()), abs(arguments[1].get<Integer>())));
  if (name == "prod" && need(1) && arguments[0].tuple()) {
    Value product = Value::integer(int64_t(1));
    for (const Value &element : arguments[0].tuple()->elements) {
      auto next = fold(BinaryOperation::Mul, product, element);
      if (!next)
        return next.takeError();
      product = std::move(*next);
    }
    return product;
  }
  if (name == "log" && need(2)) {
    auto value = number(0), base = number(1);
    if (!value || !base)
      return llvm::joinErrors(value.takeError(), base.takeError());
    return Value::real(std::log(*value) / std::log(*base));
  }
  if (name == "pow" && need(2)) {
    auto base = number(0), exponent = number(1);
    if (!base || !exponent)
      return llvm::joinErrors(base.takeError(), exponent.takeError());
    return Value::real(std::pow(*base, *exponent));
  }
  if (!need(1))
    return wrongArguments(("math." + name).str(), arguments.size());
  auto value = number(0);
  if (!value)
    return value.takeError();
  if (name == "ceil" || name == "floor" || name == "trunc") {
    if (arguments[0].is<Integer>())
      return arguments[0];
    return foldToInteger(Value::real(name == "ceil"    ? std::ceil(*value)
                                     : name == "floor" ? std::floor(*value)
                                                       : std::trunc(*value)));
  }
  if (name == "isinf")
    return Value::boolean(std::isinf(*value));
  if (name == "isnan")
    return Value::boolean(std::isnan(*value));
  if (name == "isfinite")
    return Value::boolean(std::isfinite(*value));
  MathFunction function = unaryMath(name);
  if (!function)
    return hostError("AttributeError", ("module 'math' has no function '" + name + "' that is known here").str());
  if ((name == "sqrt" && *value < 0) || (name.starts_with("log") && *value < 0))
    return hostError("ValueError", "math domain error");
  return Value::real(function(*value));
}
