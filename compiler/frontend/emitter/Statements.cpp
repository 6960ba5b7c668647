// Statements: assignment materialises, errors stay within their statement, `return` ends a list.
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Branches.h"
#include "compiler/frontend/emitter/KernelEmitter.h"
#include "compiler/frontend/values/Literals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

/// Whether an expression can be evaluated though the program has returned: comparisons of numbers, which have no effect and cannot fail.
static bool isHarmless(const syntax::Expr *expression, const Scope &scope) {
  auto areHarmless = [&](llvm::ArrayRef<syntax::Expr *> parts) {
    return llvm::all_of(parts, [&](const syntax::Expr *part) { return isHarmless(part, scope); });
  };
  if (auto *name = dyn_cast<syntax::Name>(expression)) {
    const LocalBinding *binding = scope.find(name->id);
    return binding && binding->state == LocalBinding::State::Bound &&
           (binding->value.isTensor() || binding->value.isNumber());
  }
  if (auto *compare = dyn_cast<syntax::Compare>(expression))
    return isHarmless(compare->left, scope) && areHarmless(compare->comparators);
  if (auto *both = dyn_cast<syntax::BoolOp>(expression))
    return areHarmless(both->values);
  if (auto *unary = dyn_cast<syntax::UnaryOp>(expression))
    return unary->op == syntax::UnaryOperator::Not && isHarmless(unary->operand, scope);
  return isa<syntax::Constant>(expression);
}

/// `if condition: return`, with such a condition.
static bool isEarlyReturn(const syntax::Stmt *statement, const Scope &scope) {
  auto *branch = dyn_cast<syntax::If>(statement);
  auto *first = branch && branch->body.size() == 1 ? dyn_cast<syntax::Return>(branch->body.front()) : nullptr;
  return first && !first->value && branch->orelse.empty() && isHarmless(branch->test, scope);
}

/// The statements that the next guard holds, off the front of `rest`: all of them, but for those behind one that may return when so many others may.
static llvm::ArrayRef<syntax::Stmt *> takeGuarded(llvm::ArrayRef<syntax::Stmt *> &rest) {
  size_t count = 0, returns = 0;
  while (count < rest.size() && returns < mostNestedGuards)
    returns += findReturn(rest[count++]) != nullptr;
  llvm::ArrayRef<syntax::Stmt *> guarded = rest.take_front(count);
  rest = rest.drop_front(count);
  return guarded;
}

Flow KernelEmitter::emitStatements(llvm::ArrayRef<syntax::Stmt *> body, bool isFunctionBody) {
  for (auto [i, statement] : llvm::enumerate(body)) {
    Flow flow = emitStatement(statement);
    if (frame->stopped)
      return {};
    llvm::ArrayRef<syntax::Stmt *> rest = body.drop_front(i + 1);
    // Early returns in a row guard the rest with one branch: branches in branches would take the square of their number.
    while (flow.kind == Flow::Kind::MayReturn && flow.results.empty() && !rest.empty() &&
           isEarlyReturn(rest.front(), frame->scope)) {
      Flow next = emitStatement(rest.consume_front());
      if (frame->stopped)
        return {};
      if (next.kind == Flow::Kind::MayReturn)
        flow.returned = mlir::arith::OrIOp::create(opBuilder, location(), flow.returned, next.returned);
      else if (next.kind == Flow::Kind::Returns)
        flow = std::move(next);
    }
    while (flow.kind == Flow::Kind::MayReturn && !rest.empty()) {
      llvm::ArrayRef<syntax::Stmt *> guarded = takeGuarded(rest);
      const bool endsFunction = isFunctionBody && rest.empty();
      flow = emitGuarded(std::move(flow), changedBy(guarded), endsFunction,
                         [&] { return emitStatements(guarded, endsFunction); });
      if (frame->stopped)
        return {};
    }
    if (flow.kind == Flow::Kind::Returns) {
      // What follows a compile-time branch that returned is dead but still checked; what follows a plain return is not
      // looked at.
      if (!isa<syntax::Return>(statement) && !rest.empty())
        emitDead(rest);
      return flow;
    }
    if (flow.kind == Flow::Kind::MayReturn)
      return flow;
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
    return error("UnsupportedLanguageConstruct")
           << "nested function definitions are not allowed inside a @triton.jit kernel. Move the helper function to "
              "module level and decorate it with @triton.jit.";
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
  if (isa<syntax::Starred>(target))
    return error(target->range, "NotImplementedError") << "starred assignment targets are not supported";
  if (isa<syntax::Subscript>(target))
    return error(target->range, "NotImplementedError")
               .hint("tl.store(pointer + index, value) writes memory, tl.where(condition, value, x) makes a changed "
                     "block")
           << "`__setitem__`: assigning to an item is not supported in kernels";
  if (isa<syntax::Attribute>(target))
    return error(target->range, "NotImplementedError") << "attribute assignment is not supported in kernels";
  return unsupported(target);
}

LogicalResult KernelEmitter::assignName(const syntax::Name *target, const Value &value) {
  const bool isConstexpr = frame->scope.awaited.erase(target->id);
  const bool isConstant = value.isNumber() || value.tuple();
  auto bound = !isConstexpr && isConstant ? materialize(*this, value) : FailureOr<Value>(value);
  if (failed(bound))
    return failure();
  if (!isConstexpr)
    nameValue(*bound, target->id);
  frame->scope.bind(target->id, {.value = *bound, .range = target->range, .isConstexpr = isConstexpr});
  return success();
}

FailureOr<llvm::ArrayRef<Value>> KernelEmitter::elementsFor(const syntax::Tuple *targets, const Value &value) {
  auto *tuple = value.tuple();
  if (!tuple)
    return error("TypeError") << "cannot unpack non-iterable value " << value.str();
  const size_t expected = targets->elts.size(), given = tuple->elements.size();
  if (given < expected)
    return error("ValueError") << "not enough values to unpack (expected " << expected << ", got " << given << ")";
  if (given > expected && languageOptions.version.has(LanguageRule::CheckedUnpacking))
    return error("ValueError") << "too many values to unpack (expected " << expected << ")";
  return llvm::ArrayRef(tuple->elements).take_front(expected);
}

LogicalResult KernelEmitter::forEachName(const syntax::Expr *target, const Value &value, BindName bind) {
  if (auto *name = dyn_cast<syntax::Name>(target))
    return bind(name, value);
  auto *targets = llvm::cast<syntax::Tuple>(target);
  auto elements = elementsFor(targets, value);
  if (failed(elements))
    return failure();
  for (auto [element, part] : llvm::zip_equal(targets->elts, *elements))
    if (failed(forEachName(element, part, bind)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::assign(const syntax::Expr *target, const Value &value) {
  std::vector<StringRef> names;
  collectTargets(target, names);
  const bool waits = llvm::any_of(names, [&](StringRef name) { return frame->scope.awaited.contains(name); });
  auto bound = waits ? FailureOr<Value>(value) : materialize(*this, value);
  if (failed(bound))
    return failure();
  return forEachName(target, *bound,
                     [&](const syntax::Name *name, const Value &part) { return assignName(name, part); });
}

LogicalResult KernelEmitter::forgetNamed(const syntax::Expr *expr, const Scope::Saved &before, StringRef place) {
  for (const auto &[name, binding] : before) {
    const LocalBinding *after = frame->scope.find(name);
    if (!binding && after) {
      frame->scope.vanish(name, after->range,
                          "it is assigned by `:=` in code that runs apart, and so unknown behind it");
      continue;
    }
    const bool isChanged = binding && after && after->range.begin != binding->range.begin;
    frame->scope.set(name, binding);
    if (isChanged)
      return error(expr->range, "UnsupportedLanguageConstruct")
             << "`:=` cannot change '" << name << "' in " << place << "; assign it in a statement";
  }
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
  return assign(target, *value);
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
  return failed(value) ? LogicalResult(failure()) : assign(statement->target, *value);
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
  auto *name = dyn_cast<syntax::Name>(statement->target);
  if (!statement->value) {
    if (*isConstexpr && name)
      frame->scope.awaited.insert(name->id);
    return success();
  }
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
  return failed(value) ? LogicalResult(failure()) : assign(statement->target, *value);
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
               .hint("leave the loop by the condition of a `while`, and return behind it")
           << "Cannot have `return` statements inside `while` or `for` statements in triton");
    return {};
  }
  Flow flow{.kind = Flow::Kind::Returns};
  auto given = statement->value ? evaluate(statement->value) : FailureOr<Value>(Value::none());
  auto value = failed(given) ? given : unifyReturn(*given);
  if (failed(value)) {
    frame->failed = true;
    return flow;
  }
  flatten(*value, flow.results);
  return flow;
}

/// What of `returned` every `return` gives as the same constant; elsewhere, what is `materialized`. All have the structure of `materialized`.
static Value commonConstants(const Value &returned, const Value &value, const Value &materialized) {
  if (returned.isCompileTime() && value.isCompileTime() && returned.type() == value.type())
    return returned;
  auto *tuple = materialized.tuple(), *first = returned.tuple(), *second = value.tuple();
  if (!tuple || !first || !second)
    return materialized;
  std::vector<Value> elements;
  for (auto [a, b, c] : llvm::zip_equal(first->elements, second->elements, tuple->elements))
    elements.push_back(commonConstants(a, b, c));
  return Value::tuple(std::move(elements), tuple->fields, tuple->hostClass);
}

FailureOr<Value> KernelEmitter::unifyReturn(const Value &given) {
  const bool keepsConstants = languageOptions.version.has(LanguageRule::ConstexprReturns);
  // Nobody takes what a kernel returns: a constant is left out where functions return them at all.
  if (!frame->caller && !given.isNone() && keepsConstants && given.isCompileTime())
    return unifyReturn(Value::none());
  if (!frame->caller && !given.isNone())
    return error("TypeError") << "kernels must not return values, this returns " << given.type().str();
  frame->returnedTypes.push_back(given.type().str());
  // What no tensor can hold is the same in every `return`.
  const bool isPlain =
      keepsConstants && given.isCompileTime() && !given.tuple() && !(given.isNumber() && literalType(given));
  auto value = isPlain ? FailureOr<Value>(given) : materialize(*this, given);
  if (failed(value))
    return failure();
  if (!keepsConstants && !value->isNone() && !value->isTensor() && !value->tuple() && !value->descriptor() &&
      !value->aggregate() && !value->is<HandleValue>())
    return error("TypeError") << "cannot return " << value->str() << " of type " << classNameOf(*value)
                              << " from a function";
  if (!frame->result) {
    frame->result = *value;
    frame->returned = keepsConstants ? given : *value;
    frame->resultRange = currentRange;
    SmallVector<mlir::Value> parts;
    flatten(*value, parts);
    for (mlir::Value part : parts)
      frame->resultTypes.push_back(part.getType());
    return *value;
  }
  if (!(frame->result->type() == value->type())) {
    auto name = [](const Value &result) { return result.isNone() ? std::string("void") : result.type().str(); };
    return error("TypeError").note(frame->resultRange, "the first return is here")
           << (keepsConstants ? "Return type mismatch: " : "Inconsistent return types: ") << name(*frame->result)
           << " and " << name(*value) << ". Note all return types were: [" << llvm::join(frame->returnedTypes, ", ")
           << "]";
  }
  if (keepsConstants)
    frame->returned = commonConstants(frame->returned, given, *value);
  return *value;
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
