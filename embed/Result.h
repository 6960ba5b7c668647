// Failures of the compiler and the runtime as values of the embedding interface.
#pragma once

#include <triton/embed.h>

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace triton::embed {

inline Error toError(llvm::Error error, const char *exception = "RuntimeError") {
  return {exception, llvm::toString(std::move(error))};
}

inline std::optional<Error> toOptional(llvm::Error error, const char *exception = "RuntimeError") {
  return error ? std::optional(toError(std::move(error), exception)) : std::nullopt;
}

template <typename T> Result<T> toResult(llvm::Expected<T> result, const char *exception = "RuntimeError") {
  if (!result)
    return toError(result.takeError(), exception);
  return std::move(*result);
}

/// Facts for a host language to read by their names.
inline std::string toText(llvm::json::Value facts) {
  std::string text;
  llvm::raw_string_ostream(text) << facts;
  return text;
}

} // namespace triton::embed
