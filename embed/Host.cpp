// Hands the frontend's questions to the public host and its answers back.
#include "embed/Adapter.h"

#include "compiler/frontend/values/Folding.h"

namespace triton::embed {

Host::Host() : itsAdapter(std::make_unique<Adapter>(*this)) {}
Host::~Host() = default;

Error globalNotConstexpr(std::string_view name) {
  Error out;
  llvm::handleAllErrors(frontend::globalNotConstexpr(name),
                        [&](const frontend::HostError &error) { out = {error.exception, error.message}; });
  return out;
}

static llvm::Error toLlvm(Error error) {
  return frontend::hostError(std::move(error.exception), std::move(error.message));
}

/// A result as the frontend takes it, its value made by `convert`.
template <typename T, typename Convert>
static auto toLlvm(Result<T> result, Convert convert) -> llvm::Expected<decltype(convert(std::declval<T &>()))> {
  if (auto *error = std::get_if<Error>(&result))
    return toLlvm(std::move(*error));
  return convert(std::get<T>(result));
}
static frontend::Value toOne(const Value &value) { return toFrontend(value); }
static std::optional<frontend::Value> toMaybe(const std::optional<Value> &value) {
  return value ? std::optional(toFrontend(*value)) : std::nullopt;
}
/// Of what every object has.
static frontend::Value toThere(const std::optional<Value> &value) { return toFrontend(value.value_or(Value())); }

static Value objectValue(const frontend::HostObject &object) { return fromFrontend(frontend::Value(object)); }

llvm::Expected<std::optional<frontend::Value>> Host::Adapter::lookup(const frontend::Function &function,
                                                                     llvm::StringRef name) {
  return toLlvm(host.lookup(function.scope, name), toMaybe);
}

llvm::Expected<std::optional<frontend::Value>> Host::Adapter::attribute(const frontend::HostObject &object,
                                                                        llvm::StringRef name) {
  return toLlvm(host.ask(Question::Attribute, name, {objectValue(object)}), toMaybe);
}

llvm::Expected<frontend::Value> Host::Adapter::call(const frontend::HostObject &callable,
                                                    const frontend::CallArguments &arguments,
                                                    frontend::Emitter &emitter) {
  Emission emission(&emitter);
  return toLlvm(host.call(callable.handle, fromFrontend(arguments), emission), toOne);
}

llvm::Expected<bool> Host::Adapter::isInstance(const frontend::Value &value, const frontend::HostObject &hostClass) {
  return toLlvm(host.isInstance(fromFrontend(value), hostClass.handle), [](bool answer) { return answer; });
}

llvm::Expected<frontend::Value> Host::Adapter::binary(frontend::BinaryOperation operation, const frontend::Value &lhs,
                                                      const frontend::Value &rhs) {
  return toLlvm(host.ask(Question::Binary, spelling(operation), {fromFrontend(lhs), fromFrontend(rhs)}), toThere);
}

llvm::Expected<frontend::Value> Host::Adapter::unary(frontend::UnaryOperation operation,
                                                     const frontend::HostObject &operand) {
  return toLlvm(host.ask(Question::Unary, spelling(operation).rtrim(), {objectValue(operand)}), toThere);
}

llvm::Expected<frontend::Value> Host::Adapter::subscript(const frontend::HostObject &object,
                                                         const frontend::Value &index) {
  return toLlvm(host.ask(Question::Subscript, "", {objectValue(object), fromFrontend(index)}), toThere);
}

llvm::Expected<frontend::Value> Host::Adapter::length(const frontend::HostObject &object) {
  return toLlvm(host.ask(Question::Length, "", {objectValue(object)}), toThere);
}

llvm::Expected<bool> Host::Adapter::truth(const frontend::HostObject &object) {
  return toLlvm(host.ask(Question::Truth, "", {objectValue(object)}),
                [](const std::optional<Value> &value) { return value && value->boolean(); });
}

llvm::Expected<std::vector<frontend::Value>> Host::Adapter::iterate(const frontend::HostObject &object) {
  return toLlvm(host.ask(Question::Iterate, "", {objectValue(object)}),
                [](const std::optional<Value> &value) { return toFrontend(value.value_or(Value()).elements()); });
}

llvm::Expected<frontend::Value> Host::Adapter::import(llvm::StringRef module, llvm::StringRef name) {
  return toLlvm(host.ask(Question::Import, name, {Value::string(module.str())}), toThere);
}

std::string Host::Adapter::describe(const frontend::HostObject &object) { return host.describe(object.handle); }
std::string Host::Adapter::className(const frontend::HostObject &object) { return host.className(object.handle); }
std::string Host::Adapter::key(const frontend::HostObject &object) { return host.key(object.handle); }
void Host::Adapter::print(llvm::StringRef text) { host.print(text); }

void Host::Adapter::warn(llvm::StringRef category, const SourceRange &range, llvm::StringRef message) {
  host.warn(category, fromSupport(range), message);
}

} // namespace triton::embed
