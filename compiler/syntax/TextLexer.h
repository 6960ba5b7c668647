// The lexer behind `tokenize`, a class over two files: one for lines, names, numbers and operators, one for strings.
#pragma once

#include "compiler/syntax/Lexer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace triton::syntax {

/// An indentation in columns, measured with tabs to the next multiple of 8 and with tabs as 1: the two must agree in
/// order.
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

class TextLexer {
public:
  TextLexer(const Source &source, std::vector<Diagnostic> &errors)
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
  void error(uint32_t begin, uint32_t end, const llvm::Twine &message, std::string hint = {});
  void errorToken(uint32_t begin, const llvm::Twine &message, std::string hint = {});
  void giveUp(const llvm::Twine &message);
  void checkEncoding();

  void beginLine();
  void indent(Indentation line, uint32_t lineBegin);
  bool joinLine();
  void lexToken();
  void lexName();
  void lexInvalidCharacter();
  void lexNumber();
  void lexString(uint32_t begin, llvm::StringRef prefix);
  void lexFormatText();
  bool skipFormatEscape(bool isRaw);
  void abandonFormatString();
  void openBracket();
  void closeBracket();
  void lexOperator();
  size_t endOfUnclosedStatement() const;
  void closeAbandonedBrackets(uint32_t resume);
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
  size_t encodingErrors = 0;
  unsigned abandonments = 0;
  llvm::SmallVector<Indentation> indentations = {{0, 0}};
  llvm::SmallVector<Bracket> brackets;
  llvm::SmallVector<FormatString> formats;
};

} // namespace triton::syntax
