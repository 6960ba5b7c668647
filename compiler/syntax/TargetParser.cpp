// What may be assigned to, looped over or deleted. Targets are parsed as expressions, then checked and marked here.
#include "compiler/syntax/GrammarParser.h"

using namespace triton;
using namespace triton::syntax;

llvm::StringRef syntax::describe(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Attribute:
    return "attribute";
  case NodeKind::Subscript:
    return "subscript";
  case NodeKind::Starred:
    return "starred";
  case NodeKind::Name:
    return "name";
  case NodeKind::List:
    return "list";
  case NodeKind::Tuple:
    return "tuple";
  case NodeKind::Lambda:
    return "lambda";
  case NodeKind::Call:
    return "function call";
  case NodeKind::GeneratorExp:
    return "generator expression";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "yield expression";
  case NodeKind::Await:
    return "await expression";
  case NodeKind::ListComp:
    return "list comprehension";
  case NodeKind::SetComp:
    return "set comprehension";
  case NodeKind::DictComp:
    return "dict comprehension";
  case NodeKind::Dict:
    return "dict literal";
  case NodeKind::Set:
    return "set display";
  case NodeKind::JoinedStr:
    return "f-string expression";
  case NodeKind::TemplateStr:
    return "t-string expression";
  case NodeKind::Compare:
    return "comparison";
  case NodeKind::IfExp:
    return "conditional expression";
  case NodeKind::NamedExpr:
    return "named expression";
  case NodeKind::Constant: {
    auto *constant = llvm::cast<Constant>(expr);
    if (constant->as<NoneValue>())
      return "None";
    if (constant->as<EllipsisValue>())
      return "ellipsis";
    if (auto *truth = constant->as<bool>())
      return *truth ? "True" : "False";
    return "literal";
  }
  default:
    return "expression";
  }
}

/// Marks `expr` and what it holds as stored to or deleted, or reports the part of it that cannot be.
void GrammarParser::makeTarget(Expr *expr, TargetUse use) {
  if (stopped)
    return;
  ExprContext context = use == TargetUse::Deletion ? ExprContext::Del : ExprContext::Store;
  auto markAll = [&](auto *sequence) {
    sequence->ctx = context;
    for (Expr *element : sequence->elts)
      makeTarget(element, use);
  };
  switch (expr->kind) {
  case NodeKind::Name:
    llvm::cast<Name>(expr)->ctx = context;
    return;
  case NodeKind::Attribute:
    llvm::cast<Attribute>(expr)->ctx = context;
    return;
  case NodeKind::Subscript:
    llvm::cast<Subscript>(expr)->ctx = context;
    return;
  case NodeKind::Tuple:
    return markAll(llvm::cast<Tuple>(expr));
  case NodeKind::List:
    return markAll(llvm::cast<syntax::List>(expr));
  case NodeKind::Starred:
    if (use == TargetUse::Deletion)
      break;
    llvm::cast<Starred>(expr)->ctx = context;
    return makeTarget(llvm::cast<Starred>(expr)->value, use);
  default:
    break;
  }
  if (use == TargetUse::Deletion)
    return fail(expr->range, "cannot delete " + describe(expr));
  bool isValue = !llvm::isa<Yield, YieldFrom, GeneratorExp>(expr);
  fail(expr->range, "cannot assign to " + describe(expr) + (use == TargetUse::Assignment ? " here" : ""),
       use == TargetUse::Assignment && isValue ? "maybe you meant '==' instead of '='?" : "");
}

/// The targets of a loop or a comprehension: they end where `in` begins.
Expr *GrammarParser::parseTargetList(TargetUse use) {
  uint32_t start = begin();
  auto parseTarget = [&]() -> Expr * {
    if (!at(TokenKind::Star))
      return parseBitwiseOr();
    return parseStarExpression();
  };
  Expr *target = parseTarget();
  if (at(TokenKind::Comma)) {
    List<Expr *> elements = {target};
    while (take(TokenKind::Comma) && startsExpression())
      elements.push_back(parseTarget());
    auto *tuple = make<Tuple>(start);
    tuple->elts = copy(elements);
    target = tuple;
  }
  makeTarget(target, use);
  return target;
}
