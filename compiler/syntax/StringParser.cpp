// Strings: implicit concatenation, f-strings and t-strings with their replacement fields.
#include "compiler/syntax/GrammarParser.h"
#include "compiler/syntax/StringLiterals.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;

/// The value of the literal text between two offsets. Text that needs no decoding is used where it stands.
StringRef GrammarParser::decodeLiteral(uint32_t begin, uint32_t end, bool isBytes, bool isRaw, bool hasBraces) {
  LiteralForm form = {.isBytes = isBytes, .isRaw = isRaw, .hasBraces = hasBraces};
  StringRef body = text.slice(begin, end);
  if (!needsDecoding(body, form))
    return body;
  std::string value;
  if (std::optional<LiteralError> error = syntax::decodeLiteral(body, form, value))
    fail({tree.source.get(), begin + uint32_t(error->begin), begin + uint32_t(error->end)}, error->message);
  return tree.copy(StringRef(value));
}

Constant *GrammarParser::parsePlainString() {
  StringRef literal = spelling(current);
  StringRef prefix = literal.take_until([](char c) { return c == '"' || c == '\''; });
  StringRef quoted = literal.drop_front(prefix.size());
  unsigned quotes = quoted.size() >= 6 && quoted[1] == quoted[0] && quoted[2] == quoted[0] ? 3 : 1;
  bool isBytes = prefix.contains_insensitive("b");
  StringRef value = decodeLiteral(current.begin + prefix.size() + quotes, current.end - quotes, isBytes,
                                  prefix.contains_insensitive("r"), /*hasBraces=*/false);
  Constant *constant = isBytes ? tree.makeConstant(current.begin, current.end, BytesValue{value})
                               : tree.makeConstant(current.begin, current.end, StringValue{value});
  constant->unicodePrefix = prefix == "u"; // not for "U", as in CPython
  advance();
  return constant;
}

/// One or more adjacent literals, which make one value.
Expr *GrammarParser::parseStrings() {
  uint32_t start = begin();
  if (at(TokenKind::String) && peek().kind != TokenKind::String && peek().kind != TokenKind::FormatStart)
    return parsePlainString();
  List<Expr *> pieces;
  bool hasBytes = false, hasText = false, hasFormat = false, hasTemplate = false;
  while (atAny({TokenKind::String, TokenKind::FormatStart})) {
    if (at(TokenKind::String)) {
      pieces.push_back(parsePlainString());
      bool isBytes = llvm::cast<Constant>(pieces.back())->as<BytesValue>();
      (isBytes ? hasBytes : hasText) = true;
    } else {
      (spelling(current).contains_insensitive("t") ? hasTemplate : hasFormat) = true;
      parseFormatString(pieces);
    }
  }
  SourceRange range = {tree.source.get(), start, end()};
  if (hasTemplate && (hasBytes || hasText || hasFormat))
    fail(range, "cannot mix t-string literals with string or bytes literals");
  if (hasBytes && (hasText || hasFormat))
    fail(range, "cannot mix bytes and nonbytes literals");
  if (stopped)
    return tree.make<Name>(start, start);
  return joinStrings(start, pieces, hasFormat, hasTemplate);
}

/// Adjacent constants become one; in f-strings and t-strings, empty ones go.
Expr *GrammarParser::joinStrings(uint32_t start, llvm::ArrayRef<Expr *> pieces, bool isFormat, bool isTemplate) {
  List<Expr *> values;
  while (!pieces.empty()) {
    llvm::ArrayRef<Expr *> run = pieces.take_while([](Expr *piece) { return llvm::isa<Constant>(piece); });
    if (run.empty()) {
      values.push_back(pieces.front());
      pieces = pieces.drop_front();
      continue;
    }
    pieces = pieces.drop_front(run.size());
    Constant *joined = joinConstants(run);
    if (!(isFormat || isTemplate) || !joined->as<StringValue>()->text.empty())
      values.push_back(joined);
  }
  if (isTemplate) {
    auto *result = make<TemplateStr>(start);
    result->values = copy(values);
    return result;
  }
  if (isFormat) {
    auto *result = make<JoinedStr>(start);
    result->values = copy(values);
    return result;
  }
  return values.front();
}

Constant *GrammarParser::joinConstants(llvm::ArrayRef<Expr *> run) {
  auto *first = llvm::cast<Constant>(run.front());
  if (run.size() == 1)
    return first;
  std::string value;
  for (Expr *piece : run) {
    auto *constant = llvm::cast<Constant>(piece);
    value += constant->as<BytesValue>() ? constant->as<BytesValue>()->data : constant->as<StringValue>()->text;
  }
  StringRef stored = tree.copy(StringRef(value));
  uint32_t begin = first->range.begin, end = run.back()->range.end;
  Constant *joined = first->as<BytesValue>() ? tree.makeConstant(begin, end, BytesValue{stored})
                                             : tree.makeConstant(begin, end, StringValue{stored});
  joined->unicodePrefix = first->unicodePrefix;
  return joined;
}

/// Appends the constants and fields of one f-string or t-string.
void GrammarParser::parseFormatString(List<Expr *> &pieces) {
  Level level(*this);
  StringRef opening = spelling(current);
  char letter = opening.contains_insensitive("t") ? 't' : 'f';
  bool isRaw = opening.contains_insensitive("r");
  advance();
  while (atAny({TokenKind::FormatMiddle, TokenKind::LeftBrace})) {
    if (at(TokenKind::FormatMiddle))
      pieces.push_back(parseFormatText(isRaw, /*isSpecifier=*/false));
    else
      parseReplacementField(pieces, letter, isRaw);
  }
  expect(TokenKind::FormatEnd, llvm::Twine(letter) + "-string: expected its end, found " + describeCurrent());
}

Constant *GrammarParser::parseFormatText(bool isRaw, bool isSpecifier) {
  // In a format specifier no brace is doubled: each opens or closes a field.
  StringRef value = decodeLiteral(current.begin, current.end, /*isBytes=*/false, isRaw, /*hasBraces=*/!isSpecifier);
  Constant *constant = tree.makeConstant(current.begin, current.end, StringValue{value});
  advance();
  return constant;
}

/// The text of a field's expression as `{x=}` shows it: without comments, line breaks as \n.
StringRef GrammarParser::fieldText(uint32_t begin, uint32_t end) {
  StringRef body = text.slice(begin, end);
  if (body.find_first_of("#\r") == StringRef::npos)
    return body;
  std::string result;
  char quote = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if (c == '\r') {
      if (i + 1 < body.size() && body[i + 1] == '\n')
        continue;
      c = '\n';
    }
    if (c == '#' && !quote) {
      while (i + 1 < body.size() && body[i + 1] != '\n' && body[i + 1] != '\r')
        ++i;
      continue;
    }
    if (c == '"' || c == '\'')
      quote = !quote ? c : quote == c ? 0 : quote;
    result += c;
  }
  return tree.copy(StringRef(result));
}

/// `{value = !r:specifier}`; with the `=`, the text of the expression comes first, as a constant.
void GrammarParser::parseReplacementField(List<Expr *> &pieces, char letter, bool isRaw) {
  uint32_t start = begin();
  std::string name = letter + std::string("-string: ");
  advance();
  uint32_t textBegin = tokens[index - 1].end;
  if (atAny({TokenKind::RightBrace, TokenKind::Exclamation, TokenKind::Colon, TokenKind::Equal}))
    return fail(name + "valid expression required before " + describe(kind()));
  Expr *value = at(TokenKind::KeywordYield) ? parseYield() : parseStarExpressions();
  bool isDebug = take(TokenKind::Equal);
  uint32_t textEnd = begin();

  int conversion = -1;
  if (at(TokenKind::Exclamation)) {
    uint32_t exclamationEnd = current.end;
    advance();
    StringRef word = spelling(current);
    if (!at(TokenKind::Name))
      return fail(name + "missing conversion character");
    if (begin() != exclamationEnd)
      return fail(name + "conversion type must come right after the exclamation mark");
    if (word != "s" && word != "r" && word != "a")
      return fail(name + "invalid conversion character '" + word + "': expected 's', 'r', or 'a'");
    conversion = word[0];
    advance();
  }
  Expr *specifier = at(TokenKind::Colon) ? parseFormatSpecifier(letter, isRaw) : nullptr;
  if (!at(TokenKind::RightBrace))
    return fail(startsExpression() ? name + "expected '}', found " + describeCurrent()
                                   : name + "expecting '}', or '=', or '!', or ':'");
  advance();

  if (isDebug) {
    StringRef shown = fieldText(textBegin, textEnd);
    pieces.push_back(tree.makeConstant(start + 1, textEnd, StringValue{shown}));
    if (conversion == -1 && !specifier)
      conversion = 'r';
  }
  if (letter == 't') {
    auto *field = make<Interpolation>(start);
    field->value = value;
    field->str = fieldText(textBegin, textEnd).rtrim(" \t\n\f\v=");
    field->conversion = conversion;
    field->formatSpec = specifier;
    pieces.push_back(field);
    return;
  }
  auto *field = make<FormattedValue>(start);
  field->value = value;
  field->conversion = conversion;
  field->formatSpec = specifier;
  pieces.push_back(field);
}

/// From the ':' to the end of the field: text and further fields. Even in a t-string, a specifier is an f-string.
Expr *GrammarParser::parseFormatSpecifier(char letter, bool isRaw) {
  uint32_t start = begin();
  advance();
  List<Expr *> pieces;
  while (atAny({TokenKind::FormatMiddle, TokenKind::LeftBrace})) {
    if (at(TokenKind::FormatMiddle))
      pieces.push_back(parseFormatText(isRaw, /*isSpecifier=*/true));
    else
      parseReplacementField(pieces, 'f', isRaw);
  }
  return joinStrings(start, pieces, /*isFormat=*/true, /*isTemplate=*/false);
}
