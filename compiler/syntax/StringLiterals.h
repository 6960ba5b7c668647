// String literals: from the text between the quotes to the value.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace triton::syntax {

struct LiteralForm {
  bool isBytes = false;
  bool isRaw = false;
  bool hasBraces = false; // text of an f-string, where a brace is written twice
};

/// A part of the literal, by its offsets, that means nothing.
struct LiteralError {
  size_t begin;
  size_t end;
  std::string message;
};

/// True if the value differs from the text.
bool needsDecoding(llvm::StringRef text, LiteralForm form);

/// Appends the value to `value`: escape sequences replaced, line breaks as \n, doubled braces single. Unknown escape
/// sequences stay as they are, as in Python.
std::optional<LiteralError> decodeLiteral(llvm::StringRef text, LiteralForm form, std::string &value);

} // namespace triton::syntax
