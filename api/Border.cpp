#include "api/Border.h"

#include "compiler/frontend/Host.h"
#include "compiler/frontend/LanguageVersion.h"
#include "compiler/support/Diagnostic.h"

#include <algorithm>

namespace triton {

llvm::Error failure(std::string kind, std::string message) {
  return llvm::make_error<frontend::HostError>(std::move(kind), std::move(message));
}

llvm::Error failure(const Diagnostics &diagnostics) {
  std::string kind;
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (kind.empty() && diagnostic.severity == Severity::Error)
      kind = diagnostic.exception;
  return failure(kind.empty() ? "CompilationError" : kind, render(diagnostics.all(), /*color=*/false));
}

void report(triton_error **out, llvm::Error error) {
  triton_error described{"RuntimeError", ""};
  llvm::handleAllErrors(
      std::move(error),
      [&](const frontend::HostError &hostError) { described = {hostError.exception, hostError.message}; },
      [&](const llvm::ErrorInfoBase &other) { described.message = other.message(); });
  if (out)
    *out = new triton_error(std::move(described));
}

llvm::Error requireAll(std::initializer_list<Required> pointers) {
  auto missing = std::find_if(pointers.begin(), pointers.end(), [](const Required &each) { return !each.pointer; });
  if (missing == pointers.end())
    return llvm::Error::success();
  return failure("ValueError", std::string(missing->name) + " is NULL");
}

} // namespace triton

extern "C" {

int triton_c_version(void) { return TRITON_C_VERSION; }
const char *triton_version(void) { return triton::frontend::stamp().data(); }

const char *triton_error_kind(const triton_error *error) { return error ? error->kind.c_str() : ""; }
const char *triton_error_message(const triton_error *error) { return error ? error->message.c_str() : ""; }
void triton_error_free(triton_error *error) { delete error; }

const char *triton_bytes_data(const triton_bytes *bytes) { return bytes ? bytes->content.c_str() : nullptr; }
size_t triton_bytes_size(const triton_bytes *bytes) { return bytes ? bytes->content.size() : 0; }
void triton_bytes_free(triton_bytes *bytes) { delete bytes; }

} // extern "C"
