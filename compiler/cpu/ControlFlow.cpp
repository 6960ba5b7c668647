// Blocks, operations one after the other, and what holds them: loops, branches, calls.
//   In:  structured control flow that carries scalars and tensors.
//   Out: the same control flow carrying scalars; each carried tensor lives in one buffer for the whole of it.
// A tensor handed to the next iteration is computed into its buffer in place when each element only needs itself, and
// through a second buffer when another carried tensor still needs the old one.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/cpu/evaluate/Expression.h"
#include "compiler/tensor/TripCount.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;

namespace triton::cpu {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lowerOperation(&op)))
      return failure();
  // The terminator's operands may be filled at its place; what it does itself is up to the operation around the block.
  Operation *terminator = block.getTerminator();
  if (auto found = plan.fills.find(terminator); found != plan.fills.end())
    for (Value tensor : found->second)
      if (failed(lowerNest({llvm::to_vector(shapeOf(tensor)), -1, {}, {tensor}}, tensor.getLoc())))
        return failure();
  return success();
}

LogicalResult Lowering::lowerOperation(Operation *op) {
  if (auto found = plan.fills.find(op); found != plan.fills.end())
    for (Value tensor : found->second)
      if (failed(lowerNest({llvm::to_vector(shapeOf(tensor)), -1, {}, {tensor}}, tensor.getLoc())))
        return failure();
  if (auto found = plan.nests.find(op); found != plan.nests.end())
    return lowerNest(found->second, op->getLoc());
  if (plan.absorbed.contains(op) || isRecomputable(op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return lowerFor(loop); })
      .Case([&](scf::WhileOp loop) { return lowerWhile(loop); })
      .Case([&](scf::IfOp branch) { return lowerIf(branch); })
      .Case([&](tensor::CallOp call) { return lowerCall(call); })
      .Case([&](tensor::ScanOp scan) { return lowerScan(scan); })
      .Case([&](tensor::DotOp dot) { return lowerDot(dot); })
      .Case([&](tensor::JoinOp join) { return lowerJoin(join); })
      .Case([&](tensor::CatOp cat) { return lowerCat(cat); })
      .Case([&](tensor::HistogramOp histogram) { return lowerHistogram(histogram); })
      .Case([&](tensor::MapElementwiseOp map) { return lowerMap(map); })
      .Case([&](tensor::ElementwiseInlineAsmOp assembly) { return lowerInlineAssembly(assembly); })
      .Case([&](tensor::AtomicRMWOp atomic) { return lowerAtomicUpdate(atomic); })
      .Case([&](tensor::AtomicCASOp atomic) { return lowerAtomicSwap(atomic); })
      .Case([&](tensor::PrintOp print) { return lowerPrint(print); })
      .Case([&](tensor::AssertOp check) { return lowerAssert(check); })
      .Case([&](record::RecordOp record) { return lowerRecord(record); })
      .Case([&](tensor::DebugBarrierOp) { return success(); }) // a program is one thread
      .Default([&](Operation *) { return lowerScalar(op); });
}

Lowering::Values Lowering::mapScalars(ValueRange values) {
  Values mapped;
  for (Value value : values)
    if (!isTensor(value))
      mapped.push_back(scalars.lookup(value));
  return mapped;
}

LogicalResult Lowering::lowerScalar(Operation *op) {
  Location loc = op->getLoc();
  Scalar s{builder, loc};
  Memory memory(builder, target, loc);
  auto operand = [&](unsigned i) { return scalars.lookup(op->getOperand(i)); };
  auto set = [&](Value value) {
    scalars.map(op->getResult(0), value);
    return success();
  };
  auto addressOf = [&](Value pointer) {
    return Lanes{.scalar = s.i64(0), .pointer = scalars.lookup(pointer), .unit = 1};
  };
  if (auto id = dyn_cast<tensor::GetProgramIdOp>(op))
    return set(programId[int(id.getAxis())]);
  if (auto count = dyn_cast<tensor::GetNumProgramsOp>(op))
    return set(programCount[int(count.getAxis())]);
  if (auto load = dyn_cast<tensor::LoadOp>(op)) {
    Type element = load.getResult().getType();
    Predicate active;
    Value other;
    if (load.getMask()) {
      active.uniform = scalars.lookup(load.getMask());
      other = load.getOther() ? scalars.lookup(load.getOther()) : s.zero(getRegisterType(element));
    }
    return set(memory.load(addressOf(load.getPtr()), element, 1, active, other, nullptr, load.getIsVolatile()));
  }
  if (auto store = dyn_cast<tensor::StoreOp>(op)) {
    Predicate active;
    if (store.getMask())
      active.uniform = scalars.lookup(store.getMask());
    memory.store(addressOf(store.getPtr()), store.getValue().getType(), 1, active, scalars.lookup(store.getValue()),
                 nullptr);
    return success();
  }
  if (auto add = dyn_cast<tensor::AddPtrOp>(op)) {
    int64_t bytes = getStorageBytes(cast<tensor::PointerType>(add.getPtr().getType()).getPointeeType());
    return set(memory.addressOf(operand(0), s.resize(operand(1), builder.getI64Type()), bytes));
  }
  if (isa<tensor::IntToPtrOp>(op))
    return set(LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(op->getContext()), operand(0)));
  if (isa<tensor::PtrToIntOp>(op))
    return set(LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), operand(0)));
  if (isa<tensor::BitcastOp>(op) && isa<tensor::PointerType>(op->getResult(0).getType()))
    return set(operand(0));
  if (isa<tensor::UnsplatOp, tensor::SplitOp>(op)) {
    // Elements of a tensor of one or two.
    evaluator.begin(1);
    Value source = op->getOperand(0);
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      Coordinates at(shapeOf(source).size(), evaluator.zero());
      if (i == 1)
        at.back().base = s.i64(1);
      scalars.map(result, evaluator.uniform(source, at));
    }
    return checked();
  }
  if (auto poison = dyn_cast<ub::PoisonOp>(op))
    return set(s.zero(getRegisterType(op->getResult(0).getType())));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto real = dyn_cast<FloatAttr>(constant.getValue());
    if (real && tensor::isFloat8(real.getType()))
      return set(s.integer(builder.getI8Type(), real.getValue().bitcastToAPInt().getSExtValue()));
    return set(builder.clone(*op)->getResult(0));
  }
  if (isElementwise(op) && !isTensor(op->getResult(0))) {
    FailureOr<Value> result = emitElementwise(builder, op, mapScalars(op->getOperands()), target);
    return failed(result) ? failure() : set(*result);
  }
  bool isPlain =
      op->getNumRegions() == 0 && llvm::none_of(op->getOperands(), isTensor) &&
      llvm::none_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType, tensor::PointerType>(type); });
  if (isPlain && !isa<tensor::TensorDialect>(op->getDialect())) {
    builder.clone(*op, scalars);
    return success();
  }
  return op->emitError() << "the CPU target cannot lower " << op->getName();
}

namespace {

/// Tensors on their way into buffers that some of them still read: in which order they can be computed.
class Handover {
public:
  struct Item {
    Value value, next;              // `value` goes to the buffer of `next`
    bool readsOwnElsewhere = false; // and needs elements of that at other places than its own
    SmallVector<size_t> reads;      // of the buffers of which other items
  };

  Handover(ArrayRef<std::pair<Value, Value>> pairs, const Plan &plan);
  /// One that nobody else still needs the old elements of, or else the last. False: all are done.
  std::optional<std::pair<Item, bool>> takeNext();

private:
  bool isFree(size_t index) const { return !items[index].readsOwnElsewhere && readers[index] == 0; }

  SmallVector<Item> items;
  SmallVector<size_t> readers; // how many items that are not done read this one's buffer
  std::set<size_t> pending, free;
};

} // namespace

Handover::Handover(ArrayRef<std::pair<Value, Value>> pairs, const Plan &plan) : readers(pairs.size()) {
  llvm::DenseMap<Value, size_t> indices;
  for (auto [index, pair] : llvm::enumerate(pairs)) {
    items.push_back({.value = pair.first, .next = pair.second, .reads = {}});
    indices[pair.second] = index;
    pending.insert(index);
  }
  for (auto [index, item] : llvm::enumerate(items)) {
    SmallVector<int> own = getOwnDimensions(item.value);
    llvm::SetVector<size_t> reads;
    auto read = [&](Value tensor, bool isInPlace) {
      auto found = indices.find(tensor);
      if (found == indices.end())
        return;
      if (found->second != index)
        reads.insert(found->second);
      else
        item.readsOwnElsewhere |= !isInPlace;
    };
    walkExpression(
        item.value, own, [&](Value inner) { return plan.isBuffered(inner); },
        [&](Value inner, ArrayRef<int> dimensions) {
          // What a gather reads is a buffer that the walk does not visit, and it reads it anywhere.
          auto gather = inner.getDefiningOp<tensor::GatherOp>();
          if (gather && !plan.isBuffered(inner))
            read(gather.getSrc(), /*isInPlace=*/false);
          read(inner, dimensions == ArrayRef<int>(own));
        });
    item.reads = reads.takeVector();
    for (size_t other : item.reads)
      ++readers[other];
  }
  for (size_t index : pending)
    if (isFree(index))
      free.insert(index);
}

std::optional<std::pair<Handover::Item, bool>> Handover::takeNext() {
  if (pending.empty())
    return std::nullopt;
  const bool found = !free.empty();
  const size_t index = found ? *free.begin() : *pending.rbegin();
  pending.erase(index);
  free.erase(index);
  for (size_t other : items[index].reads)
    if (--readers[other] == 0 && pending.contains(other) && isFree(other))
      free.insert(other);
  return std::pair(items[index], found);
}

LogicalResult Lowering::yieldInto(ValueRange from, ValueRange to) {
  SmallVector<std::pair<Value, Value>> pending; // value, what it becomes
  for (auto [value, next] : llvm::zip_equal(from, to)) {
    if (!isTensor(next) || value == next)
      continue;
    auto found = buffers.find(value);
    if (found != buffers.end() && plan.isBuffered(value) && found->second.pointer == bufferFor(next).pointer)
      continue;
    pending.push_back({value, next});
  }
  SmallVector<std::pair<Value, Buffer>> copies; // through a second buffer: where to, from where
  Handover handover(pending, plan);
  while (auto taken = handover.takeNext()) {
    auto [item, isFree] = *taken;
    Buffer into =
        isFree ? bufferFor(item.next) : makeBuffer(cast<RankedTensorType>(item.next.getType()), item.next.getLoc());
    if (failed(fill(item.value, into)))
      return failure();
    if (!isFree)
      copies.push_back({item.next, into});
  }
  for (auto &[next, second] : copies) {
    Buffer destination = bufferFor(next);
    auto type = cast<RankedTensorType>(next.getType());
    int64_t bytes = type.getNumElements() * getStorageBytes(type.getElementType());
    Scalar s{builder, next.getLoc()};
    LLVM::MemcpyOp::create(builder, next.getLoc(), destination.pointer, second.pointer, s.i64(bytes),
                           /*isVolatile=*/false);
  }
  return success();
}

/// A loop like `model` on scalars, in which no sum wraps: 64 bits hold what narrower numbers add up to, and a loop in 64 bits counts its
/// iterations. With it the model's variable, computed where the body begins.
static std::pair<scf::ForOp, Value> createLoop(OpBuilder &builder, scf::ForOp model, Value lower, Value upper,
                                               Value step, ValueRange initial) {
  Location loc = model.getLoc();
  Scalar s{builder, loc};
  const bool isUnsigned = model.getUnsignedCmp();
  if (!tensor::mayStepBeyond(model)) {
    auto loop = scf::ForOp::create(builder, loc, lower, upper, step, initial, nullptr, isUnsigned);
    return {loop, loop.getInductionVar()};
  }
  Type type = lower.getType(), wide = builder.getI64Type();
  if (!tensor::hasPositiveStep(model)) {
    Value moves =
        s.compare(isUnsigned ? arith::CmpIPredicate::ne : arith::CmpIPredicate::sgt, step, s.integer(type, 0));
    upper = s.select(moves, upper, lower);
    step = s.select(moves, step, s.integer(type, 1));
  }
  const bool widens = type.isInteger() && type != wide;
  Value first = widens ? s.resize(lower, wide, !isUnsigned) : s.integer(type, 0);
  Value end = widens ? s.resize(upper, wide, !isUnsigned)
                     : tensor::createTripCount(builder, loc, lower, upper, step, isUnsigned, type);
  auto loop = scf::ForOp::create(builder, loc, first, end,
                                 widens ? s.resize(step, wide, !isUnsigned) : s.integer(type, 1), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  return {loop, widens ? s.resize(counter, type) : s.add(lower, s.mul(counter, step))};
}

LogicalResult Lowering::lowerFor(scf::ForOp loop) {
  for (auto [initial, argument] : llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isTensor(argument))
      continue;
    // A buffer that nobody needs afterwards is taken over.
    Operation *definition = initial.getDefiningOp();
    auto owned = buffers.find(initial);
    if (owned != buffers.end() && plan.isBuffered(initial) && initial.hasOneUse() && definition &&
        definition->getBlock() == loop->getBlock())
      shareBuffer(argument, Buffer(owned->second));
    else if (failed(fill(initial, bufferFor(argument))))
      return failure();
    shareBuffer(loop.getTiedLoopResult(cast<BlockArgument>(argument)), Buffer(bufferFor(argument)));
  }
  stageInvariants(loop);
  auto [lowered, variable] =
      createLoop(builder, loop, scalars.lookup(loop.getLowerBound()), scalars.lookup(loop.getUpperBound()),
                 scalars.lookup(loop.getStep()), mapScalars(loop.getInitArgs()));
  scalars.map(loop.getInductionVar(), variable);
  unsigned next = 0;
  for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults())) {
    if (isTensor(argument))
      continue;
    scalars.map(argument, lowered.getRegionIterArg(next));
    scalars.map(result, lowered.getResult(next++));
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *body = lowered.getBody();
  if (next == 0)
    body->getTerminator()->erase();
  builder.setInsertionPointToEnd(body);
  Operation *yield = loop.getBody()->getTerminator();
  if (failed(lowerBlock(*loop.getBody())) || failed(yieldInto(yield->getOperands(), loop.getRegionIterArgs())))
    return failure();
  scf::YieldOp::create(builder, loop.getLoc(), mapScalars(yield->getOperands()));
  return success();
}

static SmallVector<Type> scalarTypes(TypeRange types) {
  SmallVector<Type> kept;
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      kept.push_back(getRegisterType(type));
  return kept;
}

LogicalResult Lowering::lowerIf(scf::IfOp branch) {
  auto lowered = scf::IfOp::create(builder, branch.getLoc(), scalarTypes(branch.getResultTypes()),
                                   scalars.lookup(branch.getCondition()), !branch.getElseRegion().empty());
  for (Value result : branch.getResults())
    if (isTensor(result))
      bufferFor(result);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), lowered->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    Block &block = to.front();
    if (!block.empty())
      block.getTerminator()->erase();
    builder.setInsertionPointToEnd(&block);
    Operation *yield = from.front().getTerminator();
    if (failed(lowerBlock(from.front())) || failed(yieldInto(yield->getOperands(), branch.getResults())))
      return failure();
    scf::YieldOp::create(builder, branch.getLoc(), mapScalars(yield->getOperands()));
  }
  unsigned next = 0;
  for (Value result : branch.getResults())
    if (!isTensor(result))
      scalars.map(result, lowered.getResult(next++));
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp loop) {
  for (auto [initial, argument] : llvm::zip_equal(loop.getInits(), loop.getBeforeArguments()))
    if (isTensor(argument) && failed(fill(initial, bufferFor(argument))))
      return failure();
  for (auto [argument, result] : llvm::zip_equal(loop.getAfterArguments(), loop.getResults()))
    if (isTensor(argument))
      shareBuffer(result, Buffer(bufferFor(argument)));
  auto lowered = scf::WhileOp::create(builder, loop.getLoc(), scalarTypes(loop.getResultTypes()),
                                      mapScalars(loop.getInits()), nullptr, nullptr);
  auto enter = [&](Region &region, ValueRange arguments) {
    Block *block = region.empty() ? builder.createBlock(&region) : &region.front();
    block->clear();
    unsigned next = 0;
    for (Value argument : arguments)
      if (!isTensor(argument)) {
        if (next == block->getNumArguments())
          block->addArgument(getRegisterType(argument.getType()), argument.getLoc());
        scalars.map(argument, block->getArgument(next++));
      }
    builder.setInsertionPointToEnd(block);
  };
  OpBuilder::InsertionGuard guard(builder);
  enter(lowered.getBefore(), loop.getBeforeArguments());
  auto condition = loop.getConditionOp();
  if (failed(lowerBlock(*loop.getBeforeBody())) || failed(yieldInto(condition.getArgs(), loop.getAfterArguments())))
    return failure();
  scf::ConditionOp::create(builder, loop.getLoc(), scalars.lookup(condition.getCondition()),
                           mapScalars(condition.getArgs()));
  enter(lowered.getAfter(), loop.getAfterArguments());
  if (mayNeverEnd(loop))
    emitPoll(loop.getLoc());
  auto yield = loop.getYieldOp();
  if (failed(lowerBlock(*loop.getAfterBody())) || failed(yieldInto(yield.getOperands(), loop.getBeforeArguments())))
    return failure();
  scf::YieldOp::create(builder, loop.getLoc(), mapScalars(yield.getOperands()));
  unsigned next = 0;
  for (Value result : loop.getResults())
    if (!isTensor(result))
      scalars.map(result, lowered.getResult(next++));
  return success();
}

LogicalResult Lowering::lowerBranch(Operation *branch) {
  Location loc = branch->getLoc();
  auto blockOf = [&](Block *block) { return blocks.lookup(block); };
  if (auto jump = dyn_cast<cf::BranchOp>(branch)) {
    if (failed(yieldInto(jump.getDestOperands(), jump.getDest()->getArguments())))
      return failure();
    cf::BranchOp::create(builder, loc, blockOf(jump.getDest()), mapScalars(jump.getDestOperands()));
    return success();
  }
  if (auto fork = dyn_cast<cf::CondBranchOp>(branch)) {
    Value condition = scalars.lookup(fork.getCondition());
    auto copy = [&](ValueRange from, Block *to, bool isTrue) -> LogicalResult {
      if (llvm::none_of(from, isTensor))
        return success();
      Value taken =
          isTrue ? condition
                 : Scalar{builder, loc}.compare(arith::CmpIPredicate::eq, condition, Scalar{builder, loc}.i1(false));
      auto only = scf::IfOp::create(builder, loc, taken, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(only.thenBlock()->getTerminator());
      return yieldInto(from, to->getArguments());
    };
    if (failed(copy(fork.getTrueDestOperands(), fork.getTrueDest(), true)) ||
        failed(copy(fork.getFalseDestOperands(), fork.getFalseDest(), false)))
      return failure();
    cf::CondBranchOp::create(builder, loc, condition, blockOf(fork.getTrueDest()),
                             mapScalars(fork.getTrueDestOperands()), blockOf(fork.getFalseDest()),
                             mapScalars(fork.getFalseDestOperands()));
    return success();
  }
  return branch->emitError() << "the CPU target cannot lower " << branch->getName();
}

} // namespace triton::cpu
