// Brackets: opened, closed, mismatched, and never closed.
#include "compiler/syntax/TextLexer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;
using llvm::Twine;

// The limit of CPython's tokenizer.
constexpr unsigned maxBrackets = 200;

// How often text is read a second time to go on after a bracket that was never closed.
constexpr unsigned maxRereadings = 20;

void TextLexer::openBracket() {
  if (brackets.size() >= maxBrackets)
    return giveUp("too many nested parentheses");
  char c = peek();
  brackets.push_back({c, at});
  ++at;
  emit(c == '(' ? TokenKind::LeftParen : c == '[' ? TokenKind::LeftBracket : TokenKind::LeftBrace, at - 1);
}

void TextLexer::closeBracket() {
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

static bool opensBlock(TokenKind kind) {
  return llvm::is_contained({TokenKind::KeywordDef, TokenKind::KeywordClass, TokenKind::KeywordIf,
                             TokenKind::KeywordElif, TokenKind::KeywordWhile, TokenKind::KeywordFor,
                             TokenKind::KeywordWith, TokenKind::KeywordAsync, TokenKind::KeywordExcept},
                            kind);
}

/// Of the tokens since the outermost bracket, which is never closed, how many belong to its statement: up to a line that ends
/// with the ':' of a block, or before one that is indented no further than the statement. All, if there is no such line.
size_t TextLexer::endOfUnclosedStatement() const {
  size_t bracket = tokens.size();
  while (bracket > 0 && tokens[bracket - 1].begin > brackets.front().begin)
    --bracket;
  size_t first = bracket - 1;
  auto isLayout = [](TokenKind kind) { return kind >= TokenKind::Newline && kind <= TokenKind::Dedent; };
  while (first > 0 && !isLayout(tokens[first - 1].kind))
    --first;
  unsigned column = source.locate(tokens[first].begin).column;
  for (size_t next = bracket; next < tokens.size(); ++next) {
    Token last = tokens[next - 1], token = tokens[next];
    if (source.text().slice(last.end, token.begin).find_first_of("\r\n") == StringRef::npos)
      continue;
    bool isHeader = last.kind == TokenKind::Colon && opensBlock(tokens[first].kind);
    bool isCloser =
        llvm::is_contained({TokenKind::RightParen, TokenKind::RightBracket, TokenKind::RightBrace}, token.kind);
    if (isHeader || (!isCloser && source.locate(token.begin).column <= column))
      return next;
  }
  return tokens.size();
}

/// Reports the outermost open bracket, ends its statement where it seems to have been meant to end, and goes on from there, so
/// that the rest of the file is still read.
void TextLexer::closeAbandonedBrackets(uint32_t resume) {
  Bracket bracket = brackets.front();
  size_t kept = formats.empty() && abandonments++ < maxRereadings ? endOfUnclosedStatement() : tokens.size();
  if (kept < tokens.size()) {
    resume = tokens[kept].begin;
    auto *firstLexed = errors.data() + encodingErrors;
    errors.resize(std::remove_if(firstLexed, errors.data() + errors.size(),
                                 [&](const Diagnostic &error) { return error.range.begin >= resume; }) -
                  errors.data());
    tokens.resize(kept);
  }
  error(bracket.begin, bracket.begin + 1, Twine("'") + Twine(bracket.open) + "' was never closed");
  brackets.clear();
  formats.clear();
  at = tokens.back().end;
  emit(TokenKind::Error, at);
  emit(TokenKind::Newline, at);
  at = resume < size ? source.lineBegin(lineOf(resume)) : size;
  atLineStart = true;
}
