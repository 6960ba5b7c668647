// Numbers that environment variables hold.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdlib>

namespace triton {

/// 0 if the variable is not set or empty; an error that names it if it holds anything but a number from 0 to 2147483647.
inline llvm::Expected<unsigned> environmentNumber(const char *name) {
  const char *text = std::getenv(name);
  unsigned number = 0;
  if (text && *text && (llvm::StringRef(text).trim().getAsInteger(10, number) || number > INT32_MAX))
    return llvm::createStringError(llvm::Twine("Unable to use ") + name + "=" + text + ": expected int, 0 or more");
  return number;
}

} // namespace triton
