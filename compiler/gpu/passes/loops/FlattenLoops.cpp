// Makes one loop of two that ask for it, so that what is pipelined goes on from one outer iteration to the next.
//
//   scf.for %i = %low to %high step %s {
//     before(%i)
//     scf.for %j = %first to %end step %t {
//       body(%i, %j)
//     }
//     after(%i)
//   } {tt.flatten}
// becomes
//   scf.for %n = 0 to trips * max(inner trips, 1) iter_args(%i = %low, %j = %first) {
//     if %j == %first { before(%i) }
//     if %first < %end { body(%i, %j) }      unless it is known to hold
//     if %end - %j <= %t { after(%i) }       or if %first >= %end
//     scf.yield (%i, %j + %t), or (%i + %s, %first) behind the last
//   }
//
// What is computed before the inner loop without touching memory is computed again in each iteration; the rest is carried. Where %first and %end
// are computed from %i, a loop in front adds up the inner trips, and the last inner iteration computes the bounds of the next outer one. Runs first, on
// tensor IR, so that one loop is given layouts and stages. Leaves alone, as options change no results: inner loops whose bounds are loaded or carried;
// more than one inner loop; loops of unsigned numbers; and loops with dots, whose sums stay in the registers of the tensor cores from
// iteration to iteration only if nothing else writes them.
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/TripCount.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_FLATTENLOOPS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral flattenName = "tt.flatten";

/// Moves `value` and what it is computed from in front of `loop`, if it is the same in every iteration.
bool hoist(Value value, scf::ForOp loop) {
  SmallVector<Value> pending = {value};
  llvm::SetVector<Operation *> moved;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(next))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    if (moved.insert(op))
      llvm::append_range(pending, op->getOperands());
  }
  SmallVector<Operation *> inOrder = moved.takeVector();
  llvm::sort(inOrder, [](Operation *first, Operation *second) { return first->isBeforeInBlock(second); });
  for (Operation *op : inOrder)
    op->moveBefore(loop);
  return true;
}

/// What `values` are computed from in an iteration of `loop`, in order: nothing but its counter and what does not change. Nullopt if something else is.
std::optional<SmallVector<Operation *>> computedFromCounter(ValueRange values, scf::ForOp loop) {
  SmallVector<Value> pending(values);
  llvm::SetVector<Operation *> slice;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(next) || next == loop.getInductionVar())
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 || !isPure(op))
      return std::nullopt;
    if (slice.insert(op))
      llvm::append_range(pending, op->getOperands());
  }
  SmallVector<Operation *> inOrder = slice.takeVector();
  llvm::sort(inOrder, [](Operation *first, Operation *second) { return first->isBeforeInBlock(second); });
  return inOrder;
}

/// The one loop in the body of another.
scf::ForOp onlyLoopIn(scf::ForOp outer) {
  scf::ForOp found;
  for (auto loop : outer.getBody()->getOps<scf::ForOp>()) {
    if (found)
      return {};
    found = loop;
  }
  return found;
}

bool hasDots(scf::ForOp loop) {
  auto visit = [](Operation *op) {
    return isa<tensor::DotOp, tensor::DotScaledOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return loop.walk(visit).wasInterrupted();
}

class Flattening {
public:
  /// `bounds`: what the inner loop's are computed by in each iteration of the outer; empty if they stay the same, or are its counter.
  Flattening(scf::ForOp outer, scf::ForOp inner, ArrayRef<Operation *> bounds)
      : outer(outer), inner(inner), bounds(bounds), builder(outer), location(outer.getLoc()) {
    for (Operation &op : outer.getBody()->without_terminator())
      (op.isBeforeInBlock(inner) ? before : after).push_back(&op);
    after.erase(llvm::find(after, inner.getOperation()));
  }

  scf::ForOp run() {
    for (scf::ForOp loop : {outer, inner})
      if (!tensor::hasPositiveStep(loop))
        emptyWithoutStep(loop);
    classify();
    SmallVector<Value> initial = {outer.getLowerBound(), innerBounds(outer.getLowerBound()).first};
    llvm::append_range(initial, outer.getInitArgs());
    for (Value value : kept)
      initial.push_back(ub::PoisonOp::create(builder, location, value.getType()));
    for (Value value : inner.getInitArgs())
      initial.push_back(ub::PoisonOp::create(builder, location, value.getType()));
    Type counter = builder.getI64Type();
    Value zero = arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(0));
    Value one = arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(1));
    const bool areFixed =
        outer.isDefinedOutsideOfLoop(inner.getLowerBound()) && outer.isDefinedOutsideOfLoop(inner.getUpperBound());
    Value total = areFixed ? arith::MulIOp::create(builder, location, trips(outer, counter), innerTrips({}, one))
                           : addUpTrips(zero, one);
    auto fused = scf::ForOp::create(builder, location, zero, total, one, initial);
    fused->setDiscardableAttrs(outer->getDiscardableAttrDictionary());
    for (NamedAttribute attribute : inner->getDiscardableAttrs())
      fused->setAttr(attribute.getName(), attribute.getValue());
    fused->removeAttr(flattenName);
    emitBody(fused);
    for (auto [old, now] : llvm::zip(outer.getResults(), fused.getResults().drop_front(2)))
      old.replaceAllUsesWith(now);
    outer.erase();
    return fused;
  }

private:
  /// Says by its bounds that a loop does not run if its step is not positive.
  void emptyWithoutStep(scf::ForOp loop) {
    Value zero = arith::ConstantOp::create(builder, location, builder.getIntegerAttr(loop.getStep().getType(), 0));
    Value moves = compare(arith::CmpIPredicate::sgt, loop.getStep(), zero);
    loop.setUpperBound(arith::SelectOp::create(builder, location, moves, loop.getUpperBound(), loop.getLowerBound()));
  }

  /// The first and the end of the inner loop where the outer one's counter is `i`.
  std::pair<Value, Value> innerBounds(Value i) {
    IRMapping map;
    map.map(outer.getInductionVar(), i);
    for (Operation *op : bounds)
      builder.clone(*op, map);
    return {map.lookupOrDefault(inner.getLowerBound()), map.lookupOrDefault(inner.getUpperBound())};
  }

  /// How often the inner loop runs there; an iteration of the outer one is at least one of both.
  Value innerTrips(Value i, Value one) {
    auto [first, end] = innerBounds(i);
    Value count =
        tensor::createTripCount(builder, location, first, end, inner.getStep(), inner.getUnsignedCmp(), one.getType());
    return arith::MaxSIOp::create(builder, location, count, one);
  }

  Value addUpTrips(Value zero, Value one) {
    auto count = scf::ForOp::create(builder, location, outer.getLowerBound(), outer.getUpperBound(), outer.getStep(),
                                    ValueRange{zero});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(count.getBody());
    Value sum =
        arith::AddIOp::create(builder, location, count.getRegionIterArg(0), innerTrips(count.getInductionVar(), one));
    scf::YieldOp::create(builder, location, sum);
    return count.getResult(0);
  }

  Value trips(scf::ForOp loop, Type counter) {
    return tensor::createTripCount(builder, location, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                   loop.getUnsignedCmp(), counter);
  }

  /// Of what comes before the inner loop: what is computed anew in each iteration, and which other values are carried.
  void classify() {
    llvm::SmallDenseSet<Operation *> carried;
    for (Operation *op : before) {
      bool isAgain =
          op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::all_of(op->getOperands(), [&](Value v) {
            Operation *definition = v.getDefiningOp();
            return outer.isDefinedOutsideOfLoop(v) || v == outer.getInductionVar() ||
                   (definition && !carried.contains(definition));
          });
      if (isAgain) {
        again.push_back(op);
        continue;
      }
      carried.insert(op);
      once.push_back(op);
    }
    for (Operation *op : once)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isBefore(user); }))
          kept.push_back(result);
  }
  bool isBefore(Operation *user) {
    Operation *top = outer.getBody()->findAncestorOpInBlock(*user);
    return top && top != inner.getOperation() && top->isBeforeInBlock(inner);
  }

  void emitBody(scf::ForOp fused) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(fused.getBody());
    auto arguments = fused.getRegionIterArgs();
    Value i = arguments[0], j = arguments[1];
    auto outerState = arguments.drop_front(2).take_front(outer.getInitArgs().size());
    auto rest = arguments.drop_front(2 + outerState.size());
    IRMapping map;
    map.map(outer.getInductionVar(), i);
    for (auto [old, now] : llvm::zip(outer.getRegionIterArgs(), outerState))
      map.map(old, now);
    for (Operation *op : again)
      builder.clone(*op, map);
    const Value low = map.lookupOrDefault(inner.getLowerBound()), high = map.lookupOrDefault(inner.getUpperBound());

    // Before the first inner iteration; otherwise what was.
    Value isFirst = compare(arith::CmpIPredicate::eq, j, low);
    SmallVector<Value> entered(rest.begin(), rest.end());
    if (!once.empty() || !entered.empty())
      entered = branch(
          isFirst, entered,
          [&](IRMapping &scope) {
            for (Operation *op : once)
              builder.clone(*op, scope);
            SmallVector<Value> values;
            for (Value value : kept)
              values.push_back(scope.lookupOrDefault(value));
            for (Value value : inner.getInitArgs())
              values.push_back(scope.lookupOrDefault(value));
            return values;
          },
          map);
    for (auto [value, now] : llvm::zip(kept, entered))
      map.map(value, now);
    SmallVector<Value> state(ArrayRef<Value>(entered).drop_front(kept.size()));

    // The inner iteration, where there is one.
    auto body = [&](IRMapping &scope) {
      scope.map(inner.getInductionVar(), j);
      for (auto [old, now] : llvm::zip(inner.getRegionIterArgs(), state))
        scope.map(old, now);
      for (Operation &op : inner.getBody()->without_terminator())
        builder.clone(op, scope);
      return lookup(inner.getBody()->getTerminator()->getOperands(), scope);
    };
    Value runs;
    if (isKnownToRun()) {
      IRMapping scope = map;
      state = body(scope);
    } else {
      runs = compare(arith::CmpIPredicate::slt, low, high);
      state = branch(runs, state, body, map);
    }
    for (auto [old, now] : llvm::zip(inner.getResults(), state))
      map.map(old, now);

    // Behind the last: no more than a step is left. Not by comparing the next, which may wrap.
    Value next = arith::AddIOp::create(builder, location, j, inner.getStep());
    Value left = arith::SubIOp::create(builder, location, high, j);
    Value isLast = compare(arith::CmpIPredicate::ule, left, inner.getStep());
    if (runs) {
      Value isOnly = compare(arith::CmpIPredicate::sge, low, high);
      isLast = arith::OrIOp::create(builder, location, isOnly, isLast);
    }
    SmallVector<Value> finished(outerState.begin(), outerState.end());
    if (!after.empty() || !finished.empty())
      finished = branch(
          isLast, finished,
          [&](IRMapping &scope) {
            for (Operation *op : after)
              builder.clone(*op, scope);
            return lookup(outer.getBody()->getTerminator()->getOperands(), scope);
          },
          map);

    Value nextOuter = arith::AddIOp::create(builder, location, i, outer.getStep());
    SmallVector<Value> yielded = {
        arith::SelectOp::create(builder, location, isLast, nextOuter, i),
        arith::SelectOp::create(builder, location, isLast, innerBounds(nextOuter).first, next)};
    llvm::append_range(yielded, finished);
    llvm::append_range(yielded, ArrayRef(entered).take_front(kept.size()));
    llvm::append_range(yielded, state);
    scf::YieldOp::create(builder, location, yielded);
  }

  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, location, predicate, lhs, rhs);
  }
  static SmallVector<Value> lookup(ValueRange values, IRMapping &scope) {
    return llvm::map_to_vector(values, [&](Value value) { return scope.lookupOrDefault(value); });
  }
  /// What `emit` gives if `condition` holds, else `otherwise`.
  SmallVector<Value> branch(Value condition, ArrayRef<Value> otherwise,
                            llvm::function_ref<SmallVector<Value>(IRMapping &)> emit, const IRMapping &map) {
    auto choice = scf::IfOp::create(builder, location, ValueRange(otherwise).getTypes(), condition,
                                    /*withElseRegion=*/!otherwise.empty());
    OpBuilder::InsertionGuard guard(builder);
    IRMapping scope = map;
    builder.setInsertionPointToStart(choice.thenBlock());
    SmallVector<Value> values = emit(scope);
    if (otherwise.empty())
      return {};
    scf::YieldOp::create(builder, location, values);
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, location, otherwise);
    return llvm::to_vector_of<Value>(choice.getResults());
  }
  bool isKnownToRun() {
    APInt low, high;
    return matchPattern(inner.getLowerBound(), m_ConstantInt(&low)) &&
           matchPattern(inner.getUpperBound(), m_ConstantInt(&high)) && low.slt(high);
  }

  scf::ForOp outer, inner;
  SmallVector<Operation *> bounds;
  OpBuilder builder;
  Location location;
  SmallVector<Operation *> before, after, again, once;
  SmallVector<Value> kept;
};

/// The loop that `outer` has become.
scf::ForOp flatten(scf::ForOp outer) {
  scf::ForOp inner = onlyLoopIn(outer);
  if (!inner || hasDots(outer))
    return outer;
  inner = flatten(inner);
  if (outer.getUnsignedCmp() || inner.getUnsignedCmp())
    return outer;
  if (!hoist(inner.getStep(), outer))
    return outer;
  if (hoist(inner.getLowerBound(), outer) && hoist(inner.getUpperBound(), outer))
    return Flattening(outer, inner, {}).run();
  auto bounds = computedFromCounter({inner.getLowerBound(), inner.getUpperBound()}, outer);
  if (!bounds || !tensor::hasPositiveStep(inner) || !tensor::hasPositiveStep(outer))
    return outer;
  return Flattening(outer, inner, *bounds).run();
}

struct FlattenLoops : impl::FlattenLoopsBase<FlattenLoops> {
  void run() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!loop->hasAttr(flattenName))
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip(); // those inside are flattened with it
    });
    for (scf::ForOp loop : loops)
      flatten(loop);
  }
};

} // namespace

} // namespace triton::gpu
