// Python's `math` module, for compile-time code in files.
#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Literals.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace triton::frontend;
using llvm::Expected;
using llvm::StringRef;

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
  if (name == "gcd" && need(2)) {
    std::optional<Integer> a = asInteger(arguments[0]), b = asInteger(arguments[1]);
    if (a && b)
      return Value::integer(gcd(abs(*a), abs(*b)));
  }
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
    return hostError("TypeError",
                     ("math." + name + "() does not take " + llvm::Twine(arguments.size()) + " arguments").str());
  auto value = number(0);
  if (!value)
    return value.takeError();
  if (name == "ceil" || name == "floor" || name == "trunc") {
    if (std::optional<Integer> integer = asInteger(arguments[0]))
      return Value::integer(*integer);
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
  const double result = function(*value);
  const bool isPole = std::isinf(result) && (name.starts_with("log") || name.ends_with("gamma")) && *value <= 0;
  if (std::isfinite(*value) ? std::isnan(result) || isPole : std::isnan(result) && std::isinf(*value))
    return hostError("ValueError", "math domain error");
  if (std::isinf(result) && std::isfinite(*value))
    return hostError("OverflowError", "math range error");
  return Value::real(result);
}
