#include "compiler/syntax/StringLiterals.h"

#include "compiler/syntax/Identifiers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

using namespace triton::syntax;
using llvm::StringRef;

bool triton::syntax::needsDecoding(StringRef text, LiteralForm form) {
  for (char c : text)
    if (c == '\r' || (c == '\\' && !form.isRaw) || (form.hasBraces && (c == '{' || c == '}')) ||
        (form.isBytes && (unsigned char)c >= 128))
      return true;
  return false;
}

namespace {

class LiteralDecoder {
public:
  LiteralDecoder(StringRef text, LiteralForm form, std::string &value) : text(text), form(form), value(value) {}

  std::optional<LiteralError> run() {
    while (at < text.size() && !error)
      step();
    return error;
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  void fail(size_t begin, std::string message) { error = LiteralError{begin, at, std::move(message)}; }

  void step() {
    char c = text[at];
    if (c == '\\' && !form.isRaw)
      return escape();
    ++at;
    if (c == '\r') {
      if (peek() == '\n')
        ++at;
      c = '\n';
    } else if (form.hasBraces && (c == '{' || c == '}') && peek() == c) {
      ++at;
    } else if (form.isBytes && (unsigned char)c >= 128) {
      return fail(at - 1, "bytes can only contain ASCII literal characters");
    }
    value += c;
  }

  void escape() {
    size_t begin = at++;
    char c = peek();
    ++at;
    switch (c) {
    case '\r':
      if (peek() == '\n')
        ++at;
      return;
    case '\n':
      return;
    case '\\':
    case '\'':
    case '"':
      value += c;
      return;
    case 'a':
      value += '\a';
      return;
    case 'b':
      value += '\b';
      return;
    case 'f':
      value += '\f';
      return;
    case 'n':
      value += '\n';
      return;
    case 'r':
      value += '\r';
      return;
    case 't':
      value += '\t';
      return;
    case 'v':
      value += '\v';
      return;
    case 'x':
      return hexEscape(begin, 2, form.isBytes ? "invalid \\x escape" : "truncated \\xXX escape");
    case 'u':
      if (!form.isBytes)
        return hexEscape(begin, 4, "truncated \\uXXXX escape");
      break;
    case 'U':
      if (!form.isBytes)
        return hexEscape(begin, 8, "truncated \\UXXXXXXXX escape");
      break;
    case 'N':
      if (!form.isBytes)
        return namedEscape(begin);
      break;
    default:
      if (c >= '0' && c <= '7')
        return octalEscape(c - '0');
    }
    // Not an escape sequence: the backslash stands for itself, and what follows is read again.
    value += '\\';
    at = begin + 1;
  }

  void append(uint32_t codePoint) {
    if (form.isBytes)
      value += char(codePoint);
    else
      appendCodePoint(value, codePoint);
  }

  void octalEscape(uint32_t number) {
    for (int digits = 1; digits < 3 && peek() >= '0' && peek() <= '7'; ++digits, ++at)
      number = number * 8 + (peek() - '0');
    append(number);
  }

  void hexEscape(size_t begin, unsigned digits, const char *message) {
    uint32_t number = 0;
    for (unsigned i = 0; i < digits; ++i, ++at) {
      if (!llvm::isHexDigit(peek()))
        return fail(begin, message);
      number = number * 16 + llvm::hexDigitValue(peek());
    }
    if (number > 0x10FFFF)
      return fail(begin, "illegal Unicode character");
    append(number);
  }

  void namedEscape(size_t begin) {
    size_t close = peek() == '{' ? text.find('}', at) : StringRef::npos;
    if (close == StringRef::npos || close == at + 1)
      return fail(begin, "malformed \\N character escape");
    std::string name = text.slice(at + 1, close).upper();
    at = close + 1;
    std::optional<char32_t> character = llvm::sys::unicode::nameToCodepointStrict(name);
    if (!character)
      return fail(begin, "unknown Unicode character name");
    append(*character);
  }

  StringRef text;
  LiteralForm form;
  std::string &value;
  size_t at = 0;
  std::optional<LiteralError> error;
};

} // namespace

std::optional<LiteralError> triton::syntax::decodeLiteral(StringRef text, LiteralForm form, std::string &value) {
  return LiteralDecoder(text, form, value).run();
}
