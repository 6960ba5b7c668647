// Lists of statements with recovery from errors, and the statements that fit on a line.
#include "compiler/syntax/GrammarParser.h"

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;

Module *GrammarParser::parseModule() {
  auto *module = tree.make<Module>(0, text.size());
  List<Stmt *> body;
  while (!at(TokenKind::EndOfFile)) {
    parseStatements(body);
    if (at(TokenKind::Dedent))
      advance(); // the end of a block that began by mistake
  }
  module->body = copy(body);
  return module;
}

/// All statements up to the end of the block or of the file.
void GrammarParser::parseStatements(List<Stmt *> &body) {
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile))
    parseStatement(body);
}

void GrammarParser::parseStatement(List<Stmt *> &body) {
  if (take(TokenKind::Newline))
    return;
  if (at(TokenKind::Indent)) {
    report({tree.source.get(), current.begin, current.end}, "unexpected indent");
    return recover();
  }
  if (Stmt *compound = parseCompoundStatement()) {
    if (!stopped)
      return body.push_back(compound);
  } else {
    parseSimpleStatements(body);
  }
  if (stopped)
    recover();
}

/// After an error: passes the rest of the line, and the blocks that hang on it, in which further errors are still
/// found.
void GrammarParser::recover() {
  do {
    size_t resume = index;
    while (!llvm::is_contained({TokenKind::Newline, TokenKind::Indent, TokenKind::Dedent, TokenKind::EndOfFile},
                               tokens[resume].kind))
      ++resume;
    moveTo(resume);
    take(TokenKind::Newline);
    if (take(TokenKind::Indent)) {
      List<Stmt *> ignored;
      parseStatements(ignored);
      take(TokenKind::Dedent);
    }
    // Then come the clauses of a statement whose beginning was not understood.
  } while (
      atAny({TokenKind::KeywordElif, TokenKind::KeywordElse, TokenKind::KeywordExcept, TokenKind::KeywordFinally}));
}

void GrammarParser::parseSimpleStatements(List<Stmt *> &body) {
  while (true) {
    Stmt *statement = parseSimpleStatement();
    if (!atAny({TokenKind::Newline, TokenKind::Semicolon, TokenKind::EndOfFile}))
      failUnexpected();
    if (stopped)
      return;
    body.push_back(statement);
    if (!take(TokenKind::Semicolon) || at(TokenKind::Newline))
      break;
  }
  take(TokenKind::Newline);
}

Stmt *GrammarParser::parseSimpleStatement() {
  uint32_t start = begin();
  auto keywordAlone = [&]<typename NodeType>(NodeType *) -> Stmt * {
    advance();
    return make<NodeType>(start);
  };
  switch (kind()) {
  case TokenKind::KeywordPass:
    return keywordAlone((Pass *)nullptr);
  case TokenKind::KeywordBreak:
    return keywordAlone((Break *)nullptr);
  case TokenKind::KeywordContinue:
    return keywordAlone((Continue *)nullptr);
  case TokenKind::KeywordReturn: {
    advance();
    Expr *value = startsExpression() ? parseStarExpressions() : nullptr;
    auto *statement = make<Return>(start);
    statement->value = value;
    return statement;
  }
  case TokenKind::KeywordRaise:
    return parseRaise();
  case TokenKind::KeywordAssert:
    return parseAssert();
  case TokenKind::KeywordDel:
    return parseDelete();
  case TokenKind::KeywordGlobal:
    return parseNameList<Global>();
  case TokenKind::KeywordNonlocal:
    return parseNameList<Nonlocal>();
  case TokenKind::KeywordImport:
    return parseImport();
  case TokenKind::KeywordFrom:
    return parseImportFrom();
  default:
    if (atWord("type") && peek().kind == TokenKind::Name)
      return parseTypeAlias();
    return parseExpressionStatement();
  }
}

static std::optional<BinaryOperator> augmentedOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOperator::Add;
  case TokenKind::MinusEqual:
    return BinaryOperator::Sub;
  case TokenKind::StarEqual:
    return BinaryOperator::Mult;
  case TokenKind::AtEqual:
    return BinaryOperator::MatMult;
  case TokenKind::SlashEqual:
    return BinaryOperator::Div;
  case TokenKind::PercentEqual:
    return BinaryOperator::Mod;
  case TokenKind::DoubleStarEqual:
    return BinaryOperator::Pow;
  case TokenKind::LeftShiftEqual:
    return BinaryOperator::LShift;
  case TokenKind::RightShiftEqual:
    return BinaryOperator::RShift;
  case TokenKind::PipeEqual:
    return BinaryOperator::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOperator::BitXor;
  case TokenKind::AmpersandEqual:
    return BinaryOperator::BitAnd;
  case TokenKind::DoubleSlashEqual:
    return BinaryOperator::FloorDiv;
  default:
    return std::nullopt;
  }
}

/// What begins with an expression: an assignment of any kind, or the expression itself.
Stmt *GrammarParser::parseExpressionStatement() {
  uint32_t start = begin();
  bool isParenthesized = at(TokenKind::LeftParen);
  Expr *value = parseAssignedValue();
  if (at(TokenKind::Equal))
    return parseAssignment(start, value);
  if (std::optional<BinaryOperator> op = augmentedOperator(kind()))
    return parseAugmentedAssignment(start, value, *op);
  if (at(TokenKind::Colon))
    return parseAnnotatedAssignment(start, value, isParenthesized);
  if (at(TokenKind::ColonEqual))
    fail("invalid syntax: ':=' needs parentheses where it is a statement", "use '=' to assign");
  auto *name = llvm::dyn_cast<Name>(value);
  if (name && (name->id == "print" || name->id == "exec") && startsExpression())
    fail({tree.source.get(), start, current.end}, "missing parentheses in call to '" + name->id + "'",
         ("did you mean " + name->id + "(...)?").str());
  auto *statement = make<ExprStmt>(start);
  statement->value = value;
  return statement;
}

Expr *GrammarParser::parseAssignedValue() {
  return at(TokenKind::KeywordYield) ? parseYield() : parseStarExpressions();
}

Stmt *GrammarParser::parseAssignment(uint32_t start, Expr *value) {
  List<Expr *> targets;
  while (take(TokenKind::Equal)) {
    if (llvm::isa<Yield, YieldFrom>(value))
      fail(value->range, "assignment to yield expression not possible");
    makeTarget(value, TargetUse::Assignment);
    targets.push_back(value);
    value = parseAssignedValue();
  }
  auto *statement = make<Assign>(start);
  statement->targets = copy(targets);
  statement->value = value;
  return statement;
}

Stmt *GrammarParser::parseAugmentedAssignment(uint32_t start, Expr *target, BinaryOperator op) {
  if (!llvm::isa<Name, Attribute, Subscript>(target))
    fail(target->range, "'" + describe(target) + "' is an illegal expression for augmented assignment");
  makeTarget(target, TargetUse::Assignment);
  advance();
  Expr *value = parseAssignedValue();
  auto *statement = make<AugAssign>(start);
  statement->target = target;
  statement->op = op;
  statement->value = value;
  return statement;
}

Stmt *GrammarParser::parseAnnotatedAssignment(uint32_t start, Expr *target, bool isParenthesized) {
  if (llvm::isa<syntax::List, Tuple>(target))
    fail(target->range, "only single target (not " + describe(target) + ") can be annotated");
  else if (!llvm::isa<Name, Attribute, Subscript>(target))
    fail("invalid syntax: unexpected ':' after " + describe(target));
  makeTarget(target, TargetUse::Assignment);
  advance();
  Expr *annotation = parseExpression();
  Expr *value = take(TokenKind::Equal) ? parseAssignedValue() : nullptr;
  auto *statement = make<AnnAssign>(start);
  statement->target = target;
  statement->annotation = annotation;
  statement->value = value;
  statement->simple = llvm::isa<Name>(target) && !isParenthesized;
  return statement;
}

Stmt *GrammarParser::parseDelete() {
  uint32_t start = begin();
  advance();
  List<Expr *> targets;
  do {
    if (!startsExpression())
      break;
    targets.push_back(parseStarExpression());
    makeTarget(targets.back(), TargetUse::Deletion);
  } while (take(TokenKind::Comma));
  if (targets.empty())
    fail("expected what to delete after 'del'");
  auto *statement = make<Delete>(start);
  statement->targets = copy(targets);
  return statement;
}

Stmt *GrammarParser::parseRaise() {
  uint32_t start = begin();
  advance();
  Expr *exception = nullptr, *cause = nullptr;
  if (startsExpression()) {
    exception = parseExpression();
    if (take(TokenKind::KeywordFrom))
      cause = parseExpression();
  } else if (at(TokenKind::KeywordFrom)) {
    fail("expected an exception between 'raise' and 'from'");
  }
  auto *statement = make<Raise>(start);
  statement->exc = exception;
  statement->cause = cause;
  return statement;
}

Stmt *GrammarParser::parseAssert() {
  uint32_t start = begin();
  advance();
  Expr *test = parseExpression();
  Expr *message = take(TokenKind::Comma) ? parseExpression() : nullptr;
  if (at(TokenKind::Equal) || at(TokenKind::ColonEqual))
    fail("cannot assign in an assertion", "did you mean '=='?");
  auto *statement = make<Assert>(start);
  statement->test = test;
  statement->msg = message;
  return statement;
}

template <typename NodeType> Stmt *GrammarParser::parseNameList() {
  uint32_t start = begin();
  advance();
  List<StringRef> names;
  do
    names.push_back(parseIdentifier("expected a name"));
  while (take(TokenKind::Comma));
  auto *statement = make<NodeType>(start);
  statement->names = copy(names);
  return statement;
}

StringRef GrammarParser::parseDottedName() {
  uint32_t start = begin();
  std::string name = parseIdentifier("expected the name of a module").str();
  while (take(TokenKind::Dot)) {
    name += '.';
    name += parseIdentifier("expected a name after '.'");
  }
  StringRef written = text.slice(start, std::max(start, end()));
  return written == name ? written : tree.copy(StringRef(name));
}

Alias *GrammarParser::parseAlias(bool isDotted) {
  uint32_t start = begin();
  StringRef name = isDotted ? parseDottedName() : parseIdentifier("expected a name to import");
  StringRef as;
  if (take(TokenKind::KeywordAs)) {
    as = parseIdentifier("expected a name after 'as'");
    if (atAny({TokenKind::Dot, TokenKind::LeftParen, TokenKind::LeftBracket}))
      fail("cannot use anything but a name as import target");
  }
  auto *alias = make<Alias>(start);
  alias->name = name;
  alias->asname = as;
  return alias;
}

Stmt *GrammarParser::parseImport() {
  uint32_t start = begin();
  advance();
  if (!at(TokenKind::Name))
    fail("expected one or more names after 'import'");
  List<Alias *> names;
  do
    names.push_back(parseAlias(/*isDotted=*/true));
  while (take(TokenKind::Comma));
  if (at(TokenKind::KeywordFrom))
    fail("invalid syntax: 'import ... from ...'", "did you mean to write 'from ... import ...'?");
  auto *statement = make<Import>(start);
  statement->names = copy(names);
  return statement;
}

Stmt *GrammarParser::parseImportFrom() {
  uint32_t start = begin();
  advance();
  unsigned level = 0;
  while (atAny({TokenKind::Dot, TokenKind::Ellipsis})) {
    level += at(TokenKind::Dot) ? 1 : 3;
    advance();
  }
  StringRef module = level > 0 && at(TokenKind::KeywordImport) ? StringRef() : parseDottedName();
  expect(TokenKind::KeywordImport, "expected 'import' after the name of the module");
  List<Alias *> names;
  if (at(TokenKind::Star)) {
    uint32_t star = begin();
    advance();
    names.push_back(make<Alias>(star));
    names.back()->name = "*";
  } else {
    bool isParenthesized = take(TokenKind::LeftParen);
    do {
      if (isParenthesized && at(TokenKind::RightParen) && !names.empty())
        break;
      if (at(TokenKind::Newline) && !names.empty())
        fail("trailing comma not allowed without surrounding parentheses");
      if (atAny({TokenKind::Newline, TokenKind::RightParen}))
        fail("expected one or more names after 'import'");
      names.push_back(parseAlias(/*isDotted=*/false));
    } while (take(TokenKind::Comma) && !stopped);
    if (isParenthesized)
      expect(TokenKind::RightParen, "expected ',' or ')' after the imported name");
  }
  auto *statement = make<ImportFrom>(start);
  statement->module = module;
  statement->names = copy(names);
  statement->level = level;
  return statement;
}

Stmt *GrammarParser::parseTypeAlias() {
  uint32_t start = begin();
  advance();
  auto *name = tree.make<Name>(current.begin, current.end);
  name->id = identifierText(current);
  name->ctx = ExprContext::Store;
  advance();
  llvm::ArrayRef<TypeParam *> params = parseTypeParams();
  expect(TokenKind::Equal, "expected '=' after the name of the type");
  Expr *value = parseExpression();
  auto *statement = make<TypeAlias>(start);
  statement->name = name;
  statement->typeParams = params;
  statement->value = value;
  return statement;
}
