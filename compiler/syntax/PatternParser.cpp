// The `match` statement and its patterns.
#include "compiler/syntax/GrammarParser.h"
#include "compiler/syntax/NumberLiterals.h"

using namespace triton;
using namespace triton::syntax;

/// `match` is a name unless the line reads as a match statement. Where what follows could also continue an expression
/// (`match (x)`, `match [x]`, `match -x`), the line must end with a ':' that a block beginning with `case` follows.
bool GrammarParser::atMatchStatement() const {
  if (!atWord("match"))
    return false;
  switch (peek().kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FormatStart:
  case TokenKind::LeftBrace:
  case TokenKind::Tilde:
  case TokenKind::Ellipsis:
  case TokenKind::KeywordLambda:
  case TokenKind::KeywordAwait:
  case TokenKind::KeywordNone:
  case TokenKind::KeywordTrue:
  case TokenKind::KeywordFalse:
    return true;
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::Minus:
  case TokenKind::Plus:
  case TokenKind::Star:
  case TokenKind::KeywordNot:
    break;
  default:
    return false;
  }
  size_t end = index;
  while (tokens[end].kind != TokenKind::Newline && tokens[end].kind != TokenKind::EndOfFile)
    ++end;
  return tokens[end - 1].kind == TokenKind::Colon && end + 2 < tokens.size() &&
         tokens[end + 1].kind == TokenKind::Indent && tokens[end + 2].kind == TokenKind::Name &&
         spelling(tokens[end + 2]) == "case";
}

Stmt *GrammarParser::parseMatch() {
  uint32_t start = begin();
  advance();
  uint32_t subjectBegin = begin();
  Expr *subject = parseStarNamedExpression();
  if (at(TokenKind::Comma)) {
    List<Expr *> elements = {subject};
    while (take(TokenKind::Comma) && startsExpression())
      elements.push_back(parseStarNamedExpression());
    auto *tuple = make<Tuple>(subjectBegin);
    tuple->elts = copy(elements);
    subject = tuple;
  } else if (llvm::isa<Starred>(subject)) {
    fail(subject->range, "cannot use starred expression here");
  }
  expect(TokenKind::Colon, "expected ':' after the subject of the match statement");
  expect(TokenKind::Newline, "expected the end of the line after ':', found " + describeCurrent());
  List<MatchCase *> cases;
  if (!stopped && !at(TokenKind::Indent)) {
    report(rangeOf(current), "expected an indented block after 'match' statement on line " +
                                 llvm::Twine(tree.source->locate(start).line));
  } else if (take(TokenKind::Indent)) {
    Level level(*this);
    while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) {
      if (take(TokenKind::Newline))
        continue;
      if (atWord("case"))
        cases.push_back(parseCase());
      else
        fail("expected 'case', found " + describeCurrent());
      if (stopped)
        recover();
    }
    take(TokenKind::Dedent);
  }
  auto *statement = make<Match>(start);
  statement->subject = subject;
  statement->cases = copy(cases);
  return statement;
}

MatchCase *GrammarParser::parseCase() {
  uint32_t start = begin();
  advance();
  Pattern *pattern = parsePatterns();
  Expr *guard = take(TokenKind::KeywordIf) ? parseNamedExpression() : nullptr;
  expect(TokenKind::Colon, "expected ':' after the pattern");
  llvm::ArrayRef<Stmt *> body = parseBlock("'case' statement", start);
  auto *result = make<MatchCase>(start);
  result->pattern = pattern;
  result->guard = guard;
  result->body = body;
  return result;
}

/// The pattern after `case`, where a sequence needs no brackets.
Pattern *GrammarParser::parsePatterns() {
  uint32_t start = begin();
  Pattern *first = parseStarOrPattern();
  if (!at(TokenKind::Comma) && !llvm::isa<MatchStar>(first))
    return first;
  List<Pattern *> patterns = {first};
  if (!at(TokenKind::Comma))
    fail(first->range, "a starred pattern must be in a sequence");
  while (take(TokenKind::Comma) && !atAny({TokenKind::Colon, TokenKind::KeywordIf}))
    patterns.push_back(parseStarOrPattern());
  auto *sequence = make<MatchSequence>(start);
  sequence->patterns = copy(patterns);
  return sequence;
}

Pattern *GrammarParser::parseStarOrPattern() {
  if (!at(TokenKind::Star))
    return parsePattern();
  uint32_t start = begin();
  advance();
  StringRef name = parseIdentifier("expected a name or '_' after '*'");
  auto *star = make<MatchStar>(start);
  star->name = name == "_" ? StringRef() : name;
  return star;
}

/// Alternatives, then perhaps `as name`.
Pattern *GrammarParser::parsePattern() {
  Level level(*this);
  uint32_t start = begin();
  Pattern *pattern = parseClosedPattern();
  if (at(TokenKind::Pipe)) {
    List<Pattern *> alternatives = {pattern};
    while (take(TokenKind::Pipe))
      alternatives.push_back(parseClosedPattern());
    auto *either = make<MatchOr>(start);
    either->patterns = copy(alternatives);
    pattern = either;
  }
  if (!take(TokenKind::KeywordAs))
    return pattern;
  Token target = current;
  StringRef name = parseIdentifier("expected a name after 'as'");
  if (name == "_")
    fail(rangeOf(target), "cannot use '_' as a target");
  if (atAny({TokenKind::Dot, TokenKind::LeftParen, TokenKind::LeftBracket}))
    fail("cannot use anything but a name as pattern target");
  auto *as = make<MatchAs>(start);
  as->pattern = pattern;
  as->name = name;
  return as;
}

Pattern *GrammarParser::parseClosedPattern() {
  switch (kind()) {
  case TokenKind::Name:
    return parseNamePattern();
  case TokenKind::LeftParen:
    return parseSequencePattern(TokenKind::RightParen);
  case TokenKind::LeftBracket:
    return parseSequencePattern(TokenKind::RightBracket);
  case TokenKind::LeftBrace:
    return parseMappingPattern();
  default:
    return parseLiteralPattern();
  }
}

/// A number, perhaps negative, perhaps complex as `1 + 2j`.
Expr *GrammarParser::parsePatternNumber() {
  uint32_t start = begin();
  bool isNegative = take(TokenKind::Minus);
  if (!at(TokenKind::Number))
    return failedExpression("expected a number after '-' in the pattern");
  Expr *number = constantFromToken(numberValue(spelling(current)));
  bool isReal = !llvm::cast<Constant>(number)->as<ImaginaryValue>();
  if (isNegative) {
    auto *negative = make<UnaryOp>(start);
    negative->op = UnaryOperator::USub;
    negative->operand = number;
    number = negative;
  }
  if (!atAny({TokenKind::Plus, TokenKind::Minus}))
    return number;
  BinaryOperator op = at(TokenKind::Plus) ? BinaryOperator::Add : BinaryOperator::Sub;
  if (!isReal)
    fail(number->range, "real number required in complex literal");
  advance();
  if (!at(TokenKind::Number))
    return failedExpression("imaginary number required in complex literal");
  Token second = current;
  Expr *imaginary = constantFromToken(numberValue(spelling(current)));
  if (!llvm::cast<Constant>(imaginary)->as<ImaginaryValue>())
    fail(rangeOf(second), "imaginary number required in complex literal");
  auto *complex = make<BinOp>(start);
  complex->left = number;
  complex->op = op;
  complex->right = imaginary;
  return complex;
}

Pattern *GrammarParser::parseLiteralPattern() {
  uint32_t start = begin();
  auto singleton = [&](ConstantValue value) -> Pattern * {
    advance();
    auto *pattern = make<MatchSingleton>(start);
    pattern->value = std::move(value);
    return pattern;
  };
  Expr *value = nullptr;
  switch (kind()) {
  case TokenKind::KeywordNone:
    return singleton(NoneValue{});
  case TokenKind::KeywordTrue:
    return singleton(true);
  case TokenKind::KeywordFalse:
    return singleton(false);
  case TokenKind::Number:
  case TokenKind::Minus:
    value = parsePatternNumber();
    break;
  case TokenKind::String:
  case TokenKind::FormatStart:
    value = parseStrings();
    if (!llvm::isa<Constant>(value))
      fail(value->range, "patterns may only match literals and attribute lookups");
    break;
  default:
    value = failedExpression("expected a pattern, found " + describeCurrent());
  }
  auto *pattern = make<MatchValue>(start);
  pattern->value = value;
  return pattern;
}

/// A capture, the wildcard, a value by its dotted name, or a class.
Pattern *GrammarParser::parseNamePattern() {
  uint32_t start = begin();
  StringRef name = parseIdentifier("expected a pattern");
  if (!atAny({TokenKind::Dot, TokenKind::LeftParen})) {
    auto *capture = make<MatchAs>(start);
    capture->name = name == "_" ? StringRef() : name;
    return capture;
  }
  auto *first = make<Name>(start);
  first->id = name;
  Expr *value = first;
  while (take(TokenKind::Dot)) {
    Token attr = current;
    StringRef attrName = parseIdentifier("expected the name of an attribute after '.'");
    auto *attribute = make<Attribute>(start);
    attribute->value = value;
    attribute->attr = attrName;
    attribute->attrRange = rangeOf(attr);
    value = attribute;
  }
  if (at(TokenKind::LeftParen))
    return parseClassPattern(value, start);
  auto *pattern = make<MatchValue>(start);
  pattern->value = value;
  return pattern;
}

Pattern *GrammarParser::parseClassPattern(Expr *cls, uint32_t start) {
  advance();
  List<Pattern *> patterns, keywordPatterns;
  List<StringRef> keywordNames;
  while (!at(TokenKind::RightParen) && !stopped) {
    if (at(TokenKind::Name) && peek().kind == TokenKind::Equal) {
      keywordNames.push_back(identifierText(current));
      advance();
      advance();
      keywordPatterns.push_back(parsePattern());
    } else {
      Token first = current;
      patterns.push_back(parsePattern());
      if (!keywordNames.empty())
        fail(rangeOf(first), "positional patterns follow keyword patterns");
    }
    if (!take(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "expected ',' or ')' after the pattern, found " + describeCurrent());
  auto *pattern = make<MatchClass>(start);
  pattern->cls = cls;
  pattern->patterns = copy(patterns);
  pattern->kwdAttrs = copy(keywordNames);
  pattern->kwdPatterns = copy(keywordPatterns);
  return pattern;
}

/// A sequence in brackets or parentheses, or one pattern in parentheses.
Pattern *GrammarParser::parseSequencePattern(TokenKind close) {
  uint32_t start = begin();
  advance();
  List<Pattern *> patterns;
  bool hasComma = false;
  while (!at(close) && !stopped) {
    patterns.push_back(parseStarOrPattern());
    if (!take(TokenKind::Comma))
      break;
    hasComma = true;
  }
  expect(close, "expected ',' or " + describe(close) + " after the pattern, found " + describeCurrent());
  if (close == TokenKind::RightParen && patterns.size() == 1 && !hasComma) {
    if (llvm::isa<MatchStar>(patterns.front()))
      fail(patterns.front()->range, "a starred pattern must be in a sequence");
    return patterns.front();
  }
  auto *sequence = make<MatchSequence>(start);
  sequence->patterns = copy(patterns);
  return sequence;
}

Pattern *GrammarParser::parseMappingPattern() {
  uint32_t start = begin();
  advance();
  List<Expr *> keys;
  List<Pattern *> patterns;
  StringRef rest;
  while (!at(TokenKind::RightBrace) && !stopped) {
    if (!rest.empty())
      fail("double star pattern must be the last (right-most) subpattern in the mapping pattern");
    if (take(TokenKind::DoubleStar)) {
      Token target = current;
      rest = parseIdentifier("expected a name after '**'");
      if (rest == "_")
        fail(rangeOf(target), "invalid syntax: '**_' matches nothing by name");
    } else {
      Token first = current;
      Pattern *key = at(TokenKind::Name) ? parseNamePattern() : parseLiteralPattern();
      if (auto *value = llvm::dyn_cast<MatchValue>(key)) {
        keys.push_back(value->value);
      } else if (auto *constant = llvm::dyn_cast<MatchSingleton>(key)) {
        keys.push_back(tree.makeConstant(key->range.begin, key->range.end, constant->value));
      } else {
        fail(rangeOf(first), "mapping pattern keys may only match literals and attribute lookups");
      }
      expect(TokenKind::Colon, "expected ':' after the key of the mapping pattern");
      patterns.push_back(parsePattern());
    }
    if (!take(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBrace, "expected ',' or '}' after the pattern, found " + describeCurrent());
  auto *mapping = make<MatchMapping>(start);
  mapping->keys = copy(keys);
  mapping->patterns = copy(patterns);
  mapping->rest = rest;
  return mapping;
}
