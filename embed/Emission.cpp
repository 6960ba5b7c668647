// What host functions that emit code may ask of the compile in progress. The emitter reports its own errors; the Error returned here only says that it did.
#include "embed/Adapter.h"

#include "compiler/frontend/Operations.h"

namespace triton::embed {

static Result<Value> result(mlir::FailureOr<frontend::Value> value) {
  if (failed(value))
    return Error{"", "the expression could not be compiled"};
  return fromFrontend(std::move(*value));
}

static frontend::Emitter &emitterOf(void *emitter) { return *static_cast<frontend::Emitter *>(emitter); }

Result<Value> Emission::call(const Value &callable, const CallArguments &arguments) {
  return result(emitterOf(emitter).call(toFrontend(callable), toFrontend(arguments)));
}

Result<Value> Emission::binary(BinaryOperation operation, const Value &lhs, const Value &rhs) {
  auto apply = lhs.isCompileTime() && rhs.isCompileTime()
                   ? frontend::foldBinary
                   : [](frontend::Emitter &emitter, frontend::BinaryOperation operation, const frontend::Value &lhs,
                        const frontend::Value &rhs) { return frontend::binary(emitter, operation, lhs, rhs); };
  return result(apply(emitterOf(emitter), frontend::BinaryOperation(operation), toFrontend(lhs), toFrontend(rhs)));
}

Result<Value> Emission::unary(UnaryOperation operation, const Value &operand) {
  auto apply = operand.isCompileTime() ? frontend::foldUnary : frontend::unary;
  return result(apply(emitterOf(emitter), frontend::UnaryOperation(operation), toFrontend(operand)));
}

Result<Value> Emission::subscript(const Value &value, const Value &index) {
  std::vector<frontend::Value> items = toFrontend(index.kind() == Kind::Tuple ? index.elements() : std::vector<Value>{index});
  return result(frontend::subscriptTensor(emitterOf(emitter), toFrontend(value), items));
}

Result<std::optional<Value>> Emission::attribute(const Value &value, std::string_view name) {
  mlir::FailureOr<std::optional<frontend::Value>> found = frontend::valueAttribute(emitterOf(emitter), toFrontend(value), name);
  if (failed(found))
    return Error{"", "the attribute could not be compiled"};
  if (!*found)
    return std::optional<Value>();
  return std::optional(fromFrontend(std::move(**found)));
}

Result<Value> Emission::toTensor(const Value &value) { return result(frontend::toTensor(emitterOf(emitter), toFrontend(value))); }

} // namespace triton::embed
