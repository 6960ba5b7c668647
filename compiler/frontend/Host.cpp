#include "compiler/frontend/Host.h"

#include "compiler/support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {

char HostError::ID = 0;

llvm::Error hostError(std::string exception, std::string message) {
  return llvm::make_error<HostError>(std::move(exception), std::move(message));
}

llvm::Error globalNotConstexpr(llvm::StringRef name) {
  return hostError("NameError", ("Cannot access global variable " + name +
                                 " from within a jitted function; kernels may only read globals "
                                 "that are `tl.constexpr` objects: write `" +
                                 name + " = tl.constexpr(...)` (annotating `" + name +
                                 ": tl.constexpr` is not enough), or set TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1")
                                    .str());
}

void Host::print(llvm::StringRef text) {
  llvm::outs() << text;
  llvm::outs().flush();
}

void Host::warn(llvm::StringRef category, const SourceRange &range, llvm::StringRef message) {
  llvm::errs() << render(Diagnostic{.severity = Severity::Warning, .range = range, .message = message.str()},
                         /*color=*/false);
}

llvm::Expected<Value> Host::fold(const HostObject &callable, const CallArguments &) {
  return hostError("TypeError", describe(callable) + " cannot be called outside of a kernel");
}

llvm::Expected<Value> Host::import(llvm::StringRef module, llvm::StringRef name) {
  return hostError("ImportError", ("there is no " + module + "." + name).str());
}

} // namespace triton::frontend
