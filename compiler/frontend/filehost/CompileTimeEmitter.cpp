#include "compiler/frontend/filehost/CompileTimeEmitter.h"

#include "compiler/frontend/Signature.h"
#include "compiler/frontend/values/Folding.h"

using namespace triton;
using namespace triton::frontend;
using mlir::FailureOr;

llvm::Error CompileTimeEmitter::takeError() {
  if (!reported)
    return hostError("RuntimeError", "this cannot be evaluated without Python");
  return hostError(reported->exception.empty() ? "RuntimeError" : reported->exception, reported->message);
}

FailureOr<Value> CompileTimeEmitter::call(const Value &callable, const CallArguments &arguments) {
  if (auto *method = callable.getIf<std::shared_ptr<const BoundMethod>>()) {
    CallArguments withSelf = arguments;
    withSelf.positional.insert(withSelf.positional.begin(), (*method)->self);
    return call((*method)->callable, withSelf);
  }
  if (auto *object = callable.getIf<HostObject>(); object && object->host) {
    auto result = object->host->fold(*object, arguments);
    if (!result)
      return fail(result.takeError());
    return *result;
  }
  auto *builtin = callable.getIf<const Builtin *>();
  if (!builtin || !(*builtin)->isCompileTime)
    return error("TypeError") << callable.repr() << " cannot be called at a file's top level without Python";
  auto bound = signatureOf(**builtin).bind((*builtin)->name, arguments);
  if (!bound)
    return fail(bound.takeError());
  return (*builtin)->emit(*this, *bound);
}

FailureOr<Value> CompileTimeEmitter::callScalar(const Value &function, llvm::ArrayRef<Value> scalars) {
  return call(function, CallArguments{scalars.vec(), {}});
}

const LanguageOptions &CompileTimeEmitter::options() const {
  static const LanguageOptions none;
  return none;
}

ErrorStream CompileTimeEmitter::error(SourceRange range, llvm::StringRef exception) {
  return ErrorStream(*this, Diagnostic{.range = range, .exception = exception.str()});
}

void CompileTimeEmitter::report(Diagnostic diagnostic) {
  if (!reported)
    reported = std::move(diagnostic);
}

mlir::LogicalResult CompileTimeEmitter::fail(llvm::Error failed) {
  llvm::handleAllErrors(
      std::move(failed),
      [&](const HostError &failure) { report({.message = failure.message, .exception = failure.exception}); },
      [&](const llvm::ErrorInfoBase &other) { report({.message = other.message()}); });
  return mlir::failure();
}

mlir::OpBuilder &CompileTimeEmitter::builder() { llvm_unreachable("compile-time builtins emit nothing"); }
mlir::ModuleOp CompileTimeEmitter::module() { llvm_unreachable("compile-time builtins emit nothing"); }
mlir::Location CompileTimeEmitter::location() { llvm_unreachable("compile-time builtins emit nothing"); }
mlir::InFlightDiagnostic CompileTimeEmitter::ruleError() { llvm_unreachable("compile-time builtins have no IR"); }
