// Expressions by operator: from `yield` and the comma down to calls and subscripts.
#include "compiler/syntax/GrammarParser.h"

using namespace triton;
using namespace triton::syntax;

Expression *GrammarParser::parseExpressionOnly() {
  auto *expression = tree.make<Expression>(0, text.size());
  expression->body = parseStarExpressions();
  while (take(TokenKind::Newline)) {
  }
  if (!at(TokenKind::EndOfFile))
    failUnexpected();
  return expression;
}

bool GrammarParser::startsExpression() const {
  switch (kind()) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FormatStart:
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Minus:
  case TokenKind::Plus:
  case TokenKind::Tilde:
  case TokenKind::Star:
  case TokenKind::Ellipsis:
  case TokenKind::KeywordNot:
  case TokenKind::KeywordLambda:
  case TokenKind::KeywordAwait:
  case TokenKind::KeywordNone:
  case TokenKind::KeywordTrue:
  case TokenKind::KeywordFalse:
    return true;
  default:
    return false;
  }
}

/// expression (',' expression)* [','], where any may be starred.
Expr *GrammarParser::parseStarExpressions() {
  uint32_t start = begin();
  Expr *first = parseStarExpression();
  if (!at(TokenKind::Comma))
    return first;
  List<Expr *> elements = {first};
  while (take(TokenKind::Comma) && startsExpression())
    elements.push_back(parseStarExpression());
  auto *tuple = make<Tuple>(start);
  tuple->elts = copy(elements);
  return tuple;
}

Expr *GrammarParser::parseStarExpression() {
  if (!at(TokenKind::Star))
    return parseExpression();
  uint32_t start = begin();
  advance();
  Expr *value = parseBitwiseOr();
  auto *starred = make<Starred>(start);
  starred->value = value;
  return starred;
}

Expr *GrammarParser::parseStarNamedExpression() {
  return at(TokenKind::Star) ? parseStarExpression() : parseNamedExpression();
}

Expr *GrammarParser::parseNamedExpression() {
  if (at(TokenKind::Name) && peek().kind == TokenKind::ColonEqual) {
    uint32_t start = begin();
    Token name = current;
    advance();
    auto *target = make<Name>(start);
    target->id = identifierText(name);
    target->ctx = ExprContext::Store;
    advance();
    Expr *value = parseExpression();
    auto *named = make<NamedExpr>(start);
    named->target = target;
    named->value = value;
    return named;
  }
  Expr *expr = parseExpression();
  if (at(TokenKind::ColonEqual))
    fail(expr->range, "cannot use assignment expressions with " + describe(expr));
  return expr;
}

/// The condition of `if`, `elif` or `while`, where `=` is a common slip.
Expr *GrammarParser::parseCondition(StringRef statement) {
  Expr *condition = parseNamedExpression();
  if (at(TokenKind::Equal))
    fail("invalid syntax: '=' in the " + statement + " condition", "did you mean '==' or ':='?");
  return condition;
}

Expr *GrammarParser::parseYield() {
  uint32_t start = begin();
  advance();
  if (take(TokenKind::KeywordFrom)) {
    Expr *value = parseExpression();
    auto *yield = make<YieldFrom>(start);
    yield->value = value;
    return yield;
  }
  Expr *value = startsExpression() ? parseStarExpressions() : nullptr;
  auto *yield = make<Yield>(start);
  yield->value = value;
  return yield;
}

Expr *GrammarParser::parseExpression() {
  Level level(*this);
  if (at(TokenKind::KeywordLambda))
    return parseLambda();
  uint32_t start = begin();
  Expr *body = parseDisjunction();
  if (!at(TokenKind::KeywordIf))
    return body;
  advance();
  Expr *test = parseDisjunction();
  if (!expect(TokenKind::KeywordElse, "expected 'else' after 'if' expression"))
    return body;
  Expr *orelse = parseExpression();
  auto *conditional = make<IfExp>(start);
  conditional->test = test;
  conditional->body = body;
  conditional->orelse = orelse;
  return conditional;
}

Expr *GrammarParser::parseLambda() {
  uint32_t start = begin();
  advance();
  Arguments *args = parseParameters(/*isLambda=*/true);
  expect(TokenKind::Colon, "expected ':' after the parameters of the lambda");
  if (at(TokenKind::FormatMiddle) || at(TokenKind::RightBrace))
    fail("lambda expressions in f-strings need parentheses", "the ':' of the lambda was taken for a format specifier");
  Expr *body = parseExpression();
  auto *lambda = make<Lambda>(start);
  lambda->args = args;
  lambda->body = body;
  return lambda;
}

Expr *GrammarParser::parseDisjunction() {
  uint32_t start = begin();
  Expr *first = parseConjunction();
  if (!at(TokenKind::KeywordOr))
    return first;
  List<Expr *> values = {first};
  while (take(TokenKind::KeywordOr))
    values.push_back(parseConjunction());
  auto *result = make<BoolOp>(start);
  result->op = BoolOperator::Or;
  result->values = copy(values);
  return result;
}

Expr *GrammarParser::parseConjunction() {
  uint32_t start = begin();
  Expr *first = parseInversion();
  if (!at(TokenKind::KeywordAnd))
    return first;
  List<Expr *> values = {first};
  while (take(TokenKind::KeywordAnd))
    values.push_back(parseInversion());
  auto *result = make<BoolOp>(start);
  result->op = BoolOperator::And;
  result->values = copy(values);
  return result;
}

Expr *GrammarParser::parseInversion() {
  if (!at(TokenKind::KeywordNot))
    return parseComparison();
  Level level(*this);
  uint32_t start = begin();
  advance();
  Expr *operand = parseInversion();
  auto *result = make<UnaryOp>(start);
  result->op = UnaryOperator::Not;
  result->operand = operand;
  return result;
}

/// The comparison at a token; `not in` is known by its second word.
static std::optional<CompareOperator> comparison(TokenKind kind, TokenKind next) {
  switch (kind) {
  case TokenKind::Less:
    return CompareOperator::Lt;
  case TokenKind::LessEqual:
    return CompareOperator::LtE;
  case TokenKind::Greater:
    return CompareOperator::Gt;
  case TokenKind::GreaterEqual:
    return CompareOperator::GtE;
  case TokenKind::EqualEqual:
    return CompareOperator::Eq;
  case TokenKind::NotEqual:
    return CompareOperator::NotEq;
  case TokenKind::KeywordIn:
    return CompareOperator::In;
  case TokenKind::KeywordIs:
    return next == TokenKind::KeywordNot ? CompareOperator::IsNot : CompareOperator::Is;
  case TokenKind::KeywordNot:
    if (next == TokenKind::KeywordIn)
      return CompareOperator::NotIn;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Expr *GrammarParser::parseComparison() {
  uint32_t start = begin();
  Expr *left = parseBitwiseOr();
  std::optional<CompareOperator> op = comparison(kind(), peek().kind);
  if (!op)
    return left;
  List<CompareOperator> ops;
  List<Expr *> comparators;
  for (; op; op = comparison(kind(), peek().kind)) {
    advance();
    if (*op == CompareOperator::IsNot || *op == CompareOperator::NotIn)
      advance();
    ops.push_back(*op);
    comparators.push_back(parseBitwiseOr());
  }
  auto *result = make<Compare>(start);
  result->left = left;
  result->ops = copy(ops);
  result->comparators = copy(comparators);
  return result;
}

namespace {
struct OperatorPrecedence {
  unsigned precedence; // 0: not a binary operator
  BinaryOperator op;
};
} // namespace

static OperatorPrecedence binaryOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return {1, BinaryOperator::BitOr};
  case TokenKind::Caret:
    return {2, BinaryOperator::BitXor};
  case TokenKind::Ampersand:
    return {3, BinaryOperator::BitAnd};
  case TokenKind::LeftShift:
    return {4, BinaryOperator::LShift};
  case TokenKind::RightShift:
    return {4, BinaryOperator::RShift};
  case TokenKind::Plus:
    return {5, BinaryOperator::Add};
  case TokenKind::Minus:
    return {5, BinaryOperator::Sub};
  case TokenKind::Star:
    return {6, BinaryOperator::Mult};
  case TokenKind::At:
    return {6, BinaryOperator::MatMult};
  case TokenKind::Slash:
    return {6, BinaryOperator::Div};
  case TokenKind::DoubleSlash:
    return {6, BinaryOperator::FloorDiv};
  case TokenKind::Percent:
    return {6, BinaryOperator::Mod};
  default:
    return {0, BinaryOperator::Add};
  }
}

/// Operators of at least the precedence `minimum`, all of which group to the left.
Expr *GrammarParser::parseBinary(unsigned minimum) {
  uint32_t start = begin();
  Expr *left = parseUnary();
  while (true) {
    OperatorPrecedence next = binaryOperator(kind());
    if (next.precedence < minimum || next.precedence == 0)
      return left;
    advance();
    Expr *right = parseBinary(next.precedence + 1);
    auto *result = make<BinOp>(start);
    result->left = left;
    result->op = next.op;
    result->right = right;
    left = result;
  }
}

Expr *GrammarParser::parseUnary() {
  UnaryOperator op;
  switch (kind()) {
  case TokenKind::Minus:
    op = UnaryOperator::USub;
    break;
  case TokenKind::Plus:
    op = UnaryOperator::UAdd;
    break;
  case TokenKind::Tilde:
    op = UnaryOperator::Invert;
    break;
  default:
    return parsePower();
  }
  Level level(*this);
  uint32_t start = begin();
  advance();
  Expr *operand = parseUnary();
  auto *result = make<UnaryOp>(start);
  result->op = op;
  result->operand = operand;
  return result;
}

Expr *GrammarParser::parsePower() {
  uint32_t start = begin();
  Expr *base;
  if (take(TokenKind::KeywordAwait)) {
    Expr *value = parsePrimary();
    auto *await = make<Await>(start);
    await->value = value;
    base = await;
  } else {
    base = parsePrimary();
  }
  if (!at(TokenKind::DoubleStar))
    return base;
  Level level(*this);
  advance();
  Expr *exponent = parseUnary();
  auto *result = make<BinOp>(start);
  result->left = base;
  result->op = BinaryOperator::Pow;
  result->right = exponent;
  return result;
}

Expr *GrammarParser::parsePrimary() {
  uint32_t start = begin();
  Expr *expr = parseAtom();
  while (true) {
    switch (kind()) {
    case TokenKind::Dot: {
      advance();
      Token name = current;
      StringRef attr = parseIdentifier("expected the name of an attribute after '.'");
      auto *attribute = make<Attribute>(start);
      attribute->value = expr;
      attribute->attr = attr;
      attribute->attrRange = rangeOf(name);
      expr = attribute;
      break;
    }
    case TokenKind::LeftParen:
      expr = parseCall(start, expr);
      break;
    case TokenKind::LeftBracket:
      expr = parseSubscript(start, expr);
      break;
    default:
      return expr;
    }
  }
}
