// What every function of the C interface does besides its work.
//   In:  pointers that may be NULL, and a body that answers with llvm::Expected or llvm::Error.
//   Out: the result, or NULL or nonzero and a triton_error.
// No exception leaves: neither from the body nor through it. Objects are counted references, so that whoever holds one frees it here.
#pragma once

#include <triton/c.h>

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <exception>
#include <string>

struct triton_error {
  std::string kind, message;
};

struct triton_bytes {
  std::string content;
};

namespace triton {

class Diagnostics;

/// An error under the name of Python's class, "ValueError".
llvm::Error failure(std::string kind, std::string message);
llvm::Error failure(const Diagnostics &diagnostics);

/// Hands an error to the caller, if he wants it.
void report(triton_error **out, llvm::Error error);

struct Required {
  const char *name;
  const void *pointer;
};
/// An error that names the first of these that is NULL.
llvm::Error requireAll(std::initializer_list<Required> pointers);

/// The answer of `body`, or what it threw as an error.
template <typename Body> auto withoutExceptions(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception &exception) {
    return failure("RuntimeError", exception.what());
  } catch (...) {
    return failure("RuntimeError", "an exception that is no std::exception");
  }
}

/// A new object for the caller; NULL after reporting. `body` gives an llvm::Expected of a pointer.
template <typename Body> auto make(triton_error **error, std::initializer_list<Required> pointers, Body body) {
  using Result = decltype(body());
  Result result = withoutExceptions([&]() -> Result {
    if (llvm::Error missing = requireAll(pointers))
      return missing;
    return body();
  });
  if (result)
    return *result;
  report(error, result.takeError());
  return typename Result::value_type();
}

/// 0 if it went well. `body` gives an llvm::Error.
template <typename Body> int attempt(triton_error **error, std::initializer_list<Required> pointers, Body body) {
  llvm::Error result = withoutExceptions([&]() -> llvm::Error {
    if (llvm::Error missing = requireAll(pointers))
      return missing;
    return body();
  });
  if (!result)
    return 0;
  report(error, std::move(result));
  return 1;
}

/// The caller's own reference to an object.
template <typename T> T *handOut(llvm::IntrusiveRefCntPtr<T> object) {
  if (object)
    object->Retain();
  return object.get();
}
/// One more; NULL for NULL.
template <typename T> T *retain(const T *object) {
  if (object)
    object->Retain();
  return const_cast<T *>(object);
}
template <typename T> void release(T *object) {
  if (object)
    object->Release();
}

inline llvm::StringRef toStringRef(triton_text text) { return llvm::StringRef(text.data, text.data ? text.size : 0); }

} // namespace triton
