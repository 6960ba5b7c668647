// `for` over the three ranges and `while`.
//
// A run-time loop carries the names that its body assigns and that held run-time values before it (semantics 5.6). The
// body is emitted once, into the loop's region, with those names bound to the region's arguments; afterwards their
// types must be what they were.
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Branches.h"
#include "compiler/frontend/emitter/LoopRange.h"
#include "compiler/frontend/values/Folding.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::failure;
using llvm::isa;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::FailureOr;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

/// More copies of a body than this would not end in code anyone can use.
static constexpr int64_t maxUnrolledIterations = 1 << 16;

/// The names a loop body assigns, and those among them that it carries.
struct KernelEmitter::Carried {
  Scope::Saved before;
  llvm::DenseSet<StringRef> awaited;
  std::vector<bool> isCarried; // one per name in `before`
  SmallVector<mlir::Value> initial;
  SmallVector<mlir::Location> locations; // one per value, with the name
};

KernelEmitter::Carried KernelEmitter::beginLoop(llvm::ArrayRef<StringRef> names) {
  Carried carried;
  carried.before = frame->scope.save(names);
  carried.awaited = frame->scope.awaited;
  for (const auto &[name, binding] : carried.before) {
    const size_t first = carried.initial.size();
    if (binding && binding->state == LocalBinding::State::Bound)
      flatten(binding->value, carried.initial);
    carried.isCarried.push_back(carried.initial.size() != first);
    carried.locations.resize(carried.initial.size(), namedLocation(name));
  }
  return carried;
}

void KernelEmitter::bindCarried(const Carried &carried, mlir::ValueRange values) {
  for (auto [entry, isCarried] : llvm::zip_equal(carried.before, carried.isCarried)) {
    auto &[name, binding] = entry;
    if (!isCarried)
      continue;
    LocalBinding inside = *binding;
    inside.value = rebuild(binding->value, values);
    frame->scope.bind(name, std::move(inside));
  }
}

/// Checks what the body left in the carried names; the values for the next iteration.
SmallVector<mlir::Value> KernelEmitter::endLoopBody(const Carried &carried, const syntax::Stmt *loop) {
  SmallVector<mlir::Value> next;
  for (auto [entry, isCarried] : llvm::zip_equal(carried.before, carried.isCarried)) {
    const auto &[name, before] = entry;
    if (!before || before->state != LocalBinding::State::Bound)
      continue;
    const LocalBinding *after = frame->scope.find(name);
    const bool isKnown = after && after->state == LocalBinding::State::Bound;
    const bool isSame = isKnown && after->value.type() == before->value.type();
    // A loop inside took the name for its variable: it holds nothing defined from then on.
    const bool isUndefined = after && after->state == LocalBinding::State::LoopVariable;
    if ((after && after->state == LocalBinding::State::Unknown) || (isUndefined && isCarried)) {
      // An error has been reported, or there is none.
    } else if (!isSame && isCarried) {
      (void)(error("TypeError")
                 .note(before->range, "it was bound here")
                 .note(after ? after->range : loop->range, "the loop rebinds it here")
                 .hint("keep its type the same, for example by initialising it with the type it has later or by a cast "
                       "in the loop")
             << "Loop-carried variable " << name << " has initial type " << before->value.type().str()
             << " but is re-assigned to " << (isKnown ? after->value.type().str() : "nothing")
             << " in the loop; please make sure that the type stays consistent");
    } else if (!isSame) {
      (void)(error("TypeError")
                 .note(before->range, "it was bound here")
                 .note(after ? after->range : loop->range, "the loop rebinds it here")
             << "variable " << name << " is " << before->value.type().str()
             << " before the loop and cannot be re-assigned in it"
             << (isKnown ? " to " + after->value.type().str() : std::string()));
    }
    if (!isCarried)
      continue;
    SmallVector<mlir::Value> values;
    flatten(isSame ? after->value : before->value, values);
    for (mlir::Value value : values)
      next.push_back(isUndefined ? poison(value.getType()) : value);
  }
  return next;
}

/// Behind the loop: carried names hold its results, names of the body are gone.
void KernelEmitter::endLoop(const Carried &carried, mlir::Operation *op) {
  frame->scope.awaited = carried.awaited;
  mlir::ValueRange results = op->getResults();
  SmallVector<StringRef> names;
  for (auto [entry, isCarried] : llvm::zip_equal(carried.before, carried.isCarried)) {
    auto &[name, before] = entry;
    const LocalBinding *after = frame->scope.find(name);
    const bool isUnknown = after && after->state == LocalBinding::State::Unknown;
    const SourceRange range = after ? after->range : currentRange;
    if (isCarried) {
      LocalBinding behind = *before;
      behind.value = rebuild(before->value, results);
      if (after)
        behind.state = after->state;
      frame->scope.bind(name, std::move(behind));
      names.push_back(name);
    } else if (before) {
      frame->scope.bind(name, *before);
    } else if (!isUnknown) {
      frame->scope.vanish(name, range, "it is assigned in a loop only, and so unknown behind it");
    }
  }
  if (names.size() == 1 && op->getNumResults() == 1)
    op->setLoc(mlir::NameLoc::get(opBuilder.getStringAttr(names[0]), op->getLoc()));
}

/// The arguments of Python's `range`, as `tl.range` takes them. Programs give it the keywords of `tl.range` too; it ignores others.
FailureOr<CallArguments> KernelEmitter::asLanguageRange(CallArguments arguments) {
  if (arguments.positional.size() > 3)
    return error("TypeError") << "range expected at most 3 arguments, got " << arguments.positional.size();
  const Signature &signature = signatureOf(*findBuiltin("triton.language.core", "range"));
  auto isIgnored = [&](auto &keyword) {
    std::string &name = keyword.first;
    for (auto [theirs, ours] : {std::pair("start", "arg1"), {"stop", "arg2"}})
      if (name == theirs)
        name = ours;
    if (llvm::any_of(signature.parameters, [&](const auto &parameter) { return parameter.name == name; }))
      return false;
    warn("UserWarning", "range() ignores the keyword argument '" + name + "'");
    return true;
  };
  llvm::erase_if(arguments.keywords, isIgnored);
  return arguments;
}

static constexpr llvm::StringLiteral insteadOfIteration =
    "loops go over range, tl.range or tl.static_range; elements of a tuple t are t[i] in tl.static_range(len(t))";

Flow KernelEmitter::emitFor(const syntax::For *loop) {
  auto giveUp = [&]() -> Flow {
    makeUnknown(assigned.of(loop));
    return {};
  };
  if (!loop->orelse.empty()) {
    (void)(error(loop->orelse[0]->range, "UnsupportedLanguageConstruct")
           << "`else` after a `for` loop is not supported");
    return giveUp();
  }
  if (!llvm::isa<syntax::Name>(loop->target)) {
    (void)(error(loop->target->range, "UnsupportedLanguageConstruct").hint(insteadOfIteration.str())
           << "the target of a `for` loop must be one name");
    return giveUp();
  }
  auto *call = dyn_cast<syntax::Call>(loop->iter);
  auto notARange = [&] {
    (void)(error(loop->iter->range, "RuntimeError").hint(insteadOfIteration.str())
           << "only `range` and `static_range` iterators are currently supported");
    return giveUp();
  };
  if (!call)
    return notARange();
  auto callee = evaluate(call->func);
  if (failed(callee))
    return giveUp();
  auto *builtin = callee->getIf<const Builtin *>();
  const bool isPythonRange = builtin && (*builtin)->module == "builtins" && (*builtin)->name == "range";
  const bool isRange = builtin && !isPythonRange && (*builtin)->name == "range",
             isStatic = builtin && (*builtin)->name == "static_range";
  if (!isPythonRange && !isRange && !isStatic)
    return notARange();
  auto arguments = evaluateArguments(call);
  if (failed(arguments))
    return giveUp();

  At at(*this, loop->iter->range);
  if (isPythonRange && failed(arguments = asLanguageRange(std::move(*arguments))))
    return giveUp();
  const Signature &signature = signatureOf(isPythonRange ? *findBuiltin("triton.language.core", "range") : **builtin);
  auto bound = signature.bind((*builtin)->name, *arguments);
  if (!bound) {
    (void)fail(bound.takeError());
    return giveUp();
  }
  if (isStatic) {
    At whole(*this, loop->range);
    return emitStaticRange(loop, *bound, signature);
  }
  auto range = loopRange(*bound, signature);
  if (failed(range))
    return giveUp();
  At whole(*this, loop->range);
  emitRange(loop, *range);
  return {};
}

/// What the variable is where the loop's counter is `counter`. A descending loop counts up from `end` to `begin`.
mlir::Value KernelEmitter::placeInRange(const LoopRange &range, mlir::Value counter, mlir::Location named) {
  const mlir::Type held = range.begin.getType();
  mlir::Value place = counter;
  if (range.count) {
    mlir::Value number =
        held == counter.getType() ? counter : arith::TruncIOp::create(opBuilder, location(), held, counter);
    mlir::Value way = arith::MulIOp::create(opBuilder, location(), number, range.step);
    place = range.descends ? arith::SubIOp::create(opBuilder, named, range.begin, way).getResult()
                           : arith::AddIOp::create(opBuilder, named, range.begin, way).getResult();
  } else if (range.descends) {
    mlir::Value left = arith::SubIOp::create(opBuilder, location(), range.begin, counter);
    place = arith::AddIOp::create(opBuilder, named, left, range.end);
  }
  const mlir::Type type = range.type.toIr(opBuilder.getContext());
  return held == type ? place : arith::TruncIOp::create(opBuilder, named, type, place);
}

void KernelEmitter::emitRange(const syntax::For *loop, const LoopRange &range) {
  const StringRef variable = llvm::cast<syntax::Name>(loop->target)->id;
  std::vector<StringRef> names = changedBy(loop->body);
  llvm::erase(names, variable);
  const Carried carried = beginLoop(names);
  mlir::Value lower = range.descends ? range.end : range.begin, upper = range.descends ? range.begin : range.end,
              step = range.step;
  if (range.count) {
    const auto constant = [&](int64_t number) -> mlir::Value {
      return arith::ConstantOp::create(opBuilder, location(), opBuilder.getI64IntegerAttr(number));
    };
    lower = constant(0);
    upper = range.count;
    step = constant(1);
  }
  auto op = scf::ForOp::create(opBuilder, location(), lower, upper, step, carried.initial);
  for (const mlir::NamedAttribute &attribute : range.attributes)
    op->setAttr(attribute.getName(), attribute.getValue());
  mlir::Block *body = op.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  op.getInductionVar().setLoc(namedLocation(variable));
  for (auto [argument, place] : llvm::zip_equal(op.getRegionIterArgs(), carried.locations))
    argument.setLoc(place);
  mlir::Value place;
  {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.setInsertionPointToEnd(body);
    place = placeInRange(range, op.getInductionVar(), namedLocation(variable));
    bindCarried(carried, op.getRegionIterArgs());
    frame->scope.bind(variable, {.value = Value::tensor(place, range.type), .range = loop->target->range});
    ++frame->loopDepth;
    emitStatements(loop->body);
    --frame->loopDepth;
    scf::YieldOp::create(opBuilder, location(), endLoopBody(carried, loop));
  }
  endLoop(carried, op);
  frame->scope.bind(variable, {.value = Value::tensor(place, range.type),
                               .range = loop->target->range,
                               .state = LocalBinding::State::LoopVariable});
}

Flow KernelEmitter::emitStaticRange(const syntax::For *loop, const BoundArguments &arguments,
                                    const Signature &signature) {
  auto giveUp = [&]() -> Flow {
    makeUnknown(assigned.of(loop));
    return {};
  };
  static constexpr llvm::StringLiteral which[] = {"start", "end", "step"};
  for (unsigned i = 0; i < 3; ++i)
    if (const Value &value = arguments[i]; !value.isNone() && !value.is<Integer>() && !value.is<bool>()) {
      const bool onlyEnd = i == 0 && arguments[1].isNone();
      (void)(error(loop->iter->range, "AssertionError")
             << (onlyEnd ? which[1] : which[i]) << " of static_range must be a constexpr integer, got " << value.str());
      return giveUp();
    }
  auto integer = [&](unsigned i, int64_t otherwise) {
    const Value &value = arguments[i];
    return value.isNone() ? Integer(otherwise) : value.is<bool>() ? Integer(value.get<bool>()) : value.get<Integer>();
  };
  const Integer begin = arguments[1].isNone() ? Integer(0) : integer(0, 0),
                end = arguments[1].isNone() ? integer(0, 0) : integer(1, 0);
  const Integer step = integer(2, 1);
  if (step == 0) {
    (void)(error(loop->iter->range, "ValueError") << "range() step must not be zero");
    return giveUp();
  }
  const Integer distance = step > 0 ? end - begin : begin - end;
  const Integer count = distance > 0 ? ceilDiv(distance, abs(step)) : Integer(0);
  if (count > maxUnrolledIterations) {
    (void)(error(loop->iter->range, "ValueError")
           << "static_range would unroll " << toString(count) << " iterations, more than " << maxUnrolledIterations);
    return giveUp();
  }
  const StringRef variable = llvm::cast<syntax::Name>(loop->target)->id;
  const std::vector<StringRef> names = changedBy(loop->body);
  std::vector<StringRef> all = names;
  if (!llvm::is_contained(all, variable))
    all.push_back(variable);
  // Iterations behind one that may have returned are guarded like any code behind it.
  using Iterations = std::pair<int64_t, int64_t>;
  std::function<Flow(Iterations)> emitIterations = [&](Iterations iterations) -> Flow {
    auto [i, last] = iterations;
    while (i < last) {
      frame->scope.bind(
          variable,
          {.value = Value::integer(begin + step * Integer(i)), .range = loop->target->range, .isConstexpr = true});
      const unsigned errorsBefore = diagnostics.errors();
      Flow flow = emitStatements(loop->body);
      ++i;
      while (flow.kind == Flow::Kind::MayReturn && i < last && diagnostics.errors() == errorsBefore) {
        const int64_t first = std::exchange(i, std::min<int64_t>(last, i + mostNestedGuards));
        flow = emitGuarded(std::move(flow), all, /*isFunctionBody=*/false, [&] { return emitIterations({first, i}); });
      }
      if (flow.kind != Flow::Kind::Continues || diagnostics.errors() != errorsBefore)
        return flow;
    }
    return {};
  };
  const unsigned errorsBefore = diagnostics.errors();
  Flow flow = emitIterations({0, int64_t(count)});
  if (diagnostics.errors() != errorsBefore)
    makeUnknown(names);
  return flow;
}

/// Everything in the loop that `value` is made from, itself included; arguments of the loop lead to what they are in the iteration before. Does not
/// go past reads of memory.
static llvm::SetVector<mlir::Value> madeFrom(mlir::Value value, scf::WhileOp loop) {
  llvm::SetVector<mlir::Value> all;
  all.insert(value);
  for (size_t next = 0; next < all.size(); ++next) {
    if (auto argument = dyn_cast<mlir::BlockArgument>(all[next])) {
      if (argument.getOwner() == loop.getBeforeBody())
        all.insert(loop.getYieldOp().getOperand(argument.getArgNumber()));
      else if (argument.getOwner() == loop.getAfterBody())
        all.insert(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
      continue;
    }
    mlir::Operation *op = all[next].getDefiningOp();
    if (!loop->isProperAncestor(op) || isa<tensor::LoadOp>(op))
      continue;
    op->walk([&](mlir::Operation *inner) { all.insert(inner->operand_begin(), inner->operand_end()); });
  }
  return all;
}

/// A loop that waits until memory changes reads it in every iteration, and is not removed for doing nothing else: what its end depends on is read
/// anew, where it is read at one place.
static void readAnew(scf::WhileOp loop) {
  auto isChanging = [&](mlir::Value value) {
    return loop->isAncestor(value.getParentRegion()->getParentOp()) &&
           (isa<mlir::BlockArgument>(value) || value.getDefiningOp<tensor::LoadOp>());
  };
  for (mlir::Value value : madeFrom(loop.getConditionOp().getCondition(), loop)) {
    auto load = value.getDefiningOp<tensor::LoadOp>();
    if (load && loop->isProperAncestor(load) && llvm::none_of(madeFrom(load.getPtr(), loop), isChanging))
      load.setIsVolatile(true);
  }
}

Flow KernelEmitter::emitWhile(const syntax::While *loop) {
  if (!loop->orelse.empty()) {
    (void)(error(loop->orelse[0]->range, "UnsupportedLanguageConstruct")
           << "`else` after a `while` loop is not supported");
    makeUnknown(assigned.of(loop));
    return {};
  }
  const Carried carried = beginLoop(changedBy(loop->body));
  mlir::ValueRange initial(carried.initial);
  auto op = scf::WhileOp::create(opBuilder, location(), initial.getTypes(), initial);
  mlir::Block *before = opBuilder.createBlock(&op.getBefore(), {}, initial.getTypes(), carried.locations);
  mlir::Block *after = opBuilder.createBlock(&op.getAfter(), {}, initial.getTypes(), carried.locations);
  opBuilder.setInsertionPointAfter(op);

  // The condition, evaluated before each iteration.
  auto emitCondition = [&]() -> FailureOr<mlir::Value> {
    const syntax::Expr *test = loop->test;
    Value licmDisabled = Value::boolean(false);
    FailureOr<Value> value = failure();
    auto *call = dyn_cast<syntax::Call>(test);
    auto callee = call ? evaluate(call->func) : FailureOr<Value>(Value::none());
    if (failed(callee))
      return failure();
    auto *builtin = callee->getIf<const Builtin *>();
    if (builtin && (*builtin)->name == "condition" && (*builtin)->module != "builtins") {
      At at(*this, test->range);
      auto arguments = evaluateArguments(call);
      if (failed(arguments))
        return failure();
      auto bound = signatureOf(**builtin).bind("condition", *arguments);
      if (!bound)
        return fail(bound.takeError());
      value = (*bound)[0];
      licmDisabled = (*bound)[1];
    } else if (call) {
      // The callee has been evaluated; a second evaluation could repeat its effects.
      At at(*this, test->range);
      auto arguments = evaluateArguments(call);
      if (failed(arguments))
        return failure();
      value = this->call(*callee, *arguments);
    } else {
      value = evaluate(test);
    }
    if (failed(value))
      return failure();
    auto isSet = truth(licmDisabled);
    if (!isSet)
      return fail(isSet.takeError());
    if (*isSet) {
      const mlir::NamedAttribute attribute = disableLicm(opBuilder);
      op->setAttr(attribute.getName(), attribute.getValue());
    }
    if (!value->isTensor())
      return error(test->range, "TypeError").hint("use tl.static_range or an `if` for what is known while compiling")
             << "a `while` condition must be a run-time scalar, got the compile-time value " << value->repr();
    if (value->type().isBlock())
      return error(test->range, "TypeError")
             << "a `while` condition must be a run-time scalar, got " << value->type().str();
    At at(*this, test->range);
    auto isTrue = toBoolean(*this, *value);
    if (failed(isTrue))
      return failure();
    return isTrue->get<TensorValue>().ir;
  };
  mlir::OpBuilder::InsertionGuard guard(opBuilder);
  opBuilder.setInsertionPointToEnd(before);
  bindCarried(carried, before->getArguments());
  std::vector<StringRef> named;
  collectNamed(loop->test, named);
  const Scope::Saved unnamed = frame->scope.save(named);
  auto condition = emitCondition();
  if (failed(forgetNamed(loop->test, unnamed, "the condition of a `while`")))
    condition = failure();
  if (failed(condition)) {
    frame->scope.restore(carried.before);
    opBuilder.setInsertionPointAfter(op);
    op->erase();
    makeUnknown(assigned.of(loop->body));
    return {};
  }
  scf::ConditionOp::create(opBuilder, location(), *condition, before->getArguments());
  opBuilder.setInsertionPointToEnd(after);
  bindCarried(carried, after->getArguments());
  ++frame->loopDepth;
  emitStatements(loop->body);
  --frame->loopDepth;
  scf::YieldOp::create(opBuilder, location(), endLoopBody(carried, loop));
  readAnew(op);
  endLoop(carried, op);
  return {};
}
