#include "compiler/driver/Specialization.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/syntax/Parser.h"

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

/// The type that an annotation such as `tl.int32` or `"*fp16"` forces; nullopt for any other annotation.
static std::optional<Type> annotatedType(StringRef annotation) {
  annotation = annotation.trim();
  if (annotation.size() >= 2 && (annotation.front() == '"' || annotation.front() == '\''))
    annotation = annotation.drop_front().drop_back();
  annotation.consume_front("triton.language.");
  annotation.consume_front("tl.");
  if (annotation == "int")
    return Type::int32();
  if (annotation == "float")
    return Type::float32();
  if (annotation == "bool")
    return Type::int1();
  return Type::parse(annotation);
}

static Expected<ArgumentSpec> specializeInteger(const Parameter &parameter, Integer value) {
  std::optional<Type> forced = annotatedType(parameter.annotation);
  bool divisible = fold(BinaryOperation::Mod, Value::integer(value), Value::integer(int64_t(16)))->get<Integer>() == 0;
  if (forced && !forced->isPointerLike())
    return runtimeSpec(*forced, divisible && forced->isInteger() && !forced->isBool());
  if (value == 1)
    return constantSpec(Value::integer(value));
  if (!toInt64(value))
    return runtimeSpec(Type::scalar(ScalarKind::UInt64), divisible);
  bool fits = value >= Integer(INT32_MIN) && value <= Integer(INT32_MAX);
  return runtimeSpec(fits ? Type::int32() : Type::int64(), divisible);
}

Expected<ArgumentSpec> triton::driver::specialize(const Parameter &parameter, const LaunchArgument &argument) {
  auto *boolean = std::get_if<bool>(&argument.value);
  auto *integer = std::get_if<int64_t>(&argument.value);
  auto *unsignedInteger = std::get_if<uint64_t>(&argument.value);
  auto *real = std::get_if<double>(&argument.value);
  auto *constant = std::get_if<Value>(&argument.value);
  auto *pointer = std::get_if<LaunchArgument::Pointer>(&argument.value);
  Integer number = integer           ? Integer(*integer)
                   : unsignedInteger ? fromBits(llvm::APInt(64, *unsignedInteger), false)
                                     : Integer(0);
  if (std::holds_alternative<std::monostate>(argument.value))
    return constantSpec(Value::none());
  if (parameter.isConstexpr) {
    if (pointer || std::holds_alternative<LaunchArgument::Descriptor>(argument.value))
      return hostError("TypeError", "parameter '" + parameter.name + "' is a constexpr and cannot take a " +
                                        (pointer ? "pointer" : "tensor descriptor"));
    return constantSpec(constant  ? *constant
                        : boolean ? Value::boolean(*boolean)
                        : real    ? Value::real(*real)
                                  : Value::integer(number));
  }
  if (constant)
    return hostError("TypeError", "failed to specialize argument '" + parameter.name + "': " + constant->repr() +
                                      " can only be passed to a constexpr parameter");
  if (auto *descriptor = std::get_if<LaunchArgument::Descriptor>(&argument.value)) {
    std::string sizes =
        llvm::join(llvm::map_range(descriptor->block, [](int64_t size) { return std::to_string(size); }), ", ");
    std::optional<Type> type = Type::parse("tensordesc<" + descriptor->element.signature() + "[" + sizes + "]>");
    if (!type)
      return hostError("TypeError", "failed to specialize argument '" + parameter.name +
                                        "': no descriptor has blocks [" + sizes + "] of " +
                                        descriptor->element.signature());
    return runtimeSpec(*type, false);
  }
  if (pointer) {
    bool isConst = pointer->isConst || StringRef(parameter.annotation).contains("const");
    return runtimeSpec(Type::pointer(pointer->element, isConst), pointer->address % 16 == 0);
  }
  if (integer || unsignedInteger)
    return specializeInteger(parameter, number);
  std::optional<Type> forced = annotatedType(parameter.annotation);
  if (boolean)
    return runtimeSpec(forced && forced->isScalar() ? *forced : Type::int1(), false);
  return runtimeSpec(forced && forced->isFloating() ? *forced : Type::float32(), false);
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

/// The entries between top-level commas: not those inside brackets or strings.
static llvm::SmallVector<StringRef> splitEntries(StringRef text) {
  llvm::SmallVector<StringRef> entries;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (StringRef("([{<").contains(c)) {
      ++depth;
    } else if (StringRef(")]}>").contains(c)) {
      --depth;
    } else if (c == ',' && depth == 0) {
      entries.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.substr(begin).trim().empty())
    entries.push_back(text.substr(begin).trim());
  return entries;
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
    if (constant->as<syntax::NoneValue>())
      return Value::none();
    if (auto *flag = constant->as<bool>())
      return Value::boolean(*flag);
    if (auto *integer = constant->as<llvm::APInt>())
      return Value::integer(fromBits(*integer, /*isSigned=*/false));
    if (auto *real = constant->as<double>())
      return Value::real(*real);
    if (auto *string = constant->as<syntax::StringValue>())
      return Value::string(string->text.str());
    return std::nullopt;
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

static Expected<ArgumentSpec> parseEntry(const Parameter &parameter, StringRef entry) {
  auto [typeText, hint] = entry.rsplit(':');
  unsigned divisor = 0;
  bool hasHint = !hint.empty() && !hint.trim().getAsInteger(10, divisor);
  std::optional<Type> type = parameter.isConstexpr ? std::nullopt : Type::parse((hasHint ? typeText : entry).trim());
  if (type) {
    if (hasHint && divisor == 1)
      return constantSpec(Value::integer(int64_t(1)));
    if (hasHint && divisor != 16)
      return hostError("ValueError", "parameter '" + parameter.name + "': the hint in '" + entry.str() +
                                         "' must be 16 (divisible by 16) or 1 (equal to 1)");
    return runtimeSpec(*type, hasHint);
  }
  if (auto value = parseConstant(entry))
    return constantSpec(std::move(*value));
  return hostError("ValueError",
                   "parameter '" + parameter.name + "': '" + entry.str() +
                       "' is neither a type such as *fp32:16 or i32, nor a constant such as 1024 or \"relu\"");
}

Expected<std::vector<ArgumentSpec>> triton::driver::parseSignature(const Function &function, StringRef signature) {
  llvm::SmallVector<StringRef> entries = splitEntries(signature);
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
    auto spec = parseEntry(parameter, entries[index]);
    if (!spec)
      return spec.takeError();
    specs.push_back(std::move(*spec));
  }
  return specs;
}
