// Content hashes: what the cache is addressed by.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton {

/// The SHA-256 of `data` as 64 lower-case hexadecimal digits.
std::string sha256Hex(llvm::StringRef data);

/// The BLAKE3 of `data`, likewise: as hard to forge, and ten times as quick. What is checked when a kernel is loaded has it.
std::string blake3Hex(llvm::StringRef data);

/// HMAC-SHA-256 (RFC 2104) of `data` under `key`, likewise: only who knows the key can make it.
std::string hmacSha256Hex(llvm::StringRef key, llvm::StringRef data);

} // namespace triton
