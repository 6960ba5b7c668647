// Between the public embedding interface and the frontend: the two directions of every conversion.
#pragma once

#include <triton/embed.h>

#include "compiler/driver/Driver.h"
#include "compiler/frontend/Host.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/support/Diagnostic.h"

namespace triton::embed {

frontend::Value toFrontend(const Value &value);
Value fromFrontend(frontend::Value value);
std::vector<frontend::Value> toFrontend(const std::vector<Value> &values);
std::vector<Value> fromFrontend(llvm::ArrayRef<frontend::Value> values);
frontend::CallArguments toFrontend(const CallArguments &arguments);
CallArguments fromFrontend(const frontend::CallArguments &arguments);

frontend::Type toFrontend(const TypeDescription &type);
TypeDescription fromFrontend(const frontend::Type &type);

Place fromSupport(const SourceRange &range);
Diagnostic fromSupport(const triton::Diagnostic &diagnostic);
void append(const triton::Diagnostics &from, Diagnostics &to);

std::shared_ptr<const frontend::Function> toFrontend(const Function &function);
llvm::Expected<driver::Settings> toDriver(const Options &options);
/// Nullopt after adding to `diagnostics`.
std::optional<driver::CompileRequest> toDriver(Host &host, const CompileRequest &request, Diagnostics &diagnostics);

/// The compiler's view of a host: converts arguments and results, and Errors to llvm::Errors.
class Host::Adapter : public frontend::Host {
public:
  explicit Adapter(embed::Host &host) : host(host) {}
  llvm::Expected<std::optional<frontend::Value>> lookup(const frontend::Function &function,
                                                        llvm::StringRef name) override;
  llvm::Expected<std::optional<frontend::Value>> attribute(const frontend::HostObject &object,
                                                           llvm::StringRef name) override;
  llvm::Expected<frontend::Value> call(const frontend::HostObject &callable, const frontend::CallArguments &arguments,
                                       frontend::Emitter &emitter) override;
  llvm::Expected<bool> isInstance(const frontend::Value &value, const frontend::HostObject &hostClass) override;
  llvm::Expected<frontend::Value> binary(frontend::BinaryOperation operation, const frontend::Value &lhs,
                                         const frontend::Value &rhs) override;
  llvm::Expected<frontend::Value> unary(frontend::UnaryOperation operation,
                                        const frontend::HostObject &operand) override;
  llvm::Expected<frontend::Value> subscript(const frontend::HostObject &object, const frontend::Value &index) override;
  llvm::Expected<frontend::Value> length(const frontend::HostObject &object) override;
  llvm::Expected<bool> truth(const frontend::HostObject &object) override;
  llvm::Expected<std::vector<frontend::Value>> iterate(const frontend::HostObject &object) override;
  llvm::Expected<frontend::Value> import(llvm::StringRef module, llvm::StringRef name) override;
  std::string describe(const frontend::HostObject &object) override;
  std::string className(const frontend::HostObject &object) override;
  std::string key(const frontend::HostObject &object) override;
  void print(llvm::StringRef text) override;
  void warn(llvm::StringRef category, const SourceRange &range, llvm::StringRef message) override;

private:
  embed::Host &host;
};

} // namespace triton::embed
