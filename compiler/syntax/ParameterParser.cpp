// Parameters of functions and lambdas, and type parameters.
#include "compiler/syntax/GrammarParser.h"

using namespace triton;
using namespace triton::syntax;

/// One name, with its annotation in a `def`.
Arg *GrammarParser::parseParameter(bool isLambda, bool allowsStarAnnotation) {
  uint32_t start = begin();
  if (at(TokenKind::LeftParen))
    fail("parameters cannot be parenthesized");
  StringRef name = parseIdentifier("expected the name of a parameter");
  Expr *annotation = nullptr;
  if (!isLambda && take(TokenKind::Colon))
    annotation = allowsStarAnnotation ? parseStarExpression() : parseExpression();
  auto *arg = make<Arg>(start);
  arg->arg = name;
  arg->annotation = annotation;
  return arg;
}

/// Everything up to the ')' of a `def` or the ':' of a lambda.
Arguments *GrammarParser::parseParameters(bool isLambda) {
  TokenKind close = isLambda ? TokenKind::Colon : TokenKind::RightParen;
  uint32_t start = begin();
  List<Arg *> positionalOnly, positional, keywordOnly;
  List<Expr *> defaults, keywordDefaults;
  Arg *variadic = nullptr, *keywords = nullptr;
  bool sawSlash = false, sawStar = false;
  while (!at(close) && !stopped) {
    if (keywords)
      fail("parameters cannot follow var-keyword parameter");
    Token first = current;
    if (take(TokenKind::Slash)) {
      if (sawSlash)
        fail(rangeOf(first), "'/' may appear only once");
      else if (sawStar)
        fail(rangeOf(first), "'/' must be ahead of '*'");
      else if (positional.empty())
        fail(rangeOf(first), "at least one parameter must precede '/'");
      sawSlash = true;
      positionalOnly = std::move(positional);
      positional.clear();
    } else if (take(TokenKind::DoubleStar)) {
      keywords = parseParameter(isLambda, false);
      if (at(TokenKind::Equal))
        fail("var-keyword parameter cannot have default value");
    } else if (take(TokenKind::Star)) {
      if (sawStar)
        fail(rangeOf(first), "'*' may appear only once");
      sawStar = true;
      if (at(TokenKind::Comma)) {
        if (peek().kind == close || peek().kind == TokenKind::DoubleStar)
          fail(rangeOf(first), "named parameters must follow bare *");
      } else if (at(close)) {
        fail(rangeOf(first), "named parameters must follow bare *");
      } else {
        variadic = parseParameter(isLambda, true);
        if (at(TokenKind::Equal))
          fail("var-positional parameter cannot have default value");
      }
    } else {
      Arg *arg = parseParameter(isLambda, false);
      Expr *value = nullptr;
      if (take(TokenKind::Equal)) {
        if (at(close) || at(TokenKind::Comma))
          fail("expected default value expression");
        value = parseExpression();
      }
      if (sawStar) {
        keywordOnly.push_back(arg);
        keywordDefaults.push_back(value);
      } else {
        if (value)
          defaults.push_back(value);
        else if (!defaults.empty())
          fail(arg->range, "parameter without a default follows parameter with a default");
        positional.push_back(arg);
      }
    }
    if (!take(TokenKind::Comma))
      break;
  }
  auto *args = make<Arguments>(start);
  args->posonlyargs = copy(positionalOnly);
  args->args = copy(positional);
  args->vararg = variadic;
  args->kwonlyargs = copy(keywordOnly);
  args->kwDefaults = copy(keywordDefaults);
  args->kwarg = keywords;
  args->defaults = copy(defaults);
  return args;
}

/// `[T: bound = default, *Ts, **P]`, if there is one here.
llvm::ArrayRef<TypeParam *> GrammarParser::parseTypeParams() {
  if (!at(TokenKind::LeftBracket))
    return {};
  advance();
  if (at(TokenKind::RightBracket))
    fail("type parameter list cannot be empty");
  List<TypeParam *> params;
  while (!at(TokenKind::RightBracket) && !stopped) {
    params.push_back(parseTypeParam());
    if (!take(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBracket, "expected ',' or ']' after the type parameter");
  return copy(params);
}

TypeParam *GrammarParser::parseTypeParam() {
  uint32_t start = begin();
  bool isTuple = take(TokenKind::Star);
  bool isParamSpec = !isTuple && take(TokenKind::DoubleStar);
  StringRef name = parseIdentifier("expected the name of a type parameter");
  if ((isTuple || isParamSpec) && at(TokenKind::Colon))
    fail(isTuple ? "cannot use bound with TypeVarTuple" : "cannot use bound with ParamSpec");
  Expr *bound = take(TokenKind::Colon) ? parseExpression() : nullptr;
  Expr *value = nullptr;
  if (take(TokenKind::Equal))
    value = isTuple ? parseStarExpression() : parseExpression();
  auto complete = [&](TypeParam *param) {
    param->name = name;
    param->defaultValue = value;
    return param;
  };
  if (isTuple)
    return complete(make<TypeVarTuple>(start));
  if (isParamSpec)
    return complete(make<ParamSpec>(start));
  auto *variable = make<TypeVar>(start);
  variable->bound = bound;
  return complete(variable);
}
