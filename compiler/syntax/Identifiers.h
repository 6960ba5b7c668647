// Names as Unicode sees them: which characters make an identifier, and which spellings are the same one (NFKC, as in
// Python). Also the few questions about UTF-8 text that the lexer and the printer of trees ask.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::syntax {

/// ASCII letters, digits, the underscore, and every byte of a character beyond ASCII.
inline bool isIdentifierByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (unsigned char)c >= 128;
}

/// The length of the identifier that `text`, which does not begin with a digit, begins with; 0 if there is none.
size_t identifierLength(llvm::StringRef text);

/// The form under which an identifier is looked up. Text in ASCII is its own.
std::string normalizeIdentifier(llvm::StringRef identifier);

/// Python's `str.isprintable` for one character.
bool isPrintable(uint32_t codePoint);

struct CodePoint {
  uint32_t value;
  unsigned bytes;
  bool isValid; // else `value` is the first byte and `bytes` is 1
};

/// The first character of `text`, which is not empty. Surrogates are taken as they come (WTF-8).
CodePoint decodeCodePoint(llvm::StringRef text);

/// Appends the character in UTF-8; a surrogate like any other.
void appendCodePoint(std::string &text, uint32_t codePoint);

/// The offset of the first byte that is not UTF-8, or the size of the text.
size_t findInvalidUtf8(llvm::StringRef text);

} // namespace triton::syntax
