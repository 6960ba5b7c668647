// Atoms: names, numbers, and everything in brackets, with comprehensions.
#include "compiler/syntax/GrammarParser.h"
#include "compiler/syntax/NumberLiterals.h"

using namespace triton;
using namespace triton::syntax;

Expr *GrammarParser::constantFromToken(ConstantValue value) {
  Expr *constant = tree.makeConstant(current.begin, current.end, std::move(value));
  advance();
  return constant;
}

Expr *GrammarParser::parseAtom() {
  switch (kind()) {
  case TokenKind::Name: {
    auto *name = tree.make<Name>(current.begin, current.end);
    name->id = identifierText(current);
    advance();
    return name;
  }
  case TokenKind::Number:
    return constantFromToken(numberValue(spelling(current)));
  case TokenKind::String:
  case TokenKind::FormatStart:
    return parseStrings();
  case TokenKind::KeywordNone:
    return constantFromToken(NoneValue{});
  case TokenKind::KeywordTrue:
    return constantFromToken(true);
  case TokenKind::KeywordFalse:
    return constantFromToken(false);
  case TokenKind::Ellipsis:
    return constantFromToken(EllipsisValue{});
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftBracket:
    return parseListDisplay();
  case TokenKind::LeftBrace:
    return parseBraceDisplay();
  default:
    return failedExpression("expected an expression, found " + describeCurrent());
  }
}

/// The elements of a tuple or set behind its first one, and the bracket that closes it.
GrammarParser::List<Expr *> GrammarParser::parseFurtherElements(Expr *first, TokenKind close) {
  List<Expr *> elements = {first};
  Expr *last = first;
  while (take(TokenKind::Comma)) {
    last = nullptr;
    if (!startsExpression())
      break;
    elements.push_back(last = parseStarNamedExpression());
  }
  expectClose(close, last);
  return elements;
}

Expr *GrammarParser::parseParenthesized() {
  uint32_t start = begin();
  advance();
  if (take(TokenKind::RightParen))
    return make<Tuple>(start);
  if (at(TokenKind::KeywordYield)) {
    Expr *yield = parseYield();
    expectClose(TokenKind::RightParen, yield);
    return yield;
  }
  uint32_t firstBegin = begin();
  Expr *first = parseStarNamedExpression();
  if (atComprehension()) {
    checkComprehensionElement(first);
    llvm::ArrayRef<Comprehension *> generators = parseComprehensionClauses();
    expectClose(TokenKind::RightParen, generators.back()->iter);
    auto *generator = make<GeneratorExp>(start);
    generator->elt = first;
    generator->generators = generators;
    return generator;
  }
  if (!at(TokenKind::Comma)) {
    expectClose(TokenKind::RightParen, first);
    if (llvm::isa<Starred>(first) && text[firstBegin] == '*')
      fail(first->range, "cannot use starred expression here", "a tuple of one element ends with a comma");
    return first;
  }
  List<Expr *> elements = parseFurtherElements(first, TokenKind::RightParen);
  auto *tuple = make<Tuple>(start);
  tuple->elts = copy(elements);
  return tuple;
}

Expr *GrammarParser::parseListDisplay() {
  uint32_t start = begin();
  advance();
  List<Expr *> elements;
  Expr *last = nullptr;
  while (startsExpression()) {
    elements.push_back(last = parseStarNamedExpression());
    if (elements.size() == 1 && atComprehension()) {
      checkComprehensionElement(last);
      llvm::ArrayRef<Comprehension *> generators = parseComprehensionClauses();
      expectClose(TokenKind::RightBracket, generators.back()->iter);
      auto *comprehension = make<ListComp>(start);
      comprehension->elt = last;
      comprehension->generators = generators;
      return comprehension;
    }
    if (!take(TokenKind::Comma))
      break;
    last = nullptr;
  }
  expectClose(TokenKind::RightBracket, last);
  auto *list = make<syntax::List>(start);
  list->elts = copy(elements);
  return list;
}

/// A dict, a set or a comprehension of either.
Expr *GrammarParser::parseBraceDisplay() {
  uint32_t start = begin();
  advance();
  if (take(TokenKind::RightBrace))
    return make<Dict>(start);
  if (take(TokenKind::DoubleStar))
    return parseDictDisplay(start, nullptr, /*isUnpacking=*/true);
  uint32_t firstBegin = begin();
  Expr *first = parseStarNamedExpression();
  bool isKey = !llvm::isa<Starred, NamedExpr>(first) || text[firstBegin] == '(';
  if (at(TokenKind::Colon) && isKey)
    return parseDictDisplay(start, first, /*isUnpacking=*/false);
  if (atComprehension()) {
    checkComprehensionElement(first);
    llvm::ArrayRef<Comprehension *> generators = parseComprehensionClauses();
    expectClose(TokenKind::RightBrace, generators.back()->iter);
    auto *comprehension = make<SetComp>(start);
    comprehension->elt = first;
    comprehension->generators = generators;
    return comprehension;
  }
  List<Expr *> elements = parseFurtherElements(first, TokenKind::RightBrace);
  auto *set = make<Set>(start);
  set->elts = copy(elements);
  return set;
}

/// The rest of a dict, from the ':' behind its first key or from what follows its first `**`.
Expr *GrammarParser::parseDictDisplay(uint32_t start, Expr *key, bool isUnpacking) {
  List<Expr *> keys, values;
  Expr *last = nullptr;
  while (!stopped) {
    if (isUnpacking) {
      key = nullptr;
      last = parseBitwiseOr();
    } else {
      expect(TokenKind::Colon, "expected ':' after the key of the dict");
      if (at(TokenKind::RightBrace) || at(TokenKind::Comma))
        fail("expected a value after the ':' of the dict");
      if (at(TokenKind::Star))
        fail("cannot use a starred expression in a dictionary value");
      last = parseExpression();
    }
    keys.push_back(key);
    values.push_back(last);
    if (keys.size() == 1 && atComprehension()) {
      if (isUnpacking)
        fail("dict unpacking cannot be used in dict comprehension");
      llvm::ArrayRef<Comprehension *> generators = parseComprehensionClauses();
      expectClose(TokenKind::RightBrace, generators.back()->iter);
      auto *comprehension = make<DictComp>(start);
      comprehension->key = key;
      comprehension->value = last;
      comprehension->generators = generators;
      return comprehension;
    }
    if (!take(TokenKind::Comma))
      break;
    last = nullptr;
    if (at(TokenKind::RightBrace))
      break;
    isUnpacking = take(TokenKind::DoubleStar);
    if (!isUnpacking)
      key = parseExpression();
  }
  expectClose(TokenKind::RightBrace, last);
  auto *dict = make<Dict>(start);
  dict->keys = copy(keys);
  dict->values = copy(values);
  return dict;
}

bool GrammarParser::atComprehension() const {
  return at(TokenKind::KeywordFor) || (at(TokenKind::KeywordAsync) && peek().kind == TokenKind::KeywordFor);
}

void GrammarParser::checkComprehensionElement(Expr *element) {
  if (llvm::isa<Starred>(element))
    fail(element->range, "iterable unpacking cannot be used in comprehension");
}

llvm::ArrayRef<Comprehension *> GrammarParser::parseComprehensionClauses() {
  List<Comprehension *> clauses;
  do {
    uint32_t start = begin();
    bool isAsync = take(TokenKind::KeywordAsync);
    take(TokenKind::KeywordFor);
    Expr *target = parseTargetList(TargetUse::Loop);
    expect(TokenKind::KeywordIn, "expected 'in' after the targets of the comprehension");
    Expr *iter = parseDisjunction();
    List<Expr *> conditions;
    while (take(TokenKind::KeywordIf))
      conditions.push_back(parseDisjunction());
    auto *clause = make<Comprehension>(start);
    clause->target = target;
    clause->iter = iter;
    clause->ifs = copy(conditions);
    clause->isAsync = isAsync;
    clauses.push_back(clause);
  } while (atComprehension());
  return copy(clauses);
}
