// Calls builtins where there is no kernel: in a file's top level and in constexpr functions. What a builtin means is said once, for an Emitter; this one
// takes the builtins that compute on compile-time values alone (`Builtin::isCompileTime`) and keeps what they report.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

class CompileTimeEmitter final : public Emitter {
public:
  explicit CompileTimeEmitter(Host &asked) : asked(asked) {}

  /// What was reported, as the host's own failure.
  llvm::Error takeError();

  mlir::FailureOr<Value> call(const Value &callable, const CallArguments &arguments) override;
  mlir::FailureOr<Value> callScalar(const Value &function, llvm::ArrayRef<Value> scalars) override;
  const LanguageOptions &options() const override;
  SourceRange range() const override { return {}; }
  using Emitter::error;
  ErrorStream error(SourceRange range, llvm::StringRef exception) override;
  void warn(llvm::StringRef, const llvm::Twine &) override {}
  void report(Diagnostic diagnostic) override;
  mlir::LogicalResult fail(llvm::Error error) override;
  Host &host() override { return asked; }

  // Nothing is emitted.
  mlir::OpBuilder &builder() override;
  mlir::ModuleOp module() override;
  mlir::Location location() override;
  mlir::InFlightDiagnostic ruleError() override;

private:
  Host &asked;
  std::optional<Diagnostic> reported;
};

} // namespace triton::frontend
