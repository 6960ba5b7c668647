#include "compiler/gluon/LayoutValues.h"

#include "compiler/frontend/values/Folding.h"

using namespace triton;
using namespace triton::gluon;
using frontend::hostError;
using frontend::HostObject;
using frontend::Value;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringRef;

std::optional<int64_t> gluon::numberIn(const Value &value) {
  if (const bool *flag = value.getIf<bool>())
    return *flag;
  const auto *integer = value.getIf<frontend::Integer>();
  return integer ? frontend::toInt64(*integer) : std::nullopt;
}

std::optional<Numbers> gluon::numbersIn(const Value &value) {
  if (!value.tuple())
    return std::nullopt;
  Numbers numbers;
  for (const Value &element : value.tuple()->elements) {
    std::optional<int64_t> number = numberIn(element);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<Numbers>> gluon::basesIn(const Value &value) {
  if (!value.tuple())
    return std::nullopt;
  std::vector<Numbers> bases;
  for (const Value &element : value.tuple()->elements) {
    std::optional<Numbers> numbers = numbersIn(element);
    if (!numbers)
      return std::nullopt;
    bases.push_back(std::move(*numbers));
  }
  return bases;
}

Value gluon::listOf(ArrayRef<int64_t> numbers) {
  std::vector<Value> values;
  for (int64_t number : numbers)
    values.push_back(Value::integer(number));
  return Value::tuple(std::move(values));
}

Value gluon::listOf(ArrayRef<Numbers> bases) {
  std::vector<Value> values;
  for (const Numbers &basis : bases)
    values.push_back(listOf(ArrayRef(basis)));
  return Value::tuple(std::move(values));
}

std::string gluon::written(const Value &value, bool isPair) {
  const frontend::TupleValue *list = value.tuple();
  if (!list)
    return value.repr();
  std::string text = isPair ? "(" : "[";
  for (auto [index, element] : llvm::enumerate(list->elements))
    text += (index ? ", " : "") + written(element, isPair);
  return text + (isPair ? ")" : "]");
}

const LayoutClass *gluon::classOf(const Value &value) {
  const auto *object = value.getIf<HostObject>();
  return object && object->host ? findLayoutClass(object->host->className(*object)) : nullptr;
}

Expected<Value> gluon::ask(const Value &layout, StringRef name) {
  const auto &object = layout.get<HostObject>();
  Expected<std::optional<Value>> found = object.host->attribute(object, name);
  if (!found)
    return found.takeError();
  if (!*found)
    return hostError("AttributeError",
                     ("'" + object.host->className(object) + "' object has no attribute '" + name + "'").str());
  return **found;
}

Expected<Value> gluon::asKind(const LayoutField &field, const Value &value, StringRef owner) {
  auto wrong = [&](StringRef expected) {
    return hostError("TypeError",
                     (field.name + " of " + owner + " must be " + expected + ", got " + written(value)).str());
  };
  if (value.isNone() && field.takesNone)
    return value;
  switch (field.kind) {
  case FieldKind::Integer:
    if (std::optional<int64_t> number = numberIn(value))
      return Value::integer(*number);
    return wrong("an integer");
  case FieldKind::Boolean:
    if (std::optional<int64_t> number = numberIn(value))
      return Value::boolean(*number != 0);
    return wrong("True or False");
  case FieldKind::Integers:
  case FieldKind::Pair:
    if (std::optional<Numbers> numbers = numbersIn(value))
      return listOf(ArrayRef(*numbers));
    return wrong("a list of integers");
  case FieldKind::Bases:
    if (value.isNone() && field.byDefault)
      return Value::tuple({});
    if (std::optional<std::vector<Numbers>> bases = basesIn(value))
      return listOf(ArrayRef(*bases));
    return wrong("a list of lists of integers");
  case FieldKind::Layout: {
    const LayoutClass *type = classOf(value);
    if (type && type->base == "DistributedLayout")
      return value;
    return hostError("AssertionError",
                     (field.name + " of " + owner + " must be a layout of tensors, got " + written(value)).str());
  }
  case FieldKind::Any:
    return value;
  }
  llvm_unreachable("all kinds are above");
}
