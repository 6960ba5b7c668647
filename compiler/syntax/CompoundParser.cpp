// Statements that hold blocks: conditions, loops, `with`, `try`, functions and classes.
#include "compiler/syntax/GrammarParser.h"

using namespace triton;
using namespace triton::syntax;

/// Null, with nothing taken, if no compound statement begins here.
Stmt *GrammarParser::parseCompoundStatement() {
  switch (kind()) {
  case TokenKind::KeywordIf:
    return parseIf();
  case TokenKind::KeywordWhile:
    return parseWhile();
  case TokenKind::KeywordFor:
    return parseFor(begin(), /*isAsync=*/false);
  case TokenKind::KeywordWith:
    return parseWith(begin(), /*isAsync=*/false);
  case TokenKind::KeywordTry:
    return parseTry();
  case TokenKind::KeywordDef:
    return parseFunction(begin(), {}, /*isAsync=*/false);
  case TokenKind::KeywordClass:
    return parseClass({});
  case TokenKind::At:
    return parseDecorated();
  case TokenKind::KeywordAsync:
    return parseAsync();
  case TokenKind::Name:
    return atMatchStatement() ? parseMatch() : nullptr;
  default:
    return nullptr;
  }
}

/// What follows a ':': a block, or simple statements on the same line. `after` names the statement for messages.
llvm::ArrayRef<Stmt *> GrammarParser::parseBlock(StringRef after, uint32_t headerBegin) {
  List<Stmt *> body;
  if (!at(TokenKind::Newline)) {
    parseSimpleStatements(body);
    return copy(body);
  }
  advance();
  if (!at(TokenKind::Indent)) {
    report(rangeOf(current), "expected an indented block after " + after + " on line " +
                                 llvm::Twine(tree.source->locate(headerBegin).line));
    return {};
  }
  Level level(*this);
  advance();
  parseStatements(body);
  take(TokenKind::Dedent);
  return copy(body);
}

llvm::ArrayRef<Stmt *> GrammarParser::parseElse(StringRef after) {
  uint32_t start = begin();
  if (!take(TokenKind::KeywordElse))
    return {};
  expect(TokenKind::Colon, "expected ':' after 'else'");
  return parseBlock(after, start);
}

/// Each `elif` becomes an If in the `orelse` of the one before; built from a list, since a chain may be long.
Stmt *GrammarParser::parseIf() {
  List<If *> chain;
  llvm::ArrayRef<Stmt *> last;
  while (true) {
    uint32_t start = begin();
    StringRef word = spelling(current);
    advance();
    Expr *test = parseCondition(word);
    expect(TokenKind::Colon, "expected ':' after the " + word + " condition");
    llvm::ArrayRef<Stmt *> body = parseBlock(word == "if" ? "'if' statement" : "'elif' statement", start);
    auto *statement = make<If>(start);
    statement->test = test;
    statement->body = body;
    chain.push_back(statement);
    if (at(TokenKind::KeywordElif))
      continue;
    last = parseElse("'else' statement");
    break;
  }
  for (If *statement : llvm::reverse(chain)) {
    statement->orelse = last;
    finish(statement);
    List<Stmt *> alone = {statement};
    last = copy(alone);
  }
  return chain.front();
}

Stmt *GrammarParser::parseWhile() {
  uint32_t start = begin();
  advance();
  Expr *test = parseCondition("while");
  expect(TokenKind::Colon, "expected ':' after the while condition");
  llvm::ArrayRef<Stmt *> body = parseBlock("'while' statement", start);
  llvm::ArrayRef<Stmt *> orelse = parseElse("'else' statement");
  auto *statement = make<While>(start);
  statement->test = test;
  statement->body = body;
  statement->orelse = orelse;
  return statement;
}

Stmt *GrammarParser::parseFor(uint32_t start, bool isAsync) {
  advance();
  Expr *target = parseTargetList(TargetUse::Loop);
  expect(TokenKind::KeywordIn, "expected 'in' after the targets of the for loop");
  Expr *iter = parseStarExpressions();
  expect(TokenKind::Colon, "expected ':' after the for loop's iterable");
  llvm::ArrayRef<Stmt *> body = parseBlock("'for' statement", start);
  llvm::ArrayRef<Stmt *> orelse = parseElse("'else' statement");
  ForLoop *statement = isAsync ? static_cast<ForLoop *>(make<AsyncFor>(start)) : make<For>(start);
  statement->target = target;
  statement->iter = iter;
  statement->body = body;
  statement->orelse = orelse;
  return statement;
}

/// At the '(' after `with`: does it enclose items, or begin the first of them? `mustBe` if an `as` inside leaves no
/// doubt.
bool GrammarParser::withItemsAreParenthesized(bool &mustBe) {
  mustBe = false;
  unsigned open = 0;
  for (size_t at = index; at < tokens.size(); ++at) {
    switch (tokens[at].kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      ++open;
      break;
    case TokenKind::KeywordAs:
      mustBe |= open == 1;
      break;
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      if (--open == 0)
        return mustBe || tokens[at + 1].kind == TokenKind::Colon;
      break;
    case TokenKind::Newline:
      return mustBe;
    default:
      break;
    }
  }
  return mustBe;
}

void GrammarParser::parseWithItems(List<WithItem *> &items, TokenKind close) {
  do {
    if (at(close) && close == TokenKind::RightParen && !items.empty())
      return;
    uint32_t start = begin();
    Expr *context = parseExpression();
    Expr *target = nullptr;
    if (take(TokenKind::KeywordAs)) {
      target = parseStarExpression();
      makeTarget(target, TargetUse::WithItem);
    }
    auto *item = make<WithItem>(start);
    item->contextExpr = context;
    item->optionalVars = target;
    items.push_back(item);
  } while (take(TokenKind::Comma));
}

Stmt *GrammarParser::parseWith(uint32_t start, bool isAsync) {
  advance();
  List<WithItem *> items;
  bool mustBe = false;
  bool isDone = false;
  if (at(TokenKind::LeftParen) && withItemsAreParenthesized(mustBe)) {
    // `with (a, b):` has two items, `with (a for a in b):` one: only trying tells.
    size_t before = index;
    uint32_t beforeEnd = previousEnd;
    bool wasTrial = std::exchange(isTrial, isTrial || !mustBe);
    advance();
    parseWithItems(items, TokenKind::RightParen);
    expect(TokenKind::RightParen, "expected ',' or ')' after the item of the with statement");
    isTrial = wasTrial;
    isDone = mustBe || !stopped;
    if (!isDone) {
      moveTo(before);
      previousEnd = beforeEnd;
      items.clear();
    }
  }
  if (!isDone)
    parseWithItems(items, TokenKind::Colon);
  expect(TokenKind::Colon, "expected ':' after the items of the with statement");
  llvm::ArrayRef<Stmt *> body = parseBlock("'with' statement", start);
  WithBlock *statement = isAsync ? static_cast<WithBlock *>(make<AsyncWith>(start)) : make<With>(start);
  statement->items = copy(items);
  statement->body = body;
  return statement;
}

ExceptHandler *GrammarParser::parseExceptHandler(bool &isStar) {
  uint32_t start = begin();
  advance();
  isStar = take(TokenKind::Star);
  Expr *type = nullptr;
  StringRef name;
  if (!at(TokenKind::Colon)) {
    uint32_t typeBegin = begin();
    type = parseExpression();
    if (at(TokenKind::Comma)) {
      List<Expr *> types = {type};
      while (take(TokenKind::Comma) && startsExpression())
        types.push_back(parseExpression());
      auto *tuple = make<Tuple>(typeBegin);
      tuple->elts = copy(types);
      type = tuple;
      if (at(TokenKind::KeywordAs))
        fail(tuple->range, "multiple exception types must be parenthesized when using 'as'");
    }
    if (take(TokenKind::KeywordAs))
      name = parseIdentifier("expected a name after 'as'");
  } else if (isStar) {
    fail("expected one or more exception types after 'except*'");
  }
  expect(TokenKind::Colon, isStar ? "expected ':' after the except* clause" : "expected ':' after the except clause");
  llvm::ArrayRef<Stmt *> body = parseBlock(isStar ? "'except*' statement" : "'except' statement", start);
  auto *handler = make<ExceptHandler>(start);
  handler->type = type;
  handler->name = name;
  handler->body = body;
  return handler;
}

Stmt *GrammarParser::parseTry() {
  uint32_t start = begin();
  advance();
  expect(TokenKind::Colon, "expected ':' after 'try'");
  llvm::ArrayRef<Stmt *> body = parseBlock("'try' statement", start);
  List<ExceptHandler *> handlers;
  bool isStar = false;
  while (at(TokenKind::KeywordExcept)) {
    Token except = current;
    bool thisIsStar = false;
    if (!handlers.empty() && !handlers.back()->type)
      report(rangeOf(except), "default 'except:' must be last");
    handlers.push_back(parseExceptHandler(thisIsStar));
    if (handlers.size() > 1 && thisIsStar != isStar)
      report(rangeOf(except), "cannot have both 'except' and 'except*' on the same 'try'");
    isStar = thisIsStar;
  }
  llvm::ArrayRef<Stmt *> orelse, finalbody;
  if (!handlers.empty())
    orelse = parseElse("'else' statement");
  uint32_t finallyBegin = begin();
  bool hasFinally = take(TokenKind::KeywordFinally);
  if (hasFinally) {
    expect(TokenKind::Colon, "expected ':' after 'finally'");
    finalbody = parseBlock("'finally' statement", finallyBegin);
  }
  if (handlers.empty() && !hasFinally && !stopped)
    report({tree.source.get(), start, start + 3}, "expected 'except' or 'finally' block after the 'try' statement");
  TryBlock *statement = isStar ? static_cast<TryBlock *>(make<TryStar>(start)) : make<Try>(start);
  statement->body = body;
  statement->handlers = copy(handlers);
  statement->orelse = orelse;
  statement->finalbody = finalbody;
  return statement;
}

Stmt *GrammarParser::parseDecorated() {
  List<Expr *> decorators;
  while (take(TokenKind::At)) {
    decorators.push_back(parseNamedExpression());
    expect(TokenKind::Newline, "expected the end of the line after the decorator, found " + describeCurrent());
  }
  llvm::ArrayRef<Expr *> copied = copy(decorators);
  uint32_t start = begin();
  if (at(TokenKind::KeywordClass))
    return parseClass(copied);
  if (at(TokenKind::KeywordDef))
    return parseFunction(start, copied, /*isAsync=*/false);
  if (at(TokenKind::KeywordAsync) && peek().kind == TokenKind::KeywordDef) {
    advance();
    return parseFunction(start, copied, /*isAsync=*/true);
  }
  fail("expected a function or a class after the decorator, found " + describeCurrent());
  return make<Pass>(start);
}

Stmt *GrammarParser::parseAsync() {
  uint32_t start = begin();
  advance();
  switch (kind()) {
  case TokenKind::KeywordDef:
    return parseFunction(start, {}, /*isAsync=*/true);
  case TokenKind::KeywordFor:
    return parseFor(start, /*isAsync=*/true);
  case TokenKind::KeywordWith:
    return parseWith(start, /*isAsync=*/true);
  default:
    fail("expected 'def', 'for' or 'with' after 'async', found " + describeCurrent());
    return make<Pass>(start);
  }
}

Stmt *GrammarParser::parseFunction(uint32_t start, llvm::ArrayRef<Expr *> decorators, bool isAsync) {
  uint32_t defBegin = begin();
  advance();
  Token nameToken = current;
  StringRef name = parseIdentifier("expected the name of the function after 'def'");
  llvm::ArrayRef<TypeParam *> typeParams = parseTypeParams();
  expect(TokenKind::LeftParen, "expected '(' after the name of the function");
  Arguments *args = parseParameters(/*isLambda=*/false);
  expect(TokenKind::RightParen, "expected ',' or ')' after the parameter, found " + describeCurrent());
  Expr *returns = take(TokenKind::Arrow) ? parseExpression() : nullptr;
  expect(TokenKind::Colon, "expected ':' after the function signature");
  llvm::ArrayRef<Stmt *> body = parseBlock("function definition", defBegin);
  Function *function = isAsync ? static_cast<Function *>(make<AsyncFunctionDef>(start)) : make<FunctionDef>(start);
  function->name = name;
  function->args = args;
  function->body = body;
  function->decoratorList = decorators;
  function->returns = returns;
  function->typeParams = typeParams;
  function->nameRange = rangeOf(nameToken);
  return function;
}

Stmt *GrammarParser::parseClass(llvm::ArrayRef<Expr *> decorators) {
  uint32_t start = begin();
  advance();
  Token nameToken = current;
  StringRef name = parseIdentifier("expected the name of the class after 'class'");
  llvm::ArrayRef<TypeParam *> typeParams = parseTypeParams();
  List<Expr *> bases;
  List<Keyword *> keywords;
  uint32_t open = begin();
  if (take(TokenKind::LeftParen))
    parseArguments(bases, keywords, open, /*allowsGenerator=*/false);
  expect(TokenKind::Colon, "expected ':' after the class header");
  llvm::ArrayRef<Stmt *> body = parseBlock("class definition", start);
  auto *statement = make<ClassDef>(start);
  statement->name = name;
  statement->bases = copy(bases);
  statement->keywords = copy(keywords);
  statement->body = body;
  statement->decoratorList = decorators;
  statement->typeParams = typeParams;
  statement->nameRange = rangeOf(nameToken);
  return statement;
}
