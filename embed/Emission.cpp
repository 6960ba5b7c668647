// What host functions that emit code may ask of the compile in progress. The emitter reports its own errors; the Error returned here only says that it did.
#include "embed/Adapter.h"

#include "compiler/driver/EagerSession.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/values/Folding.h"
#include "embed/EagerState.h"

namespace triton::embed {

/// In a session the error itself is the answer; in a compile the emitter has reported it already.
static Error errorOf(EagerSession *session) {
  const triton::Diagnostics diagnostics = session ? session->state->session.takeDiagnostics() : triton::Diagnostics();
  for (const triton::Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error) {
      std::string exception = session->state->session.failureClass();
      if (exception.empty())
        exception = diagnostic.exception;
      return Error{exception.empty() ? "ValueError" : exception, diagnostic.message};
    }
  return Error{"", "the expression could not be compiled"};
}

template <typename Emit> Result<Value> Emission::emit(Emit function) {
  mlir::FailureOr<frontend::Value> value =
      session ? session->state->session.run(function) : function(*static_cast<frontend::Emitter *>(emitter));
  if (failed(value))
    return errorOf(session);
  return fromFrontend(std::move(*value));
}

Result<Value> Emission::call(const Value &callable, const CallArguments &arguments) {
  return emit([&](frontend::Emitter &emitter) { return emitter.call(toFrontend(callable), toFrontend(arguments)); });
}

static Error noOperator(std::string_view name) {
  return {"ValueError", "there is no operator '" + std::string(name) + "'"};
}

Result<Value> Emission::binary(std::string_view operation, const Value &lhs, const Value &rhs) {
  std::optional<frontend::BinaryOperation> known = frontend::binaryOperation(operation);
  if (!known)
    return noOperator(operation);
  return emit([&](frontend::Emitter &emitter) {
    return lhs.isCompileTime() && rhs.isCompileTime()
               ? frontend::foldBinary(emitter, *known, toFrontend(lhs), toFrontend(rhs))
               : frontend::binary(emitter, *known, toFrontend(lhs), toFrontend(rhs));
  });
}

Result<Value> Emission::unary(std::string_view operation, const Value &operand) {
  std::optional<frontend::UnaryOperation> known = frontend::unaryOperation(operation);
  if (!known)
    return noOperator(operation);
  auto apply = operand.isCompileTime() ? frontend::foldUnary : frontend::unary;
  return emit([&](frontend::Emitter &emitter) { return apply(emitter, *known, toFrontend(operand)); });
}

Result<Value> Emission::subscript(const Value &value, const Value &index) {
  std::vector<frontend::Value> items =
      toFrontend(index.kind() == Kind::Tuple ? index.elements() : std::vector<Value>{index});
  return emit([&](frontend::Emitter &emitter) { return frontend::subscriptTensor(emitter, toFrontend(value), items); });
}

Result<std::optional<Value>> Emission::attribute(const Value &value, std::string_view name) {
  std::optional<Value> found;
  Result<Value> result = emit([&](frontend::Emitter &emitter) -> mlir::FailureOr<frontend::Value> {
    auto attribute = frontend::valueAttribute(emitter, toFrontend(value), name);
    if (failed(attribute))
      return mlir::failure();
    if (*attribute)
      found = fromFrontend(**attribute);
    return frontend::Value::none();
  });
  if (auto *error = std::get_if<Error>(&result))
    return std::move(*error);
  return found;
}

void Emission::changeReceiver(const Value &value) {
  if (emitter)
    static_cast<frontend::Emitter *>(emitter)->changeReceiver(toFrontend(value));
}

Result<Value> Emission::toTensor(const Value &value) {
  return emit([&](frontend::Emitter &emitter) { return frontend::toTensor(emitter, toFrontend(value)); });
}

} // namespace triton::embed
