#include "compiler/driver/Specialization.h"
#include "compiler/frontend/Operators.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/syntax/Parser.h"
#include "dispatch/Text.h"

using namespace triton;
using namespace triton::driver;
using namespace triton::frontend;
using llvm::Expected;
using llvm::StringRef;

static ArgumentSpec constantSpec(Value value) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Kind::Constant;
  spec.constant = std::move(value);
  return spec;
}

static ArgumentSpec runtimeSpec(Type type, bool divisible) {
  ArgumentSpec spec;
  spec.type = std::move(type);
  if (divisible)
    spec.attributes.emplace_back("tt.divisibility", 16);
  return spec;
}

Expected<ArgumentSpec> triton::driver::specialize(const Parameter &parameter, const LaunchArgument &argument) {
  using dispatch::ArgumentKind;
  const ArgumentKind kind = argument.facts.kind;
  if (parameter.isConstexpr && (kind == ArgumentKind::Pointer || kind == ArgumentKind::Descriptor))
    return hostError("TypeError", "parameter '" + parameter.name + "' is a constexpr and cannot take a " +
                                      (kind == ArgumentKind::Pointer ? "pointer" : "tensor descriptor"));
  if (!parameter.isConstexpr && kind == ArgumentKind::Constexpr)
    return hostError("TypeError", "failed to specialize argument '" + parameter.name + "': " +
                                      argument.constant.repr() + " can only be passed to a constexpr parameter");
  dispatch::Specialization special = dispatch::specialize(parameter, argument.facts, argument.type);
  if (special.isConstant)
    return constantSpec(argument.constant);
  if (std::optional<Type> type = Type::parse(special.type))
    return runtimeSpec(*type, special.isDivisible);
  return hostError("TypeError",
                   "failed to specialize argument '" + parameter.name + "': there is no type " + special.type);
}

void triton::driver::appendKey(const ArgumentSpec &spec, std::string &key) {
  switch (spec.kind) {
  case ArgumentSpec::Kind::Constant:
    key += "=" + spec.constant.key();
    break;
  case ArgumentSpec::Kind::Tuple:
    key += "(";
    for (const ArgumentSpec &element : spec.elements)
      appendKey(element, key);
    key += ")";
    break;
  case ArgumentSpec::Kind::Runtime:
    key += spec.type.signature();
    for (const auto &[name, value] : spec.attributes)
      key += ":" + name + std::to_string(value);
  }
  key += ";";
}

static std::optional<Value> constantOf(const syntax::Expr *expression) {
  if (auto *tuple = llvm::dyn_cast<syntax::Tuple>(expression)) {
    std::vector<Value> elements;
    for (const syntax::Expr *element : tuple->elts) {
      auto value = constantOf(element);
      if (!value)
        return std::nullopt;
      elements.push_back(std::move(*value));
    }
    return Value::tuple(std::move(elements));
  }
  if (auto *unary = llvm::dyn_cast<syntax::UnaryOp>(expression); unary && unary->op == syntax::UnaryOperator::USub) {
    auto operand = constantOf(unary->operand);
    if (!operand || !operand->isNumber())
      return std::nullopt;
    return llvm::cantFail(fold(UnaryOperation::Neg, *operand));
  }
  if (auto *constant = llvm::dyn_cast<syntax::Constant>(expression)) {
    return constant->as<syntax::EllipsisValue>() ? std::nullopt : constantValue(constant);
  }
  StringRef text = expression->range.text();
  text.consume_front("triton.language.");
  text.consume_front("tl.");
  if (auto type = Type::parse(text))
    return Value::dtype(*type);
  return std::nullopt;
}

static std::optional<Value> parseConstant(StringRef text) {
  Diagnostics diagnostics;
  auto tree = syntax::parse(Source::create("<signature>", text.str()), diagnostics, syntax::ParseMode::Expression);
  if (diagnostics.hasErrors() || !tree->expression)
    return std::nullopt;
  return constantOf(tree->expression->body);
}

Expected<ArgumentSpec> triton::driver::specialize(const Parameter &parameter, const dispatch::SignatureEntry &entry) {
  if (entry.isRuntime())
    if (auto type = Type::parse(entry.type))
      return runtimeSpec(*type, entry.hint == 16);
  if (!entry.type.empty() && entry.hint == 1)
    return constantSpec(Value::integer(int64_t(1)));
  if (auto value = entry.type.empty() ? parseConstant(entry.text) : std::nullopt)
    return constantSpec(std::move(*value));
  return hostError("ValueError",
                   "parameter '" + parameter.name + "': '" + entry.text +
                       "' is neither a type such as *fp32:16 or i32, nor a constant such as 1024 or \"relu\"");
}

Expected<std::vector<ArgumentSpec>> triton::driver::parseSignature(const Function &function, StringRef signature) {
  const std::vector<std::string_view> entries = dispatch::splitEntries(signature);
  if (entries.size() > function.parameters.size())
    return hostError("TypeError", "the signature has " + std::to_string(entries.size()) + " entries, '" +
                                      function.name + "' has " + std::to_string(function.parameters.size()) +
                                      " parameters");
  std::vector<ArgumentSpec> specs;
  for (auto [index, parameter] : llvm::enumerate(function.parameters)) {
    if (index >= entries.size()) {
      if (!parameter.defaultValue)
        return hostError("TypeError", "the signature has no entry for parameter '" + parameter.name + "' of '" +
                                          function.name + "'");
      specs.push_back(constantSpec(*parameter.defaultValue));
      continue;
    }
    auto entry = dispatch::readEntry(parameter, entries[index]);
    if (auto *problem = std::get_if<dispatch::Problem>(&entry))
      return hostError(problem->exception, problem->message);
    auto spec = specialize(parameter, std::get<dispatch::SignatureEntry>(entry));
    if (!spec)
      return spec.takeError();
    specs.push_back(std::move(*spec));
  }
  return specs;
}
