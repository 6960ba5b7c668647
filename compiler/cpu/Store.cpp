// Stores, after everything their nest reads.
//   In:  the stores of a nest, which share its loops with the loads that their values need.
//   Out: vector stores in the loops; before them, checks that no store overwrites what a later iteration still reads.
// All loads of a block operation come before its stores. A nest that interleaves them is right as long as each store's
// range of addresses is apart from, or element for element the same as, the ranges the nest reads and the other stores
// write. Where that fails when the kernel runs, the store goes to a buffer and from there to its place after the loops.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Expression.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

namespace {

/// The bytes from the first to the last element of a tensor of pointers, as integers.
struct Range {
  Value first, low, high;
  tensor::Steps steps;
  ArrayRef<int64_t> shape;
  int64_t bytes;

  bool isRun() const { return shape.size() == 1 && steps[0] == tensor::Step::constant(1); }
};

} // namespace

static Range rangeOf(Value pointers, tensor::AccessAnalysis &accesses, Evaluator &evaluator, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(pointers.getType());
  Scalar s{builder, pointers.getLoc()};
  Range range;
  range.steps = accesses.steps(pointers);
  range.shape = type.getShape();
  range.bytes = getStorageBytes(cast<tensor::PointerType>(type.getElementType()).getPointeeType());
  auto addressAt = [&](ArrayRef<Coordinate> at) -> Value {
    return LLVM::PtrToIntOp::create(builder, s.loc, builder.getI64Type(), evaluator.uniform(pointers, at));
  };
  Coordinates at(type.getRank(), evaluator.zero());
  range.first = addressAt(at);
  range.low = range.first;
  range.high = s.add(range.first, range.bytes);
  for (auto [d, step] : llvm::enumerate(range.steps)) {
    if (step.isZero())
      continue;
    if (step.kind == tensor::Step::Constant && step.value > 0) {
      range.high = s.add(range.high, step.value * (range.shape[d] - 1) * range.bytes);
      continue;
    }
    at[d].base = s.i64(range.shape[d] - 1);
    Value distance = s.sub(addressAt(at), range.first);
    at[d] = evaluator.zero();
    range.low = s.add(range.low, s.smin(distance, s.i64(0)));
    range.high = s.add(range.high, s.smax(distance, s.i64(0)));
  }
  return range;
}

/// Whether a store to `target` could change what `other` reads (or writes) in a later iteration.
/// `isAhead`: `other` is read element for element in the order that `target` is written. `isInPlace`: each element together with the one of
/// `target` at the same place of the tensor.
static Value mayClash(const Range &target, const Range &other, OpBuilder &builder, Location loc, bool isAhead,
                      bool isInPlace) {
  Scalar s{builder, loc};
  using P = arith::CmpIPredicate;
  // Ascending runs of one element size: a store at or before the element just read is harmless.
  if (isAhead && target.isRun() && other.isRun() && target.bytes == other.bytes && target.shape == other.shape)
    return s.bitAnd(s.compare(P::ugt, target.low, other.low), s.compare(P::ult, target.low, other.high));
  Value overlap = s.bitAnd(s.compare(P::ult, target.low, other.high), s.compare(P::ult, other.low, target.high));
  bool sameSteps = isInPlace && target.steps == other.steps && target.shape == other.shape &&
                   target.bytes == other.bytes &&
                   llvm::all_of(target.steps, [](tensor::Step step) { return step.kind == tensor::Step::Constant; });
  if (sameSteps)
    overlap = s.bitAnd(overlap, s.compare(P::ne, target.first, other.first));
  return overlap;
}

SmallVector<Redirection> Lowering::guardStores(const NestPlan &nest, bool isInOrder) {
  SmallVector<Redirection> redirections(nest.members.size());
  auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor) && !llvm::is_contained(nest.fills, tensor); };
  llvm::SetVector<Value> reads;    // pointers that values of this nest load through
  llvm::DenseSet<Value> displaced; // of these, loaded at other coordinates than the nest's own
  for (Operation *member : nest.members) {
    Value value = cast<tensor::StoreOp>(member).getValue();
    SmallVector<int> own = getOwnDimensions(value);
    walkExpression(value, own, isLeaf, [&](Value tensor, ArrayRef<int> dimensions) {
      auto load = tensor.getDefiningOp<tensor::LoadOp>();
      if (!load || isLeaf(tensor))
        return;
      reads.insert(load.getPtr());
      if (dimensions != ArrayRef<int>(own))
        displaced.insert(load.getPtr());
    });
  }
  llvm::DenseMap<Value, Range> ranges;
  auto range = [&](Value pointers) -> const Range & {
    auto found = ranges.find(pointers);
    if (found == ranges.end())
      found = ranges.try_emplace(pointers, rangeOf(pointers, accesses, evaluator, builder)).first;
    return found->second;
  };
  Scalar s{builder, builder.getUnknownLoc()};
  for (auto [i, member] : llvm::enumerate(nest.members)) {
    auto store = cast<tensor::StoreOp>(member);
    Value condition;
    auto add = [&](Value clash) { condition = condition ? s.bitOr(condition, clash) : clash; };
    for (Value read : reads) {
      if (read == store.getPtr() && !displaced.contains(read))
        continue;
      Range other = range(read), own = range(store.getPtr());
      const bool isInPlace = !displaced.contains(read);
      add(mayClash(own, other, builder, member->getLoc(), isInOrder && isInPlace, isInPlace));
    }
    for (Operation *sibling : nest.members) {
      Value pointers = cast<tensor::StoreOp>(sibling).getPtr();
      if (sibling == member || pointers == store.getPtr())
        continue;
      if (!accesses.isAffine(pointers) || !accesses.isAffine(store.getPtr())) {
        add(s.i1(true));
        continue;
      }
      Range other = range(pointers), own = range(store.getPtr());
      add(mayClash(own, other, builder, member->getLoc(), /*isAhead=*/false, /*isInPlace=*/true));
    }
    if (!condition)
      continue;
    redirections[i].condition = condition;
    redirections[i].buffer = borrowBuffer(cast<RankedTensorType>(store.getValue().getType()), member->getLoc());
  }
  return redirections;
}

void Lowering::emitStores(ArrayRef<Operation *> stores, ArrayRef<Redirection> redirections, ArrayRef<Coordinate> at) {
  struct Pending {
    Value value;
    Lanes address;
    Predicate active;
  };
  SmallVector<Pending> pending;
  for (Operation *member : stores) { // everything is read before anything is written
    auto store = cast<tensor::StoreOp>(member);
    Predicate active = store.getMask() ? evaluator.predicate(store.getMask(), at) : Predicate();
    pending.push_back({evaluator.vector(store.getValue(), at), evaluator.evaluate(store.getPtr(), at), active});
  }
  for (auto [i, member] : llvm::enumerate(stores)) {
    auto store = cast<tensor::StoreOp>(member);
    auto [value, address, active] = pending[i];
    Type element = cast<RankedTensorType>(store.getValue().getType()).getElementType();
    if (isa<tensor::PointerType>(element))
      element = builder.getI64Type();
    Memory memory(builder, target, member->getLoc());
    Scalar s{builder, member->getLoc()};
    auto exact = [&] { return evaluator.evaluate(store.getPtr(), at, /*exact=*/true); };
    bool isStreaming = store.getCache() == tensor::CacheModifier::CS;
    int64_t width = evaluator.lanes();
    auto emit = [&](const Lanes &to) { memory.store(to, element, width, active, value, exact, isStreaming); };
    Value redirected = redirections.empty() ? Value() : redirections[i].condition;
    if (!redirected) {
      emit(address);
      continue;
    }
    const Buffer &buffer = redirections[i].buffer;
    Lanes scratch{.scalar = s.i64(0), .pointer = buffer.pointer, .unit = getStorageBytes(element)};
    for (auto [coordinate, stride] : llvm::zip_equal(at, buffer.strides)) {
      scratch.scalar = s.add(scratch.scalar, s.mul(coordinate.base, stride));
      scratch.offsets = addScaled(coordinate.offsets, stride, scratch.offsets);
    }
    if (address.scalar && !address.multiplier && !address.condition && address.unit == scratch.unit &&
        address.offsets == scratch.offsets) {
      auto pointerOf = [&](const Lanes &lanes) {
        return memory.addressOf(lanes.pointer, s.resize(lanes.scalar, builder.getI64Type()), lanes.unit);
      };
      Lanes either = scratch;
      either.pointer = s.select(redirected, pointerOf(scratch), pointerOf(address));
      either.scalar = s.i64(0);
      emit(either);
      continue;
    }
    auto branch = scf::IfOp::create(builder, member->getLoc(), redirected, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    memory.store(scratch, element, width, active, value, nullptr);
    builder.setInsertionPoint(branch.elseBlock()->getTerminator());
    emit(address);
  }
}

void Lowering::finishRedirected(const NestPlan &nest, const Space &space, ArrayRef<Redirection> redirections) {
  for (auto [i, redirection] : llvm::enumerate(redirections)) {
    if (!redirection.condition)
      continue;
    auto store = cast<tensor::StoreOp>(nest.members[i]);
    Location loc = store.getLoc();
    auto branch = scf::IfOp::create(builder, loc, redirection.condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    // A path that overlapping buffers take: short rather than fast.
    forEachElement(nest.shape, loc, [&](Coordinates &at) {
      Scalar s{builder, loc};
      Memory memory(builder, target, loc);
      Predicate active = store.getMask() ? evaluator.predicate(store.getMask(), at) : Predicate();
      Value index = s.i64(0);
      for (auto [coordinate, stride] : llvm::zip_equal(at, redirection.buffer.strides))
        index = s.add(index, s.mul(coordinate.base, stride));
      Type element = redirection.buffer.element;
      if (isa<tensor::PointerType>(element))
        element = builder.getI64Type();
      Value value = memory.loadBuffer(redirection.buffer.pointer, element, 1, index, {});
      memory.store(evaluator.evaluate(store.getPtr(), at), element, 1, active, value, nullptr);
    });
  }
  for (auto [member, redirection] : llvm::zip_equal(nest.members, redirections))
    if (redirection.condition)
      giveBack(redirection.buffer, cast<RankedTensorType>(cast<tensor::StoreOp>(member).getValue().getType()));
}

} // namespace triton::cpu
