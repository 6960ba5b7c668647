// Statements: assignment materialises, errors stay within their statement, `return` ends a list.
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/KernelEmitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::failure;
using llvm::isa;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::success;
using mlir::FailureOr;

void KernelEmitter::makeUnknown(llvm::ArrayRef<StringRef> names) {
  for (StringRef name : names)
    frame->scope.bind(name, {.range = currentRange, .state = LocalBinding::State::Unknown});
}

std::vector<StringRef> KernelEmitter::changedBy(llvm::ArrayRef<syntax::Stmt *> body) {
  std::vector<StringRef> names = assigned.of(body);
  for (StringRef name : assigned.receivers(body)) {
    const LocalBinding *binding = frame->scope.find(name);
    if (binding && binding->value.aggregate() && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  frame->scope.sortByFirstBinding(names);
  return names;
}

Flow KernelEmitter::emitStatements(llvm::ArrayRef<syntax::Stmt *> body, bool isFunctionBody) {
  for (auto [i, statement] : llvm::enumerate(body)) {
    Flow flow = emitStatement(statement);
    if (frame->stopped)
      return {};
    const llvm::ArrayRef<syntax::Stmt *> rest = body.drop_front(i + 1);
    if (flow.kind == Flow::Kind::Returns) {
      // What follows a compile-time branch that returned is dead but still checked; what follows a plain return is not
      // looked at.
      if (!isa<syntax::Return>(statement) && !rest.empty())
        emitDead(rest);
      return flow;
    }
    if (flow.kind == Flow::Kind::MayReturn) {
      if (rest.empty())
        return flow;
      return emitGuarded(std::move(flow), changedBy(rest), isFunctionBody,
                         [&] { return emitStatements(rest, isFunctionBody); });
    }
  }
  return {};
}

Flow KernelEmitter::emitStatement(const syntax::Stmt *statement) {
  At at(*this, statement->range);
  if (failed(checkDepth()))
    return {};
  switch (statement->kind) {
  case syntax::NodeKind::If:
    return emitIf(llvm::cast<syntax::If>(statement));
  case syntax::NodeKind::For:
    return emitFor(llvm::cast<syntax::For>(statement));
  case syntax::NodeKind::While:
    return emitWhile(llvm::cast<syntax::While>(statement));
  case syntax::NodeKind::With:
    return emitWith(llvm::cast<syntax::With>(statement));
  case syntax::NodeKind::Return:
    return emitReturn(llvm::cast<syntax::Return>(statement));
  default:
    if (failed(emitSimple(statement)))
      makeUnknown(assigned.of(statement));
    return {};
  }
}

LogicalResult KernelEmitter::emitSimple(const syntax::Stmt *statement) {
  switch (statement->kind) {
  case syntax::NodeKind::Assign:
    return emitAssign(llvm::cast<syntax::Assign>(statement));
  case syntax::NodeKind::AugAssign:
    return emitAugAssign(llvm::cast<syntax::AugAssign>(statement));
  case syntax::NodeKind::AnnAssign:
    return emitAnnAssign(llvm::cast<syntax::AnnAssign>(statement));
  case syntax::NodeKind::ExprStmt:
    return emitExpressionStatement(llvm::cast<syntax::ExprStmt>(statement));
  case syntax::NodeKind::Assert:
    return emitAssert(llvm::cast<syntax::Assert>(statement));
  case syntax::NodeKind::Pass:
    return success();
  case syntax::NodeKind::FunctionDef:
    return error("UnsupportedLanguageConstruct") << "nested function definition is not supported";
  default:
    return unsupported(statement);
  }
}

LogicalResult KernelEmitter::checkTarget(const syntax::Expr *target) {
  if (isa<syntax::Name>(target))
    return success();
  if (auto *tuple = dyn_cast<syntax::Tuple>(target)) {
    for (const syntax::Expr *element : tuple->elts)
      if (failed(checkTarget(element)))
        return failure();
    return success();
  }
  if (isa<syntax::Subscript>(target))
    return error(target->range, "NotImplementedError")
           << "`__setitem__`: assigning to an item is not supported in kernels";
  if (isa<syntax::Attribute>(target))
    return error(target->range, "NotImplementedError") << "attribute assignment is not supported in kernels";
  return unsupported(target);
}

LogicalResult KernelEmitter::assign(const syntax::Expr *target, const Value &value) {
  if (auto *name = dyn_cast<syntax::Name>(target)) {
    nameValue(value, name->id);
    frame->scope.bind(name->id, {.value = value, .range = target->range});
    return success();
  }
  auto *targets = llvm::cast<syntax::Tuple>(target);
  auto *tuple = value.tuple();
  if (!tuple)
    return error("ValueError") << "cannot unpack a value that is not a tuple: " << value.str();
  if (tuple->elements.size() < targets->elts.size())
    return error("ValueError") << "not enough values to unpack: expected " << targets->elts.size() << ", got "
                               << tuple->elements.size();
  for (auto [element, part] : llvm::zip(targets->elts, tuple->elements))
    if (failed(assign(element, part)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::emitAssign(const syntax::Assign *statement) {
  if (statement->targets.size() != 1)
    return error("UnsupportedLanguageConstruct") << "simultaneous multiple assignment is not supported";
  const syntax::Expr *target = statement->targets[0];
  if (failed(checkTarget(target)))
    return failure();
  auto value = evaluate(statement->value);
  if (failed(value))
    return failure();
  // A host's list or tuple assigns as a tuple.
  if (value->is<HostObject>()) {
    auto elements = unpack(*value);
    if (succeeded(elements) && *elements)
      value = Value::tuple(std::move(**elements));
  }
  auto bound = materialize(*this, *value);
  if (failed(bound))
    return failure();
  return assign(target, *bound);
}

LogicalResult KernelEmitter::emitAugAssign(const syntax::AugAssign *statement) {
  if (failed(checkTarget(statement->target)))
    return failure();
  if (!isa<syntax::Name>(statement->target))
    return unsupported(statement->target);
  // `x op= e` is `x = x op e`.
  syntax::BinOp operation;
  operation.range = statement->range;
  operation.left = statement->target;
  operation.op = statement->op;
  operation.right = statement->value;
  auto value = evaluate(&operation);
  if (failed(value))
    return failure();
  auto bound = materialize(*this, *value);
  if (failed(bound))
    return failure();
  return assign(statement->target, *bound);
}

FailureOr<bool> KernelEmitter::isConstexprAnnotation(const syntax::Expr *annotation) {
  if (auto *constant = dyn_cast<syntax::Constant>(annotation))
    if (auto *text = constant->as<syntax::StringValue>())
      return text->text.contains("constexpr");
  auto value = evaluate(annotation);
  if (failed(value))
    return failure();
  auto *builtin = value->getIf<const Builtin *>();
  return builtin && (*builtin)->name == "constexpr";
}

LogicalResult KernelEmitter::emitAnnAssign(const syntax::AnnAssign *statement) {
  if (failed(checkTarget(statement->target)))
    return failure();
  auto isConstexpr = isConstexprAnnotation(statement->annotation);
  if (failed(isConstexpr))
    return failure();
  if (!statement->value)
    return *isConstexpr ? LogicalResult(error("ValueError") << "a constexpr needs a value") : success();
  auto *name = dyn_cast<syntax::Name>(statement->target);
  if (*isConstexpr && name) {
    if (const LocalBinding *binding = frame->scope.find(name->id)) {
      if (binding->state == LocalBinding::State::Unknown)
        return failure();
      return error("ValueError").note(binding->range, "it was defined here")
             << "'" << name->id << "' is already defined, constexpr cannot be reassigned";
    }
    auto value = evaluate(statement->value);
    if (failed(value))
      return failure();
    frame->scope.bind(name->id, {.value = *value, .range = statement->target->range, .isConstexpr = true});
    return success();
  }
  auto value = evaluate(statement->value);
  if (failed(value))
    return failure();
  auto bound = materialize(*this, *value);
  if (failed(bound))
    return failure();
  return assign(statement->target, *bound);
}

LogicalResult KernelEmitter::emitExpressionStatement(const syntax::ExprStmt *statement) {
  auto *call = dyn_cast<syntax::Call>(statement->value);
  if (!call)
    return evaluate(statement->value);
  At at(*this, call->range);
  return evaluateCall(call, /*isDiscarded=*/true);
}

LogicalResult KernelEmitter::emitAssert(const syntax::Assert *statement) {
  CallArguments arguments;
  auto condition = evaluate(statement->test);
  if (failed(condition))
    return failure();
  arguments.positional.push_back(*condition);
  if (statement->msg) {
    auto message = evaluate(statement->msg);
    if (failed(message))
      return failure();
    arguments.positional.push_back(*message);
  }
  const Builtin *deviceAssert = findBuiltin("triton.language", "device_assert");
  assert(deviceAssert && "the language has device_assert");
  return callBuiltin(*deviceAssert, arguments);
}

Flow KernelEmitter::emitReturn(const syntax::Return *statement) {
  if (frame->loopDepth != 0) {
    (void)(error("UnsupportedLanguageConstruct")
           << "Cannot have `return` statements inside `while` or `for` statements in triton");
    return {};
  }
  Flow flow{.kind = Flow::Kind::Returns};
  Value value;
  if (statement->value) {
    auto evaluated = evaluate(statement->value);
    auto bound = failed(evaluated) ? FailureOr<Value>(failure()) : materialize(*this, *evaluated);
    if (failed(bound)) {
      frame->failed = true;
      return flow;
    }
    value = *bound;
  }
  const bool returnsSomething = !value.isNone();
  if (returnsSomething && !value.isTensor() && !value.tuple() && !value.descriptor() && !value.aggregate() &&
      !value.is<HandleValue>()) {
    (void)(error("TypeError") << "cannot return " << value.str() << " of type " << classNameOf(value)
                              << " from a function");
    frame->failed = true;
    return flow;
  }
  if (returnsSomething && !frame->caller) {
    (void)(error("TypeError") << "kernels must not return values, this returns " << value.type().str());
    frame->failed = true;
    return flow;
  }
  if (!frame->result) {
    frame->result = value;
    frame->resultRange = statement->range;
    SmallVector<mlir::Value> values;
    flatten(value, values);
    for (mlir::Value part : values)
      frame->resultTypes.push_back(part.getType());
  } else if (!(frame->result->type() == value.type())) {
    auto name = [](const Value &result) { return result.isNone() ? std::string("void") : result.type().str(); };
    (void)(error("TypeError").note(frame->resultRange, "the first return is here")
           << "Inconsistent return types: " << name(*frame->result) << " and " << name(value));
    frame->failed = true;
    return flow;
  }
  flatten(value, flow.results);
  return flow;
}

/// Context managers live in the host: enter and exit run while compiling, around the body.
Flow KernelEmitter::emitWith(const syntax::With *with) {
  if (const syntax::Return *result = findReturn(with->body)) {
    (void)(error(result->range, "UnsupportedLanguageConstruct")
           << "Cannot have `return` statements inside `with` statements in triton");
    return {};
  }
  auto enter = [&](const syntax::WithItem *item) -> FailureOr<Value> {
    if (!isa<syntax::Call>(item->contextExpr))
      return error(item->range, "UnsupportedLanguageConstruct") << "`with` takes a call that makes a context manager";
    auto manager = evaluate(item->contextExpr);
    if (failed(manager))
      return failure();
    At at(*this, item->contextExpr->range);
    auto method = valueAttribute(*this, *manager, "__enter__");
    if (failed(method))
      return failure();
    if (!*method)
      return error("TypeError") << "'" << classNameOf(*manager) << "' object is not a context manager";
    auto entered = call(**method, {});
    if (failed(entered))
      return failure();
    if (item->optionalVars && (failed(checkTarget(item->optionalVars)) || failed(assign(item->optionalVars, *entered))))
      return failure();
    return *manager;
  };
  std::vector<Value> managers;
  for (const syntax::WithItem *item : with->items) {
    auto manager = enter(item);
    if (failed(manager)) {
      makeUnknown(assigned.of(with));
      return {};
    }
    managers.push_back(*manager);
  }
  Flow flow = emitStatements(with->body);
  for (const Value &manager : llvm::reverse(managers)) {
    auto method = valueAttribute(*this, manager, "__exit__");
    if (succeeded(method) && *method)
      (void)call(**method, CallArguments{{Value::none(), Value::none(), Value::none()}, {}});
  }
  return flow;
}
