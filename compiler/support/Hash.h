// Content hashes: what the cache is addressed by.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton {

/// The SHA-256 of `data` as 64 lower-case hexadecimal digits.
std::string sha256Hex(llvm::StringRef data);

} // namespace triton
