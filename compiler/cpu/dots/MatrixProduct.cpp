// `tt.dot`.
//   In:  operands as expressions, an accumulator.
//   Out: staging loops that compute the operands straight into the micro-kernel's form, then the micro-kernel, in place
//   on the buffer of
//        the accumulator.
// An accumulator carried by a loop is one buffer for the whole loop. Tiles that masks do not cut are staged without
// masks.
#include "compiler/cpu/Convert.h"
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/dots/Dot.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/cpu/evaluate/Expression.h"

using namespace mlir;

namespace triton::cpu {

/// The argument that `result` becomes in the next iteration of the loop around it, if nothing needs that argument's old
/// elements after `result` is computed, and computing `initial` needs each of them only at its own place.
static Value carriedInto(Value result, Value initial, const Plan &plan) {
  Operation *op = result.getDefiningOp();
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return {};
  Value carried;
  for (auto [i, operand] : llvm::enumerate(loop.getBody()->getTerminator()->getOperands()))
    if (operand == result) {
      if (carried)
        return {};
      carried = loop.getRegionIterArg(i);
    }
  if (!carried)
    return {};
  // Everything that needs the argument, directly or by recomputing something.
  SmallVector<Value> pending{carried};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (!seen.insert(user).second)
        continue;
      Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
      if (!place || (place != op && op->isBeforeInBlock(place) && !isRecomputable(user)))
        return {};
      if (isRecomputable(user))
        pending.append(user->result_begin(), user->result_end());
    }
  }
  bool inPlace = true;
  SmallVector<int> own = getOwnDimensions(initial);
  walkExpression(
      initial, own, [&](Value tensor) { return plan.isBuffered(tensor); },
      [&](Value tensor, ArrayRef<int> dimensions) {
        inPlace &= tensor != carried || dimensions == ArrayRef<int>(own);
      });
  return inPlace ? carried : Value();
}

void Lowering::addWholeTerms(Value mask, ArrayRef<int> dimensions, ArrayRef<int> own,
                             SmallVectorImpl<PrefixTerm> &terms, Value &whole) {
  auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor); };
  for (int along : own)
    for (const PrefixTerm &term : findPrefixTerms(mask, dimensions, along, accesses, isLeaf)) {
      // Only along this dimension: its first elements speak for the whole tile.
      bool single = true;
      for (auto [d, step] : llvm::enumerate(accesses.steps(term.index)))
        single &= int(d) == term.dimension || step.isZero();
      if (!single || !accesses.isUniform(term.bound) || llvm::is_contained(terms, term))
        continue;
      terms.push_back(term);
      Scalar s{builder, mask.getLoc()};
      Coordinates at(shapeOf(term.compare).size(), evaluator.zero());
      at[term.dimension].base = s.i64(shapeOf(term.compare)[term.dimension] - 1);
      Value holds = evaluator.uniform(term.compare, at);
      whole = whole ? s.bitAnd(whole, holds) : holds;
    }
}

Value Lowering::wholeTile(Value operand, SmallVectorImpl<PrefixTerm> &terms) {
  auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor); };
  SmallVector<int> own = getOwnDimensions(operand);
  Value whole;
  evaluator.begin(1);
  walkExpression(operand, own, isLeaf, [&](Value tensor, ArrayRef<int> dimensions) {
    if (auto load = tensor.getDefiningOp<tensor::LoadOp>(); load && load.getMask() && !isLeaf(tensor))
      addWholeTerms(load.getMask(), dimensions, own, terms, whole);
  });
  return whole;
}

Value Lowering::wholeTile(const NestPlan &nest, SmallVectorImpl<PrefixTerm> &terms) {
  Value whole;
  for (Operation *member : nest.members) {
    auto store = cast<tensor::StoreOp>(member);
    Value own = wholeTile(store.getValue(), terms);
    if (store.getMask())
      addWholeTerms(store.getMask(), getOwnDimensions(store.getMask()), getOwnDimensions(store.getMask()), terms, own);
    if (own)
      whole = whole ? Scalar{builder, store.getLoc()}.bitAnd(whole, own) : own;
  }
  return whole;
}

static bool isIntegers(Value tensor) { return isa<IntegerType>(elementOf(tensor)); }

Value Lowering::unbrokenTile(Value operand, int along, SmallVectorImpl<UnbrokenRemainder> &remainders,
                             SmallVectorImpl<Value> &recomputed) {
  evaluator.begin(1);
  Value holds;
  auto visit = [&](Value tensor, ArrayRef<int> dimensions) {
    Operation *op = tensor.getDefiningOp();
    auto found = llvm::find(dimensions, along);
    if (!op || !isa<arith::RemSIOp, arith::RemUIOp>(op) || found == dimensions.end() ||
        llvm::any_of(remainders, [&](const UnbrokenRemainder &known) { return known.term == tensor; }))
      return;
    const size_t dimension = found - dimensions.begin();
    // Along this dimension only: its first and last elements speak for the whole tile.
    for (auto [d, step] : llvm::enumerate(accesses.steps(op->getOperand(0))))
      if (d == dimension ? step != tensor::Step::constant(1) : !step.isZero())
        return;
    Scalar s{builder, op->getLoc()};
    Coordinates first(dimensions.size(), evaluator.zero());
    if (!accesses.isUniform(op->getOperand(1)))
      return;
    Value divisor = evaluator.uniform(op->getOperand(1), first);
    const int64_t size = shapeOf(tensor)[dimension];
    if (auto constant = Scalar::constant(divisor); constant && *constant < size)
      return; // never
    Value dividend = evaluator.uniform(op->getOperand(0), first);
    FailureOr<Value> remainder = emitElementwise(builder, op, {dividend, divisor}, target);
    if (failed(remainder))
      return;
    // The dividend of the last element must not have wrapped around its own type either.
    const bool isSigned = isa<arith::RemSIOp>(op);
    Type i64 = builder.getI64Type();
    auto last = [&](Value of) { return s.add(s.resize(of, i64, isSigned), size - 1); };
    const unsigned bits = elementOf(tensor).getIntOrFloatBitWidth();
    const APInt greatest = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value fits = s.compare(arith::CmpIPredicate::slt, last(*remainder), s.resize(divisor, i64, isSigned));
    fits = s.bitAnd(fits, s.compare(arith::CmpIPredicate::sge, s.resize(dividend, i64, isSigned), s.i64(0)));
    if (bits < 64)
      fits = s.bitAnd(fits, s.compare(arith::CmpIPredicate::sle, last(dividend), s.i64(greatest.getZExtValue())));
    remainders.push_back({tensor, s.sub(*remainder, dividend)});
    holds = holds ? s.bitAnd(holds, fits) : fits;
  };
  // Remainders are dear, so that they, or what they are part of, lie in a buffer: an unbroken one is cheap.
  auto isWrapped = [](tensor::Step step) { return step.kind == tensor::Step::Wrapped; };
  auto isLeaf = [&](Value tensor) {
    if (!plan.isBuffered(tensor))
      return false;
    if (!tensor.getDefiningOp() || !isRecomputable(tensor.getDefiningOp()) || !isIntegers(tensor) ||
        llvm::none_of(accesses.steps(tensor), isWrapped))
      return true;
    if (!llvm::is_contained(recomputed, tensor))
      recomputed.push_back(tensor);
    return false;
  };
  walkExpression(operand, getOwnDimensions(operand), isLeaf, visit);
  return holds;
}

static DotPlan planOf(tensor::DotOp dot, const HostTarget &target) {
  ArrayRef<int64_t> shape = shapeOf(dot.getD());
  int64_t k = shapeOf(dot.getA()).back();
  return planDot(shape[shape.size() - 2], shape.back(), k, elementOf(dot.getA()), elementOf(dot.getB()), target);
}

void Lowering::stageOperand(OpOperand &use, const DotPlan &product, ArrayRef<Coordinate> batch, Value buffer) {
  Value operand = use.get();
  Location loc = use.getOwner()->getLoc();
  bool isA = use.getOperandNumber() == 0;
  NestPlan reads;
  reads.shape = llvm::to_vector(shapeOf(operand));
  if (!plan.isBuffered(operand))
    reads.fills = {operand};
  Along way = chooseSpace(reads).vectors.back() == int(batch.size()) ? Along::Rows : Along::Columns;
  auto emit = [&](ArrayRef<PrefixTerm> terms, ArrayRef<UnbrokenRemainder> remainders, ArrayRef<Value> recomputed) {
    auto elements = [&](OpBuilder &inner, Location, Value row, Value column, int64_t length) -> Value {
      OpBuilder::InsertionGuard inLoop(builder);
      builder.restoreInsertionPoint(inner.saveInsertionPoint());
      evaluator.begin(length, recomputed);
      for (const PrefixTerm &term : terms)
        evaluator.assume(Fact{term.compare, term.dimension, {}});
      for (const UnbrokenRemainder &remainder : remainders)
        evaluator.assume(remainder);
      Coordinates at(batch);
      at.push_back(coordinate(row, way == Along::Rows ? getIota(length) : Offsets()));
      at.push_back(coordinate(column, way == Along::Columns ? getIota(length) : Offsets()));
      Value value = evaluator.vector(operand, at);
      if (length == 1 && !isa<VectorType>(value.getType()))
        value = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, value.getType()), value);
      Type element = elementOf(operand);
      if (!isa<FloatType>(element))
        return Scalar{builder, loc}.resize(value, product.operandType);
      return convertFloat(builder, loc, value, element, product.operandType, Rounding::NearestEven, target);
    };
    isA ? stageA(builder, loc, product, buffer, way, elements) : stageB(builder, loc, product, buffer, way, elements);
  };
  auto either = [&](Value condition, llvm::function_ref<void()> yes, llvm::function_ref<void()> no) {
    if (!condition)
      return no();
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    yes();
    builder.setInsertionPoint(branch.elseBlock()->getTerminator());
    no();
  };
  SmallVector<PrefixTerm> terms;
  SmallVector<UnbrokenRemainder> remainders;
  SmallVector<Value> recomputed;
  Value whole = wholeTile(operand, terms);
  Value unbroken = unbrokenTile(operand, int(batch.size()) + (way == Along::Columns), remainders, recomputed);
  auto emitUncut = [&] {
    either(unbroken, [&] { emit(terms, remainders, recomputed); }, [&] { emit(terms, {}, {}); });
  };
  whole ? either(whole, emitUncut, [&] { emit({}, {}, {}); }) : emitUncut();
}

void Lowering::stageInvariants(scf::ForOp loop) {
  for (auto dot : loop.getBody()->getOps<tensor::DotOp>()) {
    if (cast<RankedTensorType>(dot.getD().getType()).getRank() != 2)
      continue; // staged one matrix of the batch after the other
    DotPlan product = planOf(dot, target);
    for (OpOperand *use : {&dot.getAMutable(), &dot.getBMutable()}) {
      if (!loop.isDefinedOutsideOfLoop(use->get()) || staged.contains(use))
        continue;
      Value buffer = allocate(use->getOperandNumber() == 0 ? product.aBytes() : product.bBytes(), dot.getLoc());
      stageOperand(*use, product, {}, buffer);
      staged[use] = buffer;
    }
  }
}

LogicalResult Lowering::lowerDot(tensor::DotOp dot) {
  Location loc = dot.getLoc();
  Scalar s{builder, loc};
  Value c = dot.getC(), d = dot.getD();
  ArrayRef<int64_t> shape = shapeOf(d);
  size_t rank = shape.size();
  DotPlan product = planOf(dot, target);
  OpOperand &a = dot.getAMutable(), &b = dot.getBMutable();

  // The accumulator: the result's own buffer when the types agree, which may be the buffer of the loop's carried value.
  bool inPlace = elementOf(d) == product.accumulatorType;
  // With batches the accumulator is set up before operands are staged, so they must not read what it reuses.
  auto reads = [&](Value tensor, Value source) {
    bool found = false;
    walkExpression(
        tensor, getOwnDimensions(tensor), [&](Value inner) { return plan.isBuffered(inner); },
        [&](Value inner, ArrayRef<int>) { found |= inner == source; });
    return found;
  };
  Value carried = inPlace ? carriedInto(d, c, plan) : Value();
  if (carried && (rank == 2 || (!reads(a.get(), carried) && !reads(b.get(), carried))))
    shareBuffer(d, Buffer(bufferFor(carried)));
  Buffer result = bufferFor(d);
  Buffer accumulator = inPlace ? result : makeBuffer(RankedTensorType::get(shape, product.accumulatorType), loc);
  auto bufferOf = [&](OpOperand &use, int64_t bytes) {
    Value known = staged.lookup(&use);
    return known ? known : borrow(bytes, loc);
  };
  Value aBuffer = bufferOf(a, product.aBytes()), bBuffer = bufferOf(b, product.bBytes());
  auto stageBoth = [&](ArrayRef<Coordinate> batch) {
    if (!staged.contains(&a))
      stageOperand(a, product, batch, aBuffer);
    if (!staged.contains(&b))
      stageOperand(b, product, batch, bBuffer);
  };

  std::function<LogicalResult(size_t, Coordinates &)> eachBatch = [&](size_t i, Coordinates &batch) -> LogicalResult {
    if (i + 2 < rank) {
      // A plain loop: staging starts to evaluate afresh inside of it.
      auto loop = scf::ForOp::create(builder, loc, s.i64(0), s.i64(shape[i]), s.i64(1));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      batch.push_back({loop.getInductionVar(), {}, 0});
      LogicalResult status = eachBatch(i + 1, batch);
      batch.pop_back();
      return status;
    }
    stageBoth(batch);
    Value offset = s.i64(0);
    for (auto [coordinate, stride] : llvm::zip(batch, accumulator.strides))
      offset = s.add(offset, s.mul(coordinate.base, stride));
    int64_t bytes = getStorageBytes(product.accumulatorType);
    Value tile = Memory(builder, target, loc).addressOf(accumulator.pointer, offset, bytes);
    buildDot(builder, loc, product, aBuffer, bBuffer, tile);
    return checked();
  };

  Coordinates batch;
  if (rank == 2) {
    // Operands are staged before the accumulator is touched: they may read the buffer it reuses.
    stageBoth(batch);
    if (failed(fillAccumulator(c, accumulator)))
      return failure();
    buildDot(builder, loc, product, aBuffer, bBuffer, accumulator.pointer);
  } else if (failed(fillAccumulator(c, accumulator)) || failed(eachBatch(0, batch))) {
    return failure();
  }
  if (!staged.contains(&a))
    giveBack(aBuffer, product.aBytes());
  if (!staged.contains(&b))
    giveBack(bBuffer, product.bBytes());
  if (inPlace)
    return checked();
  return convertBuffer(accumulator, result, shape, loc);
}

LogicalResult Lowering::fillAccumulator(Value initial, const Buffer &buffer) {
  auto found = buffers.find(initial);
  if (plan.isBuffered(initial) && found != buffers.end() && found->second.pointer == buffer.pointer)
    return success();
  if (elementOf(initial) == buffer.element)
    return fill(initial, buffer);
  Buffer same = makeBuffer(cast<RankedTensorType>(initial.getType()), initial.getLoc());
  if (failed(fill(initial, same)))
    return failure();
  return convertBuffer(same, buffer, shapeOf(initial), initial.getLoc());
}

LogicalResult Lowering::convertBuffer(const Buffer &from, const Buffer &to, ArrayRef<int64_t> shape, Location loc) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  int64_t width = std::min<int64_t>(size, target.lanes(32) * 4);
  evaluator.begin(width);
  Scalar s{builder, loc};
  emitLoop(s.i64(0), s.i64(size), width, loc, {}, [&](Value index, ValueRange) {
    Memory memory(builder, target, loc);
    Value value = memory.loadBuffer(from.pointer, from.element, width, index, getIota(width));
    value = isa<FloatType>(to.element)
                ? convertFloat(builder, loc, value, from.element, to.element, Rounding::NearestEven, target)
                : s.resize(value, to.element);
    memory.storeBuffer(to.pointer, to.element, index, getIota(width), value);
    return Values();
  });
  return success();
}

} // namespace triton::cpu
