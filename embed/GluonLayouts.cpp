// The table of layouts for host languages.
#include <triton/embed_layouts.h>

#include "compiler/gluon/LayoutClasses.h"
#include "embed/Adapter.h"

namespace triton::embed {

static const char *typeText(gluon::FieldKind kind) {
  switch (kind) {
  case gluon::FieldKind::Integer:
    return "int";
  case gluon::FieldKind::Boolean:
    return "bool";
  case gluon::FieldKind::Integers:
    return "list[int]";
  case gluon::FieldKind::Bases:
    return "list[list[int]]";
  case gluon::FieldKind::Pair:
    return "tuple[int, int]";
  case gluon::FieldKind::Layout:
    return "DistributedLayout";
  case gluon::FieldKind::Any:
    break;
  }
  return "Any";
}

static frontend::Value text(llvm::StringRef string) { return frontend::Value::string(string.str()); }

static frontend::Value describe(llvm::ArrayRef<gluon::LayoutField> fields) {
  std::vector<frontend::Value> out;
  for (const gluon::LayoutField &field : fields) {
    std::vector<frontend::Value> byDefault;
    if (field.byDefault)
      byDefault.push_back(*field.byDefault);
    out.push_back(frontend::Value::tuple({text(field.name),
                                          text(typeText(field.kind) + std::string(field.takesNone ? " | None" : "")),
                                          frontend::Value::tuple(std::move(byDefault))}));
  }
  return frontend::Value::tuple(std::move(out));
}

static Error toError(llvm::Error error) {
  Error out;
  llvm::handleAllErrors(
      std::move(error), [&](const frontend::HostError &host) { out = {host.exception, host.message}; },
      [&](const llvm::ErrorInfoBase &other) { out = {"RuntimeError", other.message()}; });
  return out;
}

static Error noLayout(std::string_view name) { return {"TypeError", "there is no layout '" + std::string(name) + "'"}; }

/// Null if there is none, or if it takes another number of values.
static const gluon::LayoutClass *classFor(std::string_view name, const std::vector<Value> &values,
                                          std::vector<gluon::LayoutField> gluon::LayoutClass::*list) {
  const gluon::LayoutClass *type = gluon::findLayoutClass(name);
  return type && (type->*list).size() == values.size() ? type : nullptr;
}

Value layoutClasses() {
  std::vector<frontend::Value> classes;
  for (const gluon::LayoutClass &type : gluon::layoutClasses()) {
    std::vector<frontend::Value> properties;
    for (const auto &property : type.properties)
      properties.push_back(text(property));
    classes.push_back(
        frontend::Value::tuple({text(type.name), text(type.module), text(type.base), text(type.documentation),
                                describe(type.fields), describe(type.parameters), frontend::Value::tuple(properties)}));
  }
  return fromFrontend(frontend::Value::tuple(std::move(classes)));
}

Value layoutFunctions() {
  std::vector<frontend::Value> functions;
  for (const gluon::LayoutFunction &function : gluon::layoutFunctions())
    functions.push_back(frontend::Value::tuple(
        {text(function.owner), text(function.name), text(function.documentation), describe(function.parameters)}));
  return fromFrontend(frontend::Value::tuple(std::move(functions)));
}

Result<std::vector<Value>> makeLayout(std::string_view className, const std::vector<Value> &arguments) {
  const gluon::LayoutClass *type = classFor(className, arguments, &gluon::LayoutClass::parameters);
  if (!type)
    return noLayout(className);
  llvm::Expected<std::vector<frontend::Value>> fields = gluon::makeLayoutFields(*type, toFrontend(arguments));
  if (!fields)
    return toError(fields.takeError());
  return fromFrontend(*fields);
}

Result<Value> layoutProperty(std::string_view className, const std::vector<Value> &fields, std::string_view property) {
  const gluon::LayoutClass *type = classFor(className, fields, &gluon::LayoutClass::fields);
  if (!type || !llvm::is_contained(type->properties, property))
    return noLayout(className);
  llvm::Expected<frontend::Value> value = gluon::layoutProperty(*type, toFrontend(fields), property);
  if (!value)
    return toError(value.takeError());
  return fromFrontend(*value);
}

Result<std::string> layoutSymbol(std::string_view className, const std::vector<Value> &fields) {
  const gluon::LayoutClass *type = classFor(className, fields, &gluon::LayoutClass::fields);
  if (!type)
    return noLayout(className);
  llvm::Expected<std::string> symbol = gluon::layoutSymbol(*type, toFrontend(fields));
  if (!symbol)
    return toError(symbol.takeError());
  return *symbol;
}

Result<Value> callLayoutFunction(std::string_view owner, std::string_view name, const std::vector<Value> &arguments) {
  const gluon::LayoutFunction *function = gluon::findLayoutFunction(owner, name);
  if (!function || function->parameters.size() != arguments.size())
    return Error{"TypeError", "there is no function '" + std::string(name) + "' of layouts with these parameters"};
  llvm::Expected<frontend::Value> value = gluon::callLayoutFunction(*function, toFrontend(arguments));
  if (!value)
    return toError(value.takeError());
  return fromFrontend(*value);
}

} // namespace triton::embed
