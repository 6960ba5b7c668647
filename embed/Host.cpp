// Hands the frontend's questions to the public host and its answers back.
#include "embed/Adapter.h"

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

static llvm::Expected<frontend::Value> toLlvm(Result<Value> result) {
  if (auto *error = std::get_if<Error>(&result))
    return toLlvm(std::move(*error));
  return toFrontend(std::get<Value>(result));
}

static llvm::Expected<std::optional<frontend::Value>> toLlvm(Result<std::optional<Value>> result) {
  if (auto *error = std::get_if<Error>(&result))
    return toLlvm(std::move(*error));
  auto &value = std::get<std::optional<Value>>(result);
  return value ? std::optional(toFrontend(*value)) : std::nullopt;
}

static llvm::Expected<bool> toLlvm(Result<bool> result) {
  if (auto *error = std::get_if<Error>(&result))
    return toLlvm(std::move(*error));
  return std::get<bool>(result);
}

llvm::Expected<std::optional<frontend::Value>> Host::Adapter::lookup(const frontend::Function &function,
                                                                     llvm::StringRef name) {
  return toLlvm(host.lookup(function.scope, name));
}

llvm::Expected<std::optional<frontend::Value>> Host::Adapter::attribute(const frontend::HostObject &object,
                                                                        llvm::StringRef name) {
  return toLlvm(host.attribute(object.handle, name));
}

llvm::Expected<frontend::Value> Host::Adapter::call(const frontend::HostObject &callable,
                                                    const frontend::CallArguments &arguments,
                                                    frontend::Emitter &emitter) {
  Emission emission(&emitter);
  return toLlvm(host.call(callable.handle, fromFrontend(arguments), emission));
}

llvm::Expected<bool> Host::Adapter::isInstance(const frontend::Value &value, const frontend::HostObject &hostClass) {
  return toLlvm(host.isInstance(fromFrontend(value), hostClass.handle));
}

// The enumerations of the two interfaces have the same members in the same order.
static_assert(int(BinaryOperation::Ge) == int(frontend::BinaryOperation::Ge) &&
              int(UnaryOperation::Not) == int(frontend::UnaryOperation::Not));

llvm::Expected<frontend::Value> Host::Adapter::binary(frontend::BinaryOperation operation, const frontend::Value &lhs,
                                                      const frontend::Value &rhs) {
  return toLlvm(host.binary(BinaryOperation(operation), fromFrontend(lhs), fromFrontend(rhs)));
}

llvm::Expected<frontend::Value> Host::Adapter::unary(frontend::UnaryOperation operation,
                                                     const frontend::HostObject &operand) {
  return toLlvm(host.unary(UnaryOperation(operation), operand.handle));
}

llvm::Expected<frontend::Value> Host::Adapter::subscript(const frontend::HostObject &object,
                                                         const frontend::Value &index) {
  return toLlvm(host.subscript(object.handle, fromFrontend(index)));
}

llvm::Expected<frontend::Value> Host::Adapter::length(const frontend::HostObject &object) {
  return toLlvm(host.length(object.handle));
}

llvm::Expected<bool> Host::Adapter::truth(const frontend::HostObject &object) {
  return toLlvm(host.truth(object.handle));
}

llvm::Expected<std::vector<frontend::Value>> Host::Adapter::iterate(const frontend::HostObject &object) {
  Result<std::vector<Value>> result = host.iterate(object.handle);
  if (auto *error = std::get_if<Error>(&result))
    return toLlvm(std::move(*error));
  return toFrontend(std::get<std::vector<Value>>(result));
}

llvm::Expected<frontend::Value> Host::Adapter::import(llvm::StringRef module, llvm::StringRef name) {
  return toLlvm(host.import(module, name));
}

Result<Value> Host::import(std::string_view module, std::string_view name) {
  return Error{"ImportError", "there is no " + std::string(module) + "." + std::string(name)};
}

std::string Host::Adapter::describe(const frontend::HostObject &object) { return host.describe(object.handle); }
std::string Host::Adapter::className(const frontend::HostObject &object) { return host.className(object.handle); }
std::string Host::Adapter::key(const frontend::HostObject &object) { return host.key(object.handle); }
void Host::Adapter::print(llvm::StringRef text) { host.print(text); }

void Host::Adapter::warn(llvm::StringRef category, const SourceRange &range, llvm::StringRef message) {
  host.warn(category, fromSupport(range), message);
}

} // namespace triton::embed
