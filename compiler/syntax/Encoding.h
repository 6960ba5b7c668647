// The bytes of a Python file -> UTF-8 text, by the file's byte order mark or its `coding:` comment (PEP 263).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::syntax {

/// Fails with a message for the user if the encoding is unknown or the bytes are not in it. Bytes that should be UTF-8
/// are passed on unchecked: the parser reports invalid ones where they stand.
llvm::Expected<std::string> decodeSource(llvm::StringRef bytes);

/// The encoding a `coding:` comment names, in lower case, or an empty string.
std::string declaredEncoding(llvm::StringRef bytes);

} // namespace triton::syntax
