#include "compiler/syntax/Lexer.h"

#include "compiler/syntax/Identifiers.h"
#include "compiler/syntax/NumberLiterals.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

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

static TokenKind keywordOrName(StringRef word) {
  if (word.size() < 2 || word.size() > 8)
    return TokenKind::Name;
  return llvm::StringSwitch<TokenKind>(word)
#define TRITON_KEYWORD(Kind, Spelling) .Case(Spelling, TokenKind::Kind)
#include "compiler/syntax/Tokens.def"
      .Default(TokenKind::Name);
}

namespace {

// The limits of CPython's tokenizer.
constexpr unsigned maxIndentations = 100;
constexpr unsigned maxBrackets = 200;
constexpr unsigned maxFormatStrings = 150;
constexpr unsigned maxFieldNesting = 3; // a replacement field and those inside its format specifier

/// An indentation in columns, measured with tabs to the next multiple of 8 and with tabs as 1: the two must agree in order.
struct Indentation {
  unsigned column;
  unsigned alternate;
};

struct Bracket {
  char open;
  uint32_t begin;
  bool isField = false; // the { of a replacement field in an f-string
  bool inSpecifier = false;
};

/// An f-string or t-string that is open. Its replacement fields are brackets from `firstBracket` on.
struct FormatString {
  char letter; // 'f' or 't'
  char quote;
  bool isTriple;
  bool isRaw;
  bool inText; // in literal text or a format specifier, not in the expression of a field
  uint32_t begin;
  size_t firstBracket;
};

class Lexer {
public:
  Lexer(const Source &source, std::vector<Diagnostic> &errors)
      : source(source), base(source.text().data()), size(source.text().size()), errors(errors) {
    tokens.reserve(size / 4 + 16);
  }

  std::vector<Token> run();

private:
  char peek(uint32_t ahead = 0) const { return at + ahead < size ? base[at + ahead] : '\0'; }
  bool isNewline(char c) const { return c == '\n' || c == '\r'; }
  void skipNewline() { at += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }
  bool atEnd() const { return at >= size; }
  void emit(TokenKind kind, uint32_t begin) { tokens.push_back({kind, begin, at}); }
  void error(uint32_t begin, uint32_t end, const Twine &message, std::string hint = {});
  void errorToken(uint32_t begin, const Twine &message, std::string hint = {});
  void giveUp(const Twine &message);
  void checkEncoding();

  void beginLine();
  void indent(Indentation line, uint32_t lineBegin);
  bool joinLine();
  void lexToken();
  void lexName();
  void lexInvalidCharacter();
  void lexNumber();
  void lexString(uint32_t begin, StringRef prefix);
  void lexFormatText();
  bool skipFormatEscape(bool isRaw);
  void abandonFormatString();
  void openBracket();
  void closeBracket();
  void lexOperator();
  void closeAbandonedBrackets(uint32_t wordBegin);
  void finish();
  unsigned lineOf(uint32_t offset) const { return source.locate(offset).line; }

  const Source &source;
  const char *base;
  const uint32_t size;
  std::vector<Diagnostic> &errors;
  uint32_t at = 0;
  bool atLineStart = true;
  bool firstOnLine = false; // no token yet on this line of text
  std::vector<Token> tokens;
  llvm::SmallVector<Indentation> indentations = {{0, 0}};
  llvm::SmallVector<Bracket> brackets;
  llvm::SmallVector<FormatString> formats;
};

} // namespace

void Lexer::error(uint32_t begin, uint32_t end, const Twine &message, std::string hint) {
  errors.push_back({.range = {&source, begin, end},
                    .message = message.str(),
                    .exception = "SyntaxError",
                    .hint = std::move(hint)});
}

/// What lies between `begin` and here is no token.
void Lexer::errorToken(uint32_t begin, const Twine &message, std::string hint) {
  error(begin, at, message, std::move(hint));
  emit(TokenKind::Error, begin);
}

/// For text nested deeper than anyone writes: there is no telling what follows.
void Lexer::giveUp(const Twine &message) {
  errorToken(at, message);
  at = size;
  brackets.clear();
  formats.clear();
}

void Lexer::checkEncoding() {
  uint32_t bad = findInvalidUtf8(source.text());
  if (bad < size)
    error(bad, bad + 1, "source is not UTF-8: invalid byte 0x" + llvm::utohexstr((unsigned char)base[bad], true),
          "save the file as UTF-8, or name its encoding in a comment on the first line: # -*- coding: ... -*-");
  if (auto *null = static_cast<const char *>(std::memchr(base, 0, size)))
    error(null - base, null - base + 1, "source cannot contain null bytes");
}

std::vector<Token> Lexer::run() {
  checkEncoding();
  while (!atEnd() || (!formats.empty() && formats.back().inText)) {
    if (!formats.empty() && formats.back().inText)
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
void Lexer::beginLine() {
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
void Lexer::indent(Indentation line, uint32_t lineBegin) {
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
bool Lexer::joinLine() {
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

void Lexer::lexToken() {
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

void Lexer::lexName() {
  uint32_t begin = at;
  bool isAscii = true;
  while (isIdentifierByte(peek())) {
    isAscii &= (unsigned char)base[at] < 128;
    ++at;
  }
  StringRef word(base + begin, at - begin);
  if ((peek() == '"' || peek() == '\'') && isStringPrefix(word))
    return lexString(begin, word);
  if (!isAscii) {
    size_t valid = identifierLength(word);
    if (valid < word.size()) {
      at = begin + valid;
      if (valid > 0)
        emit(TokenKind::Name, begin);
      return lexInvalidCharacter();
    }
    return emit(TokenKind::Name, begin);
  }
  TokenKind kind = keywordOrName(word);
  if (!brackets.empty() && firstOnLine && formats.empty() && isKeyword(kind))
    closeAbandonedBrackets(begin);
  emit(kind, begin);
}

/// A word that only begins statements, first on its line inside brackets: the brackets were never closed. Going on as if
/// they were keeps the rest of the file readable.
void Lexer::closeAbandonedBrackets(uint32_t wordBegin) {
  StringRef word(base + wordBegin, at - wordBegin);
  bool beginsStatement = llvm::StringSwitch<bool>(word)
                             .Cases({"assert", "break", "class", "continue", "def", "del", "except", "finally", "global"}, true)
                             .Cases({"import", "nonlocal", "pass", "raise", "return", "try", "while", "with"}, true)
                             .Default(false);
  if (!beginsStatement)
    return;
  const Bracket &bracket = brackets.back();
  error(bracket.begin, bracket.begin + 1, Twine("'") + Twine(bracket.open) + "' was never closed");
  uint32_t end = at;
  at = wordBegin;
  emit(TokenKind::Error, at);
  emit(TokenKind::Newline, at);
  brackets.clear();
  // The indentation of this line was passed over as space within the brackets.
  uint32_t lineBegin = source.lineBegin(lineOf(wordBegin));
  at = lineBegin;
  beginLine();
  at = end;
}

void Lexer::lexInvalidCharacter() {
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

void Lexer::lexNumber() {
  uint32_t begin = at;
  NumberScan scan = scanNumber(StringRef(base + at, size - at));
  at += scan.length;
  if (scan.error.empty())
    return emit(TokenKind::Number, begin);
  while (isIdentifierByte(peek()))
    ++at;
  errorToken(begin, scan.error);
}

/// At the opening quote of a string whose prefix begins at `begin`.
void Lexer::lexString(uint32_t begin, StringRef prefix) {
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

/// Literal text of the innermost f-string or of a format specifier in it, up to a field, the end of the field or of the string.
void Lexer::lexFormatText() {
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
        errorToken(format.begin, Twine("unterminated ") + (format.isTriple ? "triple-quoted " : "") + Twine(format.letter) +
                                     "-string literal (detected at line " + Twine(lineOf(at)) + ")");
        return abandonFormatString();
      }
      errorToken(begin, Twine(format.letter) + "-string: newlines are not allowed in format specifiers for single quoted " +
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
bool Lexer::skipFormatEscape(bool isRaw) {
  ++at;
  if (atEnd() || peek() == '{' || peek() == '}')
    return false;
  if (peek() == '\r' && peek(1) == '\n')
    ++at;
  if (isRaw || peek() != 'N' || peek(1) != '{')
    return true;
  StringRef rest(base + at, size - at);
  size_t close = rest.find_first_of("}\"'\n\r");
  if (close != StringRef::npos && rest[close] == '}')
    at += close;
  return true;
}

/// Leaves a broken f-string, with all its fields.
void Lexer::abandonFormatString() {
  brackets.truncate(std::min(brackets.size(), formats.back().firstBracket));
  formats.pop_back();
}

void Lexer::openBracket() {
  if (brackets.size() >= maxBrackets)
    return giveUp("too many nested parentheses");
  char c = peek();
  brackets.push_back({c, at});
  ++at;
  emit(c == '(' ? TokenKind::LeftParen : c == '[' ? TokenKind::LeftBracket : TokenKind::LeftBrace, at - 1);
}

void Lexer::closeBracket() {
  char c = peek();
  uint32_t begin = at++;
  char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
  size_t outermost = formats.empty() ? 0 : formats.back().firstBracket;
  size_t match = brackets.size();
  while (match > outermost && brackets[match - 1].open != wanted)
    --match;
  if (match != brackets.size() || match == outermost) {
    bool isField = brackets.size() > outermost && brackets.back().isField;
    std::string prefix = formats.empty() ? "" : formats.back().letter + std::string("-string: ");
    if (brackets.size() == outermost || isField) {
      errorToken(begin, prefix + "unmatched '" + Twine(c) + "'");
    } else {
      Bracket open = brackets.back();
      errorToken(begin, prefix + "closing parenthesis '" + Twine(c) + "' does not match opening parenthesis '" +
                            Twine(open.open) + "'");
      errors.back().notes.push_back({.severity = Severity::Note,
                                     .range = {&source, open.begin, open.begin + 1},
                                     .message = (Twine("'") + Twine(open.open) + "' was opened here").str()});
    }
    if (match == outermost) // nothing it could close
      return;
  }
  bool closesField = brackets[match - 1].isField;
  brackets.truncate(match - 1);
  if (closesField)
    formats.back().inText = true;
  emit(c == ')' ? TokenKind::RightParen : c == ']' ? TokenKind::RightBracket : TokenKind::RightBrace, begin);
}

void Lexer::lexOperator() {
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
  // The longest operator that fits, by its first character.
  struct Spelled {
    StringRef text;
    TokenKind kind;
  };
  static const auto byFirst = [] {
    std::array<llvm::SmallVector<Spelled, 4>, 128> table;
#define TRITON_OPERATOR(Kind, Spelling) table[unsigned(Spelling[0])].push_back({Spelling, TokenKind::Kind});
#include "compiler/syntax/Tokens.def"
    for (auto &row : table)
      llvm::sort(row, [](const Spelled &a, const Spelled &b) { return a.text.size() > b.text.size(); });
    return table;
  }();
  uint32_t begin = at;
  StringRef rest(base + at, std::min<uint32_t>(3, size - at));
  if ((unsigned char)c < 128)
    for (const Spelled &candidate : byFirst[(unsigned char)c])
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

void Lexer::finish() {
  if (!brackets.empty()) {
    const Bracket &bracket = brackets.back();
    error(bracket.begin, bracket.begin + 1, Twine("'") + Twine(bracket.open) + "' was never closed");
    emit(TokenKind::Error, at);
  }
  if (!tokens.empty() && !atLineStart && tokens.back().kind != TokenKind::Newline)
    emit(TokenKind::Newline, at);
  for (size_t open = indentations.size(); open > 1; --open)
    emit(TokenKind::Dedent, at);
  emit(TokenKind::EndOfFile, at);
}

std::vector<Token> syntax::tokenize(const Source &source, std::vector<Diagnostic> &errors) {
  return Lexer(source, errors).run();
}
