// `if`, the conditional expression, and early return, as structured control flow.
//
// Both arms of a run-time `if` are emitted into an `scf.if` without results; then the names they changed are merged
// (semantics 5.1) and the op is replaced by one that yields them. A `return` in an arm makes the flow behind the `if`
// conditional: with `returned` an i1 of the arms,
//
//   if c: return a          scf.if %c { } else { }                      (gone if empty)
//   rest                    %r = scf.if %c { yield %a } else { rest; yield %its_result }
//
// so code is never duplicated and the function keeps one `tt.return`.
#include "compiler/frontend/emitter/Branches.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/KernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::failure;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::FailureOr;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

mlir::Value KernelEmitter::poison(mlir::Type type) { return mlir::ub::PoisonOp::create(opBuilder, location(), type); }

mlir::Value KernelEmitter::constantFlag(bool value) {
  return arith::ConstantOp::create(opBuilder, location(), opBuilder.getBoolAttr(value));
}

SmallVector<mlir::Value> KernelEmitter::resultsOrPoison(const Flow &flow) {
  const SmallVector<mlir::Type> &types = frame->resultTypes;
  // The counts differ only after an error.
  if (flow.kind != Flow::Kind::Continues && flow.results.size() == types.size())
    return flow.results;
  return llvm::map_to_vector(types, [&](mlir::Type type) { return poison(type); });
}

FailureOr<std::variant<bool, mlir::Value>> KernelEmitter::evaluateCondition(const syntax::Expr *test) {
  using Condition = std::variant<bool, mlir::Value>;
  auto value = evaluate(test);
  if (failed(value))
    return failure();
  At at(*this, test->range);
  if (value->isNone())
    return Condition(false);
  if (auto *flag = value->getIf<bool>())
    return Condition(*flag);
  if (auto *integer = value->getIf<Integer>())
    return Condition(*integer != 0);
  if (!value->isTensor())
    return error("UnsupportedLanguageConstruct")
           << "`if` conditionals can only accept values of type {bool, int, NoneType}, not objects of type "
           << classNameOf(*value);
  Value scalar = *value;
  if (const Type type = value->type(); type.isBlock()) {
    if (type.elementCount() != 1)
      return error("UnsupportedLanguageConstruct")
                 .hint("reduce it to one value first, for example with tl.max(x) or tl.sum(x)")
             << "boolean value of a tensor with more than one element is ambiguous: its truth value is not defined, "
                "its type is "
             << type.str();
    warn("UserWarning",
         "if conditional called with multidimensional Tensor instead of scalar; please use `if (cond).item()` instead");
    const Builtin *item = findMethod("item");
    assert(item && "tensors have item()");
    auto element = callBuiltin(*item, CallArguments{{scalar}, {}});
    if (failed(element))
      return failure();
    scalar = *element;
  }
  auto condition = toBoolean(*this, scalar);
  if (failed(condition))
    return failure();
  return Condition(condition->get<TensorValue>().ir);
}

Flow KernelEmitter::emitIf(const syntax::If *branch) {
  auto condition = evaluateCondition(branch->test);
  if (failed(condition)) {
    // Which arm runs is not known, so neither is what its names hold.
    makeUnknown(assigned.of(branch));
    frame->failed |= findReturn(branch->body) || findReturn(branch->orelse);
    return {};
  }
  if (auto *known = std::get_if<bool>(&*condition))
    return emitStatements(*known ? branch->body : branch->orelse);
  return emitRuntimeIf(branch, std::get<mlir::Value>(*condition));
}

/// One arm of an `if`, after its emission.
struct KernelEmitter::Arm {
  Flow flow;
  Scope::Saved names;
  bool continues() const { return flow.kind != Flow::Kind::Returns; }
};

/// What becomes of a name behind an `if`.
struct KernelEmitter::Merge {
  enum class Kind : uint8_t { Keep, Set, Vanish, Join } kind = Kind::Keep;
  std::optional<LocalBinding> binding; // Set: the new binding; Join: a pattern of the joined value
  SourceRange range;                   // Vanish: where it had been bound
  StringRef why = {};
};

bool triton::frontend::unchanged(const std::optional<LocalBinding> &before, const std::optional<LocalBinding> &after) {
  if (!before || !after)
    return !before && !after;
  if (before->state != after->state)
    return false;
  SmallVector<mlir::Value> a, b;
  flatten(before->value, a);
  flatten(after->value, b);
  return a == b && before->value.type() == after->value.type();
}

/// For messages: `int32` of run-time values, `constexpr[3]` of others.
static std::string describe(const Value &value) { return value.type().str(); }

KernelEmitter::Merge KernelEmitter::mergeName(StringRef name, const std::optional<LocalBinding> &before,
                                              const Arm &thenArm, const Arm &elseArm, size_t index) {
  const std::optional<LocalBinding> &thenEnd = thenArm.names[index].second, &elseEnd = elseArm.names[index].second;
  auto isUnknown = [](const std::optional<LocalBinding> &binding) {
    return binding && binding->state == LocalBinding::State::Unknown;
  };
  if ((thenArm.continues() && isUnknown(thenEnd)) || (elseArm.continues() && isUnknown(elseEnd)))
    return {Merge::Kind::Set, LocalBinding{.range = currentRange, .state = LocalBinding::State::Unknown}, {}};
  const bool thenChanged = thenArm.continues() && !unchanged(before, thenEnd),
             elseChanged = elseArm.continues() && !unchanged(before, elseEnd);
  if (!thenChanged && !elseChanged)
    return {};
  const Merge unknown{Merge::Kind::Set, LocalBinding{.range = currentRange, .state = LocalBinding::State::Unknown}, {}};

  // The state of a loop variable after its loop does not survive a merge: it holds nothing.
  auto isDead = [](const std::optional<LocalBinding> &binding) {
    return !binding || binding->state == LocalBinding::State::LoopVariable;
  };
  const bool wasConstant = before && before->value.isCompileTime();
  const bool wasPlain = wasConstant && (before->value.isNone() || before->value.is<Type>());
  if (isDead(before) || wasPlain) {
    const bool inBoth = thenArm.continues() && elseArm.continues() && !isDead(thenEnd) && !isDead(elseEnd) &&
                        (!wasPlain || (thenChanged && elseChanged));
    if (!inBoth) {
      if (wasPlain)
        return {};
      SourceRange range = currentRange;
      for (const std::optional<LocalBinding> *end : {&elseEnd, &thenEnd})
        if (*end && !isDead(*end))
          range = (*end)->range;
      return {Merge::Kind::Vanish, {}, range, "it is assigned in one branch of an `if` only, and so unknown behind it"};
    }
    if (thenEnd->isConstexpr || elseEnd->isConstexpr)
      return {Merge::Kind::Vanish,
              {},
              thenEnd->range,
              "a constexpr defined in a branch of a run-time `if` is known in that branch only"};
    if (!(thenEnd->value.type() == elseEnd->value.type())) {
      (void)(error("TypeError")
                 .note(thenEnd->range, "the then block assigns it here")
                 .note(elseEnd->range, "the else block assigns it here")
             << "Mismatched type for " << name << " between then block (" << describe(thenEnd->value)
             << ") and else block (" << describe(elseEnd->value) << ")");
      return unknown;
    }
    return {Merge::Kind::Join, thenEnd, {}};
  }

  // A loop in an arm took the name for its variable: it holds nothing defined from then on.
  for (auto [end, changed] : {std::pair(&thenEnd, thenChanged), std::pair(&elseEnd, elseChanged)})
    if (changed && *end && (*end)->state == LocalBinding::State::LoopVariable)
      return {Merge::Kind::Set, *end, {}};

  auto check = [&](const std::optional<LocalBinding> &end, bool changed, StringRef block) {
    if (!changed || (end && end->value.type() == before->value.type()))
      return true;
    (void)(error("TypeError")
               .note(before->range, "it was bound here")
               .note(end ? end->range : currentRange, ("the " + block + " block rebinds it here").str())
           << "initial value for `" << name << "` is of type " << describe(before->value) << ", but the " << block
           << " block redefines it as " << (end ? describe(end->value) : "nothing"));
    return false;
  };
  if (!check(thenEnd, thenChanged, "then") || !check(elseEnd, elseChanged, "else"))
    return unknown;
  return {Merge::Kind::Join, thenArm.continues() ? thenEnd : elseEnd, {}};
}

scf::IfOp KernelEmitter::finishIf(scf::IfOp op, mlir::ValueRange thenYields, mlir::ValueRange elseYields) {
  mlir::OpBuilder::InsertionGuard guard(opBuilder);
  auto end = [&](mlir::Region &region, mlir::ValueRange yields) {
    opBuilder.setInsertionPointToEnd(&region.back());
    scf::YieldOp::create(opBuilder, location(), yields);
  };
  end(op.getThenRegion(), thenYields);
  end(op.getElseRegion(), elseYields);
  if (thenYields.empty()) {
    if (op.getElseRegion().front().getOperations().size() == 1)
      op.getElseRegion().front().erase();
    return op;
  }
  opBuilder.setInsertionPoint(op);
  auto finished = scf::IfOp::create(opBuilder, op.getLoc(), thenYields.getTypes(), op.getCondition(),
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
  finished.getThenRegion().takeBody(op.getThenRegion());
  finished.getElseRegion().takeBody(op.getElseRegion());
  op.erase();
  return finished;
}

Flow KernelEmitter::emitRuntimeIf(const syntax::If *branch, mlir::Value condition) {
  std::vector<StringRef> names = changedBy(branch->body);
  llvm::DenseSet<StringRef> known(names.begin(), names.end());
  for (StringRef name : changedBy(branch->orelse))
    if (known.insert(name).second)
      names.push_back(name);
  frame->scope.sortByFirstBinding(names);
  const Scope::Saved before = frame->scope.save(names);
  auto op = scf::IfOp::create(opBuilder, location(), mlir::TypeRange{}, condition, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  const auto awaited = frame->scope.awaited;
  auto emitArm = [&](mlir::Region &region, llvm::ArrayRef<syntax::Stmt *> body) {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.setInsertionPointToEnd(&region.front());
    Arm arm{emitStatements(body), {}};
    frame->scope.awaited = awaited;
    arm.names = frame->scope.save(names);
    frame->scope.restore(before);
    return arm;
  };
  Arm thenArm = emitArm(op.getThenRegion(), branch->body);
  Arm elseArm = emitArm(op.getElseRegion(), branch->orelse);

  // What each arm yields: whether it returned, the function's results, the names.
  SmallVector<mlir::Value> thenYields, elseYields;
  auto atEnd = [&](mlir::Region &region, auto emit) {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.setInsertionPointToEnd(&region.back());
    emit();
  };
  auto yield = [&](const Arm &arm, mlir::Region &region, SmallVector<mlir::Value> &yields, auto values) {
    atEnd(region, [&] { llvm::append_range(yields, values(arm)); });
  };
  auto yieldBoth = [&](auto values) {
    yield(thenArm, op.getThenRegion(), thenYields, values);
    yield(elseArm, op.getElseRegion(), elseYields, values);
  };
  using Kind = Flow::Kind;
  const Kind thenKind = thenArm.flow.kind, elseKind = elseArm.flow.kind;
  Flow flow;
  if (thenKind != Kind::Continues || elseKind != Kind::Continues)
    flow.kind = thenKind == Kind::Returns && elseKind == Kind::Returns ? Kind::Returns : Kind::MayReturn;
  // The condition itself tells whether the function returned when exactly one arm always does and the other never.
  const bool conditionTells = thenKind != Kind::MayReturn && elseKind != Kind::MayReturn;
  const bool needsFlag = flow.kind == Kind::MayReturn && !conditionTells;
  if (needsFlag)
    yieldBoth([&](const Arm &arm) -> SmallVector<mlir::Value> {
      return {arm.flow.kind == Kind::MayReturn ? arm.flow.returned : constantFlag(arm.flow.kind == Kind::Returns)};
    });
  const size_t resultsBegin = thenYields.size();
  if (flow.kind != Kind::Continues)
    yieldBoth([&](const Arm &arm) { return resultsOrPoison(arm.flow); });
  const size_t resultsEnd = thenYields.size();

  SmallVector<std::pair<StringRef, LocalBinding>> joins;
  for (auto [i, entry] : llvm::enumerate(before)) {
    const auto &[name, binding] = entry;
    Merge merge = flow.kind == Kind::Returns ? Merge{} : mergeName(name, binding, thenArm, elseArm, i);
    switch (merge.kind) {
    case Merge::Kind::Keep:
      break;
    case Merge::Kind::Set:
      frame->scope.set(name, merge.binding);
      break;
    case Merge::Kind::Vanish:
      frame->scope.vanish(name, merge.range, merge.why);
      break;
    case Merge::Kind::Join:
      yieldBoth([&, i = i](const Arm &arm) {
        SmallVector<mlir::Value> values;
        if (arm.continues()) {
          flatten(arm.names[i].second->value, values);
        } else {
          SmallVector<mlir::Value> pattern;
          flatten(merge.binding->value, pattern);
          for (mlir::Value value : pattern)
            values.push_back(poison(value.getType()));
        }
        return values;
      });
      joins.emplace_back(name, *merge.binding);
      break;
    }
  }

  if (thenYields.empty() && op.getThenRegion().front().empty() && op.getElseRegion().front().empty()) {
    op.erase();
    op = {};
  } else {
    op = finishIf(op, thenYields, elseYields);
  }
  mlir::ValueRange results = op ? mlir::ValueRange(op.getResults()) : mlir::ValueRange();
  if (flow.kind == Kind::MayReturn) {
    if (needsFlag)
      flow.returned = results[0];
    else if (thenKind == Kind::Returns)
      flow.returned = condition;
    else
      flow.returned = arith::XOrIOp::create(opBuilder, location(), condition, constantFlag(true));
  }
  llvm::append_range(flow.results, results.slice(resultsBegin, resultsEnd - resultsBegin));
  results = results.drop_front(resultsEnd);
  if (joins.size() == 1 && op && op.getNumResults() == 1)
    op->setLoc(mlir::NameLoc::get(opBuilder.getStringAttr(joins[0].first), op.getLoc()));
  for (auto &[name, binding] : joins) {
    binding.value = rebuild(binding.value, results);
    frame->scope.bind(name, binding);
  }
  return flow;
}

FailureOr<Value> KernelEmitter::evaluateConditional(const syntax::IfExp *conditional) {
  auto condition = evaluateCondition(conditional->test);
  if (failed(condition))
    return failure();
  if (auto *known = std::get_if<bool>(&*condition))
    return evaluate(*known ? conditional->body : conditional->orelse);

  auto op = scf::IfOp::create(opBuilder, location(), mlir::TypeRange{}, std::get<mlir::Value>(*condition),
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto emitSide = [&](mlir::Region &region, const syntax::Expr *expr) -> FailureOr<Value> {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.setInsertionPointToEnd(&region.front());
    std::vector<StringRef> named;
    collectNamed(expr, named);
    const Scope::Saved before = frame->scope.save(named);
    auto value = evaluate(expr);
    if (failed(forgetNamed(expr, before, "a conditional expression")))
      return failure();
    if (failed(value) || value->isNone())
      return value;
    At at(*this, expr->range);
    return toTensor(*this, *value);
  };
  auto thenValue = emitSide(op.getThenRegion(), conditional->body),
       elseValue = emitSide(op.getElseRegion(), conditional->orelse);
  if (failed(thenValue) || failed(elseValue)) {
    op.erase();
    return failure();
  }
  if (!(thenValue->type() == elseValue->type())) {
    op.erase();
    return error("TypeError")
               .note(conditional->body->range, "this side is of type " + describe(*thenValue))
               .note(conditional->orelse->range, "this side is of type " + describe(*elseValue))
           << "Ternary expression with dynamic condition has inconsistent types " << describe(*thenValue) << " and "
           << describe(*elseValue);
  }
  SmallVector<mlir::Value> thenYields, elseYields;
  flatten(*thenValue, thenYields);
  flatten(*elseValue, elseYields);
  op = finishIf(op, thenYields, elseYields);
  opBuilder.setInsertionPointAfter(op);
  mlir::ValueRange results = op.getResults();
  return rebuild(*thenValue, results);
}
