#include "compiler/syntax/Lexer.h"

#include "compiler/syntax/Identifiers.h"
#include "compiler/syntax/NumberLiterals.h"
#include "compiler/syntax/TextLexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>
#include <cstring>

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;
using llvm::Twine;

StringRef syntax::describe(TokenKind kind) {
  static constexpr StringRef descriptions[] = {
#define TRITON_TOKEN(Kind, Description) Description,
#include "compiler/syntax/Tokens.def"
  };
  return descriptions[unsigned(kind)];
}

bool syntax::isKeyword(TokenKind kind) { return kind >= TokenKind::KeywordFalse; }

namespace {
struct Spelled {
  StringRef text;
  TokenKind kind;
};
} // namespace

/// The operators and keywords that begin with `first`, the longer before the shorter.
static llvm::ArrayRef<Spelled> spellingsFrom(char first) {
  static const auto byFirst = [] {
    std::array<llvm::SmallVector<Spelled, 6>, 128> table;
#define TRITON_OPERATOR(Kind, Spelling) table[unsigned(Spelling[0])].push_back({Spelling, TokenKind::Kind});
#define TRITON_KEYWORD(Kind, Spelling) TRITON_OPERATOR(Kind, Spelling)
#include "compiler/syntax/Tokens.def"
    for (auto &row : table)
      llvm::sort(row, [](const Spelled &a, const Spelled &b) { return a.text.size() > b.text.size(); });
    return table;
  }();
  return llvm::isASCII(first) ? llvm::ArrayRef<Spelled>(byFirst[first]) : llvm::ArrayRef<Spelled>();
}

static TokenKind keywordOrName(StringRef word) {
  for (const Spelled &keyword : spellingsFrom(word.front()))
    if (word == keyword.text)
      return keyword.kind;
  return TokenKind::Name;
}

// The limit of CPython's tokenizer.
constexpr unsigned maxIndentations = 100;

void TextLexer::error(uint32_t begin, uint32_t end, const Twine &message, std::string hint) {
  errors.push_back(
      {.range = {&source, begin, end}, .message = message.str(), .exception = "SyntaxError", .hint = std::move(hint)});
}

/// What lies between `begin` and here is no token.
void TextLexer::errorToken(uint32_t begin, const Twine &message, std::string hint) {
  error(begin, at, message, std::move(hint));
  emit(TokenKind::Error, begin);
}

/// For text nested deeper than anyone writes: there is no telling what follows.
void TextLexer::giveUp(const Twine &message) {
  errorToken(at, message);
  at = size;
  brackets.clear();
  formats.clear();
}

void TextLexer::checkEncoding() {
  uint32_t bad = findInvalidUtf8(source.text());
  if (bad < size)
    error(bad, bad + 1, "source is not UTF-8: invalid byte 0x" + llvm::utohexstr((unsigned char)base[bad], true),
          "save the file as UTF-8, or name its encoding in a comment on the first line: # -*- coding: ... -*-");
  if (auto *null = static_cast<const char *>(std::memchr(base, 0, size)))
    error(null - base, null - base + 1, "source cannot contain null bytes");
}

std::vector<Token> TextLexer::run() {
  checkEncoding();
  encodingErrors = errors.size();
  while (!atEnd() || !brackets.empty() || !formats.empty()) {
    if (atEnd() && (formats.empty() || !formats.back().inText))
      closeAbandonedBrackets(size);
    else if (!formats.empty() && formats.back().inText)
      lexFormatText();
    else if (atLineStart)
      beginLine();
    else
      lexToken();
  }
  finish();
  return std::move(tokens);
}

/// Reads the indentation of a line; blank lines and comments have none.
void TextLexer::beginLine() {
  Indentation line = {0, 0};
  std::optional<unsigned> joined; // a backslash in the indentation fixes it where the first one stands
  uint32_t lineBegin = at;
  for (;; ++at) {
    char c = peek();
    if (c == ' ') {
      ++line.column, ++line.alternate;
    } else if (c == '\t') {
      line.column = (line.column / 8 + 1) * 8;
      ++line.alternate;
    } else if (c == '\f') {
      line = {0, 0};
    } else if (c == '\\' && isNewline(peek(1))) {
      if (!joined.value_or(0))
        joined = line.column;
      if (!joinLine())
        return;
      --at;
    } else {
      break;
    }
  }
  if (peek() == '#')
    while (!atEnd() && !isNewline(peek()))
      ++at;
  if (atEnd())
    return;
  if (isNewline(peek()))
    return skipNewline();
  atLineStart = false;
  firstOnLine = true;
  if (joined.value_or(0))
    line = {*joined, *joined};
  indent(line, lineBegin);
}

/// Opens a block, or closes those the line is no longer in.
void TextLexer::indent(Indentation line, uint32_t lineBegin) {
  static constexpr const char *inconsistent = "inconsistent use of tabs and spaces in indentation";
  static constexpr const char *useOne = "indent with spaces only: which column a tab reaches depends on the editor";
  Indentation current = indentations.back();
  if (line.column == current.column) {
    if (line.alternate != current.alternate)
      error(lineBegin, at, inconsistent, useOne);
    return;
  }
  if (line.column > current.column) {
    if (line.alternate <= current.alternate)
      error(lineBegin, at, inconsistent, useOne);
    if (indentations.size() >= maxIndentations)
      return giveUp("too many levels of indentation");
    indentations.push_back(line);
    return emit(TokenKind::Indent, lineBegin);
  }
  while (indentations.size() > 1 && line.column < indentations.back().column) {
    indentations.pop_back();
    emit(TokenKind::Dedent, at);
  }
  if (line.column != indentations.back().column) {
    error(lineBegin, at, "unindent does not match any outer indentation level");
    // Taken as going on with the last block it could have ended, so that blocks stay balanced.
    indentations.push_back(line);
    tokens.pop_back();
  } else if (line.alternate != indentations.back().alternate) {
    error(lineBegin, at, inconsistent, useOne);
  }
}

/// At a backslash: skips it and the line break behind it. False if that is not what follows.
bool TextLexer::joinLine() {
  uint32_t begin = at++;
  if (!isNewline(peek()) || atEnd()) {
    if (atEnd()) {
      errorToken(begin, "unexpected end of file after a line continuation");
    } else {
      while (!atEnd() && !isNewline(peek()))
        ++at;
      errorToken(begin + 1, "unexpected character after line continuation character",
                 "a backslash joins two lines only as the last character of the first");
    }
    return false;
  }
  skipNewline();
  if (!atEnd())
    return true;
  errorToken(begin, "unexpected end of file after a line continuation");
  return false;
}

void TextLexer::lexToken() {
  char c = peek();
  while (c == ' ' || c == '\t' || c == '\f') {
    ++at;
    c = peek();
  }
  if (atEnd())
    return;
  if (c == '#') {
    while (!atEnd() && !isNewline(peek()))
      ++at;
    return;
  }
  if (isNewline(c)) {
    uint32_t begin = at;
    skipNewline();
    firstOnLine = true;
    if (brackets.empty() && formats.empty()) {
      emit(TokenKind::Newline, begin);
      atLineStart = true;
    }
    return;
  }
  if (c == '\\') {
    joinLine();
    return;
  }
  if (isIdentifierByte(c) && !llvm::isDigit(c))
    lexName();
  else if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
    lexNumber();
  else if (c == '"' || c == '\'')
    lexString(at, "");
  else
    lexOperator();
  firstOnLine = false;
}

static bool isStringPrefix(StringRef word) {
  if (word.size() > 2)
    return false;
  return llvm::StringSwitch<bool>(word.lower())
      .Cases({"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"}, true)
      .Default(false);
}

/// A word that only begins statements, first on its line inside brackets: the brackets were never closed.
static bool beginsStatement(StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases({"assert", "break", "class", "continue", "def", "del", "except", "finally", "global"}, true)
      .Cases({"import", "nonlocal", "pass", "raise", "return", "try", "while", "with"}, true)
      .Default(false);
}

void TextLexer::lexName() {
  uint32_t begin = at;
  while (isIdentifierByte(peek()) && llvm::isASCII(peek()))
    ++at;
  bool isAscii = atEnd() || llvm::isASCII(peek());
  if (!isAscii)
    at = begin + identifierLength(StringRef(base + begin, size - begin));
  if (at == begin)
    return lexInvalidCharacter();
  if (!isAscii)
    return emit(TokenKind::Name, begin);
  StringRef word(base + begin, at - begin);
  if ((peek() == '"' || peek() == '\'') && isStringPrefix(word))
    return lexString(begin, word);
  TokenKind kind = keywordOrName(word);
  if (!brackets.empty() && firstOnLine && formats.empty() && beginsStatement(word))
    return closeAbandonedBrackets(begin);
  emit(kind, begin);
}

void TextLexer::lexInvalidCharacter() {
  uint32_t begin = at;
  CodePoint character = decodeCodePoint(StringRef(base + at, size - at));
  at += character.bytes;
  if (!character.isValid) // reported when the encoding was checked
    return emit(TokenKind::Error, begin);
  std::string number = "U+" + llvm::utohexstr(character.value, false, 4);
  if (!isPrintable(character.value))
    return errorToken(begin, "invalid non-printable character " + number);
  errorToken(begin, "invalid character '" + StringRef(base + begin, at - begin) + "' (" + number + ")");
}

void TextLexer::lexNumber() {
  uint32_t begin = at;
  NumberScan scan = scanNumber(StringRef(base + at, size - at));
  at += scan.length;
  if (scan.error.empty())
    return emit(TokenKind::Number, begin);
  while (isIdentifierByte(peek()))
    ++at;
  errorToken(begin, scan.error);
}

void TextLexer::lexOperator() {
  char c = peek();
  if (c == '(' || c == '[' || c == '{')
    return openBracket();
  if (c == ')' || c == ']' || c == '}')
    return closeBracket();
  if (c == ':' && !brackets.empty() && brackets.back().isField) {
    brackets.back().inSpecifier = true;
    formats.back().inText = true;
    ++at;
    return emit(TokenKind::Colon, at - 1);
  }
  uint32_t begin = at;
  StringRef rest(base + at, std::min<uint32_t>(3, size - at));
  for (const Spelled &candidate : spellingsFrom(c))
    if (rest.starts_with(candidate.text)) {
      at += candidate.text.size();
      return emit(candidate.kind, begin);
    }
  if (rest.starts_with("<>")) {
    at += 2;
    return errorToken(begin, "'<>' is not an operator", "use '!=' for 'not equal'");
  }
  if (c == '\0') { // reported when the encoding was checked
    ++at;
    return emit(TokenKind::Error, begin);
  }
  lexInvalidCharacter();
}

void TextLexer::finish() {
  if (!tokens.empty() && !atLineStart && tokens.back().kind != TokenKind::Newline)
    emit(TokenKind::Newline, at);
  for (size_t open = indentations.size(); open > 1; --open)
    emit(TokenKind::Dedent, at);
  emit(TokenKind::EndOfFile, at);
}

std::vector<Token> syntax::tokenize(const Source &source, std::vector<Diagnostic> &errors) {
  return TextLexer(source, errors).run();
}
