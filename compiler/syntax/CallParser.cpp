// What follows a value in brackets: subscripts and calls.
#include "compiler/syntax/GrammarParser.h"

using namespace triton;
using namespace triton::syntax;

Expr *GrammarParser::parseSubscript(uint32_t start, Expr *value) {
  advance();
  uint32_t sliceBegin = begin();
  if (at(TokenKind::RightBracket))
    return failedExpression("expected an index between '[' and ']'");
  bool isTuple = at(TokenKind::Star);
  Expr *slice = parseSlice();
  if (at(TokenKind::Comma) || isTuple) {
    List<Expr *> elements = {slice};
    while (take(TokenKind::Comma) && (startsExpression() || at(TokenKind::Colon)))
      elements.push_back(parseSlice());
    auto *tuple = make<Tuple>(sliceBegin);
    tuple->elts = copy(elements);
    slice = tuple;
  }
  expectClose(TokenKind::RightBracket, slice);
  auto *subscript = make<Subscript>(start);
  subscript->value = value;
  subscript->slice = slice;
  return subscript;
}

Expr *GrammarParser::parseSlice() {
  uint32_t start = begin();
  if (take(TokenKind::Star)) {
    Expr *value = parseExpression();
    auto *starred = make<Starred>(start);
    starred->value = value;
    return starred;
  }
  Expr *lower = at(TokenKind::Colon) ? nullptr : parseNamedExpression();
  if (!at(TokenKind::Colon) || (lower && llvm::isa<NamedExpr>(lower) && text[start] != '('))
    return lower;
  advance();
  Expr *upper = startsExpression() ? parseExpression() : nullptr;
  Expr *step = take(TokenKind::Colon) && startsExpression() ? parseExpression() : nullptr;
  auto *slice = make<Slice>(start);
  slice->lower = lower;
  slice->upper = upper;
  slice->step = step;
  return slice;
}

Expr *GrammarParser::parseCall(uint32_t start, Expr *function) {
  uint32_t open = begin();
  advance();
  List<Expr *> args;
  List<Keyword *> keywords;
  parseArguments(args, keywords, open, /*allowsGenerator=*/true);
  auto *call = make<Call>(start);
  call->func = function;
  call->args = copy(args);
  call->keywords = copy(keywords);
  return call;
}

/// What stands between the parentheses of a call or of a class, and the closing one.
void GrammarParser::parseArguments(List<Expr *> &args, List<Keyword *> &keywords, uint32_t open, bool allowsGenerator) {
  bool hasKeyword = false, hasUnpacking = false;
  Expr *last = nullptr;
  while (!at(TokenKind::RightParen) && !stopped) {
    uint32_t start = begin();
    if (take(TokenKind::DoubleStar)) {
      last = parseExpression();
      auto *keyword = make<Keyword>(start);
      keyword->value = last;
      keywords.push_back(keyword);
      hasUnpacking = true;
    } else if (take(TokenKind::Star)) {
      last = parseExpression();
      auto *starred = make<Starred>(start);
      starred->value = last;
      if (hasUnpacking)
        fail(starred->range, "iterable argument unpacking follows keyword argument unpacking");
      args.push_back(starred);
    } else if (at(TokenKind::Name) && peek().kind == TokenKind::Equal) {
      StringRef name = identifierText(current);
      advance();
      advance();
      last = parseExpression();
      auto *keyword = make<Keyword>(start);
      keyword->arg = name;
      keyword->value = last;
      keywords.push_back(keyword);
      hasKeyword = true;
    } else {
      last = parseNamedExpression();
      if (atComprehension()) {
        llvm::ArrayRef<Comprehension *> generators = parseComprehensionClauses();
        auto *generator = make<GeneratorExp>(start);
        generator->elt = last;
        generator->generators = generators;
        if (!allowsGenerator || !args.empty() || !keywords.empty() || !at(TokenKind::RightParen)) {
          fail(generator->range, "generator expression must be parenthesized");
          return;
        }
        advance();
        args.push_back(finish(generator));
        generator->range.begin = open;
        return;
      }
      if (at(TokenKind::Equal)) {
        if (auto *constant = llvm::dyn_cast<Constant>(last); constant && describe(last) != "literal")
          fail(last->range, "cannot assign to " + describe(last));
        else
          fail({tree.source.get(), start, current.end}, "expression cannot contain assignment",
               "perhaps you meant '=='?");
      }
      if (hasUnpacking || hasKeyword)
        fail(last->range, hasUnpacking ? "positional argument follows keyword argument unpacking"
                                       : "positional argument follows keyword argument");
      args.push_back(last);
    }
    if (!take(TokenKind::Comma))
      break;
    last = nullptr;
  }
  expectClose(TokenKind::RightParen, last);
}

/// The bracket that ends a list of expressions of which `last` is the last, if the list has one and no comma follows
/// it.
void GrammarParser::expectClose(TokenKind close, Expr *last) {
  if (take(close) || stopped)
    return;
  if (last && startsExpression() && current.kind != TokenKind::Star)
    return fail({tree.source.get(), last->range.begin, current.end},
                "invalid syntax: expected ',' or " + describe(close) + " before " + describeCurrent(),
                "perhaps you forgot a comma?");
  if (at(TokenKind::Equal))
    return fail("invalid syntax: unexpected '='", "did you mean '==' or ':='?");
  if (last)
    return fail("expected ',' or " + describe(close) + ", found " + describeCurrent());
  fail("expected an expression or " + describe(close) + ", found " + describeCurrent());
}
