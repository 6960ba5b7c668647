// Strings: plain ones whole, f-strings and t-strings in pieces.
#include "compiler/syntax/TextLexer.h"

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;
using llvm::Twine;

// The limits of CPython's tokenizer.
constexpr unsigned maxFormatStrings = 150;
constexpr unsigned maxFieldNesting = 3; // a replacement field and those inside its format specifier

/// At the opening quote of a string whose prefix begins at `begin`.
void TextLexer::lexString(uint32_t begin, StringRef prefix) {
  char quote = peek();
  bool isTriple = peek(1) == quote && peek(2) == quote;
  at += isTriple ? 3 : 1;
  for (char letter : {'f', 't'}) {
    if (!prefix.contains_insensitive(StringRef(&letter, 1)))
      continue;
    if (formats.size() >= maxFormatStrings)
      return giveUp("too many nested f-strings");
    formats.push_back({.letter = letter,
                       .quote = quote,
                       .isTriple = isTriple,
                       .isRaw = prefix.contains_insensitive("r"),
                       .inText = true,
                       .begin = begin,
                       .firstBracket = brackets.size()});
    return emit(TokenKind::FormatStart, begin);
  }
  uint32_t quoteAt = begin + prefix.size();
  for (;; ++at) {
    char c = peek();
    if (atEnd() || (!isTriple && isNewline(c))) {
      // In a replacement field, the quote may well be the end of the f-string.
      if (!formats.empty() && formats.back().quote == quote && formats.back().isTriple == isTriple) {
        at = quoteAt + (isTriple ? 3 : 1);
        errorToken(quoteAt, Twine(formats.back().letter) + "-string: expecting '}'");
        return abandonFormatString();
      }
      return errorToken(begin, Twine("unterminated ") + (isTriple ? "triple-quoted " : "") +
                                   "string literal (detected at line " + Twine(lineOf(at)) + ")");
    }
    if (c == '\\' && !(at + 1 >= size)) {
      ++at;
      if (peek() == '\r' && peek(1) == '\n')
        ++at;
    } else if (c == quote && (!isTriple || (peek(1) == quote && peek(2) == quote))) {
      at += isTriple ? 3 : 1;
      return emit(TokenKind::String, begin);
    }
  }
}

/// Literal text of the innermost f-string or of a format specifier in it, up to a field, the end of the field or of the
/// string.
void TextLexer::lexFormatText() {
  FormatString &format = formats.back();
  bool inSpecifier = brackets.size() > format.firstBracket;
  uint32_t begin = at;
  auto emitText = [&] {
    if (at > begin)
      emit(TokenKind::FormatMiddle, begin);
    begin = at;
  };
  while (true) {
    char c = peek();
    if (atEnd() || (!format.isTriple && isNewline(c))) {
      if (!inSpecifier || atEnd()) {
        errorToken(format.begin, Twine("unterminated ") + (format.isTriple ? "triple-quoted " : "") +
                                     Twine(format.letter) + "-string literal (detected at line " + Twine(lineOf(at)) +
                                     ")");
        return abandonFormatString();
      }
      errorToken(begin, Twine(format.letter) +
                            "-string: newlines are not allowed in format specifiers for single quoted " +
                            Twine(format.letter) + "-strings");
      if (!StringRef(base + at, size - at).ltrim().starts_with("}"))
        return abandonFormatString();
      brackets.back().inSpecifier = format.inText = false; // the field ends on the next line: read on from there
      return;
    }
    if (c == format.quote && (!format.isTriple || (peek(1) == c && peek(2) == c))) {
      emitText();
      at += format.isTriple ? 3 : 1;
      if (inSpecifier) {
        errorToken(begin, Twine(format.letter) + "-string: expecting '}'");
        return abandonFormatString();
      }
      formats.pop_back();
      return emit(TokenKind::FormatEnd, begin);
    }
    if (c == '\\') {
      at += skipFormatEscape(format.isRaw);
    } else if ((c == '{' || c == '}') && peek(1) == c && !inSpecifier) {
      at += 2;
    } else if (c == '{') {
      emitText();
      if (brackets.size() - format.firstBracket >= maxFieldNesting)
        error(at, at + 1, Twine(format.letter) + "-string: expressions nested too deeply");
      format.inText = false;
      openBracket();
      if (!brackets.empty())
        brackets.back().isField = true;
      return;
    } else if (c == '}' && inSpecifier) {
      emitText();
      return closeBracket();
    } else if (c == '}') {
      emitText();
      ++at;
      errorToken(begin, Twine(format.letter) + "-string: single '}' is not allowed",
                 "write '}}' for a brace that is text");
      begin = at;
    } else {
      ++at;
    }
  }
}

/// At a backslash in an f-string: passes the escape sequence as far as it could hide a brace or a quote. True if the
/// character here is still to be skipped.
bool TextLexer::skipFormatEscape(bool isRaw) {
  ++at;
  if (atEnd() || peek() == '{' || peek() == '}')
    return false;
  if (peek() == '\r' && peek(1) == '\n')
    ++at;
  if (isRaw || peek() != 'N' || peek(1) != '{')
    return true;
  constexpr uint32_t longestName = 256; // that of a character; a bound keeps the search from growing with the text
  StringRef rest(base + at, std::min(longestName, size - at));
  size_t close = rest.find_first_of("}\"'\n\r");
  if (close != StringRef::npos && rest[close] == '}')
    at += close;
  return true;
}

/// Leaves a broken f-string, with all its fields.
void TextLexer::abandonFormatString() {
  brackets.truncate(std::min(brackets.size(), formats.back().firstBracket));
  formats.pop_back();
}
